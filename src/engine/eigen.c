#include "engine/eigen.h"

#include <arpack.h>
#include <lapacke.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "kernel/blas.h"
#include "kernel/lapack.h"

#define SMALL 256        /* up to here the whole matrix is taken apart */
#define EXTRA_VECTORS 20 /* of the Lanczos basis beyond twice the wanted ones */
#define PRODUCTS_TO_TELL 32

/* ARPACK keeps its state in variables of its own, so that one problem is solved at a time. */
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

/* LAPACK and ARPACK sort upwards: the last comes first. */
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

/* ------------------------------------------------------------------ LAPACK */

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

/* ------------------------------------------------------------------ ARPACK */

typedef struct lanczos {
    int n, wanted, basis; /* basis: Lanczos vectors */
    int parameter[11], pointer[11], info;
    double *residual, *vectors, *work, *small;
    int *select;
} lanczos;

static orthant_status lanczos_setup(const eigen_problem *e, lanczos *l)
{
    const int64_t basis = 2 * e->wanted + EXTRA_VECTORS;
    l->n = (int)e->n;
    l->wanted = (int)e->wanted;
    l->basis = (int)(basis < e->n ? basis : e->n);
    l->parameter[0] = 1; /* shifts by ARPACK */
    l->parameter[2] = (int)(e->restarts < INT32_MAX ? e->restarts : INT32_MAX);
    l->parameter[3] = 1;
    l->parameter[6] = 1; /* B itself */
    l->info = 1;         /* the residual holds the starting vector */
    l->residual = memory_new(e->ctx, e->n, sizeof(double), "a starting vector");
    l->vectors = memory_new(e->ctx, e->n * l->basis, sizeof(double), "Lanczos vectors");
    l->work = memory_new(e->ctx, 3 * e->n, sizeof(double), "Lanczos vectors");
    l->small =
        memory_new(e->ctx, (int64_t)l->basis * (l->basis + 8), sizeof(double), "Ritz values");
    l->select = memory_new(e->ctx, l->basis, sizeof *l->select, "Ritz values");
    if (!l->residual || !l->vectors || !l->work || !l->small || !l->select)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < e->n; i++)
        l->residual[i] = random_normal(e->seed, RANDOM_EIGENVECTOR, (uint64_t)i, 0);
    return ORTHANT_OK;
}

static void lanczos_release(const eigen_problem *e, lanczos *l)
{
    memory_free(e->ctx, l->residual);
    memory_free(e->ctx, l->vectors);
    memory_free(e->ctx, l->work);
    memory_free(e->ctx, l->small);
    memory_free(e->ctx, l->select);
}

/* Gives ARPACK the products that it asks for until it has what it wants. */
static orthant_status lanczos_iterate(const eigen_problem *e, lanczos *l)
{
    const double begin = clock_seconds();
    int asked = 0;
    for (int64_t products = 0;; products++) {
        dsaupd_c(&asked, "I", l->n, "LA", l->wanted, e->tolerance, l->residual, l->basis,
                 l->vectors, l->n, l->parameter, l->pointer, l->work, l->small,
                 l->basis * (l->basis + 8), &l->info);
        if (asked != 1 && asked != -1)
            break;
        e->product(e->user, l->work + l->pointer[0] - 1, l->work + l->pointer[1] - 1);
        const double seconds = clock_seconds() - begin;
        if ((e->time_limit_s > 0 && seconds >= e->time_limit_s) ||
            (products % PRODUCTS_TO_TELL == 0 &&
             !progress_tell(e->ctx, "eigenvectors", products, 0, seconds, NAN)))
            return fail(e->ctx, ORTHANT_STOPPED, "stopped while eigenvectors were computed");
    }
    if (l->info == 1 || (l->info == 0 && l->parameter[4] < l->wanted))
        return fail(e->ctx, ORTHANT_ERROR_NUMERIC,
                    "ARPACK found %d of %d eigenvectors to a tolerance of %g in %d restarts; allow "
                    "more restarts (eigen_restarts) or a larger tolerance (eigen_tolerance)",
                    l->parameter[4], l->wanted, e->tolerance, l->parameter[2]);
    return l->info ? fail(e->ctx, ORTHANT_ERROR_NUMERIC, "ARPACK failed (dsaupd: %d)", l->info)
                   : ORTHANT_OK;
}

static orthant_status lanczos_vectors(const eigen_problem *e, lanczos *l, double *values,
                                      double *vectors)
{
    dseupd_c(1, "A", l->select, values, vectors, l->n, 0, "I", l->n, "LA", l->wanted, e->tolerance,
             l->residual, l->basis, l->vectors, l->n, l->parameter, l->pointer, l->work, l->small,
             l->basis * (l->basis + 8), &l->info);
    return l->info ? fail(e->ctx, ORTHANT_ERROR_NUMERIC, "ARPACK failed (dseupd: %d)", l->info)
                   : ORTHANT_OK;
}

static orthant_status run_lanczos(eigen_problem *e, double *values, double *vectors)
{
    lanczos l = {0};
    orthant_status status = lanczos_setup(e, &l);
    pthread_mutex_lock(&arpack_lock);
    if (!status)
        status = lanczos_iterate(e, &l);
    if (!status)
        status = lanczos_vectors(e, &l, values, vectors);
    pthread_mutex_unlock(&arpack_lock);
    e->taken = l.parameter[2];
    lanczos_release(e, &l);
    return status;
}

orthant_status eigen_leading(eigen_problem *problem, double *values, double *vectors)
{
    if (problem->n >= INT32_MAX)
        return fail(problem->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "eigenvectors of %lld entries: at most %d are supported", (long long)problem->n,
                    INT32_MAX - 1);
    if (problem->n <= SMALL || 3 * problem->wanted + EXTRA_VECTORS >= problem->n)
        return take_apart(problem, values, vectors);
    orthant_status status = blas_check_memory(problem->ctx);
    if (status)
        return status;
    blas_enter();
    status = run_lanczos(problem, values, vectors);
    blas_leave();
    if (!status)
        turn_round(problem->n, problem->wanted, values, vectors);
    return status;
}
