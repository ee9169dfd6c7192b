/* The features of sparse samples, with the samples that have them: the transpose of X. Of large
 * data it is made panel by panel, and again in each pass, since a whole one would take as much
 * memory as X does. */
#ifndef SOLVER_FEATURE_PANELS_H
#define SOLVER_FEATURE_PANELS_H

#include "engine/strips.h"

/* Rows of a sparse matrix from `first` on. */
typedef struct sparse_rows {
    const int64_t *start;
    const int32_t *column;
    const char *values;
    int64_t first;
} sparse_rows;

static inline int64_t sparse_rows_entries(const sparse_rows *rows, int64_t row)
{
    return rows->start[row - rows->first + 1] - rows->start[row - rows->first];
}

/* order[first], ...: the numbers of these rows, those with the most entries first. */
orthant_status order_by_entries(orthant_context *ctx, const int64_t *start, int64_t first,
                                int64_t rows, int32_t *order);

typedef struct feature_panels {
    const orthant_matrix *samples;
    int64_t count;
    int64_t *first;   /* feature of each panel, and after the last */
    int32_t *order;   /* of all features, in each panel those with many samples first */
    int64_t longest;  /* samples of a feature */
    int64_t built;    /* the panel that is there; -1: none */
    int64_t *start;   /* of its features: where their entries begin */
    int32_t *column;  /* samples, ... */
    char *values;     /* ... and values of these */
    int32_t *passed;  /* entries of each sample in the panels before */
    int64_t *place;   /* of each thread and feature of a panel: where its next entry goes */
    int64_t features; /* of the largest panel */
} feature_panels;

/* Panels of about so many bytes. */
orthant_status feature_panels_setup(feature_panels *p, const strips *s,
                                    const orthant_matrix *samples, int64_t bytes);
void feature_panels_free(orthant_context *ctx, feature_panels *p);
/* The features of a panel, unless they are there, made by all threads. Panels are asked for in
 * their order. */
sparse_rows feature_panels_at(feature_panels *p, const strips *s, int64_t index);

#endif
