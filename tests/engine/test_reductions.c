/* Methods that are special cases of others, bit for bit; and combinations that no paper has. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problem.h"

typedef struct setting {
    const char *method;
    const char *parameters[3][2];
    const char *terms[2];
    double weights[2];
} setting;

static orthant_result *fit_setting(const test_problem *p, const setting *s)
{
    orthant_model *model = problem_model(p, s->method, 4, "25");
    for (int i = 0; i < 3 && s->parameters[i][0]; i++)
        assert_int_equal(orthant_model_set(model, s->parameters[i][0], s->parameters[i][1]),
                         ORTHANT_OK);
    for (int i = 0; i < 2 && s->terms[i]; i++)
        assert_int_equal(orthant_model_add_term(model, s->terms[i], s->weights[i]), ORTHANT_OK);
    orthant_result *result = problem_fit(p, model);
    orthant_model_free(model);
    return result;
}

static void test_reductions(void **state)
{
    static const setting pairs[][2] = {
        {{.method = "tnmf", .parameters = {{"pooling_weight", "0"}}},
         {.method = "nmf", .parameters = {{"solver", "mu"}}}},
        {{.method = "cdnmf", .parameters = {{"class_weight", "0"}}},
         {.method = "nmf", .parameters = {{"solver", "mu"}}}},
        {{.method = "gnmf", .parameters = {{"graph_weight", "0"}}},
         {.method = "nmf", .parameters = {{"solver", "mu"}}}},
        {{.method = "nlcf", .parameters = {{"local_weight", "0"}}},
         {.method = "nmf", .parameters = {{"solver", "mu"}}}},
        {{.method = "cdnmf-kl", .parameters = {{"class_weight", "0"}}}, {.method = "nmf-kl"}},
        {{.method = "nlcf-g", .parameters = {{"graph_weight", "0"}}}, {.method = "nlcf"}},
        {{.method = "nmf", .parameters = {{"loss", "kl"}}}, {.method = "nmf-kl"}},
        {{.method = "nmf", .terms = {"graph"}, .weights = {100}},
         {.method = "gnmf", .parameters = {{"graph_weight", "100"}}}},
        {{.method = "nmf", .terms = {"topographic"}, .weights = {10}}, {.method = "tnmf"}},
        {{.method = "nlcf", .terms = {"graph"}, .weights = {100}},
         {.method = "nlcf-g", .parameters = {{"graph_weight", "100"}}}},
        {{.method = "nmf-kl", .terms = {"class"}, .weights = {10}}, {.method = "cdnmf-kl"}},
        {{.method = "tnmf", .parameters = {{"pooling", "grid:2x2"}}},
         {.method = "tnmf"}}, /* 3 x 3 on a 2 x 2 torus is all */
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int variant = 0; variant < 4; variant++) {
            test_problem p;
            problem_make(&p, (problem_shape){70, 40, variant & 1 ? ORTHANT_DOUBLE : ORTHANT_SINGLE,
                                             variant & 2, 8, 0.4});
            orthant_result *a = fit_setting(&p, &pairs[i][0]), *b = fit_setting(&p, &pairs[i][1]);
            if (!factors_identical(a, b))
                fail_msg("%s is not %s bit for bit", pairs[i][0].method, pairs[i][1].method);
            orthant_result_free(a);
            orthant_result_free(b);
            problem_free(&p);
        }
}

/* The terms whose rule is proven to descend with the KL loss too come first, then one that never
 * is. */
static const struct {
    const char *name;
    double weight;
} terms[] = {{"class", 1},
             {"sparsity", 0.1},
             {"sparsity-basis", 0.1},
             {"a-optimal", 1},
             {"topographic", 3},
             {"local", 0.5},
             {"graph", 2},
             {"ridge", 0.1},
             {"ridge-basis", 0.1},
             {"smooth", 1},
             {"smooth-basis", 1},
             {"orthogonal", 0.1},
             {"orthogonal-basis", 0.1},
             {"volume", 0.1}};
#define TERMS ((int)(sizeof terms / sizeof *terms))
#define LINEAR 0x7
#define WATCHED 0x8
#define SETS_OF 7 /* the first, of which every set is tested */
#define MOST 8    /* of a model */

/* Every set of some, every pair, and as many at once as a model takes. */
static bool is_tested(int set)
{
    int count = 0;
    for (int t = 0; t < TERMS; t++)
        count += set >> t & 1;
    return set < 1 << SETS_OF || count == 2 || set == ((1 << MOST) - 1) << (TERMS - MOST);
}

static void check_combination(int set, int variant)
{
    test_problem p;
    problem_make(&p, (problem_shape){50, 30, ORTHANT_DOUBLE, variant & 1, 6, 0.5});
    orthant_model *model = problem_model(&p, variant & 2 ? "nmf-kl" : "nmf", 4, "40");
    for (int t = 0; t < TERMS; t++)
        if (set & 1 << t)
            assert_int_equal(orthant_model_add_term(model, terms[t].name, terms[t].weight),
                             ORTHANT_OK);
    orthant_result *result = problem_fit(&p, model);
    const double first = orthant_result_history(result, 0, 2);
    for (int64_t i = 1; i < orthant_result_history_rows(result); i++)
        if (!(orthant_result_history(result, i, 2) <=
              orthant_result_history(result, i - 1, 2) + 1e-11 * first))
            fail_msg("set %d, variant %d rose in iteration %d", set, variant, (int)i);
    const int last = orthant_result_history_columns(result) - 1;
    const bool watched = set & WATCHED || (variant & 2 && set & ~LINEAR);
    assert_int_equal(!strcmp(orthant_result_history_column(result, last), "step"), watched);
    for (int64_t i = 1; watched && i < orthant_result_history_rows(result); i++) {
        const double step = orthant_result_history(result, i, last);
        assert_true(step >= 0 && step <= 1);
    }
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

/* Any loss with any set of terms: finite, nonnegative, never rising; the safeguard says what it
 * did. */
static void test_combinations(void **state)
{
    (void)state;
    for (int set = 0; set < 1 << TERMS; set++)
        for (int variant = 0; variant < 4 && is_tested(set); variant++)
            check_combination(set, variant);
}

static void test_terms_are_checked(void **state)
{
    test_problem p;
    orthant_model *model;
    (void)state;
    problem_make(&p, (problem_shape){20, 10, ORTHANT_SINGLE, false, 6, 0.5});
    model = problem_model(&p, "nmf", 3, "2");
    assert_int_equal(orthant_model_add_term(model, "grph", 1), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(orthant_message(p.ctx), "'graph'"));
    assert_int_equal(orthant_model_add_term(model, "graph", -1), ORTHANT_ERROR_ARGUMENT);
    orthant_model_free(model);
    model = problem_model(&p, "nnsc", 3, "2"); /* its basis step knows no term */
    orthant_result *result = NULL;
    assert_int_equal(orthant_model_add_term(model, "local", 1), ORTHANT_OK);
    assert_int_equal(orthant_fit(model, p.X, &result), ORTHANT_ERROR_ARGUMENT);
    assert_null(result);
    orthant_model_free(model);
    model = problem_model(&p, "kmeans", 3, "2");
    assert_int_equal(orthant_model_add_term(model, "graph", 1), ORTHANT_ERROR_ARGUMENT);
    orthant_model_free(model);
    problem_free(&p);
}

/* Every method under every loss: fitted, or refused by name. */
static void test_every_loss(void **state)
{
    static const char *const losses[] = {"frobenius", "kl"};
    orthant_method_info info = {.size = sizeof info};
    (void)state;
    for (int i = 0; !orthant_method_info_at(i, &info); i++)
        for (int l = 0; l < 2; l++) {
            test_problem p;
            orthant_result *result = NULL;
            problem_make(&p, (problem_shape){30, 12, ORTHANT_SINGLE, false, 6, 0.7});
            orthant_model *model = problem_model(&p, info.name, 4, "3");
            orthant_status status = orthant_model_set(model, "loss", losses[l]);
            if (!status)
                status = orthant_fit(model, p.X, &result);
            assert_true(status == ORTHANT_OK || status == ORTHANT_ERROR_ARGUMENT);
            if (status)
                assert_non_null(strstr(orthant_message(p.ctx), info.name));
            orthant_result_free(result);
            orthant_model_free(model);
            problem_free(&p);
        }
}

static void test_needs(void **state)
{
    static const char *const rows[][2] = {{"tnmf", ""},
                                          {"nmf", ""},
                                          {"gnmf", "graph"},
                                          {"sgnmf", "graph,labels"},
                                          {"cdnmf", "labels"}};
    orthant_context *ctx = NULL;
    orthant_method_info info = {.size = sizeof info};
    (void)state;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(orthant_method_info_by_name(ctx, rows[i][0], &info), ORTHANT_OK);
        assert_string_equal(info.needs, rows[i][1]);
    }
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_terms_are_checked),
        cmocka_unit_test(test_every_loss),
        cmocka_unit_test(test_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
