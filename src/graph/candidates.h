/* The nearest samples found so far, and the comparison of one sample with a list of candidates: by
 * the samples themselves, or by estimates of their distances, which are those of points and codes
 * (lower_bounds.h). The samples, in double, decide about the order in the end. Only the list of the
 * sample at hand is written to, so that samples can be worked on in any order and by any threads.
 *
 * Samples are numbered as their points are (lower_bounds.order), where they have some. */
#ifndef GRAPH_CANDIDATES_H
#define GRAPH_CANDIDATES_H

#include "graph/lower_bounds.h"

#define CANDIDATES_MOST 2048 /* at a time */
#define CANDIDATES_FRESH (UINT32_C(1) << 31)

typedef struct nearest_entry {
    float distance; /* squared; infinite: none yet */
    uint32_t index; /* with CANDIDATES_FRESH where it came in this round */
} nearest_entry;

/* A thread's scratch. */
typedef struct candidate_scratch {
    int32_t *listed;  /* the candidates, CANDIDATES_MOST */
    float *distances; /* theirs */
    int32_t *steps;
    uint64_t *seen;  /* hash table of those listed: the round, and the candidate */
    uint32_t round;  /* in which one list is made */
    double *row;     /* sparse: the sample at hand with its zeros, else NULL; zeros in between */
    double *squares; /* distances of what is kept */
    float *group;    /* points of a group, their squares, limits that none is below, products */
} candidate_scratch;

typedef struct candidates {
    orthant_context *ctx;
    const orthant_matrix *samples;
    const lower_bounds *bounds; /* without points: none */
    int64_t kept;               /* entries of a sample */
    nearest_entry *entries;     /* n x kept, nearest first, ties to the lower index */
    double *squares;            /* sparse: |x|^2 of each sample */
    int64_t group;              /* samples of a group at most */
    int threads;
    candidate_scratch *scratch; /* of each thread */
} candidates;

/* To be ended on failure too. */
orthant_status candidates_begin(orthant_context *ctx, const orthant_matrix *samples,
                                const lower_bounds *bounds, int64_t kept, int64_t group,
                                candidates *c);
void candidates_end(candidates *c);

static inline nearest_entry *candidates_of(const candidates *c, int64_t i)
{
    return c->entries + i * c->kept;
}

/* An empty list of candidates for sample i, which is not listed itself, nor are its entries. */
void candidates_clear(const candidates *c, int64_t i, int thread);
/* Lists j, unless it is listed already; returns how many there are. */
int64_t candidates_list(const candidates *c, uint32_t j, int64_t count, int thread);
/* Compares sample i with the candidates listed, by the samples; returns how many came into its
 * list. */
int64_t candidates_compare(const candidates *c, int64_t i, int64_t count, int thread);
/* Compares each sample of a group, of at most c->group, with the others. */
void candidates_compare_group(const candidates *c, const int32_t *group, int64_t count, int thread);
/* The same by estimates, where there are bounds. */
int64_t candidates_estimate(const candidates *c, int64_t i, int64_t count, int thread);
void candidates_estimate_group(const candidates *c, const int32_t *group, int64_t count,
                               int thread);
/* Of lists by estimates: the share of the first `count` by the samples, of what lists hold, that
 * the last eighth of them gives. It tells how much is missing from the lists for the estimates'
 * sake; from some of the samples. */
double candidates_doubt(const candidates *c, int64_t count);
void candidates_empty(const candidates *c);
/* The first `count` of sample i by the samples, into its row of `nearest`. */
void candidates_finish(const candidates *c, int64_t i, int64_t count, int32_t *nearest, int thread);

#endif
