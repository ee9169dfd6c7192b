/* The factorisation of a picture's histograms into parts, by any of the methods that can do it. */
#ifndef VISION_PARTS_H
#define VISION_PARTS_H

#include "vision/spectral.h"
#include "vision/stops.h"
#include "vision/subspace.h"

typedef struct parts_request {
    const char *method; /* grpnmf, grpnmf+, fseg, kmeans, nmf, onmf, convex-nmf */
    const lattice *nodes;
    const orthant_matrix *histograms;
    const subspace *space;
    int64_t dimensions; /* of the space that seeds are looked for in */
    int64_t parts;
    int reach;              /* half a window, in nodes */
    int64_t iterations;     /* of fseg; 0: its own number */
    const stop_plan *stops; /* of the others but kmeans ... */
    /* ... and what is done with the shares at each before the last */
    orthant_status (*keep)(void *user, const orthant_matrix *shares, int64_t iteration);
    void *user;
    uint64_t seed;
    const char *const *parameters; /* "name=value" of the method's own, after the defaults here */
    int parameter_count;
} parts_request;

typedef struct parts_outcome {
    orthant_matrix *projected; /* nodes x dimensions */
    orthant_matrix *shares;    /* nodes x parts: how much of each part there is at a node; a node
                                  belongs to the part of which there is most */
    int64_t iterations;
    bool interrupted;
    double objective;
} parts_outcome;

bool parts_method_known(const char *method);
orthant_status parts_find(orthant_context *ctx, const parts_request *request, parts_outcome *out);
void parts_free(parts_outcome *out);

#endif
