/* Rows of X one batch after the other, in memory or from a file. */
#ifndef METHOD_BATCH_H
#define METHOD_BATCH_H

#include "data/matrix.h"

typedef struct batch_reader {
    orthant_context *ctx;
    const orthant_matrix *samples;
    int64_t rows, count;       /* of a batch, the last one may have fewer; batches */
    orthant_matrix batch;      /* the one at hand: a view, or in the buffers */
    void *values;              /* of a file */
    int64_t *row_start;        /* CSR */
    int32_t *column;           /* CSR of a file */
    matrix_summary *summaries; /* of each batch that was at hand */
} batch_reader;

/* Release in any case. */
orthant_status batch_reader_open(batch_reader *r, orthant_context *ctx,
                                 const orthant_matrix *samples, int64_t rows);
void batch_reader_release(batch_reader *r);

static inline int64_t batch_first(const batch_reader *r, int64_t index)
{
    return index * r->rows;
}

static inline int64_t batch_length(const batch_reader *r, int64_t index)
{
    const int64_t left = r->samples->rows - batch_first(r, index);
    return left < r->rows ? left : r->rows;
}

/* A batch, good until the next one is taken. */
orthant_status batch_take(batch_reader *r, int64_t index, const orthant_matrix **batch);

#endif
