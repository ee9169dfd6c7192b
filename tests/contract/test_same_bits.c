/* Every method, with every solver that it takes, on dense and on CSR data, in both precisions,
 * gives the same bytes on 1, 2 and 3 threads: factors and history. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "problem.h"

/* Tall and wide; neither samples, features nor rank are a multiple of a vector or of a block. Large
 * enough for three threads to be worth their while: more than 2,000,000 multiplications a product
 * with X. */
static const struct {
    int64_t samples, features, rank;
    double density;
} shapes[] = {{523, 179, 23, 0.3}, {83, 1511, 19, 0.3}};
#define SHAPES (sizeof shapes / sizeof *shapes)

/* The index-th word of "a|b|c" in `word`; false past the last. */
static bool word_at(const char *choices, int index, char word[16])
{
    while (choices && index-- > 0)
        if ((choices = strchr(choices, '|')))
            choices++;
    if (!choices)
        return false;
    snprintf(word, 16, "%.*s", (int)strcspn(choices, "|"), choices);
    return true;
}

/* The index-th solver of a method; one without solvers has the empty one. */
static bool solver_at(const orthant_method_info *info, int index, char solver[16])
{
    for (int i = 0; i < info->parameters; i++) {
        orthant_parameter_info parameter = {.size = sizeof parameter};
        assert_int_equal(orthant_method_parameter(info->name, i, &parameter), ORTHANT_OK);
        if (!strcmp(parameter.name, "solver"))
            return word_at(parameter.choices, index, solver);
    }
    solver[0] = '\0';
    return index == 0;
}

static bool same_history(const orthant_result *a, const orthant_result *b)
{
    const int64_t rows = orthant_result_history_rows(a);
    bool same = rows == orthant_result_history_rows(b);
    for (int64_t i = 0; same && i < rows; i++) {
        const double u = orthant_result_history(a, i, 2), v = orthant_result_history(b, i, 2);
        same = !memcmp(&u, &v, sizeof u);
    }
    return same;
}

/* False where the method refuses the solver. */
static bool check_threads(const test_problem *p, const orthant_model *model, const char *what)
{
    orthant_result *first = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        orthant_result *result = NULL;
        assert_int_equal(orthant_context_set_threads(p->ctx, threads), ORTHANT_OK);
        const orthant_status status = orthant_fit(model, p->X, &result);
        if (status == ORTHANT_ERROR_ARGUMENT && !first)
            return false;
        if (status)
            fail_msg("%s: %s", what, orthant_message(p->ctx));
        if (!first) {
            first = result;
            continue;
        }
        if (!same_history(first, result) || !factors_identical(first, result))
            fail_msg("%s: %d threads give other bytes than one", what, threads);
        orthant_result_free(result);
    }
    orthant_result_free(first);
    return true;
}

static void test_method(void **state)
{
    const orthant_method_info *info = *state;
    /* Sanitized, single dense and double CSR data alone. */
    for (int variant = 0; variant < 4 * (SANITIZED ? 1 : (int)SHAPES);
         variant += SANITIZED ? 3 : 1) {
        const bool sparse = variant & 2;
        const orthant_precision precision = variant & 1 ? ORTHANT_DOUBLE : ORTHANT_SINGLE;
        const int64_t n = shapes[variant / 4].samples, m = shapes[variant / 4].features;
        char solver[16], what[128];
        int fitted = 0;
        test_problem p;
        problem_make(&p, (problem_shape){n, m, precision, sparse, 3, shapes[variant / 4].density});
        for (int s = 0; solver_at(info, s, solver); s++) {
            orthant_model *model = problem_model(&p, info->name, shapes[variant / 4].rank, "5");
            if (solver[0])
                assert_int_equal(orthant_model_set(model, "solver", solver), ORTHANT_OK);
            snprintf(what, sizeof what, "%s %s, %dx%d, %s, %s", info->name, solver, (int)n, (int)m,
                     sparse ? "CSR" : "dense", precision == ORTHANT_DOUBLE ? "double" : "single");
            fitted += check_threads(&p, model, what);
            orthant_model_free(model);
        }
        assert_true(fitted > 0);
        problem_free(&p);
    }
}

int main(void)
{
    enum { MOST = 64 };
    static orthant_method_info infos[MOST];
    static struct CMUnitTest tests[MOST];
    const int count = orthant_method_count();
    assert_true(count <= MOST);
    for (int m = 0; m < count; m++) {
        infos[m].size = sizeof infos[m];
        orthant_method_info_at(m, &infos[m]);
        tests[m] = (struct CMUnitTest){infos[m].name, test_method, NULL, NULL, &infos[m]};
    }
    return _cmocka_run_group_tests("same bits", tests, (size_t)count, NULL, NULL);
}
