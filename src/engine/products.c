#include "engine/products.h"

#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "graph/tournament.h"

#define RANGES 8            /* of features, for a sparse X */
#define MOST_BLOCK_ROWS 512 /* of a block of K */
#define CACHED_ROWS 128     /* of these, which stay in the second-level cache */
#define FEWEST_HALVED 4096  /* rows, from which on K is larger than the caches */

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
    array minus;  /* no data: K is not split */
    int64_t rows; /* of a block */
    tournament rounds;
    char *packed; /* blocks of B, packed; NULL: nothing to gain */
    int64_t packed_bytes;
    char *tiles; /* threads x 2 x CACHED_ROWS x rows: positive and negative parts */
} symmetric_work;

/* By n alone: some sixteen blocks keep threads busy where K is small. */
static int64_t block_rows(int64_t n)
{
    const int64_t wanted = pieces(n, 16 * KERNEL_ROWS) * KERNEL_ROWS;
    return smaller(wanted, MOST_BLOCK_ROWS);
}

static array block_of(const symmetric_work *work, array a, int64_t block)
{
    const int64_t first = block * work->rows;
    return array_rows(work->p.k, a, first, smaller(work->rows, a.rows - first));
}

static void pack_task(void *user, int64_t block, int thread)
{
    const symmetric_work *work = user;
    (void)thread;
    work->p.k->pack(work->packed + block * work->packed_bytes, block_of(work, work->p.b, block));
}

/* C (+)= A B for a block of B. */
static void multiply(const symmetric_work *work, array c, array a, int64_t block, bool add)
{
    const kernels *k = work->p.k;
    const array b = block_of(work, work->p.b, block);
    if (work->packed)
        k->product_packed(c, a, b, work->packed + block * work->packed_bytes, add);
    else
        k->product(c, a, b, add);
}

/* The tile itself, or its positive and its negative part; how many. */
static int split_tile(const symmetric_work *work, array tile, int thread, array *parts)
{
    const kernels *k = work->p.k;
    const size_t bytes = (size_t)(CACHED_ROWS * work->rows) * k->size;
    parts[0] = tile;
    if (!work->minus.data)
        return 1;
    for (int part = 0; part < 2; part++)
        parts[part] = (array){work->tiles + (size_t)(2 * thread + part) * bytes, tile.rows,
                              tile.columns, work->rows};
    k->split(parts[0], parts[1], tile);
    return 2;
}

/* The block of K in the rows of `top` and the columns of `left`, a few rows at a time: while these
 * are in the cache they serve the rows of C on both sides of the diagonal. */
static void multiply_block(const symmetric_work *work, int64_t top, int64_t left, int thread)
{
    const kernels *k = work->p.k;
    const array rows = block_of(work, matrix_array(work->p.X), top),
                b = block_of(work, work->p.b, top);
    const int64_t columns = smaller(work->rows, work->p.b.rows - left * work->rows);
    const array block = array_columns(k, rows, left * work->rows, columns);
    for (int64_t first = 0; first < block.rows; first += CACHED_ROWS) {
        const int64_t count = smaller(CACHED_ROWS, block.rows - first);
        array parts[2];
        const int split = split_tile(work, array_rows(k, block, first, count), thread, parts);
        for (int part = 0; part < split; part++) {
            const array c = part ? work->minus : work->p.c;
            multiply(work, array_rows(k, block_of(work, c, top), first, count), parts[part], left,
                     top != left);
            if (top != left)
                k->product_transposed(block_of(work, c, left), parts[part],
                                      array_rows(k, b, first, count), true);
        }
    }
}

/* Blocks of the diagonal begin the rows of C. */
static void diagonal_task(void *user, int64_t block, int thread)
{
    multiply_block(user, block, block, thread);
}

static void halved_task(void *user, int64_t task, int thread)
{
    const symmetric_work *work = user;
    int64_t one, other;
    if (tournament_task(&work->rounds, task, &one, &other))
        multiply_block(work, smaller(one, other), one < other ? other : one, thread);
}

static int64_t all_packed_bytes(const orthant_matrix *K, int64_t columns)
{
    const int64_t rows = block_rows(K->rows);
    const int64_t bytes =
        pieces(K->rows, rows) * kernel_table(K->precision)->packed_bytes(rows, columns);
    return (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

int64_t products_symmetric_bytes(const orthant_matrix *K, int64_t columns)
{
    return K->sparse || K->rows < FEWEST_HALVED ? 0 : all_packed_bytes(K, columns);
}

int64_t products_split_bytes(orthant_context *ctx, const orthant_matrix *M, int64_t columns)
{
    return all_packed_bytes(M, columns) + 2 * parallel_threads(ctx) * CACHED_ROWS *
                                              block_rows(M->rows) *
                                              (int64_t)kernel_table(M->precision)->size;
}

static void run_symmetric(orthant_context *ctx, symmetric_work *work, char *scratch)
{
    const orthant_matrix *K = work->p.X;
    const int64_t columns = work->p.b.columns;
    work->rows = block_rows(K->rows);
    work->rounds = tournament_of(pieces(K->rows, work->rows));
    work->packed_bytes = work->p.k->packed_bytes(work->rows, columns);
    work->packed = work->packed_bytes ? scratch : NULL;
    work->tiles = scratch + all_packed_bytes(K, columns);
    if (work->packed)
        parallel_for(ctx, work->rounds.blocks, pack_task, work);
    /* Nobody can stop it: it always succeeds. */
    (void)tournament_run(ctx, parallel_threads(ctx), NULL, &work->rounds, diagonal_task,
                         halved_task, work);
}

void products_symmetric(orthant_context *ctx, const orthant_matrix *K, array b, array c,
                        void *scratch)
{
    symmetric_work work = {.p = {K, kernel_table(K->precision), b, c}};
    if (K->sparse || K->rows < FEWEST_HALVED)
        products_forward(ctx, K, b, c);
    else
        run_symmetric(ctx, &work, scratch);
}

void products_split(orthant_context *ctx, const orthant_matrix *M, array b, array plus, array minus,
                    void *scratch)
{
    symmetric_work work = {.p = {M, kernel_table(M->precision), b, plus}, .minus = minus};
    run_symmetric(ctx, &work, scratch);
}
