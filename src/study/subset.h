/* Some rows and columns of a matrix, and how they are drawn. */
#ifndef STUDY_SUBSET_H
#define STUDY_SUBSET_H

#include "core/random.h"
#include "data/matrix.h"

/* Rising places. */
typedef struct subset {
    int64_t count;
    const int64_t *place;
} subset;

/* A copy under `ctx`; `columns` NULL: all of them. */
orthant_status subset_take(orthant_context *ctx, const orthant_matrix *from, const subset *rows,
                           const subset *columns, orthant_matrix **taken);

/* `drawn` of the numbers below `all` by the seed: place[0 .. drawn - 1] are these and the others
 * follow, both rising; place has room for `all`. */
void subset_draw(uint64_t seed, random_stream stream, int64_t all, int64_t drawn, int64_t *place);

#endif
