#include "kernel/eigen.h"

#include <lapacke.h>
#include <string.h>

#include "core/memory.h"
#include "kernel/lanczos.h"
#include "kernel/blas.h"
#include "kernel/lapack.h"

#define SMALL 256 /* entries, up to which LAPACK decomposes the whole matrix */

/* LAPACK and Lanczos sort upwards: the last comes first. */
static void turn_round(int64_t n, int64_t count, double *values, double *vectors)
{
    for (int64_t i = 0; i < count / 2; i++) {
        const int64_t other = count - 1 - i;
        const double value = values[i];
        values[i] = values[other];
        values[other] = value;
        for (int64_t r = 0; r < n; r++) {
            const double entry = vectors[i * n + r];
            vectors[i * n + r] = vectors[other * n + r];
            vectors[other * n + r] = entry;
        }
    }
}

orthant_status eigen_dense(orthant_context *ctx, double *B, int64_t n, int64_t stride,
                           int64_t wanted, double *values, double *vectors)
{
    lapack_int found = 0, failed = 0;
    orthant_status status = blas_check_memory(ctx);
    double *all = memory_new(ctx, n, sizeof *all, "eigenvalues");
    lapack_int *support = memory_new(ctx, 2 * n, sizeof *support, "eigenvectors");
    if (!status && (!all || !support))
        status = ORTHANT_ERROR_MEMORY;
    if (!status) {
        blas_enter();
        failed = LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'U', (lapack_int)n, B,
                                (lapack_int)stride, 0, 0, (lapack_int)(n - wanted + 1),
                                (lapack_int)n, 0, &found, all, vectors, (lapack_int)n, support);
        blas_leave();
        if (failed || found != wanted)
            status = lapack_fail(ctx, failed, "LAPACK found %d of %lld eigenvectors (dsyevr: %d)",
                                 (int)found, (long long)wanted, (int)failed);
    }
    if (!status) {
        memcpy(values, all, (size_t)wanted * sizeof *values);
        turn_round(n, wanted, values, vectors);
    }
    memory_free(ctx, all);
    memory_free(ctx, support);
    return status;
}

/* The whole matrix, column by column. */
static orthant_status take_apart(eigen_problem *e, double *values, double *vectors)
{
    double *B = memory_new(e->ctx, e->n * e->n, sizeof *B, "a matrix of eigenvectors"),
           *unit = memory_new(e->ctx, e->n, sizeof *unit, "a matrix of eigenvectors");
    for (int64_t i = 0; B && unit && i < e->n; i++) {
        unit[i] = 1;
        e->product(e->user, unit, B + i * e->n);
        unit[i] = 0;
    }
    const orthant_status status =
        B && unit ? eigen_dense(e->ctx, B, e->n, e->n, e->wanted, values, vectors)
                  : ORTHANT_ERROR_MEMORY;
    memory_free(e->ctx, B);
    memory_free(e->ctx, unit);
    return status;
}

orthant_status eigen_leading(eigen_problem *problem, double *values, double *vectors)
{
    if (problem->n >= INT32_MAX)
        return fail(problem->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "eigenvectors of %lld entries: at most %d are supported", (long long)problem->n,
                    INT32_MAX - 1);
    if (problem->n <= SMALL || 3 * problem->wanted + LANCZOS_EXTRA_VECTORS >= problem->n)
        return take_apart(problem, values, vectors);
    orthant_status status = blas_check_memory(problem->ctx);
    if (status)
        return status;
    blas_enter();
    status = lanczos_run(problem, values, vectors);
    blas_leave();
    if (!status)
        turn_round(problem->n, problem->wanted, values, vectors);
    return status;
}
