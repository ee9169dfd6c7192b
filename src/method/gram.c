#include "method/gram.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "engine/products.h"
#include "graph/search_clock.h"

#define STORED_AT_ONCE 16 /* tasks between two tellings of progress */
#define TILE_ROWS 128     /* of K; each tile's columns are KERNEL_FEATURES samples */

/* ------------------------------------------------------------------ setup */

bool gram_has_negative(const orthant_matrix *a)
{
    if (a->summary.known)
        return !a->summary.nonnegative;
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t first = a->sparse ? a->row_start[i] : i * a->stride,
                      end = a->sparse ? a->row_start[i + 1] : first + a->columns;
        for (int64_t e = first; e < end; e++)
            if (matrix_value(a, e) < 0)
                return true;
    }
    return false;
}

static int64_t tile_rows(const gram *g)
{
    return g->n >= 16 * TILE_ROWS ? TILE_ROWS : TILE_ROWS / 4;
}

/* Three tiles, and a transposed piece of X or a sample spread over all features. */
static int64_t tile_bytes(const gram *g)
{
    const int64_t tile = TILE_ROWS * KERNEL_FEATURES, piece = KERNEL_FEATURES * KERNEL_FEATURES;
    return (3 * tile + (g->m > piece ? pieces(g->m, 16) * 16 : piece)) * (int64_t)g->ops->size;
}

static array tile_array(const gram *g, int thread, int which, int64_t rows, int64_t columns)
{
    char *base = g->scratch + thread * g->thread_bytes + GRAM_ARRAYS * g->array_bytes;
    return (array){base + (size_t)(which * TILE_ROWS * KERNEL_FEATURES) * g->ops->size, rows,
                   columns, KERNEL_FEATURES};
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

static void kernel_tile(const gram *g, int64_t first, int64_t other, array tile, void *scratch)
{
    const kernels *ops = g->ops;
    if (g->samples->sparse) {
        ops->sparse_row_products(tile, matrix_csr(g->samples), first, other, scratch);
        return;
    }
    const array X = matrix_array(g->samples);
    ops->row_products(tile, array_rows(ops, X, first, tile.rows),
                      array_rows(ops, X, other, tile.columns), scratch);
}

typedef struct store_work {
    gram *g;
    int64_t first_task; /* of the batch at hand */
} store_work;

/* Rows of K, a tile after the other. */
static void store_task(void *user, int64_t index, int thread)
{
    const store_work *work = user;
    gram *g = work->g;
    const int64_t first = (work->first_task + index) * tile_rows(g),
                  rows = smaller(tile_rows(g), g->n - first);
    const size_t size = g->ops->size;
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
    const int64_t tasks = pieces(g->n, tile_rows(g));
    store_work work = {g, 0};
    orthant_status status = matrix_new_dense(g->ctx, g->samples->precision, g->n, g->n, &g->stored);
    for (; work.first_task < tasks && !status; work.first_task += STORED_AT_ONCE) {
        status = stage_tell(g->ctx, NULL, "products of samples", work.first_task, tasks);
        if (!status)
            parallel_for(g->ctx, smaller(STORED_AT_ONCE, tasks - work.first_task), store_task,
                         &work);
    }
    g->kernel = g->stored;
    return status;
}

static orthant_status setup_scratch(gram *g, const orthant_matrix *samples)
{
    const orthant_precision precision = samples->precision;
    const size_t size = g->ops->size;
    const int64_t threads = parallel_threads(g->ctx);
    orthant_status status;
    g->plan.stride = g->stride;
    if ((status = strips_setup(&g->plan.strips, g->ctx, samples, g->stride, 0)) ||
        (status = panels_setup(&g->rows, g->ctx, precision, g->n, g->rank, 1)) ||
        (status = panels_setup(&g->features, g->ctx, precision, g->m, g->rank, 1)))
        return status;
    panel_list_align(samples, &g->plan.strips.panels);
    g->array_bytes = KERNEL_ROWS * g->stride * (int64_t)size;
    const int64_t kernels_bytes = kernel_scratch(precision, g->stride);
    g->thread_bytes = GRAM_ARRAYS * g->array_bytes +
                      (g->mixed && tile_bytes(g) > kernels_bytes ? tile_bytes(g) : kernels_bytes);
    g->scratch = memory_new(g->ctx, threads * g->thread_bytes, 1, "scratch");
    g->plan.levels = strips_levels(&g->plan.strips);
    g->share = memory_new(g->ctx, strips_slots(&g->plan.strips), sizeof *g->share, "partial sums");
    if (!g->scratch || !g->share)
        return ORTHANT_ERROR_MEMORY;
    if (!(g->columns = memory_new(g->ctx, g->rank, sizeof *g->columns, "sums of columns")))
        return ORTHANT_ERROR_MEMORY;
    return sums_tree_new(g->ctx, &g->plan, g->rank, &g->tree);
}

orthant_status gram_setup(gram *g, fit *f)
{
    orthant_status status;
    *g = (gram){.ctx = f->ctx,
                .ops = kernel_table(f->samples->precision),
                .n = f->samples->rows,
                .m = f->samples->columns,
                .rank = f->model->rank,
                .stride = matrix_padded(f->samples->precision, f->model->rank)};
    if (f->similarity && (status = check_kernel(f)))
        return status;
    g->kernel = f->similarity;
    g->samples = f->similarity ? NULL : f->samples;
    g->mixed = gram_has_negative(f->similarity ? f->similarity : f->samples);
    if (g->mixed && g->samples &&
        (status = matrix_check_here(
             g->samples, "a method of inner products of samples, on data of mixed signs,")))
        return status;
    g->trace = g->samples ? matrix_squares(g->samples) : 0;
    for (int64_t i = 0; !g->samples && i < g->n; i++)
        g->trace += orthant_matrix_get(g->kernel, i, i);
    if ((status = setup_scratch(g, f->samples)) ||
        (status = kernel_device_open(&g->device, g->ctx, g->kernel ? g->kernel : g->samples,
                                     g->rank, !g->kernel, g->mixed)))
        return status;
    if (g->device.verbs && !g->mixed)
        g->rows.device = &g->device;
    if (!g->mixed && !g->device.verbs)
        return ORTHANT_OK;
    if (g->kernel)
        return g->kernel->sparse && !g->device.verbs ? split_sparse(g) : ORTHANT_OK;
    g->spare = (array){memory_new(g->ctx, g->m * g->stride, g->ops->size, "a factor's image"), g->m,
                       g->rank, g->stride};
    if (!g->spare.data)
        return ORTHANT_ERROR_MEMORY;
    return g->n <= g->m && !g->device.verbs ? store_kernel(g) : ORTHANT_OK;
}

void gram_release(gram *g)
{
    if (!g->ctx)
        return;
    kernel_device_close(&g->device);
    panels_release(&g->rows);
    panels_release(&g->features);
    orthant_matrix_free(g->stored);
    orthant_matrix_free(g->part[0]);
    orthant_matrix_free(g->part[1]);
    memory_free(g->ctx, g->columns);
    sums_tree_free(g->ctx, &g->tree);
    plan_release(&g->plan);
    memory_free(g->ctx, g->scratch);
    memory_free(g->ctx, g->share);
    memory_free(g->ctx, g->spare.data);
}

static bool new_array(const gram *g, int64_t rows, array *a)
{
    *a = (array){memory_new(g->ctx, rows * g->stride, g->ops->size, "a factor's image"), rows,
                 g->rank, g->stride};
    return a->data != NULL;
}

orthant_status gram_new_image(const gram *g, bool split, gram_image *image)
{
    image->factored = g->samples && !(split && g->mixed) && !g->device.verbs;
    if (!new_array(g, image->factored ? g->m : g->n, &image->plus) ||
        (split && g->mixed && !new_array(g, g->n, &image->minus)))
        return ORTHANT_ERROR_MEMORY;
    return ORTHANT_OK;
}

void gram_image_parts(const gram *g, const gram_image *image, const char *name,
                      checkpoint_parts *parts)
{
    char minus[CHECKPOINT_NAME];
    snprintf(minus, sizeof minus, "%s minus", name);
    parts_add_array(parts, name, g->ops, image->plus);
    parts_add_array(parts, minus, g->ops, image->minus);
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
    array v;
    sums image; /* X'V, as far as it is summed */
} visit_work;

static void visit_block(void *user, strip x, block b)
{
    const visit_work *work = user;
    work->visit(work->user, x, b);
}

typedef struct feature_work {
    int64_t features;
    void (*visit)(void *user, block b);
    void *user;
} feature_work;

static void visit_features_task(void *user, int64_t index, int thread)
{
    const feature_work *work = user;
    const int64_t m = work->features;
    work->visit(work->user, block_at(0, m, task_rows(m), index, thread));
}

void gram_visit_features(gram *g, void (*visit)(void *user, block b), void *user)
{
    parallel_for(g->ctx, pieces(g->m, task_rows(g->m)), visit_features_task,
                 &(feature_work){g->m, visit, user});
}

static int64_t image_tasks(void *user)
{
    const visit_work *work = user;
    return work->g->plan.strips.panels.count;
}

/* Adds a strip's share to X'V for a panel of features. */
static void add_image(void *user, strip x, int64_t task, int thread)
{
    const visit_work *work = user;
    const gram *g = work->g;
    const panel p = panel_at(&g->plan.strips.panels, task);
    (void)thread;
    g->plan.strips.x->product_transposed(
        g->ops, x, p, array_rows(g->ops, work->v, x.first, x.rows),
        array_rows(g->ops, work->image.A, p.first, p.end - p.first));
}

static void image_chunk(void *user, int64_t chunk, bool last)
{
    visit_work *work = user;
    sums_tree_add(work->g->ops, &work->g->tree, &work->image, chunk, last, true);
}

/* Visits the blocks, and adds them to X'V while they are in the cache. The tree of chunks may hand
 * over another array for the image. */
static void run_strips(gram *g, visit_work *work, gram_image *image)
{
    strip_pass pass = {.user = work,
                       .without_data = !g->samples || g->device.verbs,
                       .encode = work->visit ? visit_block : NULL};
    if (!image->factored) {
        strips_run(&g->plan.strips, &pass);
        return;
    }
    pass.accumulate = add_image;
    pass.accumulate_tasks = image_tasks;
    pass.chunk_done = image_chunk;
    work->image = (sums){.A = image->plus, .XS = image->plus, .columns = g->columns};
    sums_clear(g->ops, &work->image);
    strips_run(&g->plan.strips, &pass);
    image->plus = work->image.A;
    g->columns = work->image.columns;
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
    const kernels *ops = g->ops;
    const int64_t first = index * tile_rows(g), rows = smaller(tile_rows(g), g->n - first);
    const array plus = array_rows(ops, work->image->plus, first, rows),
                minus = array_rows(ops, work->image->minus, first, rows);
    for (int64_t other = 0; other < g->n; other += KERNEL_FEATURES) {
        const int64_t columns = smaller(KERNEL_FEATURES, g->n - other);
        array tile = tile_array(g, thread, 0, rows, columns);
        const array positive = tile_array(g, thread, 1, rows, columns),
                    negative = tile_array(g, thread, 2, rows, columns);
        if (g->kernel)
            tile = array_columns(ops, array_rows(ops, matrix_array(g->kernel), first, rows), other,
                                 columns);
        else
            kernel_tile(g, first, other, tile, tile_array(g, thread, 3, 0, 0).data);
        ops->split(positive, negative, tile);
        ops->product(plus, positive, array_rows(ops, work->v, other, columns), other > 0);
        ops->product(minus, negative, array_rows(ops, work->v, other, columns), other > 0);
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

/* Visitors on the host have changed v and read the image, but where all of it stays on the device.
 */
static void multiply_on_device(gram *g, array v, gram_image *image)
{
    if (!g->rows.device)
        kernel_device_changed(&g->device, v);
    kernel_device_multiply(&g->device, v, image->plus, image->minus);
    if (g->rows.device)
        return;
    kernel_device_fetch(&g->device, image->plus);
    if (image->minus.data)
        kernel_device_fetch(&g->device, image->minus);
}

/* ------------------------------------------------------------------ what methods use */

void gram_sweep(gram *g, gram_visitor visit, void *user, array v, gram_image *image)
{
    visit_work work = {.g = g, .visit = visit, .user = user, .v = v};
    if (visit || image->factored)
        run_strips(g, &work, image);
    if (g->device.verbs)
        multiply_on_device(g, v, image);
    else if (image->minus.data)
        split_products(g, v, image);
    else if (!image->factored)
        products_forward(g->ctx, g->kernel, v, image->plus);
}

array gram_scratch(const gram *g, block b, int which)
{
    return (array){g->scratch + b.thread * g->thread_bytes + which * g->array_bytes, b.rows,
                   g->rank, g->stride};
}

array gram_rows(const gram *g, const gram_image *image, strip x, block b, array scratch)
{
    const kernels *ops = g->ops;
    const int64_t row = x.row + b.first - x.first;
    if (!image->factored)
        return array_rows(ops, image->plus, b.first, b.rows);
    if (x.data->sparse)
        ops->sparse_product(scratch, matrix_csr(x.data), row, image->plus, false);
    else
        ops->product(scratch, array_rows(ops, matrix_array(x.data), row, b.rows), image->plus,
                     false);
    return scratch;
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

double gram_trace(gram *g, array v, const gram_image *of_v, const gram_image *of_w)
{
    if (of_v->factored && of_w->factored)
        return g->ops->dot(of_v->plus, of_w->plus);
    const double plus =
        g->rows.device ? panels_dot(&g->rows, v, of_w->plus) : g->ops->dot(v, of_w->plus);
    return of_w->minus.data ? plus - g->ops->dot(v, of_w->minus) : plus;
}

typedef struct residual_work {
    gram *g;
    array v, basis;
} residual_work;

static void residual_block(void *user, strip x, block b)
{
    const residual_work *work = user;
    const gram *g = work->g;
    g->share[strips_slot(&g->plan.strips, b.first)] =
        g->plan.strips.x->residual(g->ops, x, b, array_rows(g->ops, work->v, b.first, b.rows),
                                   work->basis, tile_array(g, b.thread, 0, 0, 0).data);
}

double gram_loss(gram *g, array v, const gram_image *of_v, array w, const gram_image *of_w,
                 double fitted)
{
    const double loss = g->trace - 2 * gram_trace(g, v, of_v, of_w) + fitted;
    const double cancels = g->ops->size == sizeof(float) ? 1e-6 : 1e-9;
    if (loss >= cancels * g->trace)
        return loss;
    if (!g->samples) /* of an indefinite K the loss is no square, and may well be negative */
        return loss < 0 && loss > -cancels * g->trace ? 0 : loss;
    residual_work work = {g, v, of_w->plus};
    panels_fetch(&g->rows, v);
    panels_fetch(&g->rows, w);
    if (!of_w->factored) {
        products_backward(g->ctx, g->samples, w, g->spare);
        work.basis = g->spare;
    }
    double total = g->samples->sparse ? fitted : 0;
    strips_run(&g->plan.strips, &(strip_pass){.user = &work, .encode = residual_block});
    for (int64_t i = 0; i < strips_slots(&g->plan.strips); i++)
        total += g->share[i];
    return total > 0 ? total : 0;
}
