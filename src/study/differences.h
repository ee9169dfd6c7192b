/* How far methods are from a reference on the same draws: the differences of runs with the same
 * data, classes, repeat and seed, their mean and its interval. */
#ifndef STUDY_DIFFERENCES_H
#define STUDY_DIFFERENCES_H

#include "study/results.h"

typedef struct study_difference {
    const char *method;
    int64_t draws;  /* that both have */
    int64_t better; /* of them with a value above the reference's */
    double mean;    /* of method - reference */
    double half;    /* the 95 % interval is mean +- half, by Student's t; NaN below two draws */
} study_difference;

typedef struct study_differences {
    orthant_context *ctx;
    int64_t count;
    study_difference *difference;
} study_differences;

/* For each of the methods, in their order; the reference and methods without a common draw are left
 * out. The results must outlive it: the names are theirs. */
orthant_status differences_make(orthant_context *ctx, const study_results *results,
                                study_measure measure, const char *reference,
                                const char *const *method, int64_t methods,
                                study_differences *differences);
void differences_free(study_differences *differences);

#endif
