/* NumPy's arrays, alone in a .npy file or as members of a .npz archive. */
#ifndef DATA_NPY_H
#define DATA_NPY_H

#include "data/element.h"

typedef struct npy_header {
    element type; /* kind 0: characters, size bytes an entry */
    element_shape shape;
    int64_t bytes; /* of the header, up to the first entry */
} npy_header;

/* The header up to the first entry. */
orthant_status npy_read_header(stream *in, npy_header *header);
/* The entries behind the header; a single number is 1 x 1, a 1-D array one column. */
orthant_status npy_read_entries(stream *in, const npy_header *header, orthant_precision precision,
                                orthant_matrix **matrix);

#endif
