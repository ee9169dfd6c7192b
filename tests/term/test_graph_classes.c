/* sgnmf does not store the edges within known classes: it must give what gnmf gives on the graph
 * that has them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "problem.h"

#include "data/matrix.h"

#include <cmocka.h>

#define RANK 5

static orthant_result *fit_on(const test_problem *p, const char *method, const char *loss,
                              const orthant_graph *graph)
{
    orthant_model *model = problem_model(p, method, RANK, "30");
    assert_int_equal(orthant_model_set(model, "loss", loss), ORTHANT_OK);
    assert_int_equal(orthant_model_set(model, "graph_weight", "0.7"), ORTHANT_OK);
    assert_int_equal(orthant_model_set_graph(model, graph), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

static void test_same_as_the_edges(void **state)
{
    test_problem p;
    orthant_graph *near = NULL, *with_labels = NULL;
    (void)state;
    problem_make(&p, (problem_shape){83, 31, ORTHANT_DOUBLE, false, 4, 0.6});
    assert_int_equal(orthant_graph_neighbours(p.ctx, p.X, 4, ORTHANT_EDGE_BINARY, 0, &near),
                     ORTHANT_OK);
    assert_int_equal(orthant_graph_with_labels(p.ctx, near, p.labels, &with_labels), ORTHANT_OK);
    const char *losses[] = {"frobenius", "kl"};
    for (int i = 0; i < 2; i++) {
        orthant_result *edges = fit_on(&p, "gnmf", losses[i], with_labels),
                       *classes = fit_on(&p, "sgnmf", losses[i], near);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
