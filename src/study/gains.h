/* The gain of a setting: the runs of a variant beside the runs of the plain method with the same
 * draw and seed. */
#ifndef STUDY_GAINS_H
#define STUDY_GAINS_H

#include "study/results.h"

typedef struct study_gain {
    const char *dataset;
    const char *method;  /* the plain method's name */
    const char *setting; /* "init=nndsvd" */
    int64_t pairs;       /* runs with the same classes, repeat and seed */
    double mean;         /* of variant - plain */
    double error;        /* standard error of the mean; NaN below two pairs */
} study_gain;

typedef struct study_gains {
    orthant_context *ctx;
    int64_t count;
    study_gain *gain; /* datasets in the order of the results, the largest mean first */
} study_gains;

/* The results must outlive it: the names are theirs. Variants whose plain method is not there are
 * left out. */
orthant_status gains_make(orthant_context *ctx, const study_results *results, study_measure measure,
                          study_gains *gains);
void gains_free(study_gains *gains);

#endif
