/* sgnmf does not store the edges within known classes: it must give what gnmf gives on the graph
 * that has them, with the weight that they are given. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "problem.h"

#include "data/labels.h"
#include "data/matrix.h"
#include "graph/graph.h"

#include <cmocka.h>

#define RANK 5

static orthant_result *fit_on(const test_problem *p, const char *method, const char *loss,
                              const orthant_graph *graph, const char *label_weight)
{
    orthant_model *model = problem_model(p, method, RANK, "30");
    assert_int_equal(orthant_model_set(model, "loss", loss), ORTHANT_OK);
    assert_int_equal(orthant_model_set(model, "graph_weight", "0.7"), ORTHANT_OK);
    assert_int_equal(orthant_model_set_graph(model, graph), ORTHANT_OK);
    if (label_weight)
        assert_int_equal(orthant_model_set(model, "label_weight", label_weight), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

/* The graph with `weight` in the place of 1 between samples of one known class. */
static orthant_graph *weigh(const test_problem *p, const orthant_graph *near, double weight)
{
    orthant_graph *ones = NULL, *weighed = NULL;
    assert_int_equal(orthant_graph_with_labels(p->ctx, near, p->labels, &ones), ORTHANT_OK);
    orthant_matrix *edges = ones->adjacency;
    const int64_t *label = orthant_labels_values(p->labels);
    for (int64_t i = 0; i < edges->rows; i++)
        for (int64_t e = edges->row_start[i]; e < edges->row_start[i + 1]; e++)
            if (label[i] >= 0 && label[i] == label[edges->column[e]])
                matrix_set_value(edges, e, weight);
    assert_int_equal(orthant_graph_from_matrix(p->ctx, edges, &weighed), ORTHANT_OK);
    orthant_graph_free(ones);
    return weighed;
}

static void same_as_the_edges(const char *label_weight, double weight)
{
    test_problem p;
    orthant_graph *near = NULL;
    problem_make(&p, (problem_shape){83, 31, ORTHANT_DOUBLE, false, 4, 0.6});
    assert_int_equal(orthant_graph_neighbours(p.ctx, p.X, 4, ORTHANT_EDGE_BINARY, 0, &near),
                     ORTHANT_OK);
    orthant_graph *with_labels = weigh(&p, near, weight);
    const char *losses[] = {"frobenius", "kl"};
    for (int i = 0; i < 2; i++) {
        orthant_result *edges = fit_on(&p, "gnmf", losses[i], with_labels, NULL),
                       *classes = fit_on(&p, "sgnmf", losses[i], near, label_weight);
        const char *factors[] = {"basis", "encoding"};
        for (int f = 0; f < 2; f++)
            assert_true(factor_difference(orthant_result_factor(edges, factors[f]),
                                          orthant_result_factor(classes, factors[f])) < 1e-10);
        const double expected = orthant_result_objective(edges),
                     found = orthant_result_objective(classes);
        assert_true(fabs(found - expected) < 1e-10 * expected);
        orthant_result_free(edges);
        orthant_result_free(classes);
    }
    orthant_graph_free(near);
    orthant_graph_free(with_labels);
    problem_free(&p);
}

static void test_same_as_the_edges(void **state)
{
    (void)state;
    same_as_the_edges(NULL, 1);
}

static void test_same_as_heavier_edges(void **state)
{
    (void)state;
    same_as_the_edges("20", 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_the_edges),
        cmocka_unit_test(test_same_as_heavier_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
