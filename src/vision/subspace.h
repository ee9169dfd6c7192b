/* The few directions that the histograms of a picture really take: with K textures whose windows
 * mix near borders, they lie near a space of K dimensions. */
#ifndef VISION_SUBSPACE_H
#define VISION_SUBSPACE_H

#include "data/matrix.h"

typedef struct subspace {
    orthant_context *ctx;
    int64_t features;
    double *energy;  /* eigenvalues of G = sum y y', the largest first */
    double *vectors; /* features x features: row i is the eigenvector of energy[i] */
} subspace;

orthant_status subspace_create(orthant_context *ctx, const orthant_matrix *histograms,
                               subspace *out);
void subspace_free(subspace *s);

/* sum of energy[j], j >= first, over the sum of all. */
double subspace_tail(const subspace *s, int64_t first);

/* z = U'y of every row for the `dimensions` leading vectors (single precision, padded). */
orthant_status subspace_project(const subspace *s, const orthant_matrix *histograms,
                                int64_t dimensions, orthant_matrix **projected);

#endif
