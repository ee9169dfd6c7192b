/* Graphs of samples with missing entries, beside plain loops over the features that two samples
 * have in common; and what is refused. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "data/matrix.h"
#include "graph/graph.h"

enum { SAMPLES = 60, FEATURES = 23, NEIGHBOURS = 4 };

static orthant_context *ctx;
static double X[SAMPLES][FEATURES];  /* NaN what is not known */
static double far[SAMPLES][SAMPLES]; /* squared distances */
static double mean_distance;

static double distance(int i, int j)
{
    double sum = 0;
    int count = 0;
    for (int l = 0; l < FEATURES; l++)
        if (!isnan(X[i][l]) && !isnan(X[j][l])) {
            sum += (X[i][l] - X[j][l]) * (X[i][l] - X[j][l]);
            count++;
        }
    return count ? sum * FEATURES / count : (double)INFINITY;
}

static int make(void **state)
{
    (void)state;
    if (orthant_context_create(&ctx))
        return 1;
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    for (int i = 0; i < SAMPLES; i++)
        for (int l = 0; l < FEATURES; l++)
            X[i][l] = random_uniform(3, RANDOM_TEST, (uint64_t)i, (uint64_t)l) < 0.4
                          ? (double)NAN
                          : 0.1 + random_uniform(4, RANDOM_TEST, (uint64_t)i, (uint64_t)l);
    for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < SAMPLES; j++) {
            far[i][j] = distance(i, j);
            mean_distance += far[i][j] / (SAMPLES * SAMPLES);
        }
    return 0;
}

static int clear(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left != 0;
}

static orthant_matrix *dense_samples(void)
{
    orthant_matrix *made = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, SAMPLES, FEATURES, &X[0][0], &made));
    return made;
}

/* The known entries are stored, and nothing else. */
static orthant_matrix *sparse_samples(void)
{
    int64_t start[SAMPLES + 1] = {0}, column[SAMPLES * FEATURES], count = 0;
    double values[SAMPLES * FEATURES];
    orthant_matrix *made = NULL;
    for (int i = 0; i < SAMPLES; i++) {
        for (int l = 0; l < FEATURES; l++)
            if (!isnan(X[i][l])) {
                column[count] = l;
                values[count++] = X[i][l];
            }
        start[i + 1] = count;
    }
    expect_ok(ctx, orthant_matrix_create_csr(ctx, SAMPLES, FEATURES, start, column, values, &made));
    return made;
}

static double cosine(int i, int j)
{
    double xy = 0, xx = 0, yy = 0;
    for (int l = 0; l < FEATURES; l++)
        if (!isnan(X[i][l]) && !isnan(X[j][l])) {
            xy += X[i][l] * X[j][l];
            xx += X[i][l] * X[i][l];
            yy += X[j][l] * X[j][l];
        }
    return xy / sqrt(xx * yy);
}

/* Whether fewer than NEIGHBOURS others are nearer to i than j is. */
static bool is_near(int i, int j)
{
    int nearer = 0;
    for (int o = 0; o < SAMPLES; o++)
        nearer += o != i && far[i][o] < far[i][j];
    return i != j && nearer < NEIGHBOURS;
}

static double expected_edge(int i, int j, orthant_edge_weight weight)
{
    if (!is_near(i, j) && !is_near(j, i))
        return 0;
    return weight == ORTHANT_EDGE_BINARY ? 1
           : weight == ORTHANT_EDGE_HEAT ? exp(-far[i][j] / (2 * mean_distance))
                                         : cosine(i, j);
}

static void expect_edges(const orthant_matrix *samples, const char *missing)
{
    for (int weight = ORTHANT_EDGE_BINARY; weight <= ORTHANT_EDGE_COSINE; weight++) {
        orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
        orthant_graph *graph = NULL;
        options.neighbours = NEIGHBOURS;
        options.weight = (orthant_edge_weight)weight;
        options.missing = missing;
        expect_ok(ctx, orthant_graph_build(ctx, samples, &options, &graph));
        for (int i = 0; i < SAMPLES; i++)
            for (int j = 0; j < SAMPLES; j++) {
                const double wanted = expected_edge(i, j, (orthant_edge_weight)weight);
                if (fabs(orthant_graph_edge(graph, i, j) - wanted) > 1e-12)
                    fail_msg("%s, weight %d: edge (%d, %d) is %.17g, not %.17g", missing, weight, i,
                             j, orthant_graph_edge(graph, i, j), wanted);
            }
        orthant_graph_free(graph);
    }
}

static void test_reference(void **state)
{
    (void)state;
    orthant_matrix *dense = dense_samples(), *sparse = sparse_samples();
    expect_edges(dense, "nan");
    expect_edges(sparse, "zeros");
    orthant_matrix_free(sparse);
    orthant_matrix_free(dense);
}

/* Where nothing is missing the graph is the other search's, heat widths included. */
static void test_complete(void **state)
{
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    orthant_graph *plain = NULL, *known = NULL;
    orthant_matrix *samples = NULL;
    double all[SAMPLES][FEATURES];
    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        for (int l = 0; l < FEATURES; l++)
            all[i][l] = isnan(X[i][l]) ? 0.01 * (i % 7) : X[i][l];
    expect_ok(ctx, orthant_matrix_create(ctx, SAMPLES, FEATURES, &all[0][0], &samples));
    options.weight = ORTHANT_EDGE_HEAT;
    expect_ok(ctx, orthant_graph_build(ctx, samples, &options, &plain));
    options.missing = "nan";
    expect_ok(ctx, orthant_graph_build(ctx, samples, &options, &known));
    for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < SAMPLES; j++)
            assert_true(fabs(orthant_graph_edge(plain, i, j) - orthant_graph_edge(known, i, j)) <=
                        1e-12);
    orthant_graph_free(known);
    orthant_graph_free(plain);
    orthant_matrix_free(samples);
}

static void expect_refused(const orthant_matrix *samples, const char *missing,
                           orthant_search search, orthant_status status, const char *message)
{
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    orthant_graph *graph = NULL;
    options.neighbours = 2;
    options.missing = missing;
    options.search = search;
    expect_failure(ctx, status, message, orthant_graph_build(ctx, samples, &options, &graph));
    assert_null(graph);
}

static void test_refusals(void **state)
{
    static const double apart[] = {1, NAN, NAN, 2, 3, 4}, infinite[] = {1, 2, 3, INFINITY, 5, 6};
    orthant_matrix *dense = dense_samples(), *sparse = sparse_samples(), *lone = NULL, *inf = NULL;
    (void)state;
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 2, apart, &lone));
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 2, infinite, &inf));
    const orthant_search automatic = ORTHANT_SEARCH_AUTO;
    expect_refused(dense, NULL, automatic, ORTHANT_ERROR_DATA, "nan");
    expect_refused(dense, "none", automatic, ORTHANT_ERROR_DATA, "nan");
    expect_refused(dense, "zeros", automatic, ORTHANT_ERROR_ARGUMENT, "is for sparse data");
    expect_refused(sparse, "nan", automatic, ORTHANT_ERROR_ARGUMENT, "is for dense data");
    expect_refused(dense, "some", automatic, ORTHANT_ERROR_ARGUMENT, "expected none, nan or zeros");
    expect_refused(dense, "nan", ORTHANT_SEARCH_APPROXIMATE, ORTHANT_ERROR_ARGUMENT, "all pairs");
    expect_refused(inf, "nan", automatic, ORTHANT_ERROR_DATA, "entry (2, 2) is infinite");
    expect_refused(lone, "nan", automatic, ORTHANT_ERROR_DATA,
                   "sample 1 has a known feature in common with 1 other samples");
    orthant_matrix_free(inf);
    orthant_matrix_free(lone);
    orthant_matrix_free(sparse);
    orthant_matrix_free(dense);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference),
                                       cmocka_unit_test(test_complete),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, make, clear);
}
