/* One iteration of grpnmf with the exponent 1/4 as it would be written without this library: plain
 * loops and BLAS, the objective in every iteration. X ~ H H'X, Y = X'H, C = Y'Y, Q = H'H:
 *
 *     H <- H .* ((2 X Y + w A H) ./ (H C + X Y Q + w D H))^(1/4) */
#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "graph/graph.h"
#include "kernel/blas.h"

#define ITERATIONS 20

typedef struct plain {
    int n, m, k;
    const float *X; /* n x m */
    const orthant_graph *graph;
    float weight;
    double squares; /* |X|^2 */
    float *H, *P, *D, *AH, *Y, *C, *Q;
} plain;

/* C (+)= A B or A'B; rows of A are `stride` apart. */
static void product(CBLAS_TRANSPOSE transpose, int rows, int columns, int inner, const float *a,
                    int stride, const float *b, float keep, float *c)
{
    cblas_sgemm(CblasRowMajor, transpose, CblasNoTrans, rows, columns, inner, 1, a, stride, b,
                columns, keep, c, columns);
}

/* Y, Q, C, A H, and the objective. */
static double plain_sums(plain *p)
{
    const orthant_matrix *A = p->graph->adjacency;
    const float *edge = A->values;
    const int k = p->k;
    double energy = 0, loss = p->squares;
    product(CblasTrans, p->m, k, p->n, p->X, p->m, p->H, 0, p->Y);
    product(CblasTrans, k, k, p->n, p->H, k, p->H, 0, p->Q);
    product(CblasTrans, k, k, p->m, p->Y, k, p->Y, 0, p->C);
    memset(p->AH, 0, (size_t)p->n * (size_t)k * sizeof *p->AH);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t e = A->row_start[i]; e < A->row_start[i + 1]; e++)
            for (int j = 0; j < k; j++) {
                const float theirs = p->H[A->column[e] * k + j], apart = p->H[i * k + j] - theirs;
                p->AH[i * k + j] += edge[e] * theirs;
                energy += (double)(edge[e] * apart * apart);
            }
    for (int j = 0; j < k; j++)
        loss -= 2 * (double)p->C[j * k + j];
    for (int e = 0; e < k * k; e++)
        loss += (double)p->C[e] * (double)p->Q[e];
    return loss + (double)p->weight * 0.5 * energy;
}

static void plain_update(plain *p)
{
    const int k = p->k;
    product(CblasNoTrans, p->n, k, p->m, p->X, p->m, p->Y, 0, p->P);
    product(CblasNoTrans, p->n, k, k, p->H, k, p->C, 0, p->D);
    product(CblasNoTrans, p->n, k, k, p->P, k, p->Q, 1, p->D);
    for (int64_t i = 0; i < p->n; i++)
        for (int j = 0; j < k; j++) {
            const int64_t e = i * k + j;
            const float degree = (float)p->graph->degree[i];
            const float above = 2 * p->P[e] + p->weight * p->AH[e],
                        below = p->D[e] + p->weight * degree * p->H[e];
            p->H[e] *= powf(above / fmaxf(below, 1e-30f), 0.25f);
        }
}

static double time_round(plain *p)
{
    volatile double objective;
    for (int64_t i = 0; i < (int64_t)p->n * p->k; i++)
        p->H[i] = (float)random_uniform(1, RANDOM_TEST, (uint64_t)i, 0);
    const double begin = clock_seconds();
    for (int i = 0; i < ITERATIONS; i++) {
        objective = plain_sums(p);
        plain_update(p);
    }
    (void)objective;
    return 1e3 * (clock_seconds() - begin) / ITERATIONS;
}

orthant_status bench_plain_graph(orthant_context *ctx, const orthant_matrix *X,
                                 const orthant_graph *graph, int64_t rank, double weight,
                                 int rounds, double *ms)
{
    const int64_t n = X->rows, m = X->columns, tall = n * rank, square = rank * rank;
    plain p = {.n = (int)n, .m = (int)m, .k = (int)rank, .X = X->values, .graph = graph};
    *ms = NAN;
    if (n > INT_MAX || m > INT_MAX || rank > INT_MAX)
        return ORTHANT_OK;
    p.weight = (float)weight;
    p.squares = matrix_squares(X);
    float *scratch = memory_new(ctx, 4 * tall + m * rank + 2 * square, sizeof *scratch, "factors");
    if (!scratch)
        return ORTHANT_ERROR_MEMORY;
    p.H = scratch;
    p.P = p.H + tall;
    p.D = p.P + tall;
    p.AH = p.D + tall;
    p.Y = p.AH + tall;
    p.C = p.Y + m * rank;
    p.Q = p.C + square;
    *ms = INFINITY;
    const int threads = blas_set_threads(parallel_threads(ctx));
    for (int round = 0; round < rounds; round++)
        *ms = fmin(*ms, time_round(&p));
    blas_set_threads(threads);
    memory_free(ctx, scratch);
    return ORTHANT_OK;
}
