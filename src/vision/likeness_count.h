/* How many segments there are, from how alike the nodes are. */
#ifndef VISION_LIKENESS_COUNT_H
#define VISION_LIKENESS_COUNT_H

#include "data/matrix.h"

typedef struct likeness_request {
    const orthant_matrix *features; /* nodes x features */
    const int64_t *size;            /* how much each node counts; NULL: all the same */
    double width;                   /* of the Gaussian that says what is alike */
    const char *of;                 /* what the features are, for the evidence: "colour" */
} likeness_request;

/* Each node is described by its likeness to a palette of 32 of the features; *segments is the
 * number of principal directions after which less than 5 % of the energy is left, from 2 to 16
 * where there are as many nodes. The shares stand in `evidence`. */
orthant_status likeness_count(orthant_context *ctx, const likeness_request *request,
                              int64_t *segments, char *evidence, size_t size);

#endif
