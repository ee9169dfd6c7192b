/* Terms that read other samples' encodings, with a buffer of half rows and with one of whole rows:
 * the same bits. Features that no sample has make the basis so long that whole rows are few beside
 * it, and change nothing else. */
#include "expect.h"
#include "problem.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "data/matrix.h"
#include "engine/sweep.h"
#include "term/term.h"

enum { SAMPLES = 300, FEATURES = 40, UNUSED = 4700 };

typedef struct setting {
    const char *method, *name, *value; /* and a parameter */
} setting;

/* Random where there are entries; without any 0, where updates keep it. */
static orthant_matrix *make_start(orthant_context *ctx, int64_t rows, int64_t used, int64_t rank)
{
    double *values = calloc((size_t)(rows * rank), sizeof *values);
    orthant_matrix *start = NULL;
    assert_non_null(values);
    for (int64_t e = 0; e < used * rank; e++)
        values[e] = 0.1 + random_uniform((uint64_t)used, RANDOM_TEST, (uint64_t)e, 0);
    assert_int_equal(orthant_matrix_create(ctx, rows, rank, values, &start), ORTHANT_OK);
    free(values);
    return start;
}

static orthant_result *fit_from_start(const problem *p, const orthant_matrix *X, int64_t rank,
                                      setting with)
{
    orthant_matrix *basis = make_start(p->ctx, X->columns, FEATURES, rank),
                   *encoding = make_start(p->ctx, SAMPLES, SAMPLES, rank);
    orthant_model *model = problem_model(p, with.method, rank, "3");
    orthant_result *result = NULL;
    assert_int_equal(orthant_model_set(model, with.name, with.value), ORTHANT_OK);
    assert_int_equal(orthant_model_set(model, "graph_weight", "0.5"), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(model, "basis", basis), ORTHANT_OK);
    assert_int_equal(orthant_model_set_start(model, "encoding", encoding), ORTHANT_OK);
    if (orthant_fit(model, X, &result))
        fail_msg("%s", orthant_message(p->ctx));
    orthant_model_free(model);
    orthant_matrix_free(basis);
    orthant_matrix_free(encoding);
    return result;
}

static void expect_same(const orthant_result *a, const orthant_result *b, int64_t rank,
                        setting with)
{
    static const char *const factors[] = {"basis", "encoding"};
    for (int f = 0; f < 2; f++)
        for (int64_t i = 0; i < (f ? SAMPLES : FEATURES); i++)
            for (int64_t j = 0; j < rank; j++) {
                const double x = orthant_matrix_get(orthant_result_factor(a, factors[f]), i, j),
                             y = orthant_matrix_get(orthant_result_factor(b, factors[f]), i, j);
                if (x < y || x > y || !isfinite(x))
                    fail_msg("%s %s=%s, rank %d: %s (%d, %d) is %.17g and %.17g", with.method,
                             with.name, with.value, (int)rank, factors[f], (int)i, (int)j, x, y);
            }
}

static bool takes_halves(const problem *p, const orthant_matrix *X, int64_t rank)
{
    term graph = {.kind = &term_graph, .ctx = p->ctx};
    orthant_matrix *basis = NULL, *encoding = NULL;
    assert_int_equal(matrix_new_factor(p->ctx, X->precision, X->columns, rank, &basis), ORTHANT_OK);
    assert_int_equal(matrix_new_factor(p->ctx, X->precision, X->rows, rank, &encoding), ORTHANT_OK);
    sweep s = {.ctx = p->ctx,
               .k = kernel_table(X->precision),
               .samples = X,
               .n = X->rows,
               .m = X->columns,
               .terms = &graph,
               .term_count = 1,
               .W = matrix_array(basis),
               .S = matrix_array(encoding)};
    assert_int_equal(sweep_setup(&s), ORTHANT_OK);
    const bool halves = s.half.data != NULL;
    assert_true(halves == (s.last.data == s.S.data));
    sweep_release(&s);
    orthant_matrix_free(basis);
    orthant_matrix_free(encoding);
    return halves;
}

static void check(orthant_precision precision, int64_t rank, const setting *settings, size_t count)
{
    problem p;
    orthant_matrix *wide = NULL;
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, precision, true, 3, 0.3});
    assert_int_equal(matrix_copy(p.ctx, p.X, precision, &wide), ORTHANT_OK);
    wide->columns += UNUSED;
    assert_true(takes_halves(&p, p.X, rank) && !takes_halves(&p, wide, rank));
    for (size_t i = 0; i < count; i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            orthant_context_set_threads(p.ctx, threads);
            orthant_result *halves = fit_from_start(&p, p.X, rank, settings[i]),
                           *whole = fit_from_start(&p, wide, rank, settings[i]);
            expect_same(halves, whole, rank, settings[i]);
            orthant_result_free(halves);
            orthant_result_free(whole);
        }
    orthant_matrix_free(wide);
    problem_free(&p);
}

/* Rows of one half vector, of padded ones, of several; every solver, loss and kind of weights. */
static void test_same_bits(void **state)
{
    static const setting settings[] = {
        {"gnmf", "solver", "mu"},    {"gnmf", "solver", "hals"},  {"gnmf", "solver", "emu"},
        {"gnmf", "weights", "heat"}, {"nlcf-g", "solver", "mu"},  {"nlcf-g", "solver", "hals"},
        {"sgnmf", "solver", "mu"},   {"sgnmf", "solver", "hals"}, {"gnmf", "loss", "kl"}};
    (void)state;
    check(ORTHANT_SINGLE, 5, settings, sizeof settings / sizeof *settings);
    check(ORTHANT_SINGLE, 33, settings, sizeof settings / sizeof *settings);
    check(ORTHANT_DOUBLE, 10, settings, sizeof settings / sizeof *settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
