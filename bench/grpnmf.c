/* One iteration of grpnmf on the size that its paper times (14,459 regions of a picture, three
 * colours, two clusters, lambda 500), beside the same update in plain loops and BLAS, in one run.
 * Regions lie on a grid whose cells are cut by a random diagonal: planar, six neighbours a node on
 * average, degrees from 2 to 8. Single precision; both report the objective in every iteration. */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/random.h"
#include "data/matrix.h"
#include "graph/graph.h"
#include "orthant/orthant.h"

enum { NODES = 14459, WIDTH = 121, FEATURES = 3, CLUSTERS = 2, ROUNDS = 100 };
#define ITERATIONS "40"
#define LAMBDA 500

typedef struct edges {
    int64_t count, start[NODES + 1], column[8 * NODES];
    double value[8 * NODES];
} edges;

/* Whether the cell with this upper left corner is cut from there or from its other corner. */
static bool falls(int64_t corner)
{
    return random_uniform(2, RANDOM_TEST, (uint64_t)corner, 0) < 0.5;
}

static bool joined(int64_t i, int64_t j)
{
    const int64_t x = i % WIDTH, y = i / WIDTH, u = j % WIDTH, v = j / WIDTH;
    const int64_t across = llabs(x - u), down = llabs(y - v);
    if (across + down == 1)
        return true;
    if (across != 1 || down != 1)
        return false;
    const int64_t corner = (y < v ? y : v) * WIDTH + (x < u ? x : u);
    return falls(corner) == ((x < u) == (y < v));
}

static orthant_graph *make_graph(orthant_context *ctx, edges *e)
{
    orthant_matrix *A = NULL;
    orthant_graph *graph = NULL;
    for (int64_t i = 0; i < NODES; i++) {
        e->start[i] = e->count;
        for (int64_t down = -1; down <= 1; down++)
            for (int64_t across = -1; across <= 1; across++) {
                const int64_t j = i + down * WIDTH + across;
                if (j != i && j >= 0 && j < NODES && joined(i, j)) {
                    e->column[e->count] = j;
                    e->value[e->count++] = 1;
                }
            }
    }
    e->start[NODES] = e->count;
    if (orthant_matrix_create_csr(ctx, NODES, NODES, e->start, e->column, e->value, &A) ||
        orthant_graph_from_matrix(ctx, A, &graph))
        fprintf(stderr, "%s\n", orthant_message(ctx));
    orthant_matrix_free(A);
    return graph;
}

/* Two halves of a picture with a colour each, and noise. */
static orthant_matrix *make_data(orthant_context *ctx)
{
    orthant_matrix *X = NULL;
    if (matrix_new_dense(ctx, ORTHANT_SINGLE, NODES, FEATURES, &X))
        return NULL;
    for (int64_t i = 0; i < NODES; i++)
        for (int64_t f = 0; f < FEATURES; f++) {
            const double noise = random_uniform(1, RANDOM_TEST, (uint64_t)i, (uint64_t)f);
            matrix_set_value(X, i * X->stride + f,
                             0.3 * noise +
                                 (i % WIDTH < WIDTH / 2 ? 0.2 : 0.5) * (double)(1 + f % 2));
        }
    return X;
}

/* Milliseconds an iteration, the best of some rounds. */
static double time_ours(orthant_context *ctx, const orthant_matrix *X, const orthant_graph *graph,
                        const char *exponent, double *objective)
{
    double best = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        if (orthant_model_create(ctx, "grpnmf", CLUSTERS, &model) ||
            orthant_model_set(model, "iterations", ITERATIONS) ||
            orthant_model_set(model, "tolerance", "0") ||
            orthant_model_set(model, "graph_weight", "500") ||
            orthant_model_set(model, "exponent", exponent) ||
            orthant_model_set_graph(model, graph) || orthant_fit(model, X, &result)) {
            fprintf(stderr, "%s\n", orthant_message(ctx));
            exit(1);
        }
        const double each =
            1e3 * orthant_result_seconds(result) / (double)orthant_result_iterations(result);
        best = each < best ? each : best;
        *objective = orthant_result_objective(result);
        orthant_result_free(result);
        orthant_model_free(model);
    }
    return best;
}

typedef struct plain {
    float H[NODES * CLUSTERS], P[NODES * CLUSTERS], D[NODES * CLUSTERS], AH[NODES * CLUSTERS];
    float Y[FEATURES * CLUSTERS], C[CLUSTERS * CLUSTERS], Q[CLUSTERS * CLUSTERS];
    int row_start[NODES + 1], column[8 * NODES];
    float weight[8 * NODES], degree[NODES];
} plain;

static void product(CBLAS_TRANSPOSE turned, int rows, int columns, int inner, const float *a,
                    int a_stride, const float *b, float beta, float *c)
{
    cblas_sgemm(CblasRowMajor, turned, CblasNoTrans, rows, columns, inner, 1, a, a_stride, b,
                columns, beta, c, columns);
}

/* Y = X'H, Q = H'H, C = Y'Y, A H, and the objective. */
static double plain_sums(plain *p, const float *X, double squares)
{
    const int k = CLUSTERS;
    product(CblasTrans, FEATURES, k, NODES, X, FEATURES, p->H, 0, p->Y);
    product(CblasTrans, k, k, NODES, p->H, k, p->H, 0, p->Q);
    product(CblasTrans, k, k, FEATURES, p->Y, k, p->Y, 0, p->C);
    double energy = 0, loss = squares;
    memset(p->AH, 0, sizeof p->AH);
    for (int i = 0; i < NODES; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            for (int j = 0; j < k; j++) {
                const float theirs = p->H[p->column[e] * k + j], apart = p->H[i * k + j] - theirs;
                p->AH[i * k + j] += p->weight[e] * theirs;
                energy += (double)(p->weight[e] * apart * apart);
            }
    for (int j = 0; j < k; j++)
        loss -= 2 * (double)p->C[j * k + j];
    for (int e = 0; e < k * k; e++)
        loss += (double)p->C[e] * (double)p->Q[e];
    return loss + LAMBDA * 0.5 * energy;
}

static void plain_update(plain *p, const float *X)
{
    const int k = CLUSTERS;
    product(CblasNoTrans, NODES, k, FEATURES, X, FEATURES, p->Y, 0, p->P);
    product(CblasNoTrans, NODES, k, k, p->H, k, p->C, 0, p->D);
    product(CblasNoTrans, NODES, k, k, p->P, k, p->Q, 1, p->D);
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < k; j++) {
            const int e = i * k + j;
            const float above = 2 * p->P[e] + LAMBDA * p->AH[e],
                        below = p->D[e] + LAMBDA * p->degree[i] * p->H[e];
            p->H[e] *= powf(above / fmaxf(below, 1e-30f), 0.25f);
        }
}

static double time_plain(const orthant_matrix *X, const edges *e, const orthant_matrix *start,
                         double *objective)
{
    double best = 1e300;
    plain *p = calloc(1, sizeof *p);
    if (!p)
        exit(1);
    for (int i = 0; i <= NODES; i++)
        p->row_start[i] = (int)e->start[i];
    for (int64_t i = 0; i < e->count; i++) {
        p->column[i] = (int)e->column[i];
        p->weight[i] = (float)e->value[i];
    }
    for (int i = 0; i < NODES; i++)
        p->degree[i] = (float)(e->start[i + 1] - e->start[i]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < NODES * CLUSTERS; i++)
            p->H[i] = (float)orthant_matrix_get(start, i / CLUSTERS, i % CLUSTERS);
        const double squares = matrix_squares(X), begin = clock_seconds();
        plain_sums(p, X->values, squares);
        for (int i = 0; i < atoi(ITERATIONS); i++) {
            plain_update(p, X->values);
            *objective = plain_sums(p, X->values, squares);
        }
        const double each = 1e3 * (clock_seconds() - begin) / atoi(ITERATIONS);
        best = each < best ? each : best;
    }
    free(p);
    return best;
}

/* The start that a fit without iterations ends with. */
static orthant_result *make_start(orthant_context *ctx, const orthant_matrix *X)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    if (orthant_model_create(ctx, "grpnmf", CLUSTERS, &model) ||
        orthant_model_set(model, "iterations", "0") ||
        orthant_model_set(model, "graph_weight", "0") || orthant_fit(model, X, &result))
        fprintf(stderr, "%s\n", orthant_message(ctx));
    orthant_model_free(model);
    return result;
}

int main(void)
{
    orthant_context *ctx = NULL;
    edges *e = calloc(1, sizeof *e);
    if (!e || orthant_context_create(&ctx))
        return 1;
    orthant_graph *graph = make_graph(ctx, e);
    orthant_matrix *X = make_data(ctx);
    orthant_result *start = X && graph ? make_start(ctx, X) : NULL;
    if (!start)
        return 1;
    double ours = 0, fast = 0, theirs = 0;
    printf("kernels %s, %d threads; BLAS: %s\n", orthant_cpu_kernels(),
           orthant_context_threads(ctx), orthant_blas_description());
    printf("grpnmf, %d nodes, %d features, %d clusters, %lld edges: milliseconds an iteration\n"
           "(best of %d rounds of %s iterations; the paper's own: 1.61)\n\n",
           NODES, FEATURES, CLUSTERS, (long long)orthant_graph_edges(graph), ROUNDS, ITERATIONS);
    const double all = time_ours(ctx, X, graph, "0.25", &ours);
    const double one = time_ours(ctx, X, graph, "1", &fast);
    orthant_context_set_threads(ctx, 1);
    const double alone = time_ours(ctx, X, graph, "0.25", &ours);
    const double loops = time_plain(X, e, orthant_result_factor(start, "encoding"), &theirs);
    printf("%-22s %8.3f   objective %.6g\n", "exponent 1/4", all, ours);
    printf("%-22s %8.3f\n", "  one thread", alone);
    printf("%-22s %8.3f   objective %.6g\n", "exponent 1", one, fast);
    printf("%-22s %8.3f   objective %.6g\n", "plain loops and BLAS", loops, theirs);
    orthant_result_free(start);
    orthant_graph_free(graph);
    orthant_matrix_free(X);
    orthant_context_free(ctx);
    free(e);
    return 0;
}
