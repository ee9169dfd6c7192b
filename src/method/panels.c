#include "method/panels.h"

#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "method/kernel_device.h"

#define MOST_BLOCKS 64
#define WORTH_THREADS (1 << 20) /* multiplications below which waking threads costs more */

/* ------------------------------------------------------------------ setup */

static int64_t rows_of_a_block(int64_t n)
{
    const int64_t even = (n + MOST_BLOCKS - 1) / MOST_BLOCKS;
    return (even + KERNEL_ROWS - 1) / KERNEL_ROWS * KERNEL_ROWS;
}

orthant_status panels_new_small(const panels *p, array *a)
{
    *a = (array){memory_new(p->ctx, p->q * p->stride, p->k->size, "a small matrix"), p->q, p->q,
                 p->stride};
    return a->data ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

orthant_status panels_setup(panels *p, orthant_context *ctx, orthant_precision precision, int64_t n,
                            int64_t q, int together)
{
    *p = (panels){.ctx = ctx, .k = kernel_table(precision), .n = n, .q = q, .together = together};
    p->stride = matrix_padded(precision, q);
    p->rows = rows_of_a_block(n);
    p->blocks = (n + p->rows - 1) / p->rows;
    p->share = memory_new(ctx, p->blocks * together * q * p->stride, p->k->size,
                          "Gram matrices of blocks");
    p->scratch = memory_new(ctx, (int64_t)parallel_threads(ctx) * 2 * p->rows * p->stride,
                            p->k->size, "scratch");
    p->values = memory_new(ctx, q * q, sizeof *p->values, "a small matrix");
    p->small = memory_new(ctx, q * q, sizeof *p->small, "a small matrix");
    p->sums = memory_new(ctx, p->blocks * q, sizeof *p->sums, "sums of blocks");
    return p->share && p->scratch && p->values && p->small && p->sums &&
                   !panels_new_small(p, &p->left) && !panels_new_small(p, &p->right)
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

void panels_release(panels *p)
{
    memory_free(p->ctx, p->share);
    memory_free(p->ctx, p->scratch);
    memory_free(p->ctx, p->values);
    memory_free(p->ctx, p->small);
    memory_free(p->ctx, p->sums);
    memory_free(p->ctx, p->left.data);
    memory_free(p->ctx, p->right.data);
}

orthant_status panels_new_array(const panels *p, array *a)
{
    *a = (array){memory_new(p->ctx, p->n * p->stride, p->k->size, "a factor's products"), p->n,
                 p->q, p->stride};
    return a->data ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* ------------------------------------------------------------------ blocks */

static int64_t block_rows(const panels *p, int64_t block)
{
    const int64_t left = p->n - block * p->rows;
    return left < p->rows ? left : p->rows;
}

typedef struct panels_work {
    panels *p;
    panels_task task;
    void *user;
} panels_work;

/* The same tasks in any case, so that the bits are the same. */
static void run_blocks(panels *p, parallel_task task, void *user, int64_t multiplications)
{
    if (multiplications >= WORTH_THREADS)
        parallel_for(p->ctx, p->blocks, task, user);
    else
        for (int64_t block = 0; block < p->blocks; block++)
            task(user, block, 0);
}

static void run_task(void *user, int64_t block, int thread)
{
    const panels_work *work = user;
    (void)thread;
    work->task(work->user, block, block * work->p->rows, block_rows(work->p, block));
}

void panels_run(panels *p, panels_task task, void *user)
{
    panels_work work = {p, task, user};
    run_blocks(p, run_task, &work, p->n * p->stride);
}

static void run_products(panels *p, panels_task task, void *user)
{
    panels_work work = {p, task, user};
    run_blocks(p, run_task, &work, p->n * p->q * p->stride);
}

/* ------------------------------------------------------------------ sums over all rows */

typedef struct gram_work {
    panels *p;
    array a, b;
} gram_work;

static void dot_task(void *user, int64_t block, int64_t first, int64_t rows)
{
    const gram_work *work = user;
    const kernels *k = work->p->k;
    work->p->sums[block] =
        k->dot(array_rows(k, work->a, first, rows), array_rows(k, work->b, first, rows));
}

double panels_dot(panels *p, array a, array b)
{
    gram_work work = {p, a, b};
    double total = 0;
    if (p->device)
        return kernel_device_dot(p->device, a, b);
    panels_run(p, dot_task, &work);
    for (int64_t block = 0; block < p->blocks; block++)
        total += p->sums[block];
    return total;
}

typedef struct grams_work {
    panels *p;
    int count;
    const panels_pair *pairs;
    panels_task prepare;
    void *user;
} grams_work;

static array share_of(const panels *p, int64_t block, int pair)
{
    const int64_t at = (block * p->together + pair) * p->q * p->stride;
    return (array){p->share + (size_t)at * p->k->size, p->q, p->q, p->stride};
}

static void grams_task(void *user, int64_t block, int64_t first, int64_t rows)
{
    const grams_work *work = user;
    const kernels *k = work->p->k;
    if (work->prepare)
        work->prepare(work->user, block, first, rows);
    for (int i = 0; i < work->count; i++)
        k->product_transposed(share_of(work->p, block, i),
                              array_rows(k, work->pairs[i].a, first, rows),
                              array_rows(k, work->pairs[i].b, first, rows), false);
}

static void add_shares(panels *p, int pair, double *gram)
{
    memset(gram, 0, (size_t)(p->q * p->q) * sizeof *gram);
    for (int64_t block = 0; block < p->blocks; block++) {
        p->k->get_values(share_of(p, block, pair), p->values);
        for (int64_t e = 0; e < p->q * p->q; e++)
            gram[e] += p->values[e];
    }
}

void panels_grams(panels *p, int count, const panels_pair *pairs, panels_task prepare, void *user)
{
    grams_work work = {p, count, pairs, prepare, user};
    for (int i = 0; p->device && i < count; i++)
        kernel_device_gram(p->device, pairs[i].a, pairs[i].b, pairs[i].gram);
    if (p->device)
        return;
    run_products(p, grams_task, &work);
    for (int i = 0; i < count; i++)
        add_shares(p, i, pairs[i].gram);
}

void panels_gram(panels *p, array a, array b, double *gram)
{
    panels_grams(p, 1, &(panels_pair){a, b, gram}, NULL, NULL);
}

typedef struct column_work {
    panels *p;
    array a;
    void (*sum)(array a, double *sums);
    const double *scale;
} column_work;

static void column_sums_task(void *user, int64_t block, int64_t first, int64_t rows)
{
    const column_work *work = user;
    const panels *p = work->p;
    double *share = p->sums + block * p->q;
    memset(share, 0, (size_t)p->q * sizeof *share);
    work->sum(array_rows(p->k, work->a, first, rows), share);
}

void panels_column_sums(panels *p, array a, bool squares, double *sums)
{
    column_work work = {p, a, squares ? p->k->column_squares : p->k->column_sums, NULL};
    if (p->device) {
        kernel_device_columns(p->device, a, squares, sums);
        return;
    }
    panels_run(p, column_sums_task, &work);
    memset(sums, 0, (size_t)p->q * sizeof *sums);
    for (int64_t e = 0; e < p->blocks * p->q; e++)
        sums[e % p->q] += p->sums[e];
}

/* ------------------------------------------------------------------ products and updates */

static void scale_task(void *user, int64_t block, int64_t first, int64_t rows)
{
    const column_work *work = user;
    const kernels *k = work->p->k;
    (void)block;
    k->scale_columns(array_rows(k, work->a, first, rows), work->scale);
}

void panels_scale_columns(panels *p, array a, const double *scale)
{
    column_work work = {p, a, NULL, scale};
    if (p->device)
        kernel_device_scale(p->device, a, scale);
    else
        panels_run(p, scale_task, &work);
}

typedef struct product_work {
    panels *p;
    array c, a;
    bool add;
} product_work;

static void product_task(void *user, int64_t block, int64_t first, int64_t rows)
{
    const product_work *work = user;
    const kernels *k = work->p->k;
    (void)block;
    k->product(array_rows(k, work->c, first, rows), array_rows(k, work->a, first, rows),
               work->p->left, work->add);
}

void panels_product(panels *p, array c, array a, const double *small, bool add)
{
    product_work work = {p, c, a, add};
    if (p->device) {
        kernel_device_product(p->device, c, a, small, add);
        return;
    }
    p->k->set_values(p->left, small);
    run_products(p, product_task, &work);
}

typedef struct update_work {
    panels *p;
    array to, u, v;
    bool multiply; /* U by `left` */
    panels_rule rule;
} update_work;

static const double exponents[] = {1, 1.0 / 3, 0.25, 0.5, 1}; /* of the rules */

static void update_task(void *user, int64_t block, int thread)
{
    const update_work *work = user;
    panels *p = work->p;
    const kernels *k = p->k;
    const int64_t first = block * p->rows, rows = block_rows(p, block);
    const size_t bytes = (size_t)(p->rows * p->stride) * k->size;
    char *mine = p->scratch + 2 * (size_t)thread * bytes;
    const array to = array_rows(k, work->to, first, rows), u = array_rows(k, work->u, first, rows);
    const array multiplied = {mine, rows, p->q, p->stride},
                denominator = {mine + bytes, rows, p->q, p->stride};
    if (work->multiply)
        k->product(multiplied, u, p->left, false);
    k->product(denominator, array_rows(k, work->v, first, rows), p->right, false);
    const array numerator = work->multiply ? multiplied : u;
    if (work->rule == PANELS_HALF)
        k->update_damped(to, to, numerator, denominator, 0.5);
    else
        k->update(to, to, numerator, denominator, exponents[work->rule]);
}

void panels_update(panels *p, array to, array u, const double *left, array v, const double *right,
                   panels_rule rule)
{
    update_work work = {p, to, u, v, left != NULL, rule};
    if (p->device) {
        kernel_device_update(p->device, to, u, left, v, right, exponents[rule],
                             rule == PANELS_HALF);
        return;
    }
    if (left)
        p->k->set_values(p->left, left);
    p->k->set_values(p->right, right);
    run_blocks(p, update_task, &work, 2 * p->n * p->q * p->stride);
}

/* ------------------------------------------------------------------ here and there */

/* Nonnegative arrays alone are copied on a device: a step of length 0. */
void panels_copy(panels *p, array to, array from)
{
    if (p->device)
        kernel_device_step(p->device, to, from, from, 0);
    else
        p->k->copy(to, from);
}

void panels_fetch(const panels *p, array a)
{
    kernel_device_fetch(p->device, a);
}

void panels_changed(const panels *p, array a)
{
    kernel_device_changed(p->device, a);
}

/* ------------------------------------------------------------------ q x q */

void small_product(int64_t q, const double *a, bool transposed, const double *b, double *c)
{
    memset(c, 0, (size_t)(q * q) * sizeof *c);
    for (int64_t i = 0; i < q; i++)
        for (int64_t p = 0; p < q; p++) {
            const double factor = transposed ? a[p * q + i] : a[i * q + p];
            for (int64_t j = 0; j < q; j++)
                c[i * q + j] += factor * b[p * q + j];
        }
}

double small_dot(int64_t q, const double *a, const double *b)
{
    double total = 0;
    for (int64_t e = 0; e < q * q; e++)
        total += a[e] * b[e];
    return total;
}
