/* The directions in which samples spread most, found from some of the samples: the leading ones by
 * subspace iteration, the widest first. */
#ifndef GRAPH_DIRECTIONS_H
#define GRAPH_DIRECTIONS_H

#include "data/matrix.h"
#include "kernel/kernel.h"

typedef struct directions {
    orthant_context *ctx;
    const kernels *ops;                /* of the samples' precision */
    orthant_matrix *Q;                 /* features x directions; those that there are not are 0 */
    int64_t count;                     /* of those that there are */
    double defect;                     /* the largest entry of Q'Q - I, before Q was rounded */
    void *shift;                       /* a mean, to be taken from each sample, in its precision */
    orthant_matrix *learnt, *products; /* while they are looked for: samples, and these times Q */
    orthant_matrix *rows;              /* directions x features, in double */
} directions;

/* Of dense samples. */
orthant_status directions_find(orthant_context *ctx, const orthant_matrix *samples, int64_t count,
                               directions *d);
/* Sample i less the shift. */
void directions_shifted(const directions *d, const orthant_matrix *samples, int64_t i, void *to);
void directions_free(directions *d);

#endif
