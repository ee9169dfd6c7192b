/* What a pass over X leaves: all that the basis step and the objective need of X and S. */
#ifndef ENGINE_SUMS_H
#define ENGINE_SUMS_H

#include "engine/checkpoint.h"
#include "engine/plan.h"

typedef struct sums {
    array A;         /* X'S, or P'S for an entrywise loss; m x k */
    array Q;         /* Q'S, where an entrywise loss has a q of its own */
    array XS;        /* X'S: A itself for the quadratic loss; else only where a term reads it */
    array B;         /* S'S, k x k, where the loss or a term reads it */
    double *columns; /* k: sums of S's columns */
    double value;    /* of an entrywise loss: its sum over the entries */
} sums;

/* A is what is given, or without data its own; either is freed with the sums. */
orthant_status sums_new(orthant_context *ctx, const plan *p, int64_t rank, array A, sums *s);
void sums_free(orthant_context *ctx, sums *s);
void sums_parts(const kernels *ops, sums *s, checkpoint_parts *parts);
/* Before a chunk: the first strip takes the place of A, Q and XS itself. */
void sums_clear(const kernels *ops, sums *s);

/* Sums of chunks along the tree (chunks.h). */
typedef struct sums_tree {
    sample_share share;
    sums *slot;
    int slots;
    chunk_stack stack;
    struct sums_exchange *exchange; /* where processes share the samples */
} sums_tree;

orthant_status sums_tree_new(orthant_context *ctx, const plan *p, int64_t rank, sums_tree *tree);
void sums_tree_free(orthant_context *ctx, sums_tree *tree);
/* `now` holds the sums of chunk number `chunk`. Afterwards it is clear for the next, or, with the
 * last one here, holds them all; the last ones of other processes are still to be added. Where the
 * pass makes no sums with X, A, Q and XS stay as they are, each in its memory. */
void sums_tree_add(const kernels *ops, sums_tree *tree, sums *now, int64_t chunk, bool last,
                   bool with_data);

/* The arrays that are there, each once; how many. */
#define SUMS_MOST_ARRAYS 4
int sums_arrays(const sums *s, array all[SUMS_MOST_ARRAYS]);

/* Where processes share the samples, what they send each other of their sums (sums_group.c). */
typedef struct sums_exchange sums_exchange;
orthant_status sums_exchange_new(orthant_context *ctx, const plan *p, int64_t rank,
                                 sums_exchange **exchange);
void sums_exchange_free(orthant_context *ctx, sums_exchange *exchange);
/* After the pass: `now` takes the sums of all samples, with the same bits in every process. */
void sums_tree_group(const sums_tree *tree, const kernels *ops, sums *now);
/* Bytes that this process sends and receives in that. */
int64_t sums_moved_bytes(const plan *p, int64_t rank);

#endif
