/* Graphs: weights and labels against the golden case, and what is refused. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "data/matrix.h"
#include "files.h"
#include "golden.h"
#include "graph/graph.h"

static orthant_context *ctx;

static int make(void **state)
{
    (void)state;
    if (orthant_context_create(&ctx))
        return 1;
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left != 0;
}

/* Also: symmetric to the bit, no diagonal, no zero stored, degrees are row sums. */
static void check_form(const orthant_graph *graph)
{
    const orthant_matrix *A = graph->adjacency;
    assert_int_equal(A->rows, A->columns);
    for (int64_t i = 0; i < A->rows; i++) {
        double degree = 0.0;
        for (int64_t e = A->row_start[i]; e < A->row_start[i + 1]; e++) {
            assert_true(A->column[e] != i);
            assert_true(e == A->row_start[i] || A->column[e] > A->column[e - 1]);
            assert_true(matrix_value(A, e) > 0.0);
            assert_true(matrix_value(A, e) == orthant_graph_edge(graph, A->column[e], i));
            degree += matrix_value(A, e);
        }
        assert_true(fabs(degree - graph->degree[i]) <= 1e-12 * degree);
    }
}

static void compare(const orthant_graph *graph, const char *case_name, const char *file,
                    double tolerance)
{
    int64_t rows, columns;
    double *expected = golden_read(case_name, file, &rows, &columns);
    assert_int_equal(rows, orthant_graph_nodes(graph));
    check_form(graph);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            if (fabs(orthant_graph_edge(graph, i, j) - expected[i * columns + j]) > tolerance)
                fail_msg("%s: (%d, %d) is %.17g, not %.17g", file, (int)i, (int)j,
                         orthant_graph_edge(graph, i, j), expected[i * columns + j]);
    free(expected);
}

static orthant_matrix *as_sparse(const orthant_matrix *dense)
{
    const int64_t n = dense->rows, m = dense->columns;
    double *values = malloc((size_t)(n * m) * sizeof *values);
    int64_t *start = malloc((size_t)(n + 1) * sizeof *start);
    int64_t *column = malloc((size_t)(n * m) * sizeof *column);
    orthant_matrix *sparse = NULL;
    assert_true(values && start && column);
    orthant_matrix_copy_values(dense, values);
    for (int64_t e = 0; e < n * m; e++)
        column[e] = e % m;
    for (int64_t i = 0; i <= n; i++)
        start[i] = i * m;
    expect_ok(ctx, orthant_matrix_create_csr(ctx, n, m, start, column, values, &sparse));
    free(values);
    free(start);
    free(column);
    return sparse;
}

static void test_golden_weights(void **state)
{
    (void)state;
    static const char *const files[] = {"out_knn5_binary.csv", "out_knn5_heat.csv",
                                        "out_knn5_cosine.csv"};
    for (int precision = 0; precision < 2; precision++) {
        orthant_context_set_precision(ctx, (orthant_precision)precision);
        orthant_matrix *X = golden_matrix(ctx, "pos_graph", "X.csv", true);
        orthant_matrix *sparse = as_sparse(X);
        for (int w = 0; w < 3; w++) {
            orthant_graph *graph = NULL;
            const double tolerance = precision ? 1e-13 : 1e-6;
            expect_ok(ctx,
                      orthant_graph_neighbours(ctx, X, 5, (orthant_edge_weight)w, 0.0, &graph));
            compare(graph, "pos_graph", files[w], tolerance);
            orthant_graph_free(graph);
            expect_ok(
                ctx, orthant_graph_neighbours(ctx, sparse, 5, (orthant_edge_weight)w, 0.0, &graph));
            compare(graph, "pos_graph", files[w], tolerance);
            orthant_graph_free(graph);
        }
        orthant_matrix_free(sparse);
        orthant_matrix_free(X);
    }
}

/* Weights that are all 1 are given back, others stay. */
static void test_ones_are_dropped(void **state)
{
    (void)state;
    static const double binary[] = {0, 1, 0, 1, 0, 1, 0, 1, 0},
                        other[] = {0, 1, 0, 1, 0, 2, 0, 2, 0};
    for (int weighted = 0; weighted < 2; weighted++) {
        orthant_matrix *matrix = NULL;
        orthant_graph *graph = NULL;
        expect_ok(ctx, orthant_matrix_create(ctx, 3, 3, weighted ? other : binary, &matrix));
        expect_ok(ctx, orthant_graph_from_matrix(ctx, matrix, &graph));
        graph_drop_ones(graph);
        assert_int_equal(graph->adjacency->values != NULL, weighted);
        assert_int_equal(orthant_graph_edges(graph), 2);
        double scratch[2];
        const double *degree = graph_degrees(graph, 1, 2, scratch);
        assert_true(degree[0] == 2 + weighted && degree[1] == 1 + weighted);
        orthant_graph_free(graph);
        orthant_matrix_free(matrix);
    }
}

static void test_heat_width_is_used(void **state)
{
    (void)state;
    const double line[] = {0.0, 1.0, 3.0};
    orthant_matrix *X = NULL;
    orthant_graph *graph = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 1, line, &X));
    expect_ok(ctx, orthant_graph_neighbours(ctx, X, 1, ORTHANT_EDGE_HEAT, 2.0, &graph));
    assert_int_equal(orthant_graph_edges(graph), 2);
    assert_true(fabs(orthant_graph_edge(graph, 0, 1) - exp(-1.0 / 8.0)) < 1e-15);
    assert_true(fabs(orthant_graph_edge(graph, 1, 2) - exp(-4.0 / 8.0)) < 1e-15);
    assert_true(orthant_graph_edge(graph, 0, 2) == 0.0);
    assert_int_equal(orthant_graph_isolated(graph), 0);
    orthant_graph_free(graph);
    /* A width far below the distances leaves no weight above zero. */
    expect_ok(ctx, orthant_graph_neighbours(ctx, X, 1, ORTHANT_EDGE_HEAT, 1e-3, &graph));
    assert_int_equal(orthant_graph_edges(graph), 0);
    assert_int_equal(orthant_graph_isolated(graph), 3);
    assert_int_equal(orthant_graph_components(graph), 3);
    orthant_graph_free(graph);
    orthant_matrix_free(X);
}

static void test_zero_samples_have_no_cosine(void **state)
{
    (void)state;
    const double values[] = {0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 1.0};
    orthant_matrix *X = NULL;
    orthant_graph *graph = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 5, 2, values, &X));
    expect_ok(ctx, orthant_graph_neighbours(ctx, X, 4, ORTHANT_EDGE_COSINE, 0.0, &graph));
    check_form(graph);
    assert_int_equal(orthant_graph_edges(graph), 3);
    assert_int_equal(orthant_graph_isolated(graph), 2);
    assert_int_equal(orthant_graph_components(graph), 3);
    assert_true(orthant_graph_edge(graph, 1, 2) == 1.0);
    assert_true(fabs(orthant_graph_edge(graph, 1, 4) - sqrt(0.5)) < 1e-15);
    orthant_graph_free(graph);
    /* Equal samples have distance 0: heat 1, also where every distance is 0. */
    const double equal[] = {3.0, 3.0, 3.0};
    orthant_matrix_free(X);
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 1, equal, &X));
    expect_ok(ctx, orthant_graph_neighbours(ctx, X, 1, ORTHANT_EDGE_HEAT, 0.0, &graph));
    assert_true(orthant_graph_edge(graph, 0, 1) == 1.0);
    assert_true(orthant_graph_edge(graph, 0, 2) == 1.0);
    assert_true(orthant_graph_edge(graph, 1, 2) == 0.0);
    orthant_graph_free(graph);
    orthant_matrix_free(X);
}

static void test_golden_labels(void **state)
{
    (void)state;
    int64_t one, n;
    double *read = golden_read("pos_sgnmf", "labels.csv", &one, &n);
    int64_t values[40];
    assert_int_equal(one * n, 40);
    for (int64_t i = 0; i < 40; i++)
        values[i] = (int64_t)read[i];
    free(read);
    orthant_matrix *X = golden_matrix(ctx, "pos_graph", "X.csv", true);
    orthant_labels *labels = NULL;
    orthant_graph *base = NULL, *graph = NULL;
    expect_ok(ctx, orthant_labels_create(ctx, 40, values, &labels));
    expect_ok(ctx, orthant_graph_neighbours(ctx, X, 5, ORTHANT_EDGE_BINARY, 0.0, &base));
    expect_ok(ctx, orthant_graph_with_labels(ctx, base, labels, &graph));
    compare(graph, "pos_graph", "out_semi.csv", 0.0);
    orthant_graph_free(graph);
    orthant_labels_free(labels);
    expect_ok(ctx, orthant_labels_create(ctx, 39, values, &labels));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "39 labels for a graph over 40",
                   orthant_graph_with_labels(ctx, base, labels, &graph));
    assert_null(graph);
    orthant_labels_free(labels);
    orthant_graph_free(base);
    orthant_matrix_free(X);
}

static void test_labels_rule(void **state)
{
    (void)state;
    /* Weighted base; classes 5 and -7, one unknown. */
    const double base_values[] = {0, 2, 0, 3, 0, 2, 0, 4, 0, 0, 0, 4, 0,
                                  0, 6, 3, 0, 0, 0, 0, 0, 0, 6, 0, 0};
    const double expected[] = {0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0,
                               0, 6, 0, 1, 0, 0, 0, 0, 0, 6, 0, 0};
    const int64_t values[] = {5, -7, 5, -7, -1};
    orthant_matrix *matrix = NULL;
    orthant_labels *labels = NULL;
    orthant_graph *base = NULL, *graph = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 5, 5, base_values, &matrix));
    expect_ok(ctx, orthant_labels_create(ctx, 5, values, &labels));
    expect_ok(ctx, orthant_graph_from_matrix(ctx, matrix, &base));
    expect_ok(ctx, orthant_graph_with_labels(ctx, base, labels, &graph));
    check_form(graph);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            assert_true(orthant_graph_edge(graph, i, j) == expected[5 * i + j]);
    orthant_graph_free(graph);
    orthant_graph_free(base);
    orthant_labels_free(labels);
    orthant_matrix_free(matrix);
}

static void test_from_matrix(void **state)
{
    (void)state;
    const double values[] = {9, 1, 0, 0, 1, 7, 0, 0, 0, 0, 0, 2, 0, 0, 2, 0};
    for (int sparse = 0; sparse < 2; sparse++) {
        orthant_matrix *matrix = NULL;
        orthant_graph *graph = NULL;
        expect_ok(ctx, orthant_matrix_create(ctx, 4, 4, values, &matrix));
        if (sparse) {
            orthant_matrix *dense = matrix;
            matrix = as_sparse(dense);
            orthant_matrix_free(dense);
        }
        expect_ok(ctx, orthant_graph_from_matrix(ctx, matrix, &graph));
        check_form(graph);
        assert_int_equal(orthant_graph_nodes(graph), 4);
        assert_int_equal(orthant_graph_edges(graph), 2);
        assert_int_equal(orthant_graph_components(graph), 2);
        assert_true(orthant_graph_edge(graph, 2, 3) == 2.0);
        assert_true(orthant_graph_edge(graph, 0, 0) == 0.0);
        assert_true(orthant_graph_edge(graph, 0, 99) == 0.0);
        orthant_graph_free(graph);
        orthant_matrix_free(matrix);
    }
}

static void refuse_matrix(int64_t rows, int64_t columns, const double *values, const char *words)
{
    orthant_matrix *matrix = NULL;
    orthant_graph *graph = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, rows, columns, values, &matrix));
    orthant_matrix *sparse = as_sparse(matrix);
    expect_failure(ctx, ORTHANT_ERROR_DATA, words, orthant_graph_from_matrix(ctx, matrix, &graph));
    assert_null(graph);
    expect_failure(ctx, ORTHANT_ERROR_DATA, words, orthant_graph_from_matrix(ctx, sparse, &graph));
    assert_null(graph);
    orthant_matrix_free(sparse);
    orthant_matrix_free(matrix);
}

static void test_matrices_that_are_no_graphs(void **state)
{
    (void)state;
    const double asymmetric[] = {0, 1, 5, 1.5, 0, 2, 3, 2, 0};
    const double negative[] = {0, -2, -2, 0};
    const double missing[] = {0, NAN, NAN, 0};
    const double endless[] = {0, INFINITY, INFINITY, 0};
    refuse_matrix(3, 3, asymmetric, "is 5");
    refuse_matrix(3, 3, asymmetric, "not symmetric");
    refuse_matrix(3, 3, asymmetric, "(3, 1) is 3");
    refuse_matrix(2, 2, negative, "(1, 2) is -2");
    refuse_matrix(2, 2, missing, "(1, 2) is nan");
    refuse_matrix(2, 2, endless, "(1, 2) is inf");
    refuse_matrix(1, 4, negative, "1 x 4");
}

static void test_rounding_is_no_asymmetry(void **state)
{
    (void)state;
    const double values[] = {0, 0.1 + 0.2, 0.3, 0};
    orthant_matrix *matrix = NULL;
    orthant_graph *graph = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, values, &matrix));
    expect_ok(ctx, orthant_graph_from_matrix(ctx, matrix, &graph));
    check_form(graph);
    orthant_graph_free(graph);
    orthant_matrix_free(matrix);
}

static void test_written_and_read(void **state)
{
    (void)state;
    orthant_matrix *X = golden_matrix(ctx, "pos_graph", "X.csv", true);
    orthant_graph *graph = NULL, *again = NULL;
    expect_ok(ctx, orthant_graph_neighbours(ctx, X, 5, ORTHANT_EDGE_HEAT, 0.0, &graph));
    expect_ok(ctx, orthant_graph_write(ctx, graph, files_path("graph.mtx")));
    expect_ok(ctx, orthant_graph_read(ctx, files_path("graph.mtx"), &again));
    compare(again, "pos_graph", "out_knn5_heat.csv", 1e-13);
    assert_int_equal(orthant_graph_edges(again), orthant_graph_edges(graph));
    orthant_graph_free(again);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, ".mtx",
                   orthant_graph_write(ctx, graph, files_path("graph.npy")));
    orthant_graph_free(graph);
    const char *path = files_write_text("dense.csv", "0,1,0\n1,0,2.5\n0,2.5,0\n");
    expect_ok(ctx, orthant_graph_read(ctx, path, &graph));
    assert_true(orthant_graph_edge(graph, 2, 1) == 2.5);
    orthant_graph_free(graph);
    path = files_write_text("skewed.csv", "0,1,0\n1,0,2.5\n0,2,0\n");
    expect_failure(ctx, ORTHANT_ERROR_DATA, "skewed.csv", orthant_graph_read(ctx, path, &graph));
    expect_failure(ctx, ORTHANT_ERROR_IO, "nowhere.mtx",
                   orthant_graph_read(ctx, files_path("nowhere.mtx"), &graph));
    assert_null(graph);
    orthant_matrix_free(X);
}

static void test_arguments_that_are_refused(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4, NAN, 6};
    orthant_matrix *X = NULL;
    orthant_graph *graph = NULL;
    orthant_edge_weight weight;
    expect_ok(ctx, orthant_matrix_create(ctx, 4, 1, values, &X));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "4 neighbours of 4 samples",
                   orthant_graph_neighbours(ctx, X, 4, ORTHANT_EDGE_BINARY, 0.0, &graph));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "0 neighbours",
                   orthant_graph_neighbours(ctx, X, 0, ORTHANT_EDGE_BINARY, 0.0, &graph));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "heat width -1",
                   orthant_graph_neighbours(ctx, X, 1, ORTHANT_EDGE_HEAT, -1.0, &graph));
    assert_null(graph);
    orthant_matrix_free(X);
    expect_ok(ctx, orthant_matrix_create(ctx, 6, 1, values, &X));
    expect_failure(ctx, ORTHANT_ERROR_DATA, "(5, 1)",
                   orthant_graph_neighbours(ctx, X, 1, ORTHANT_EDGE_HEAT, 0.0, &graph));
    orthant_matrix_free(X);
    expect_ok(ctx, orthant_edge_weight_parse(ctx, "cosine", &weight));
    assert_int_equal(weight, ORTHANT_EDGE_COSINE);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "'warm'",
                   orthant_edge_weight_parse(ctx, "warm", &weight));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden_weights, make, clear),
        cmocka_unit_test_setup_teardown(test_ones_are_dropped, make, clear),
        cmocka_unit_test_setup_teardown(test_heat_width_is_used, make, clear),
        cmocka_unit_test_setup_teardown(test_zero_samples_have_no_cosine, make, clear),
        cmocka_unit_test_setup_teardown(test_golden_labels, make, clear),
        cmocka_unit_test_setup_teardown(test_labels_rule, make, clear),
        cmocka_unit_test_setup_teardown(test_from_matrix, make, clear),
        cmocka_unit_test_setup_teardown(test_matrices_that_are_no_graphs, make, clear),
        cmocka_unit_test_setup_teardown(test_rounding_is_no_asymmetry, make, clear),
        cmocka_unit_test_setup_teardown(test_written_and_read, make, clear),
        cmocka_unit_test_setup_teardown(test_arguments_that_are_refused, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
