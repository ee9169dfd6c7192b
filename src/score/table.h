/* The contingency table of two labellings: how many samples each cluster shares with each class. */
#ifndef SCORE_TABLE_H
#define SCORE_TABLE_H

#include "orthant/labels.h"

typedef struct table_cell {
    int64_t cluster, class, count;
} table_cell;

/* Only cells that hold something, by cluster and class; thousands of clusters cost no square. */
typedef struct table {
    int64_t samples, clusters, classes, cells;
    table_cell *cell;
    int64_t *cluster_size, *class_size;
} table;

/* Samples that one of the two does not know (-1) are left out; none left is an error. */
orthant_status table_make(orthant_context *ctx, const orthant_labels *found,
                          const orthant_labels *truth, table *t);
/* Of two label images of `pixels` pixels each. Every label is a region, -1 too; clusters and
 * classes are numbered in the order in which their first pixels come, so that names change no bit
 * of what is computed from the table. */
orthant_status table_of_images(orthant_context *ctx, int64_t pixels, const int32_t *found,
                               const int32_t *truth, table *t);
/* class_of[cluster] under the one-to-one matching that has the most samples in common; -1 for a
 * cluster that stays alone. */
orthant_status table_match(orthant_context *ctx, const table *t, int64_t *class_of);
void table_free(orthant_context *ctx, table *t);

#endif
