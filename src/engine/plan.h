/* What will be done and what it takes: decided once, from the problem and the machine, never
 * changed. `orthant fit --explain` prints it. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "engine/problem.h"
#include "engine/strips.h"
#include "orthant/fit.h"

/* Arrays of a block's rows that each thread has: numerators, denominators, X_b W where a term reads
 * it, and from SCRATCH_TERM on those that terms and solvers work in. */
enum { SCRATCH_NUMERATOR, SCRATCH_DENOMINATOR, SCRATCH_PRODUCTS, SCRATCH_TERM };

typedef struct plan {
    strips strips;
    int64_t stride;        /* elements from one row of a factor to the next */
    int64_t feature_block; /* rows of the basis in a task */
    bool keeps_sums;       /* A: X'S, or P'S */
    /* The basis before extrapolation lies in one of the sums' A: these are made before the first
     * iteration, after the last, and before one that is repeated without momentum, when nobody
     * reads it */
    bool lends_basis;
    bool keeps_weights;    /* Q'S, where the loss's q is not 1 */
    bool keeps_products;   /* X'S beside A, for a term */
    bool copies_products;  /* X_b W of a block, for a term */
    bool keeps_columns;    /* sums of the factors' columns */
    bool keeps_squares;    /* squared lengths of the basis's columns */
    bool keeps_gram;       /* S'S */
    bool keeps_basis_gram; /* W'W */
    bool keeps_last;       /* the encodings that an iteration started from, beside the new ones */
    bool extrapolates;     /* the factors of the iteration before, beside these */
    int64_t kernel_bytes;  /* of a thread's scratch, those of the kernels */
    int64_t array_bytes;   /* and of each of its arrays, ... */
    int arrays;            /* ... of which there are so many */
    int64_t packed_bytes;  /* the basis, packed for the products; 0: nothing to gain */
    int levels;            /* accumulators of the chunks' sums */
} plan;

/* Refuses data that the loss cannot take. */
orthant_status plan_make(plan *p, const problem *problem);
void plan_release(plan *p);
/* Zeros, in rows of `stride` elements, where it is wanted; false where there is no memory. */
bool plan_new_array(const plan *p, bool wanted, int64_t rows, int64_t rank, array *a);

static inline int64_t plan_scratch(const plan *p)
{
    return p->kernel_bytes + p->arrays * p->array_bytes;
}

/* Slots for the values of tasks. */
int64_t plan_slots(const plan *p, const problem *problem);
/* Bytes of a factor's rows, and of the sums of one accumulator. */
int64_t plan_rows_bytes(const plan *p, int64_t rows);
int64_t plan_sums_bytes(const plan *p, int64_t rank);
/* What the sweep allocates, and X and both factors; the rest is the method's to say. */
void plan_memory(const plan *p, const problem *problem, orthant_plan_memory *memory);

#endif
