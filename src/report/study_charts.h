/* The charts of a study. */
#ifndef REPORT_STUDY_CHARTS_H
#define REPORT_STUDY_CHARTS_H

#include "report/chart.h"
#include "report/study_book.h"

/* A measure against the number of classes, with error bars; nothing where there is one number. */
orthant_status study_chart_classes(chart_place *place, const study_book *book, int64_t dataset,
                                   study_measure measure);
/* Accuracy against each parameter that was swept, a line for each dataset; `heading` (HTML) comes
 * before the first, and *any says whether there was one. */
orthant_status study_chart_sweeps(chart_place *place, const study_book *book, const char *heading,
                                  bool *any);

#define CHART_NAME 90 /* bytes; what comes behind it stays within a chart's 100 */
/* "first-second" as a name for a file: letters, digits, '_' and '-' stay; of a long one the begin
 * and a checksum. */
void chart_file_name(char name[CHART_NAME], const char *first, const char *second);
/* A name in a data file, in quotes, with `suffix` behind it. */
void chart_data_name(FILE *file, const char *name, const char *suffix);

#endif
