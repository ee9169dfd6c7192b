#include "engine/gram.h"

#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "engine/products.h"

#define STRIP_BYTES (4 << 20) /* what a strip of X may take of the last cache */
#define TILE_ROWS 128         /* of K; each tile's columns are KERNEL_FEATURES samples */
#define FEW_PANELS 8          /* of features: fewer cannot keep the threads busy */

static int64_t pieces(int64_t length, int64_t piece)
{
    return (length + piece - 1) / piece;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------ setup */

static bool has_negative(const orthant_matrix *a)
{
    const int64_t count = a->sparse ? a->row_start[a->rows] : a->rows * a->stride;
    for (int64_t e = 0; e < count; e++)
        if (matrix_value(a, e) < 0)
            return true;
    return false;
}

/* Sums over features of few panels go by blocks of samples, each with a share of its own. */
static bool sums_by_rows(const gram *g)
{
    return g->samples && !g->samples->sparse && pieces(g->m, KERNEL_FEATURES) < FEW_PANELS;
}

static int64_t tile_rows(const gram *g)
{
    return g->n >= 16 * TILE_ROWS ? TILE_ROWS : TILE_ROWS / 4;
}

/* Three tiles, and a transposed piece of X or a sample spread over all features. */
static int64_t tile_bytes(const gram *g)
{
    const int64_t tile = TILE_ROWS * KERNEL_FEATURES, piece = KERNEL_FEATURES * KERNEL_FEATURES;
    return (3 * tile + (g->m > piece ? pieces(g->m, 16) * 16 : piece)) * (int64_t)g->k->size;
}

static array tile_array(const gram *g, int thread, int which, int64_t rows, int64_t columns)
{
    char *base = g->scratch + thread * g->thread_bytes + GRAM_ARRAYS * g->array_bytes;
    return (array){base + (size_t)(which * TILE_ROWS * KERNEL_FEATURES) * g->k->size, rows, columns,
                   KERNEL_FEATURES};
}

static orthant_status check_kernel(const fit *f)
{
    const orthant_matrix *K = f->similarity;
    const int64_t n = f->samples->rows;
    if (K->rows != n || K->columns != n)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the similarity is %lld x %lld; expected %lld x %lld, a row for each sample",
                    (long long)K->rows, (long long)K->columns, (long long)n, (long long)n);
    if (K->precision != f->samples->precision)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the similarity and the data have different precisions");
    return ORTHANT_OK;
}

/* K+ and K- of a sparse K; entries of the other sign stay as zeros. */
static orthant_status split_sparse(gram *g)
{
    for (int p = 0; p < 2; p++) {
        const double sign = p ? -1 : 1;
        const orthant_status status =
            matrix_copy(g->ctx, g->kernel, g->kernel->precision, &g->part[p]);
        if (status)
            return status;
        for (int64_t e = 0; e < g->kernel->row_start[g->n]; e++) {
            const double value = sign * matrix_value(g->kernel, e);
            matrix_set_value(g->part[p], e, value > 0 ? value : 0);
        }
    }
    return ORTHANT_OK;
}

static void kernel_tile(const gram *g, int64_t first, int64_t other, array tile, void *room)
{
    const kernels *k = g->k;
    if (g->samples->sparse) {
        k->sparse_row_products(tile, matrix_csr(g->samples), first, other, room);
        return;
    }
    const array X = matrix_array(g->samples);
    k->row_products(tile, array_rows(k, X, first, tile.rows), array_rows(k, X, other, tile.columns),
                    room);
}

/* Rows of K, a tile after the other. */
static void store_task(void *user, int64_t index, int thread)
{
    gram *g = user;
    const int64_t first = index * tile_rows(g), rows = smaller(tile_rows(g), g->n - first);
    const size_t size = g->k->size;
    for (int64_t other = 0; other < g->n; other += KERNEL_FEATURES) {
        const int64_t columns = smaller(KERNEL_FEATURES, g->n - other);
        const array tile = tile_array(g, thread, 0, rows, columns);
        kernel_tile(g, first, other, tile, tile_array(g, thread, 3, 0, 0).data);
        for (int64_t i = 0; i < rows; i++)
            memcpy((char *)g->stored->values +
                       (size_t)((first + i) * g->stored->stride + other) * size,
                   (char *)tile.data + (size_t)(i * tile.stride) * size, (size_t)columns * size);
    }
}

static orthant_status store_kernel(gram *g)
{
    const orthant_status status =
        matrix_new_dense(g->ctx, g->samples->precision, g->n, g->n, &g->stored);
    if (status)
        return status;
    parallel_for(g->ctx, pieces(g->n, tile_rows(g)), store_task, g);
    g->kernel = g->stored;
    return ORTHANT_OK;
}

static orthant_status setup_room(gram *g, orthant_precision precision)
{
    const size_t size = g->k->size;
    const int64_t threads = parallel_threads(g->ctx);
    orthant_status status;
    if ((status = panels_setup(&g->rows, g->ctx, precision, g->n, g->rank)) ||
        (status = panels_setup(&g->features, g->ctx, precision, g->m, g->rank)))
        return status;
    g->array_bytes = KERNEL_ROWS * g->stride * (int64_t)size;
    const int64_t kernels_bytes = kernel_scratch(precision, g->stride);
    g->thread_bytes = GRAM_ARRAYS * g->array_bytes +
                      (g->mixed && tile_bytes(g) > kernels_bytes ? tile_bytes(g) : kernels_bytes);
    g->scratch = memory_new(g->ctx, threads * g->thread_bytes, 1, "scratch");
    g->share = memory_new(g->ctx, pieces(g->n, KERNEL_ROWS), sizeof *g->share, "partial sums");
    if (!g->scratch || !g->share)
        return ORTHANT_ERROR_MEMORY;
    if (sums_by_rows(g) &&
        !(g->sums = memory_new(g->ctx, g->rows.blocks * g->m * g->stride, size, "sums of blocks")))
        return ORTHANT_ERROR_MEMORY;
    return ORTHANT_OK;
}

orthant_status gram_setup(gram *g, fit *f)
{
    orthant_status status;
    *g = (gram){.ctx = f->ctx,
                .k = kernel_table(f->samples->precision),
                .n = f->samples->rows,
                .m = f->samples->columns,
                .rank = f->model->rank,
                .stride = matrix_padded(f->samples->precision, f->model->rank)};
    if (f->similarity && (status = check_kernel(f)))
        return status;
    g->kernel = f->similarity;
    g->samples = f->similarity ? NULL : f->samples;
    g->mixed = has_negative(f->similarity ? f->similarity : f->samples);
    g->trace = g->samples ? matrix_squares(g->samples) : 0;
    for (int64_t i = 0; !g->samples && i < g->n; i++)
        g->trace += orthant_matrix_get(g->kernel, i, i);
    if ((status = setup_room(g, f->samples->precision)))
        return status;
    if (!g->mixed)
        return ORTHANT_OK;
    if (g->kernel)
        return g->kernel->sparse ? split_sparse(g) : ORTHANT_OK;
    g->spare = (array){memory_new(g->ctx, g->m * g->stride, g->k->size, "a factor's image"), g->m,
                       g->rank, g->stride};
    if (!g->spare.data)
        return ORTHANT_ERROR_MEMORY;
    return g->n <= g->m ? store_kernel(g) : ORTHANT_OK;
}

void gram_release(gram *g)
{
    if (!g->ctx)
        return;
    panels_release(&g->rows);
    panels_release(&g->features);
    orthant_matrix_free(g->stored);
    orthant_matrix_free(g->part[0]);
    orthant_matrix_free(g->part[1]);
    memory_free(g->ctx, g->sums);
    memory_free(g->ctx, g->scratch);
    memory_free(g->ctx, g->share);
    memory_free(g->ctx, g->spare.data);
}

static bool new_array(const gram *g, int64_t rows, array *a)
{
    *a = (array){memory_new(g->ctx, rows * g->stride, g->k->size, "a factor's image"), rows,
                 g->rank, g->stride};
    return a->data != NULL;
}

orthant_status gram_new_image(const gram *g, bool split, gram_image *image)
{
    image->factored = g->samples && !(split && g->mixed);
    if (!new_array(g, image->factored ? g->m : g->n, &image->plus) ||
        (split && g->mixed && !new_array(g, g->n, &image->minus)))
        return ORTHANT_ERROR_MEMORY;
    return ORTHANT_OK;
}

void gram_free_image(const gram *g, gram_image *image)
{
    memory_free(g->ctx, image->plus.data);
    memory_free(g->ctx, image->minus.data);
}

orthant_status gram_new_small(const gram *g, array *small)
{
    return new_array(g, g->rank, small) ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* ------------------------------------------------------------------ visits */

typedef struct visit_work {
    gram *g;
    gram_visitor visit;
    void *user;
    int64_t first, end, rows; /* rows of a block */
    array v, image;
} visit_work;

static void visit_task(void *user, int64_t index, int thread)
{
    const visit_work *work = user;
    const int64_t first = work->first + index * work->rows;
    work->visit(work->user, (block){first, smaller(work->rows, work->end - first), thread});
}

/* Rows of a block, fewer where there are not many so that threads share them evenly. */
static int64_t block_rows(int64_t rows)
{
    return rows >= 8192 ? KERNEL_ROWS : rows >= 1024 ? KERNEL_ROWS / 2 : KERNEL_ROWS / 4;
}

static void visit_range(visit_work *work)
{
    if (work->visit)
        parallel_for(work->g->ctx, pieces(work->end - work->first, work->rows), visit_task, work);
}

void gram_visit_features(gram *g, gram_visitor visit, void *user)
{
    visit_work work = {.g = g, .visit = visit, .user = user, .end = g->m, .rows = block_rows(g->m)};
    visit_range(&work);
}

static array sums_of(const gram *g, int64_t index)
{
    return (array){g->sums + (size_t)(index * g->m * g->stride) * g->k->size, g->m, g->rank,
                   g->stride};
}

/* A block of samples: visited and added to its share of X'V while it is in the cache. */
static void rows_task(void *user, int64_t index, int thread)
{
    const visit_work *work = user;
    const gram *g = work->g;
    const kernels *k = g->k;
    const int64_t end = smaller(g->n, (index + 1) * g->rows.rows);
    for (int64_t first = index * g->rows.rows, start = first; first < end; first += KERNEL_ROWS) {
        const int64_t rows = smaller(KERNEL_ROWS, end - first);
        if (work->visit)
            work->visit(work->user, (block){first, rows, thread});
        k->product_transposed(sums_of(g, index),
                              array_rows(k, matrix_array(g->samples), first, rows),
                              array_rows(k, work->v, first, rows), first > start);
    }
}

static void sweep_by_rows(visit_work *work)
{
    gram *g = work->g;
    parallel_for(g->ctx, g->rows.blocks, rows_task, work);
    g->k->copy(work->image, sums_of(g, 0));
    for (int64_t i = 1; i < g->rows.blocks; i++)
        g->k->add(work->image, 1, sums_of(g, i));
}

/* Adds a strip's share to X'V for a panel of features. */
static void panel_task(void *user, int64_t index, int thread)
{
    const visit_work *work = user;
    const gram *g = work->g;
    const kernels *k = g->k;
    const int64_t first = index * KERNEL_FEATURES,
                  features = smaller(KERNEL_FEATURES, g->m - first);
    const int64_t rows = work->end - work->first;
    (void)thread;
    k->product_transposed(array_rows(k, work->image, first, features),
                          array_columns(k,
                                        array_rows(k, matrix_array(g->samples), work->first, rows),
                                        first, features),
                          array_rows(k, work->v, work->first, rows), work->first > 0);
}

static void sweep_by_strips(visit_work *work)
{
    gram *g = work->g;
    const int64_t held = STRIP_BYTES / (g->m * (int64_t)g->k->size) / KERNEL_ROWS * KERNEL_ROWS;
    const int64_t strip = held < KERNEL_ROWS ? KERNEL_ROWS : held;
    for (work->first = 0; work->first < g->n; work->first = work->end) {
        work->end = smaller(g->n, work->first + strip);
        visit_range(work);
        parallel_for(g->ctx, pieces(g->m, KERNEL_FEATURES), panel_task, work);
    }
}

/* ------------------------------------------------------------------ split products */

typedef struct split_work {
    gram *g;
    array v;
    gram_image *image;
} split_work;

static void split_task(void *user, int64_t index, int thread)
{
    const split_work *work = user;
    const gram *g = work->g;
    const kernels *k = g->k;
    const int64_t first = index * tile_rows(g), rows = smaller(tile_rows(g), g->n - first);
    const array plus = array_rows(k, work->image->plus, first, rows),
                minus = array_rows(k, work->image->minus, first, rows);
    for (int64_t other = 0; other < g->n; other += KERNEL_FEATURES) {
        const int64_t columns = smaller(KERNEL_FEATURES, g->n - other);
        array tile = tile_array(g, thread, 0, rows, columns);
        const array positive = tile_array(g, thread, 1, rows, columns),
                    negative = tile_array(g, thread, 2, rows, columns);
        if (g->kernel)
            tile = array_columns(k, array_rows(k, matrix_array(g->kernel), first, rows), other,
                                 columns);
        else
            kernel_tile(g, first, other, tile, tile_array(g, thread, 3, 0, 0).data);
        k->split(positive, negative, tile);
        k->product(plus, positive, array_rows(k, work->v, other, columns), other > 0);
        k->product(minus, negative, array_rows(k, work->v, other, columns), other > 0);
    }
}

static void split_products(gram *g, array v, gram_image *image)
{
    split_work work = {g, v, image};
    if (g->part[0]) {
        products_forward(g->ctx, g->part[0], v, image->plus);
        products_forward(g->ctx, g->part[1], v, image->minus);
    } else {
        parallel_for(g->ctx, pieces(g->n, tile_rows(g)), split_task, &work);
    }
}

/* ------------------------------------------------------------------ what methods use */

void gram_sweep(gram *g, gram_visitor visit, void *user, array v, gram_image *image)
{
    visit_work work = {.g = g,
                       .visit = visit,
                       .user = user,
                       .end = g->n,
                       .rows = block_rows(g->n),
                       .v = v,
                       .image = image->plus};
    if (image->factored && g->sums) {
        sweep_by_rows(&work);
    } else if (image->factored && !g->samples->sparse) {
        sweep_by_strips(&work);
    } else {
        visit_range(&work);
        if (image->factored)
            products_backward(g->ctx, g->samples, v, image->plus);
        else if (image->minus.data)
            split_products(g, v, image);
        else
            products_forward(g->ctx, g->kernel, v, image->plus);
    }
}

array gram_scratch(const gram *g, block b, int which)
{
    return (array){g->scratch + b.thread * g->thread_bytes + which * g->array_bytes, b.rows,
                   g->rank, g->stride};
}

array gram_rows(const gram *g, const gram_image *image, block b, array room)
{
    const kernels *k = g->k;
    if (!image->factored)
        return array_rows(k, image->plus, b.first, b.rows);
    if (g->samples->sparse)
        k->sparse_product(room, matrix_csr(g->samples), b.first, image->plus, false);
    else
        k->product(room, array_rows(k, matrix_array(g->samples), b.first, b.rows), image->plus,
                   false);
    return room;
}

void gram_form(gram *g, array v, const gram_image *image, double *plus, double *minus)
{
    memset(minus, 0, (size_t)(g->rank * g->rank) * sizeof *minus);
    if (image->factored)
        panels_gram(&g->features, image->plus, image->plus, plus);
    else
        panels_gram(&g->rows, v, image->plus, plus);
    if (image->minus.data)
        panels_gram(&g->rows, v, image->minus, minus);
}

double gram_trace(const gram *g, array v, const gram_image *of_v, const gram_image *of_w)
{
    if (of_v->factored && of_w->factored)
        return g->k->dot(of_v->plus, of_w->plus);
    const double plus = g->k->dot(v, of_w->plus);
    return of_w->minus.data ? plus - g->k->dot(v, of_w->minus) : plus;
}

typedef struct residual_work {
    gram *g;
    array v, basis;
} residual_work;

static void residual_task(void *user, int64_t index, int thread)
{
    const residual_work *work = user;
    const gram *g = work->g;
    const kernels *k = g->k;
    const int64_t first = index * KERNEL_ROWS, rows = smaller(KERNEL_ROWS, g->n - first);
    const array v = array_rows(k, work->v, first, rows);
    g->share[index] = g->samples->sparse
                          ? k->sparse_residual(matrix_csr(g->samples), first, v, work->basis)
                          : k->residual(array_rows(k, matrix_array(g->samples), first, rows), v,
                                        work->basis, tile_array(g, thread, 0, 0, 0).data);
}

double gram_loss(gram *g, array v, const gram_image *of_v, array w, const gram_image *of_w,
                 double fitted)
{
    const double loss = g->trace - 2 * gram_trace(g, v, of_v, of_w) + fitted;
    const double cancels = g->k->size == sizeof(float) ? 1e-6 : 1e-9;
    if (loss >= cancels * g->trace)
        return loss;
    if (!g->samples) /* of an indefinite K the loss is no square, and may well be negative */
        return loss < 0 && loss > -cancels * g->trace ? 0 : loss;
    residual_work work = {g, v, of_w->plus};
    if (!of_w->factored) {
        products_backward(g->ctx, g->samples, w, g->spare);
        work.basis = g->spare;
    }
    double total = g->samples->sparse ? fitted : 0;
    parallel_for(g->ctx, pieces(g->n, KERNEL_ROWS), residual_task, &work);
    for (int64_t i = 0; i < pieces(g->n, KERNEL_ROWS); i++)
        total += g->share[i];
    return total > 0 ? total : 0;
}
