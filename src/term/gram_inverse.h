/* The inverse of a Gram matrix with a ridge, or its square, by eigenvectors in double, split into
 * positive and negative entries: what terms on the volume of a factor are made of. */
#ifndef TERM_GRAM_INVERSE_H
#define TERM_GRAM_INVERSE_H

#include "engine/term.h"

typedef struct gram_inverse {
    int64_t rank;                        /* k */
    double ridge;                        /* added to the diagonal */
    double *vectors;                     /* k x k: the Gram matrix, then its eigenvectors */
    double *values;                      /* k: eigenvalues, with the ridge */
    double *matrix;                      /* k x k: the inverse, or its square */
    orthant_matrix *positive, *negative; /* its parts, k x k */
    double *work;
    int work_size;
} gram_inverse;

/* Release in any case. */
orthant_status gram_inverse_new(orthant_context *ctx, const problem *p, double ridge,
                                gram_inverse **made);
void gram_inverse_free(orthant_context *ctx, gram_inverse *g);
/* The eigenvalues of the Gram matrix that lies in `vectors`, and their vectors; rounding makes none
 * smaller than the ridge. */
void gram_inverse_decompose(gram_inverse *g);
/* The inverse to the power 1 or 2, and its parts, from these. */
void gram_inverse_make(gram_inverse *g, const kernels *ops, int power);
/* Rows times the positive part, scaled, are added to one array, and times the negative part to the
 * other. */
void gram_inverse_add(const gram_inverse *g, const sweep *s, block b, double scale, array rows,
                      array positive, array negative);

#endif
