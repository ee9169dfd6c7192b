/* Thick-restart Lanczos (K. Wu, H. Simon, Thick-restart Lanczos method for large symmetric
 * eigenvalue problems, SIAM J. Matrix Anal. Appl. 22, 2000). Every new
 * vector is orthogonalised twice against all before it, so that H = V B V' is formed with it; a
 * restart keeps the leading Ritz vectors and the residual, and goes on from there. */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "kernel/lanczos.h"
#include "kernel/lapack.h"

#define PRODUCTS_TO_TELL 32 /* and */
#define SECONDS_TO_TELL 0.1 /* after which progress is told */
#define ROTATED_AT_ONCE 256 /* columns of V */

typedef struct lanczos {
    eigen_problem *e;
    int n, wanted, basis, kept;
    double *V;       /* basis + 1 rows of n: orthonormal */
    double *H;       /* basis x basis: V B V' */
    double *ritz;    /* basis, rising */
    double *Y;       /* basis x basis: eigenvectors of H as rows */
    double *onto;    /* basis: what a vector has along each row of V */
    double *turned;  /* basis x ROTATED_AT_ONCE */
    double residual; /* length of what B leaves outside of V */
    int64_t products, drawn;
    double begin_s, told_s;
} lanczos;

static orthant_status lanczos_make(eigen_problem *e, lanczos *l)
{
    const int64_t basis = 2 * e->wanted + LANCZOS_EXTRA_VECTORS;
    *l = (lanczos){.e = e, .n = (int)e->n, .wanted = (int)e->wanted, .begin_s = clock_seconds()};
    l->basis = (int)(basis < e->n ? basis : e->n);
    const int64_t b = l->basis;
    l->V = memory_new(e->ctx, (b + 1) * e->n, sizeof(double), "Lanczos vectors");
    l->H = memory_new(e->ctx, b * b, sizeof(double), "Lanczos vectors");
    l->ritz = memory_new(e->ctx, b, sizeof(double), "Ritz values");
    l->Y = memory_new(e->ctx, b * b, sizeof(double), "Ritz values");
    l->onto = memory_new(e->ctx, b, sizeof(double), "Ritz values");
    l->turned = memory_new(e->ctx, b * ROTATED_AT_ONCE, sizeof(double), "Ritz vectors");
    return l->V && l->H && l->ritz && l->Y && l->onto && l->turned ? ORTHANT_OK
                                                                   : ORTHANT_ERROR_MEMORY;
}

static void lanczos_free(lanczos *l)
{
    memory_free(l->e->ctx, l->V);
    memory_free(l->e->ctx, l->H);
    memory_free(l->e->ctx, l->ritz);
    memory_free(l->e->ctx, l->Y);
    memory_free(l->e->ctx, l->onto);
    memory_free(l->e->ctx, l->turned);
}

static double *vector_at(const lanczos *l, int j)
{
    return l->V + (int64_t)j * l->n;
}

/* Takes from x what it has along the first `count` rows of V, and adds that to `along` where it is
 * not NULL; returns the length of what is left. */
static double orthogonalise(lanczos *l, double *x, int count, double *along)
{
    for (int round = 0; round < 2 && count > 0; round++) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, count, l->n, 1.0, l->V, l->n, x, 1, 0.0, l->onto,
                    1);
        cblas_dgemv(CblasRowMajor, CblasTrans, count, l->n, -1.0, l->V, l->n, l->onto, 1, 1.0, x,
                    1);
        for (int i = 0; along && i < count; i++)
            along[i] += l->onto[i];
    }
    return cblas_dnrm2(l->n, x, 1);
}

/* Row j of V from random numbers, orthonormal to those before it. */
static void draw_vector(lanczos *l, int j)
{
    double *x = vector_at(l, j), length = 0.0;
    for (int tries = 0; tries < 3 && length <= 0.0; tries++) {
        for (int64_t i = 0; i < l->n; i++)
            x[i] = random_normal(l->e->seed, RANDOM_EIGENVECTOR, (uint64_t)i, (uint64_t)l->drawn);
        l->drawn++;
        length = orthogonalise(l, x, j, NULL);
    }
    cblas_dscal(l->n, length > 0.0 ? 1.0 / length : 0.0, x, 1);
}

/* Fills V up to its basis, from the vector behind those that were kept. */
static orthant_status extend(lanczos *l)
{
    const eigen_problem *e = l->e;
    for (int j = l->kept; j < l->basis; j++, l->products++) {
        double *next = vector_at(l, j + 1), *row = l->H + (int64_t)j * l->basis;
        const double now = clock_seconds();
        const bool tells =
            l->products % PRODUCTS_TO_TELL == 0 || now - l->told_s >= SECONDS_TO_TELL;
        if (tells)
            l->told_s = now;
        if (tells && !progress_tell(e->ctx, "eigenvectors", l->products, 0, now - l->begin_s, NAN))
            return fail(e->ctx, ORTHANT_STOPPED, "stopped while eigenvectors were computed");
        e->product(e->user, vector_at(l, j), next);
        const double before = cblas_dnrm2(l->n, next, 1);
        memset(row, 0, (size_t)l->basis * sizeof *row);
        l->residual = orthogonalise(l, next, j + 1, row);
        /* Nothing but rounding is left: the rows of V span all that the start can reach. */
        const bool closed = !(l->residual > 8.0 * DBL_EPSILON * before);
        if (closed) {
            l->residual = 0.0;
            if (j + 1 < l->basis)
                draw_vector(l, j + 1);
        } else {
            cblas_dscal(l->n, 1.0 / l->residual, next, 1);
        }
    }
    return ORTHANT_OK;
}

/* Ritz values, rising, and the rows of Y; H has its lower triangle. */
static orthant_status decompose(lanczos *l)
{
    const lapack_int b = l->basis;
    memcpy(l->Y, l->H, (size_t)b * (size_t)b * sizeof *l->Y);
    /* By columns a row-major lower triangle is an upper one, and eigenvectors come as our rows. */
    const lapack_int failed = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', b, l->Y, b, l->ritz);
    return failed ? lapack_fail(l->e->ctx, failed, "LAPACK failed on Ritz values (dsyevd: %d)",
                                (int)failed)
                  : ORTHANT_OK;
}

/* How many of the wanted ones stand. */
static int count_converged(const lanczos *l)
{
    const double tolerance = l->e->tolerance > 0.0 ? l->e->tolerance : DBL_EPSILON;
    int converged = 0;
    for (int i = l->basis - l->wanted; i < l->basis; i++) {
        const double last = l->Y[(int64_t)i * l->basis + l->basis - 1];
        const double scale = fmax(fabs(l->ritz[i]), pow(DBL_EPSILON, 2.0 / 3.0));
        converged += fabs(l->residual * last) <= tolerance * scale;
    }
    return converged;
}

/* The first `count` rows of V become its last `count` Ritz vectors, in rising order. */
static void rotate(lanczos *l, int count)
{
    const double *Y = l->Y + (int64_t)(l->basis - count) * l->basis;
    for (int64_t at = 0; at < l->n; at += ROTATED_AT_ONCE) {
        const int width = (int)(l->n - at < ROTATED_AT_ONCE ? l->n - at : ROTATED_AT_ONCE);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count, width, l->basis, 1.0, Y,
                    l->basis, l->V + at, l->n, 0.0, l->turned, width);
        for (int i = 0; i < count; i++)
            memcpy(vector_at(l, i) + at, l->turned + (int64_t)i * width,
                   (size_t)width * sizeof(double));
    }
}

/* Keeps some Ritz vectors beyond the wanted ones, and more as these converge. */
static void restart(lanczos *l, int converged)
{
    const int beyond = (l->basis - l->wanted) / 2;
    const int kept = l->wanted + (converged < beyond ? converged : beyond);
    rotate(l, kept);
    memset(l->H, 0, (size_t)l->basis * (size_t)l->basis * sizeof *l->H);
    for (int i = 0; i < kept; i++)
        l->H[(int64_t)i * l->basis + i] = l->ritz[l->basis - kept + i];
    if (l->residual > 0.0)
        memcpy(vector_at(l, kept), vector_at(l, l->basis), (size_t)l->n * sizeof(double));
    else
        draw_vector(l, kept);
    l->kept = kept;
}

orthant_status lanczos_run(eigen_problem *problem, double *values, double *vectors)
{
    lanczos l;
    int converged = 0;
    orthant_status status = lanczos_make(problem, &l);
    if (!status)
        draw_vector(&l, 0);
    for (problem->taken = 1; !status; problem->taken++) {
        if ((status = extend(&l)) || (status = decompose(&l)))
            break;
        converged = count_converged(&l);
        if (converged == l.wanted || problem->taken >= problem->restarts)
            break;
        restart(&l, converged);
    }
    if (!status && converged < l.wanted)
        status = fail(
            problem->ctx, ORTHANT_ERROR_NUMERIC,
            "Lanczos found %d of %d eigenvectors to a tolerance of %g in %lld restarts; allow "
            "more restarts or a larger tolerance (of spectral: eigen_restarts, eigen_tolerance)",
            converged, l.wanted, problem->tolerance, (long long)problem->taken);
    if (!status) {
        rotate(&l, l.wanted);
        memcpy(vectors, l.V, (size_t)l.wanted * (size_t)l.n * sizeof *vectors);
        memcpy(values, l.ritz + l.basis - l.wanted, (size_t)l.wanted * sizeof *values);
    }
    lanczos_free(&l);
    return status;
}
