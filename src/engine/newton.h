/* The KL loss by coordinates: a step of Newton's for each entry of a row of a factor, the other
 * factor held (src/kernel/newton.inc). A row goes through the entries of its sample, or of its
 * feature, and the rows of the other factor that these meet, turned, so that a vector holds one
 * column of many of them: of a dense X all rows, turned once; of a sparse X those that are listed.
 */
#ifndef ENGINE_NEWTON_H
#define ENGINE_NEWTON_H

#include "engine/sweep.h"

typedef struct newton {
    /* of a sparse X: its transpose, and the samples of each block and all features in the order of
     * their entries' number, so that rows of one length come together */
    orthant_matrix *features;
    int32_t *sample_order, *feature_order;
    double least;    /* that an entry counts as fitted with */
    int64_t longest; /* entries of a row, in whole vectors */
    int64_t stride;  /* elements from one column of the turned factor to the next */
    char *turned;    /* of a dense X: the other factor */
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
