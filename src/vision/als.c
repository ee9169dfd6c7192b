/* With ridge weights a of the encoding and b of the basis:
 *
 *   H <- max(0, Y W' (W W' + a I)^-1)        W <- max(0, (H'H + b I)^-1 H'Y)
 *
 * Y (nodes x features) is read once per iteration: H'Y and H'H are summed while H is made. */
#include "vision/als.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "kernel/blas.h"
#include "kernel/kernel.h"
#include "kernel/lapack.h"

#define BLOCK 2048 /* nodes in a task */
#define LEAST_CHANGE 1e-2

typedef struct als {
    orthant_context *ctx;
    const kernels *ops;
    array Y, H, solver; /* solver: features x parts, W'(W W' + a I)^-1 */
    int64_t n, m, parts, tasks;
    als_ridges ridges;
    double *W;               /* parts x features */
    double *square, *right;  /* parts x parts; right hand sides, parts x features */
    double *products, *gram; /* H'Y, parts x features; H'H, parts x parts */
    float *sums;             /* a task: features + parts rows of H's stride */
} als;

static void encode_task(void *user, int64_t task, int thread)
{
    const als *a = user;
    const int64_t first = task * BLOCK, rows = a->n - first < BLOCK ? a->n - first : BLOCK;
    const array y = array_rows(a->ops, a->Y, first, rows),
                h = array_rows(a->ops, a->H, first, rows);
    float *sums = a->sums + task * (a->m + a->parts) * h.stride;
    (void)thread;
    a->ops->product(h, y, a->solver, false);
    a->ops->positive_part(h);
    a->ops->product_transposed((array){sums, a->m, a->parts, h.stride}, y, h, false);
    a->ops->product_transposed((array){sums + a->m * h.stride, a->parts, a->parts, h.stride}, h, h,
                               false);
}

static void add_sums(const als *a)
{
    memset(a->products, 0, (size_t)(a->parts * a->m) * sizeof *a->products);
    memset(a->gram, 0, (size_t)(a->parts * a->parts) * sizeof *a->gram);
    for (int64_t t = 0; t < a->tasks; t++) {
        const float *sums = a->sums + t * (a->m + a->parts) * a->H.stride;
        for (int64_t i = 0; i < a->m; i++, sums += a->H.stride)
            for (int64_t j = 0; j < a->parts; j++)
                a->products[j * a->m + i] += (double)sums[j];
        for (int64_t i = 0; i < a->parts; i++, sums += a->H.stride)
            for (int64_t j = 0; j < a->parts; j++)
                a->gram[j * a->parts + i] += (double)sums[j];
    }
}

static void basis_gram(const als *a, double *gram)
{
    for (int64_t i = 0; i < a->parts; i++)
        for (int64_t j = 0; j < a->parts; j++) {
            double sum = 0.0;
            for (int64_t f = 0; f < a->m; f++)
                sum += a->W[i * a->m + f] * a->W[j * a->m + f];
            gram[i * a->parts + j] = sum;
        }
}

/* right <- (square + ridge I)^-1 right; rows of `right` are those of W or of H'Y. */
static orthant_status solve(const als *a, double ridge)
{
    for (int64_t i = 0; i < a->parts; i++)
        a->square[i * a->parts + i] += ridge;
    blas_enter();
    const lapack_int failed =
        LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', (lapack_int)a->parts, (lapack_int)a->m, a->square,
                      (lapack_int)a->parts, a->right, (lapack_int)a->m);
    blas_leave();
    if (failed)
        return lapack_fail(
            a->ctx, failed,
            "fseg: the least squares of %d parts cannot be solved; try fewer segments",
            (int)a->parts);
    return ORTHANT_OK;
}

static orthant_status iterate(als *a)
{
    const size_t basis_bytes = (size_t)(a->parts * a->m) * sizeof *a->W;
    basis_gram(a, a->square);
    memcpy(a->right, a->W, basis_bytes);
    orthant_status status = solve(a, a->ridges.encoding);
    if (status)
        return status;
    for (int64_t f = 0; f < a->m; f++)
        for (int64_t j = 0; j < a->parts; j++)
            ((float *)a->solver.data)[f * a->solver.stride + j] = (float)a->right[j * a->m + f];
    parallel_for(a->ctx, a->tasks, encode_task, a);
    add_sums(a);
    memcpy(a->square, a->gram, (size_t)(a->parts * a->parts) * sizeof *a->gram);
    memcpy(a->right, a->products, basis_bytes);
    if ((status = solve(a, a->ridges.basis)))
        return status;
    for (int64_t i = 0; i < a->parts * a->m; i++)
        a->W[i] = a->right[i] > 0.0 ? a->right[i] : 0.0;
    return ORTHANT_OK;
}

/* |Y - H W|^2 = |Y|^2 - 2 <H'Y, W> + <H'H, W W'>, and with the ridges what is minimised. */
static double residual(const als *a, double squares, double *objective)
{
    double inner = 0.0, outer = 0.0, ridge = 0.0;
    basis_gram(a, a->square);
    for (int64_t i = 0; i < a->parts * a->m; i++)
        inner += a->products[i] * a->W[i];
    for (int64_t i = 0; i < a->parts * a->parts; i++)
        outer += a->gram[i] * a->square[i];
    for (int64_t i = 0; i < a->parts; i++)
        ridge += a->ridges.basis * a->square[i * a->parts + i] +
                 a->ridges.encoding * a->gram[i * a->parts + i];
    const double value = fmax(squares - 2.0 * inner + outer, 0.0);
    *objective = value + ridge;
    return sqrt(value / (double)a->n);
}

orthant_status als_run(orthant_context *ctx, const orthant_matrix *histograms, int64_t parts,
                       const double *basis, int64_t iterations, als_ridges ridges, als_outcome *out)
{
    const int64_t m = histograms->columns, n = histograms->rows;
    als a = {.ctx = ctx, .ops = kernel_table(ORTHANT_SINGLE), .n = n, .m = m, .parts = parts};
    orthant_matrix *solver = NULL;
    double last = INFINITY;
    *out = (als_outcome){0};
    a.tasks = (n + BLOCK - 1) / BLOCK;
    a.ridges = ridges;
    orthant_status status = matrix_new_factor(ctx, ORTHANT_SINGLE, n, parts, &out->weights);
    if (status || (status = matrix_new_factor(ctx, ORTHANT_SINGLE, m, parts, &solver)))
        goto done;
    a.Y = matrix_array(histograms);
    a.H = matrix_array(out->weights);
    a.solver = matrix_array(solver);
    a.W = memory_new(ctx, 3 * parts * m, sizeof *a.W, "factors of histograms");
    a.square = memory_new(ctx, 2 * parts * parts, sizeof *a.square, "factors of histograms");
    a.sums = memory_new(ctx, a.tasks * (m + parts) * a.H.stride, sizeof *a.sums, "sums of fseg");
    status = ORTHANT_ERROR_MEMORY;
    if (!a.W || !a.square || !a.sums || blas_check_memory(ctx))
        goto done;
    a.right = a.W + parts * m;
    a.products = a.right + parts * m;
    a.gram = a.square + parts * parts;
    for (int64_t i = 0; i < parts * m; i++)
        a.W[i] = basis[i] > 0.0 ? basis[i] : 0.0;
    const double squares = matrix_squares(histograms);
    for (bool settled = false; !settled && out->iterations < iterations; out->iterations++) {
        if ((status = iterate(&a)))
            goto done;
        const double now = residual(&a, squares, &out->objective);
        settled = fabs(last - now) <= LEAST_CHANGE;
        last = now;
    }
    status = ORTHANT_OK;
done:
    orthant_matrix_free(solver);
    memory_free(ctx, a.W);
    memory_free(ctx, a.square);
    memory_free(ctx, a.sums);
    if (status) {
        orthant_matrix_free(out->weights);
        out->weights = NULL;
    }
    return status;
}
