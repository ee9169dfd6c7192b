/* One pass over X, or over the process's share of it, strip by strip: in each, blocks of samples
 * are worked on (their new encodings), and then their share is added to the sums, while the strip
 * is still in the cache.
 *
 *     samples  |------------------- n -------------------|
 *     chunks   |------ 0 ------|------ 1 ------|--- 2 ---|   sums are added in order,
 *                                                            then along a tree (sums.h)
 *     strips   |--|--|--|--|--||--|--|--|--|--||--|--|--||   stay in a cache
 *     blocks   |||||||||||||||||||||||||||||||||||||||||||   tasks
 *
 * Chunks are cut by n and m alone (chunks.h), so that one thread or many, memory or a file, one
 * process or many give the same bits. */
#ifndef ENGINE_STRIPS_H
#define ENGINE_STRIPS_H

#include "core/parallel.h"
#include "core/pieces.h"
#include "data/strip.h"
#include "engine/group.h"

typedef struct strips {
    orthant_context *ctx;
    const kernels *ops;
    const strip_ops *x;
    source source;
    struct row_file *file; /* that the samples lie in; or NULL */
    panel_list panels;
    sample_share share;          /* the chunks that are here */
    int64_t n, m;                /* of the share, and of X */
    int64_t chunk, strip, block; /* samples of each */
    int64_t row_cost;            /* multiplications of a row of X with a factor */
    int threads;                 /* that work */
} strips;

/* For factors with rows of `stride` elements; blocks of `length` samples, 0: as many as keep
 * threads busy. */
orthant_status strips_setup(strips *s, orthant_context *ctx, const orthant_matrix *samples,
                            int64_t stride, int64_t length);
void strips_release(strips *s);
/* Accumulators that the sums of the chunks need (sums.h). */
int strips_levels(const strips *s);

/* What a pass does; both may be NULL. */
typedef struct strip_pass {
    void *user;
    bool without_data; /* it looks at no entry of X: nothing is read */
    void (*encode)(void *user, strip x, block b);
    void (*accumulate)(void *user, strip x, int64_t task, int thread);
    int64_t (*accumulate_tasks)(void *user); /* of a strip */
    void (*strip_done)(void *user, strip x); /* all of its tasks, of both kinds, are done */
    /* and all strips of a chunk, by its number among those of all processes; the last one here */
    void (*chunk_done)(void *user, int64_t chunk, bool last);
} strip_pass;

/* Where samples cannot be read, the pass ends early, and what it made is worth nothing: the file
 * has the failure (row_file_status()), and no other pass over it begins. */
void strips_run(const strips *s, const strip_pass *pass);

/* Tasks, by the threads where they are worth waking for so many multiplications. */
void strips_tasks(const strips *s, int64_t count, parallel_task task, void *user,
                  int64_t multiplications);

/* Slots for a value of each block, those of a chunk one behind the other. */
static inline int64_t strips_slots_of_chunk(const strips *s)
{
    return pieces(s->chunk, s->block);
}

static inline int64_t strips_slots(const strips *s)
{
    return (s->share.end_chunk - s->share.first_chunk) * strips_slots_of_chunk(s);
}

static inline int64_t strips_slot(const strips *s, int64_t first)
{
    return first / s->chunk * strips_slots_of_chunk(s) + first % s->chunk / s->block;
}

/* The sum over all samples of the values in the slots, `width` of each block: in the samples' order
 * within a chunk, then along the tree. */
#define STRIPS_MOST_WIDTH 16
void strips_add_values(const strips *s, const double *values, int64_t width, double *total);
/* The same for any width, in CHUNK_SUM_SLOTS x width numbers of scratch. */
void strips_add_rows(const strips *s, const double *values, int64_t width, double *scratch,
                     double *total);

static inline block block_at(int64_t first, int64_t end, int64_t rows, int64_t index, int thread)
{
    const int64_t start = first + index * rows;
    return (block){start, smaller(rows, end - start), thread};
}

/* Rows of a task where there are so many: few where threads should share them evenly. */
static inline int64_t task_rows(int64_t rows)
{
    return rows >= 8192 ? KERNEL_ROWS : rows >= 1024 ? KERNEL_ROWS / 2 : KERNEL_ROWS / 4;
}

#endif
