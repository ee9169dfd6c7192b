/* What this machine can do at best: one read of X, and the bare products by the BLAS. */
#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "data/matrix.h"
#include "kernel/blas.h"

/* ---- one read of X ---- */

/* A register of the plainest machine; four independent sums. */
typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));

#define READ_BYTES (1 << 18)
/* Short measurements are repeated for so long: one of them will be left alone. */
#define LEAST_S 0.05

typedef struct reading {
    const orthant_matrix *X;
    const float *factor; /* sparse: columns x rank */
    int64_t rank, piece; /* entries of a task */
    float *sums;         /* one per task: what is read must be used */
} reading;

static int64_t stored_of(const orthant_matrix *X)
{
    return X->sparse ? X->row_start[X->rows] : X->rows * X->stride;
}

static float total_of(quad sums)
{
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static float read_dense(const float *values, int64_t count)
{
    quad a = {0}, b = {0}, c = {0}, d = {0};
    float rest = 0;
    int64_t e = 0;
    for (; e + 16 <= count; e += 16) {
        const quad *at = (const quad *)(const void *)(values + e);
        a += at[0];
        b += at[1];
        c += at[2];
        d += at[3];
    }
    for (; e < count; e++)
        rest += values[e];
    return rest + total_of((a + b) + (c + d));
}

/* Rows of a factor are whole registers. */
static float read_sparse(const reading *r, int64_t first, int64_t end)
{
    const float *values = r->X->values;
    quad a = {0}, b = {0};
    float rest = 0;
    for (int64_t e = first; e < end; e++) {
        const quad *row = (const quad *)(const void *)(r->factor + r->X->column[e] * r->rank);
        const int64_t registers = r->rank / 4;
        int64_t l = 0;
        for (; l + 2 <= registers; l += 2) {
            a += row[l];
            b += row[l + 1];
        }
        if (l < registers)
            a += row[l];
        rest += values[e];
    }
    return rest + total_of(a + b);
}

static void read_piece(void *user, int64_t task, int thread)
{
    const reading *r = user;
    const int64_t first = task * r->piece, stored = stored_of(r->X);
    const int64_t end = stored - first < r->piece ? stored : first + r->piece;
    (void)thread;
    r->sums[task] = r->X->sparse ? read_sparse(r, first, end)
                                 : read_dense((const float *)r->X->values + first, end - first);
}

orthant_status bench_read(orthant_context *ctx, const orthant_matrix *X, int64_t rank, int rounds,
                          double *ms)
{
    const int64_t stored = stored_of(X), padded = matrix_padded(X->precision, rank);
    const int64_t piece = READ_BYTES / (int64_t)sizeof(float) / (X->sparse ? padded : 1);
    const int64_t tasks = (stored + piece - 1) / piece;
    float *sums = memory_new(ctx, tasks, sizeof *sums, "sums of a read");
    float *factor =
        memory_new(ctx, X->sparse ? X->columns * padded : 0, sizeof *factor, "a factor");
    orthant_status status = sums && factor ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    reading r = {X, factor, padded, piece, sums};
    *ms = INFINITY;
    const double start = clock_seconds();
    for (int round = 0; !status && (round < rounds || clock_seconds() - start < LEAST_S); round++) {
        const double begin = clock_seconds();
        parallel_for(ctx, tasks, read_piece, &r);
        *ms = fmin(*ms, 1e3 * (clock_seconds() - begin));
    }
    memory_free(ctx, sums);
    memory_free(ctx, factor);
    return status;
}

/* ---- products by the BLAS ---- */

typedef struct blas_work {
    const float *X;
    int n, m, k;
    float *W, *S, *T, *G; /* m x k, n x k twice, k x k */
} blas_work;

static void multiply(const blas_work *w, bench_products count)
{
    for (int i = 0; i < count.forth; i++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, w->n, w->k, w->m, 1, w->X, w->m,
                    w->W, w->k, 0, w->T, w->k);
    for (int i = 0; i < count.back; i++)
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, w->m, w->k, w->n, 1, w->X, w->m, w->S,
                    w->k, 0, w->W, w->k);
    for (int i = 0; i < count.gram; i++)
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, w->k, w->k, w->n, 1, w->S, w->k, w->S,
                    w->k, 0, w->G, w->k);
    for (int i = 0; i < count.tall; i++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, w->n, w->k, w->k, 1, w->S, w->k,
                    w->G, w->k, 0, w->T, w->k);
}

static void fill(float *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)random_uniform(3, RANDOM_TEST, (uint64_t)i, 0);
}

orthant_status bench_blas(orthant_context *ctx, const orthant_matrix *X, int64_t rank,
                          bench_products count, int rounds, double *ms)
{
    const int64_t n = X->rows, m = X->columns;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    *ms = NAN;
    if (n > INT_MAX || m > INT_MAX || rank > INT_MAX)
        return ORTHANT_OK;
    blas_work w = {.X = X->values, .n = (int)n, .m = (int)m, .k = (int)rank};
    w.W = memory_new(ctx, m * rank, sizeof *w.W, "a factor");
    w.S = memory_new(ctx, n * rank, sizeof *w.S, "a factor");
    w.T = memory_new(ctx, n * rank, sizeof *w.T, "a factor");
    w.G = memory_new(ctx, rank * rank, sizeof *w.G, "a factor");
    if (!w.W || !w.S || !w.T || !w.G)
        goto done;
    fill(w.W, m * rank);
    fill(w.S, n * rank);
    fill(w.G, rank * rank);
    *ms = INFINITY;
    const int threads = blas_set_threads(parallel_threads(ctx));
    const double start = clock_seconds();
    for (int round = 0; round < rounds || clock_seconds() - start < LEAST_S; round++) {
        const double begin = clock_seconds();
        multiply(&w, count);
        *ms = fmin(*ms, 1e3 * (clock_seconds() - begin));
    }
    blas_set_threads(threads);
    status = ORTHANT_OK;
done:
    memory_free(ctx, w.W);
    memory_free(ctx, w.S);
    memory_free(ctx, w.T);
    memory_free(ctx, w.G);
    return status;
}
