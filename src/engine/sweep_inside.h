/* What the files of the sweep share. */
#ifndef ENGINE_SWEEP_INSIDE_H
#define ENGINE_SWEEP_INSIDE_H

#include "core/parallel.h"
#include "engine/sweep.h"

/* Arrays of a thread, in the order of its scratch. Those for terms and basis steps come last, after
 * the products where these are read after the terms were added. */
enum { NUMERATOR, DENOMINATOR, PRODUCTS };

/* Those that terms may work in, and steps other than the multiplicative one. */
#define TERM_ARRAYS 2
#define STEP_ARRAYS 4

static inline int64_t pieces(int64_t length, int64_t piece)
{
    return (length + piece - 1) / piece;
}

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Rows of a task, small where there are few samples so that threads share them evenly. */
static inline int64_t block_rows(const sweep *s)
{
    /* each task turns the basis: long ones, of all samples an even number */
    if (s->loss == LOSS_KL && !s->samples->sparse && s->W.columns > s->k->narrow &&
        s->solver != SOLVER_NEWTON) {
        const int64_t most = s->n >= 256 ? KERNEL_RATIO_ROWS : KERNEL_RATIO_ROWS / 4;
        return pieces(s->n, 8 * pieces(s->n, 2 * most)) * 4;
    }
    return s->n >= 8192 ? KERNEL_ROWS : s->n >= 1024 ? KERNEL_ROWS / 2 : KERNEL_ROWS / 4;
}

/* Features that no two tasks share: one or several blocks, in order. */
static inline int64_t feature_unit(const sweep *s)
{
    return s->deferred ? KERNEL_FEATURES : block_rows(s);
}

static inline int64_t sample_blocks(const sweep *s)
{
    return pieces(s->n, block_rows(s));
}

static inline block block_at(int64_t first, int64_t end, int64_t rows, int64_t index, int thread)
{
    const int64_t start = first + index * rows;
    return (block){start, smaller(rows, end - start), thread};
}

static inline array scratch_array(const sweep *s, int thread, int which, int64_t rows)
{
    char *base = s->scratch + thread * s->scratch_bytes + s->kernel_bytes;
    const int64_t bytes = block_rows(s) * s->W.stride * (int64_t)s->k->size;
    return (array){base + which * bytes, rows, s->W.columns, s->W.stride};
}

/* Where a thread forms sums that are not kept. Between the sweeps nobody reads the buffer that a
 * term which reads other samples' encodings has brought along. */
static inline char *held_space(const sweep *s, int thread)
{
    char *buffer = s->half.data ? s->half.data : s->last.data;
    return s->borrows ? buffer + thread * (s->held_bytes + s->places_bytes)
                      : s->scratch + thread * s->scratch_bytes + s->held_at;
}

static inline void *kernel_space(const sweep *s, int thread)
{
    return s->scratch + thread * s->scratch_bytes;
}

/* Of a block of samples with the encodings S; a product with X. */
double block_divergence(const sweep *s, block b, array S);
double add_shares(const sweep *s, int64_t first, int64_t count);

/* Below this many multiplications waking a thread costs more than it saves. */
#define WORTH_THREADS 200000
/* Of a product of X with a factor, so many keep one more thread busy. */
#define WORTH_A_THREAD 1000000

static inline void run_tasks(const sweep *s, int64_t count, parallel_task task, void *user,
                             int64_t multiplications)
{
    if (multiplications >= WORTH_THREADS) {
        parallel_for_few(s->ctx, s->threads, count, task, user);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        task(user, i, 0);
}

/* The steps of sweep_halves.c: before the first block, of a block with its new rows, after the last
 * block. */
void halves_gather(sweep *s);
void halves_place(const sweep *s, block b, array rows);
void halves_settle(sweep *s);

/* Of a product of X with a factor. */
static inline int64_t product_cost(const sweep *s, int64_t rows)
{
    const orthant_matrix *X = s->samples;
    const int64_t entries = X->sparse ? X->row_start[X->rows] / X->rows * rows : rows * s->m;
    return entries * s->W.stride;
}

static inline int64_t square_cost(const sweep *s, int64_t rows)
{
    return rows * s->W.stride * s->W.stride;
}

#endif
