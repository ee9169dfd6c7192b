/* The KL loss by coordinates: a step of Newton's for each entry of a row of a factor, the other
 * factor held (src/kernel/newton.inc). A row takes what is not zero of its sample, or of its
 * feature, and the rows of the other factor that these entries meet, turned, so that a vector holds
 * one column of many of them. */
#ifndef ENGINE_NEWTON_H
#define ENGINE_NEWTON_H

#include "engine/sweep.h"

/* The rows of one factor. */
typedef struct newton_side {
    const orthant_matrix *data; /* whose rows they are fitted to: X, or X' of a sparse X; NULL: the
                                   columns of a dense X */
    int32_t *order;             /* listed: short and long ones by themselves; NULL: as they come */
    int32_t *count;             /* listed, of a dense X: entries that are not zero */
} newton_side;

typedef struct newton {
    orthant_matrix *features; /* X' of a sparse X */
    bool listed;              /* most of X is zero: rows list what is not */
    newton_side samples, by_feature;
    double least;    /* that an entry counts as fitted with */
    int64_t longest; /* entries of a row, in whole vectors */
    int64_t stride;  /* elements from one column of the turned factor to the next */
    char *turned;    /* not listed: the other factor, for all rows */
    char *scratch;
    int64_t scratch_bytes; /* a thread */
} newton;

orthant_status newton_setup(sweep *s);
void newton_release(sweep *s);

/* After every change of the basis. */
void newton_basis_changed(sweep *s);
/* New rows of the encodings of a block, in place; no data in N and U: no terms. */
void newton_encoding_block(const sweep *s, block b, array rows, array n, array u);
/* All rows of the basis. */
void newton_basis(sweep *s);

#endif
