/* The parts of many starts, and what they agree on. */
#ifndef METHOD_CONSENSUS_PARTS_H
#define METHOD_CONSENSUS_PARTS_H

#include "data/matrix.h"
#include "orthant/consensus.h"

#define CONSENSUS_SHOWN 300 /* kept parts in a picture of them, at most */

typedef struct consensus {
    orthant_context *ctx;
    orthant_consensus_info info;
    int64_t rank, features;           /* parts that are found, beside info.fixed that come first */
    double *parts;                    /* members x features, each of unit length or zero */
    orthant_consensus_member *member; /* members */
    orthant_consensus_part *part;     /* info.fixed + rank */
    /* Some of the kept ones evenly from all, cluster by cluster: the cosine of every two. */
    int64_t shown;
    int64_t *shown_member; /* shown */
    float *shown_cosine;   /* shown x shown */
} consensus;

/* Options as they are in force; refuses those that are out of range. */
orthant_status consensus_options(orthant_context *ctx, const orthant_consensus_options *given,
                                 orthant_consensus_options *taken);
/* Room for the parts of all starts, without the `fixed` ones. */
orthant_status consensus_new(orthant_context *ctx, const orthant_consensus_options *options,
                             int64_t rank, int64_t fixed, int64_t features, consensus **made);
void consensus_free(consensus *c);
/* The parts of a start, numbered from 0, at unit length. */
void consensus_take(consensus *c, int64_t start, const orthant_matrix *basis);
/* Leaves out what lies alone, clusters the rest and gives the medians as a basis, after those of
 * `fixed`, which is NULL where there are none; the parts of the starts are let go. */
orthant_status consensus_find(consensus *c, const orthant_matrix *fixed, int restarts,
                              uint64_t seed, orthant_matrix **basis);

#endif
