#include "engine/products.h"

#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"

#define RANGES 8           /* of features, for a sparse X */
#define MOST_COLUMNS 1024  /* of a panel of K */
#define TILE_ROWS 128      /* of a panel, which stay in the second-level cache */
#define MOST_GROUPS 16     /* of panels */
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

/* A panel of K's columns is gone through from its first row down to the diagonal, a tile at a time:
 * while a tile is in the cache it serves the rows of C on both sides of the diagonal.
 *
 *     panel     0     1     2     3
 *             +-----+-----+-----+-----+
 *             |tile |     |     |  |  |
 *             +-----+     |     |  v  |    tiles below each other: what is read next is fetched
 *                   |     |     |     |    while a tile is worked on
 *                   +-----+     |     |
 *                         |     |     |
 *                         +-----+     |
 *
 * Each group of panels has a C of its own; groups depend on n alone, and are added in order. */
typedef struct symmetric_work {
    product_work p;
    array minus;                     /* negative part's C */
    int parts;                       /* 2 where K is split, else 1 */
    int64_t columns, panels, groups; /* columns of a panel */
    char *packed;                    /* panels of B, packed; NULL: nothing to gain */
    int64_t packed_bytes;
    char *sums;  /* groups x parts x n x stride: each group's C */
    char *tiles; /* threads x 2 x TILE_ROWS x columns: positive and negative parts */
} symmetric_work;

/* By n alone: some sixteen panels keep threads busy where K is small. */
static int64_t panel_columns(int64_t n)
{
    const int64_t wanted = pieces(n, 16 * KERNEL_ROWS) * KERNEL_ROWS;
    return smaller(wanted, MOST_COLUMNS);
}

static array panel_of(const symmetric_work *work, array a, int64_t panel)
{
    const int64_t first = panel * work->columns;
    return array_rows(work->p.k, a, first, smaller(work->columns, a.rows - first));
}

static void pack_task(void *user, int64_t panel, int thread)
{
    const symmetric_work *work = user;
    (void)thread;
    work->p.k->pack(work->packed + panel * work->packed_bytes, panel_of(work, work->p.b, panel));
}

/* C += A B for a panel of B. */
static void multiply(const symmetric_work *work, array c, array a, int64_t panel)
{
    const kernels *k = work->p.k;
    const array b = panel_of(work, work->p.b, panel);
    if (work->packed)
        k->product_packed(c, a, b, work->packed + panel * work->packed_bytes, true);
    else
        k->product(c, a, b, true);
}

/* The tile itself, or its positive and its negative part. */
static void split_tile(const symmetric_work *work, array tile, int thread, array *parts)
{
    const kernels *k = work->p.k;
    const size_t bytes = (size_t)(TILE_ROWS * work->columns) * k->size;
    parts[0] = tile;
    if (work->parts == 1)
        return;
    for (int part = 0; part < 2; part++)
        parts[part] = (array){work->tiles + (size_t)(2 * thread + part) * bytes, tile.rows,
                              tile.columns, work->columns};
    k->split(parts[0], parts[1], tile);
}

/* A group's C. */
static array sums_of(const symmetric_work *work, int64_t group, int part)
{
    const array c = work->p.c;
    const int64_t at = (work->parts * group + part) * c.rows * c.stride;
    return (array){work->sums + (size_t)at * work->p.k->size, c.rows, c.columns, c.stride};
}

static void multiply_panel(const symmetric_work *work, int64_t group, int64_t panel, int thread)
{
    const kernels *k = work->p.k;
    const int64_t left = panel * work->columns,
                  columns = smaller(work->columns, work->p.c.rows - left), end = left + columns;
    const array K = array_columns(k, matrix_array(work->p.X), left, columns);
    for (int64_t first = 0, rows; first < end; first += rows) {
        array parts[2];
        rows = smaller(TILE_ROWS, (first < left ? left : end) - first);
        split_tile(work, array_rows(k, K, first, rows), thread, parts);
        for (int part = 0; part < work->parts; part++) {
            const array c = sums_of(work, group, part);
            multiply(work, array_rows(k, c, first, rows), parts[part], panel);
            if (first < left)
                k->product_transposed(panel_of(work, c, panel), parts[part],
                                      array_rows(k, work->p.b, first, rows), true);
        }
    }
}

/* Panels are dealt out to and fro, the longest first: the rows of C that a group reaches. */
static int64_t group_rows(const symmetric_work *work, int64_t group)
{
    return smaller((work->panels - group) * work->columns, work->p.c.rows);
}

static void group_task(void *user, int64_t group, int thread)
{
    const symmetric_work *work = user;
    const int64_t twice = 2 * work->groups;
    for (int part = 0; part < work->parts; part++)
        array_clear(work->p.k,
                    array_rows(work->p.k, sums_of(work, group, part), 0, group_rows(work, group)));
    for (int64_t dealt = 0; dealt < work->panels; dealt++)
        if (smaller(dealt % twice, twice - 1 - dealt % twice) == group)
            multiply_panel(work, group, work->panels - 1 - dealt, thread);
}

static void add_groups_task(void *user, int64_t index, int thread)
{
    const symmetric_work *work = user;
    const kernels *k = work->p.k;
    const int64_t first = index * TILE_ROWS, rows = smaller(TILE_ROWS, work->p.c.rows - first);
    (void)thread;
    for (int part = 0; part < work->parts; part++) {
        const array c = array_rows(k, part ? work->minus : work->p.c, first, rows);
        k->copy(c, array_rows(k, sums_of(work, 0, part), first, rows));
        for (int64_t group = 1; group < work->groups && first < group_rows(work, group); group++)
            k->add(c, 1, array_rows(k, sums_of(work, group, part), first, rows));
    }
}

static symmetric_work symmetric_of(const orthant_matrix *K, int64_t columns, int parts)
{
    const kernels *k = kernel_table(K->precision);
    symmetric_work work = {.p = {.X = K, .k = k}, .parts = parts};
    work.columns = panel_columns(K->rows);
    work.panels = pieces(K->rows, work.columns);
    work.groups = smaller(MOST_GROUPS, work.panels);
    work.packed_bytes = k->packed_bytes(work.columns, columns);
    return work;
}

static int64_t aligned(int64_t bytes)
{
    return pieces(bytes, MEMORY_ALIGNMENT) * MEMORY_ALIGNMENT;
}

static int64_t sums_bytes(const symmetric_work *work, int64_t columns)
{
    const orthant_matrix *K = work->p.X;
    return work->groups * work->parts * K->rows * matrix_padded(K->precision, columns) *
           (int64_t)work->p.k->size;
}

int64_t products_symmetric_bytes(const orthant_matrix *K, int64_t columns)
{
    if (K->sparse || K->rows < FEWEST_HALVED)
        return 0;
    const symmetric_work work = symmetric_of(K, columns, 1);
    return aligned(work.panels * work.packed_bytes) + sums_bytes(&work, columns);
}

int64_t products_split_bytes(orthant_context *ctx, const orthant_matrix *M, int64_t columns)
{
    const symmetric_work work = symmetric_of(M, columns, 2);
    return aligned(work.panels * work.packed_bytes) + aligned(sums_bytes(&work, columns)) +
           2 * parallel_threads(ctx) * TILE_ROWS * work.columns * (int64_t)work.p.k->size;
}

static void run_symmetric(orthant_context *ctx, symmetric_work *work, array b, array c,
                          char *scratch)
{
    work->p.b = b;
    work->p.c = c;
    work->packed = work->packed_bytes ? scratch : NULL;
    work->sums = scratch + aligned(work->panels * work->packed_bytes);
    work->tiles = work->sums + aligned(sums_bytes(work, b.columns));
    if (work->packed)
        parallel_for(ctx, work->panels, pack_task, work);
    parallel_for(ctx, work->groups, group_task, work);
    parallel_for(ctx, pieces(c.rows, TILE_ROWS), add_groups_task, work);
}

void products_symmetric(orthant_context *ctx, const orthant_matrix *K, array b, array c,
                        void *scratch)
{
    symmetric_work work = symmetric_of(K, b.columns, 1);
    if (K->sparse || K->rows < FEWEST_HALVED)
        products_forward(ctx, K, b, c);
    else
        run_symmetric(ctx, &work, b, c, scratch);
}

void products_split(orthant_context *ctx, const orthant_matrix *M, array b, array plus, array minus,
                    void *scratch)
{
    symmetric_work work = symmetric_of(M, b.columns, 2);
    work.minus = minus;
    run_symmetric(ctx, &work, b, plus, scratch);
}
