/* A file that rows are written to in order, some at a time: .npy, HDF5 or .csr. It is written
 * beside its name and renamed when all rows are there. */
#ifndef DATA_ROW_SINK_H
#define DATA_ROW_SINK_H

#include "data/matrix.h"

typedef struct row_sink row_sink;

typedef struct row_sink_kind {
    /* Before the first rows; `rows` is -1 where it is not known. */
    orthant_status (*begin)(row_sink *sink, int64_t rows, int64_t columns, bool sparse);
    /* The next rows: a dense or a sparse matrix of the sink's precision. */
    orthant_status (*add)(row_sink *sink, const orthant_matrix *rows);
    /* With `status` OK: all rows are there. Frees the sink's state in any case. */
    orthant_status (*end)(row_sink *sink, orthant_status status);
} row_sink_kind;

struct row_sink {
    const row_sink_kind *kind;
    orthant_context *ctx;
    const char *path;      /* of the file that is made, to put scratch files beside */
    int64_t rows, columns; /* rows so far */
    int64_t total;         /* rows that will come, -1 where it is not known */
    bool begun;
    double started; /* for who looks on */
    void *state;    /* the kind's own */
};

/* By the ending of `path`, which must outlive the sink: .npy, .h5 or .hdf5 (the
 * dataset "/data" of a new file), or .csr. Nothing is written before begin. */
orthant_status row_sink_open(orthant_context *ctx, const char *path, row_sink *sink);
orthant_status row_sink_begin(row_sink *sink, int64_t rows, int64_t columns, bool sparse);
orthant_status row_sink_add(row_sink *sink, const orthant_matrix *rows);
/* Returns the first failure; `status` may be one. */
orthant_status row_sink_end(row_sink *sink, orthant_status status);

/* A sink that gives `to` the transposed matrix when it ends; `to` stays open. */
void row_sink_transpose(row_sink *to, row_sink *sink);

/* Rows of so many bytes that are best held at once, at least one, within what memory is left. */
int64_t row_sink_step(const orthant_context *ctx, int64_t row_bytes);

extern const row_sink_kind row_sink_npy, row_sink_csr, row_sink_hdf5;

#endif
