/* The mean, the standard deviation and the number of runs for each dataset, method and number of
 * classes; and Friedman's test over them. */
#ifndef STUDY_SUMMARY_H
#define STUDY_SUMMARY_H

#include "orthant/score.h"
#include "study/results.h"

typedef struct study_cell {
    int64_t dataset, method, classes; /* places in the summary's lists */
    int64_t runs;
    int64_t count[MEASURE_COUNT];    /* runs in which the measure is known */
    double mean[MEASURE_COUNT];      /* NaN where there is none */
    double deviation[MEASURE_COUNT]; /* over count - 1; NaN below two */
} study_cell;

typedef struct study_summary {
    orthant_context *ctx;
    int64_t datasets, methods, class_counts;
    const char **dataset, **method; /* in the order in which they first come; the results' names */
    int64_t *classes;               /* rising */
    int64_t count;
    study_cell *cell; /* by dataset, then method, then classes */
    int64_t *place;   /* datasets x methods x class_counts: a cell's number + 1, 0: there is none */
} study_summary;

/* The results must outlive it: the names are theirs. */
orthant_status summary_make(orthant_context *ctx, const study_results *results,
                            study_summary *summary);
void summary_free(study_summary *summary);
/* NULL where there was no run. */
const study_cell *summary_cell(const study_summary *summary, int64_t dataset, int64_t method,
                               int64_t classes);
/* The mean over a dataset's numbers of classes of a method's means; NaN where one is missing. */
double summary_average(const study_summary *summary, int64_t dataset, int64_t method,
                       study_measure measure);
/* summary.csv: dataset, method, classes, runs, and for each measure NAME_mean, NAME_sd, NAME_count.
 */
orthant_status summary_write(orthant_context *ctx, const study_summary *summary, const char *path);

/* Friedman's test with a row for each dataset and number of classes: the mean of one measure. */
typedef struct study_ranking {
    int64_t methods;
    int64_t *method;   /* places in the summary's list, the best mean rank first */
    double *mean_rank; /* of method[i] */
    int64_t rows;      /* that have every method */
    int64_t left_out;  /* that lack one */
    double alpha;
    orthant_friedman test;
} study_ranking;

/* Over the plain methods where there are at least two, else over all. Needs two methods and two
 * rows: fewer give ORTHANT_ERROR_ARGUMENT and a message that says so. */
orthant_status ranking_make(const study_summary *summary, study_measure measure, double alpha,
                            study_ranking *ranking);
void ranking_free(orthant_context *ctx, study_ranking *ranking);

#endif
