/* A study as it is stored, with what follows from its rows: what its page and its tables are made
 * from. */
#ifndef REPORT_STUDY_BOOK_H
#define REPORT_STUDY_BOOK_H

#include "report/json.h"
#include "report/record.h"
#include "study/gains.h"
#include "study/results.h"
#include "study/summary.h"

#define STUDY_ALPHA 0.05

typedef struct study_book {
    orthant_context *ctx;
    const char *folder; /* NULL where there is none */
    study_results results;
    bool borrowed; /* the results are the caller's */
    study_summary summary;
    study_gains gains;
    bool ranked; /* there were methods and rows enough */
    study_ranking ranking;
    int64_t shown;         /* methods in the main tables: the plain ones where there are two */
    int64_t *shown_method; /* places in the summary's list */
    json_value *json;      /* study.json, or NULL */
} study_book;

/* Whether the folder holds a study. */
orthant_status folder_is_study(orthant_context *ctx, const char *folder, bool *is_study);
/* `folder` must outlive it. */
orthant_status study_book_read(orthant_context *ctx, const char *folder, study_book *book);
/* Of results that are at hand and outlive it. */
orthant_status study_book_of(orthant_context *ctx, const study_results *results, study_book *book);
void study_book_free(study_book *book);

/* The mean of a measure over all datasets (or one, not -1) and numbers of classes, of their means;
 * NaN where one is missing. */
double study_average(const study_book *book, int64_t dataset, int64_t method,
                     study_measure measure);
/* Whether any method that is shown has the measure. */
bool study_has(const study_book *book, study_measure measure);
/* The shown methods by their average accuracy, the best first, into order[shown]. */
void study_order(const study_book *book, int64_t *order);

/* The kept runs of a dataset with that number of classes: one for each method that is shown, named
 * after it. */
orthant_status study_runs(const study_book *book, int64_t dataset, int64_t classes, run_list *list);

#endif
