/* A fit of cnmf between two iterations (cnmf.c), and its merged samples (cnmf_merge.c). */
#ifndef METHOD_CNMF_STATE_H
#define METHOD_CNMF_STATE_H

#include "engine/sweep.h"
#include "method/fit.h"

typedef struct cnmf_state {
    fit *f;
    problem problem;
    sweep sweep;
    int64_t rows, classes;
    int64_t *row_of;         /* n: the sample's row of Z; of a class, below `classes` */
    int64_t *sample, *start; /* samples that share row r of Z: sample[start[r]], ... */
    int64_t merged_rows;     /* classes; on a device all rows of Z */
    orthant_matrix *merged;  /* merged_rows x m: the samples of a class as one */
    orthant_matrix *shared;  /* merged_rows x k: their rows v */
    double rest;             /* of the objective, where the sweep is over merged samples */
    orthant_matrix *basis, *auxiliary, *encoding;
} cnmf_state;

/* The order of the rows of Z: row_of, sample and start. */
orthant_status cnmf_number_rows(cnmf_state *c);
/* The merged samples of the classes; on a device those without a label behind them. */
orthant_status cnmf_merge(cnmf_state *c);
/* What a row z is multiplied with to make v. */
double cnmf_weight(const cnmf_state *c, int64_t row);

#endif
