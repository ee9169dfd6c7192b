/* Samples with missing entries, compared by what is known in both of two. */
#ifndef GRAPH_KNOWN_H
#define GRAPH_KNOWN_H

#include "data/matrix.h"
#include "graph/search_clock.h"

typedef struct known_rows {
    orthant_context *ctx;
    const orthant_matrix *samples;
    double *dense,
        *known; /* n x m: entries, 0 what is not known; 1 and 0. NULL of sparse samples */
    double mean_square_distance; /* over all pairs that have a distance; after known_neighbours() */
} known_rows;

/* `missing`: "nan" of dense samples, or "zeros" of sparse ones, whose stored entries are known. To
 * be freed on failure too. */
orthant_status known_rows_make(orthant_context *ctx, const orthant_matrix *samples,
                               const char *missing, known_rows *rows);
void known_rows_free(known_rows *rows);

/* The squared distance over the c features that are known in both, times m / c, as scikit-learn's
 * nan_euclidean_distances; infinite where c is 0. O(m), or of sparse rows their entries. */
double known_distance(const known_rows *rows, int64_t i, int64_t j);
/* The cosine of the features that are known in both; 0 where one of them is zero there. */
double known_cosine(const known_rows *rows, int64_t i, int64_t j);

/* As neighbours_find(), by all pairs. Refuses a sample with fewer than `count` others that it has a
 * distance to. */
orthant_status known_neighbours(known_rows *rows, int64_t count, const search_clock *clock,
                                int32_t *nearest);

#endif
