/* graph_weight = auto: its rule by plain loops, and that it follows the unit of the data. */
#include "expect.h"

#include <math.h>
#include <stdio.h>

#include "problem.h"

enum { RANK = 4 };

/* |X|^2 over the mean of X and the weights of all edges, times the samples per part over the
 * neighbours of a sample. */
static double rule(const test_problem *p, const orthant_graph *graph)
{
    orthant_array a = {.size = sizeof a};
    const int64_t n = orthant_matrix_rows(p->X), m = orthant_matrix_columns(p->X);
    double squares = 0, sum = 0, edges = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            sum += orthant_matrix_get(p->X, i, j);
            squares += pow(orthant_matrix_get(p->X, i, j), 2);
        }
    expect_ok(p->ctx, orthant_graph_view(graph, &a));
    for (int64_t e = 0; e < a.stored; e++)
        edges += ((const double *)a.values)[e] / 2;
    const double per_part = (double)n / RANK, neighbours = (double)a.stored / (double)n;
    return squares / (sum / (double)(n * m) * edges) * per_part / neighbours;
}

static orthant_result *fit_with(const test_problem *p, const orthant_graph *graph,
                                const char *weight)
{
    orthant_model *model = problem_model(p, "gnmf", RANK, "30");
    if (weight)
        expect_ok(p->ctx, orthant_model_set(model, "graph_weight", weight));
    expect_ok(p->ctx, orthant_model_set_graph(model, graph));
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

static void test_rule(void **state)
{
    test_problem p;
    orthant_graph *graph = NULL;
    char text[40];
    (void)state;
    problem_make(&p, (problem_shape){60, 20, ORTHANT_DOUBLE, false, 3, 0});
    expect_ok(p.ctx, orthant_graph_neighbours(p.ctx, p.X, 4, ORTHANT_EDGE_COSINE, 0, &graph));
    orthant_result *own = fit_with(&p, graph, NULL);
    const double weight = orthant_result_term_weight(own, 0), expected = rule(&p, graph);
    assert_true(fabs(weight - expected) < 1e-9 * expected);
    snprintf(text, sizeof text, "%.17g", weight);
    orthant_result *given = fit_with(&p, graph, text);
    assert_true(orthant_result_term_weight(given, 0) == weight);
    assert_true(factors_identical(own, given));
    orthant_result_free(given);
    /* The same samples in another unit: the same fit, on another scale. */
    const double objective = orthant_result_objective(own);
    orthant_result_free(own);
    problem_scale(&p, 1000);
    own = fit_with(&p, graph, "auto");
    assert_true(fabs(orthant_result_term_weight(own, 0) / (1000 * weight) - 1) < 1e-9);
    assert_true(fabs(orthant_result_objective(own) / (1e6 * objective) - 1) < 1e-6);
    orthant_result_free(own);
    orthant_graph_free(graph);
    problem_free(&p);
}

static void test_refusals(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){20, 10, ORTHANT_DOUBLE, false, 3, 0});
    orthant_model *model = problem_model(&p, "gnmf", RANK, "3");
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "expected a number or auto",
                   orthant_model_set(model, "graph_weight", "much"));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "expected a number",
                   orthant_model_set(model, "tolerance", "auto"));
    assert_true(isnan(orthant_result_term_weight(NULL, 0)));
    orthant_model_free(model);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rule),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
