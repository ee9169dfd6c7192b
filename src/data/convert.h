/* Sources of `orthant_convert`: each reads a kind of file once, in order, and gives its rows to a
 * sink. */
#ifndef DATA_CONVERT_H
#define DATA_CONVERT_H

#include "data/element.h"
#include "data/kind.h"
#include "data/row_sink.h"

typedef struct conversion {
    orthant_context *ctx;
    const char *path; /* what is read */
    const orthant_read_options *options;
    row_sink *sink; /* begun by the source: one of the next two */
    row_sink file, transposing;
    int64_t left_out;        /* the column of a table that holds labels, from 1; or 0 */
    orthant_labels *labels;  /* where the source has come upon them; or NULL */
    name_list rows, columns; /* names of the source's, where it has some */
    bool done;               /* false: only the whole file can be read, and nothing was given */
} conversion;

/* The entries of an array that is next in a stream, in C's order or transposed. */
orthant_status convert_array(conversion *c, stream *in, element type, element_shape shape);

/* A sparse matrix in three vectors. Each is read once, from front to back, but in turn with the
 * others; what is read is checked. */
typedef enum sparse_part { SPARSE_STARTS, SPARSE_COLUMNS, SPARSE_VALUES, SPARSE_PARTS } sparse_part;

typedef struct sparse_parts {
    void *user;
    const char *name[SPARSE_PARTS]; /* of the vectors, for messages */
    int64_t rows, columns, stored;
    bool by_columns; /* CSC: what the file has are the rows of the transposed matrix */
    bool distinct;   /* an entry that is there twice is refused; else they are added up */
    orthant_status (*read)(void *user, sparse_part part, int64_t first, int64_t count, double *to);
} sparse_parts;

orthant_status convert_sparse(conversion *c, const sparse_parts *parts);

orthant_status convert_csv(conversion *c);
orthant_status convert_mtx(conversion *c);
orthant_status convert_npz(conversion *c);
orthant_status convert_idx(conversion *c);
orthant_status convert_images(conversion *c);
/* The name of the variable that read_mat() would read, and its labels. */
orthant_status mat_find_data(orthant_context *ctx, const char *path,
                             const orthant_read_options *options, char *name, size_t size,
                             orthant_labels **truth);
/* HDF5, and .mat files of version 7.3. */
orthant_status convert_hdf5(conversion *c, bool matlab);

#endif
