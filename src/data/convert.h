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
    int64_t left_out;       /* the column of a table that holds labels, from 1; or 0 */
    orthant_labels *labels; /* where the source has come upon them; or NULL */
    bool done;              /* false: only the whole file can be read, and nothing was given */
} conversion;

/* The entries of an array that is next in a stream, in C's order or transposed. */
orthant_status convert_array(conversion *c, stream *in, element type, element_shape shape);
orthant_status convert_csv(conversion *c);
orthant_status convert_mtx(conversion *c);
orthant_status convert_npz(conversion *c);
orthant_status convert_idx(conversion *c);
orthant_status convert_images(conversion *c);
/* HDF5, and .mat files of version 7.3. */
orthant_status convert_hdf5(conversion *c, bool matlab);

#endif
