/* The tables of a study. */
#ifndef REPORT_STUDY_TABLES_H
#define REPORT_STUDY_TABLES_H

#include "report/sheet.h"
#include "report/study_book.h"

/* A measure in percent on a dataset: a row for each number of classes and one of averages, a column
 * for each method. */
sheet *study_table_scores(const study_book *book, int64_t dataset, study_measure measure);
/* A row for each method: averages of everything, and its mean rank. */
sheet *study_table_methods(const study_book *book);
/* The gain of each setting, the largest first; NULL where no variant has its plain method. */
sheet *study_table_gains(const study_book *book);

/* All of them. */
orthant_status study_tables(const study_book *book, sheet_list *list);

#endif
