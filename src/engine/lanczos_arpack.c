/* ARPACK's implicitly restarted Lanczos. */
#include <arpack.h>
#include <math.h>
#include <pthread.h>

#include "core/memory.h"
#include "core/random.h"
#include "engine/lanczos.h"

#define PRODUCTS_TO_TELL 32

const int64_t lanczos_least = 256;

/* ARPACK keeps its state in variables of its own, so that one problem is solved at a time. */
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct lanczos {
    int n, wanted, basis; /* basis: Lanczos vectors */
    int parameter[11], pointer[11], info;
    double *residual, *vectors, *work, *small;
    int *select;
} lanczos;

static orthant_status lanczos_setup(const eigen_problem *e, lanczos *l)
{
    const int64_t basis = 2 * e->wanted + LANCZOS_EXTRA_VECTORS;
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

orthant_status lanczos_run(eigen_problem *e, double *values, double *vectors)
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
