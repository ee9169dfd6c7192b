#include "engine/products.h"

#include <string.h>

#include "core/parallel.h"
#include "core/pieces.h"
#include "graph/tournament.h"

#define RANGES 8           /* of features, for a sparse X */
#define SYMMETRIC_ROWS 512 /* of a block of K */
#define CACHED_ROWS 128    /* of these, which stay in the second-level cache */
#define FEWEST_HALVED 4096 /* rows, from which on K is larger than the caches */

typedef struct product_work {
    const orthant_matrix *X;
    const kernels *k;
    array b, c;
} product_work;

static void forward_task(void *user, int64_t index, int thread)
{
    const product_work *work = user;
    const int64_t first = index * KERNEL_ROWS, rows = smaller(KERNEL_ROWS, work->c.rows - first);
    const array c = array_rows(work->k, work->c, first, rows);
    (void)thread;
    if (work->X->sparse)
        work->k->sparse_product(c, matrix_csr(work->X), first, work->b, false);
    else
        work->k->product(c, array_rows(work->k, matrix_array(work->X), first, rows), work->b,
                         false);
}

void products_forward(orthant_context *ctx, const orthant_matrix *X, array b, array c)
{
    product_work work = {X, kernel_table(X->precision), b, c};
    parallel_for(ctx, pieces(c.rows, KERNEL_ROWS), forward_task, &work);
}

static void backward_task(void *user, int64_t index, int thread)
{
    const product_work *work = user;
    const int64_t m = work->c.rows;
    (void)thread;
    if (work->X->sparse) {
        const int64_t from = index * m / RANGES, end = (index + 1) * m / RANGES;
        work->k->sparse_product_transposed(array_rows(work->k, work->c, from, end - from),
                                           matrix_csr(work->X), 0, work->b,
                                           (csr_range){from, end, NULL, NULL});
        return;
    }
    const int64_t first = index * KERNEL_FEATURES, features = smaller(KERNEL_FEATURES, m - first);
    work->k->product_transposed(array_rows(work->k, work->c, first, features),
                                array_columns(work->k, matrix_array(work->X), first, features),
                                work->b, false);
}

void products_backward(orthant_context *ctx, const orthant_matrix *X, array b, array c)
{
    product_work work = {X, kernel_table(X->precision), b, c};
    if (X->sparse)
        array_clear(work.k, c);
    parallel_for(ctx, X->sparse ? RANGES : pieces(c.rows, KERNEL_FEATURES), backward_task, &work);
}

/* ---- symmetric ---- */

typedef struct symmetric_work {
    product_work p;
    tournament rounds;
    char *packed; /* blocks of B, packed; NULL: nothing to gain */
    int64_t packed_bytes;
} symmetric_work;

static array block_of(const kernels *k, array a, int64_t block)
{
    const int64_t first = block * SYMMETRIC_ROWS;
    return array_rows(k, a, first, smaller(SYMMETRIC_ROWS, a.rows - first));
}

static void pack_task(void *user, int64_t block, int thread)
{
    const symmetric_work *work = user;
    const product_work *w = &work->p;
    (void)thread;
    w->k->pack(work->packed + block * work->packed_bytes, block_of(w->k, w->b, block));
}

/* C (+)= A B for a block of B. */
static void multiply(const symmetric_work *work, array c, array a, int64_t block, bool add)
{
    const product_work *w = &work->p;
    const array b = block_of(w->k, w->b, block);
    if (work->packed)
        w->k->product_packed(c, a, b, work->packed + block * work->packed_bytes, add);
    else
        w->k->product(c, a, b, add);
}

/* A block of the diagonal, which begins the rows of C. */
static void diagonal_task(void *user, int64_t block, int thread)
{
    const symmetric_work *work = user;
    const product_work *w = &work->p;
    const array rows = block_of(w->k, matrix_array(w->X), block);
    (void)thread;
    multiply(work, block_of(w->k, w->c, block),
             array_columns(w->k, rows, block * SYMMETRIC_ROWS, rows.rows), block, false);
}

/* A block of K above the diagonal serves the rows of C on both sides while it is in the cache. */
static void halved_task(void *user, int64_t task, int thread)
{
    const symmetric_work *work = user;
    const product_work *w = &work->p;
    int64_t one, other;
    (void)thread;
    if (!tournament_task(&work->rounds, task, &one, &other))
        return;
    const int64_t top = smaller(one, other), left = one + other - top;
    const array to = block_of(w->k, w->c, left), C = block_of(w->k, w->c, top),
                B = block_of(w->k, w->b, top);
    const array block = array_columns(w->k, block_of(w->k, matrix_array(w->X), top),
                                      left * SYMMETRIC_ROWS, to.rows);
    for (int64_t first = 0; first < block.rows; first += CACHED_ROWS) {
        const int64_t rows = smaller(CACHED_ROWS, block.rows - first);
        const array tile = array_rows(w->k, block, first, rows);
        multiply(work, array_rows(w->k, C, first, rows), tile, left, true);
        w->k->product_transposed(to, tile, array_rows(w->k, B, first, rows), true);
    }
}

int64_t products_symmetric_bytes(const orthant_matrix *K, int64_t columns)
{
    if (K->sparse || K->rows < FEWEST_HALVED)
        return 0;
    return pieces(K->rows, SYMMETRIC_ROWS) *
           kernel_table(K->precision)->packed_bytes(SYMMETRIC_ROWS, columns);
}

void products_symmetric(orthant_context *ctx, const orthant_matrix *K, array b, array c,
                        void *scratch)
{
    if (K->sparse || K->rows < FEWEST_HALVED) {
        products_forward(ctx, K, b, c);
        return;
    }
    const kernels *ops = kernel_table(K->precision);
    symmetric_work work = {{K, ops, b, c},
                           tournament_of(pieces(K->rows, SYMMETRIC_ROWS)),
                           scratch,
                           ops->packed_bytes(SYMMETRIC_ROWS, b.columns)};
    if (work.packed)
        parallel_for(ctx, work.rounds.blocks, pack_task, &work);
    /* Nobody can stop it: it always succeeds. */
    (void)tournament_run(ctx, parallel_threads(ctx), NULL, &work.rounds, diagonal_task, halved_task,
                         &work);
}
