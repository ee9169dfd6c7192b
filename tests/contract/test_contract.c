/* What every row of methods.def must keep. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problem.h"

static const char *method_name(void **state)
{
    return ((const orthant_method_info *)*state)->name;
}

static bool promises(void **state, const char *what)
{
    return strstr(((const orthant_method_info *)*state)->promises, what) != NULL;
}

static void each_entry_is_fine(const orthant_result *result, bool nonnegative)
{
    for (int f = 0; f < orthant_result_factor_count(result); f++) {
        const orthant_matrix *factor =
            orthant_result_factor(result, orthant_result_factor_name(result, f));
        for (int64_t i = 0; i < orthant_matrix_rows(factor); i++)
            for (int64_t j = 0; j < orthant_matrix_columns(factor); j++) {
                const double value = orthant_matrix_get(factor, i, j);
                assert_true(isfinite(value));
                assert_true(!nonnegative || value >= 0);
            }
    }
}

/* Shapes with remainders, wide and tall data, hardly any data, rank 1 and a rank above the number
 * of features. */
static const struct {
    int64_t samples, features, rank;
    double density;
} shapes[] = {{57, 33, 4, 0.6},  {23, 71, 5, 0.9}, {130, 5, 7, 0.5},
              {31, 64, 4, 0.05}, {40, 9, 4, 1},    {17, 130, 4, 0.3}};
#define SHAPES (sizeof shapes / sizeof *shapes)

static void test_finite_nonnegative_monotone(void **state)
{
    for (size_t s = 0; s < SHAPES; s++)
        for (int variant = 0; variant < 4; variant++) {
            test_problem p;
            problem_make(&p, (problem_shape){shapes[s].samples, shapes[s].features,
                                             variant & 1 ? ORTHANT_DOUBLE : ORTHANT_SINGLE,
                                             variant & 2, 11 + s, shapes[s].density});
            orthant_model *model = problem_model(&p, method_name(state), shapes[s].rank, "60");
            orthant_result *result = problem_fit(&p, model);
            each_entry_is_fine(result, promises(state, "nonnegative"));
            double scale = 0;
            for (int64_t i = 0; i < shapes[s].samples; i++)
                for (int64_t j = 0; j < shapes[s].features; j++)
                    scale += pow(orthant_matrix_get(p.X, i, j), 2);
            const double rounding = (variant & 1 ? 1e-12 : 1e-5) * scale;
            for (int64_t i = 1;
                 promises(state, "monotone") && i < orthant_result_history_rows(result); i++) {
                const double before = orthant_result_history(result, i - 1, 2),
                             now = orthant_result_history(result, i, 2);
                if (!(now <= before + rounding))
                    fail_msg("%s rose from %.17g to %.17g in iteration %" PRId64,
                             method_name(state), before, now, i);
            }
            orthant_result_free(result);
            orthant_model_free(model);
            problem_free(&p);
        }
}

/* The parts of the objective add up to it. */
static void test_objective_is_the_sum_of_its_parts(void **state)
{
    test_problem p;
    problem_make(&p, (problem_shape){57, 33, ORTHANT_DOUBLE, false, 5, 0});
    orthant_model *model = problem_model(&p, method_name(state), 4, "20");
    orthant_result *result = problem_fit(&p, model);
    for (int64_t i = 0; i < orthant_result_history_rows(result); i++) {
        double total = 0;
        for (int c = 3; c < orthant_result_history_columns(result); c++)
            if (strcmp(orthant_result_history_column(result, c),
                       "step")) /* not a part: an exponent */
                total += orthant_result_history(result, i, c);
        assert_true(fabs(total - orthant_result_history(result, i, 2)) <= 1e-12 * fabs(total));
        assert_true(orthant_result_history(result, i, 0) == (double)i);
    }
    assert_string_equal(orthant_result_history_column(result, 2), "objective");
    assert_string_equal(orthant_result_history_column(result, 3), "loss");
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

/* A start that is a clustering of eigenvectors jumps where a rounding moves a sample to another
 * cluster: forms are compared from the random start, which is the same for all. Stages before a fit
 * are as short as the fit. */
static void start_alike(orthant_model *model)
{
    char value[64];
    if (!orthant_model_get(model, "stage_iterations", value, sizeof value))
        assert_int_equal(orthant_model_set(model, "stage_iterations", "10"), ORTHANT_OK);
    if (!orthant_model_get(model, "start", value, sizeof value) && !strcmp(value, "spectral"))
        assert_int_equal(orthant_model_set(model, "start", "random"), ORTHANT_OK);
}

/* Entry (i, j) of A A'M H, of RMND's factors. */
static double related(const orthant_result *result, int64_t i, int64_t j)
{
    const orthant_matrix *A = orthant_result_factor(result, "relation"),
                         *M = orthant_result_factor(result, "distribution"),
                         *E = orthant_result_factor(result, "encoding");
    double total = 0;
    for (int64_t a = 0; a < orthant_matrix_columns(A); a++)
        for (int64_t b = 0; b < orthant_matrix_columns(M); b++) {
            double core = 0;
            for (int64_t r = 0; r < orthant_matrix_rows(A); r++)
                core += orthant_matrix_get(A, r, a) * orthant_matrix_get(M, r, b);
            total += orthant_matrix_get(A, i, a) * core * orthant_matrix_get(E, j, b);
        }
    return total;
}

/* Columns of A A'M that nearly depend on each other make least squares that are solved to their
 * minimum as unsure as these are: of such an encoding what it makes of the columns is compared. */
static double model_difference(const orthant_result *x, const orthant_result *y)
{
    double most = 0, largest = 0;
    for (int64_t i = 0; i < 90; i += 7)
        for (int64_t j = 0; j < 90; j += 5) {
            const double one = related(x, i, j);
            most = fmax(most, fabs(one - related(y, i, j)));
            largest = fmax(largest, fabs(one));
        }
    return most / largest;
}

/* Fits the same problem in two forms and compares the factors. */
static void compare_forms(void **state, problem_shape a, problem_shape b, double tolerance)
{
    test_problem p, q;
    problem_make(&p, a);
    problem_make(&q, b);
    orthant_model *first = problem_model(&p, method_name(state), 4, "10");
    orthant_model *second = problem_model(&q, method_name(state), 4, "10");
    start_alike(first);
    start_alike(second);
    orthant_result *x = problem_fit(&p, first), *y = problem_fit(&q, second);
    for (int f = 0; f < orthant_result_factor_count(x); f++) {
        const char *name = orthant_result_factor_name(x, f);
        const bool solved = !strcmp(method_name(state), "rmnd+") && !strcmp(name, "encoding");
        const double difference = solved ? model_difference(x, y)
                                         : factor_difference(orthant_result_factor(x, name),
                                                             orthant_result_factor(y, name));
        if (!(difference <= tolerance))
            fail_msg("%s: %s differs by %g, allowed %g", method_name(state), name, difference,
                     tolerance);
    }
    orthant_result_free(x);
    orthant_result_free(y);
    orthant_model_free(first);
    orthant_model_free(second);
    problem_free(&p);
    problem_free(&q);
}

static void test_single_is_close_to_double(void **state)
{
    compare_forms(state, (problem_shape){90, 40, ORTHANT_SINGLE, false, 4, 0},
                  (problem_shape){90, 40, ORTHANT_DOUBLE, false, 4, 0}, 1e-4);
}

static void test_sparse_equals_dense(void **state)
{
    compare_forms(state, (problem_shape){90, 40, ORTHANT_DOUBLE, true, 4, 0.2},
                  (problem_shape){90, 40, ORTHANT_DOUBLE, false, 4, 0.2}, 1e-11);
}

static void test_missing_needs_are_refused_by_name(void **state)
{
    const orthant_method_info *info = *state;
    test_problem p;
    orthant_result *result = NULL;
    problem_make(&p, (problem_shape){57, 33, ORTHANT_SINGLE, false, 5, 0});
    orthant_model *model = problem_model(&p, info->name, 4, "2");
    assert_int_equal(orthant_model_set_labels(model, NULL), ORTHANT_OK);
    const orthant_status status = orthant_fit(model, p.X, &result);
    if (strstr(info->needs, "labels")) {
        assert_int_equal(status, ORTHANT_ERROR_ARGUMENT);
        assert_non_null(strstr(orthant_message(p.ctx), info->name));
        assert_non_null(strstr(orthant_message(p.ctx), "labels"));
        assert_null(result);
    } else {
        assert_int_equal(status, ORTHANT_OK);
    }
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_bad_data_are_refused_with_their_place(void **state)
{
    const orthant_method_info *info = *state;
    const double bad[] = {-0.25, NAN, INFINITY};
    for (int b = 0; b < 3; b++) {
        orthant_context *ctx = NULL;
        orthant_matrix *X = NULL;
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        double values[60];
        int64_t known[10];
        orthant_labels *labels = NULL;
        for (int i = 0; i < 60; i++)
            values[i] = 1 + i % 7;
        for (int i = 0; i < 10; i++)
            known[i] = i % 2;
        values[4 * 6 + 2] = bad[b];
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        assert_int_equal(orthant_matrix_create(ctx, 10, 6, values, &X), ORTHANT_OK);
        assert_int_equal(orthant_labels_create(ctx, 10, known, &labels), ORTHANT_OK);
        assert_int_equal(orthant_model_create(ctx, info->name, 3, &model), ORTHANT_OK);
        assert_int_equal(orthant_model_set_labels(model, labels), ORTHANT_OK);
        const orthant_status status = orthant_fit(model, X, &result);
        if (b == 0 && info->mixed_signs) {
            assert_int_equal(status, ORTHANT_OK);
        } else {
            assert_int_equal(status, ORTHANT_ERROR_DATA);
            assert_non_null(strstr(orthant_message(ctx), "(5, 3)"));
            assert_null(result);
        }
        orthant_result_free(result);
        orthant_model_free(model);
        orthant_labels_free(labels);
        orthant_matrix_free(X);
        orthant_context_free(ctx);
    }
}

static void test_rank_and_parameters_are_checked(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    orthant_model *model = NULL;
    problem_make(&p, (problem_shape){12, 33, ORTHANT_SINGLE, false, 5, 0});
    assert_int_equal(orthant_model_create(p.ctx, method_name(state), 0, &model),
                     ORTHANT_ERROR_ARGUMENT);
    assert_null(model);
    model = problem_model(&p, method_name(state), 13, "2");
    assert_int_equal(orthant_fit(model, p.X, &result), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(orthant_message(p.ctx), "13"));
    assert_non_null(strstr(orthant_message(p.ctx), "12"));
    assert_int_equal(orthant_model_set(model, "itertions", "3"), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(orthant_message(p.ctx), "'iterations'"));
    assert_int_equal(orthant_model_set(model, "iterations", "-1"), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_model_set(model, "iterations", "2.5"), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_model_set(model, "tolerance", "1e400"), ORTHANT_ERROR_ARGUMENT);
    orthant_model_free(model);
    problem_free(&p);
}

/* Every parameter that the table lists is there, at the default that it tells. */
static void test_parameters_follow_the_table(void **state)
{
    const orthant_method_info *info = *state;
    test_problem p;
    problem_make(&p, (problem_shape){12, 33, ORTHANT_SINGLE, false, 5, 0});
    orthant_model *model = NULL;
    assert_int_equal(orthant_model_create(p.ctx, info->name, 3, &model), ORTHANT_OK);
    for (int i = 0; i < info->parameters + orthant_common_parameter_count(); i++) {
        orthant_parameter_info parameter = {.size = sizeof parameter};
        char value[64];
        assert_int_equal(orthant_method_parameter(info->name, i, &parameter), ORTHANT_OK);
        assert_int_equal(orthant_model_get(model, parameter.name, value, sizeof value), ORTHANT_OK);
        assert_string_equal(value, parameter.default_text);
        assert_true(strlen(parameter.help) > 10);
    }
    orthant_parameter_info none = {.size = sizeof none};
    assert_int_equal(orthant_method_parameter(
                         info->name, info->parameters + orthant_common_parameter_count(), &none),
                     ORTHANT_ERROR_ARGUMENT);
    assert_true(strlen(info->description) > 100 && strlen(info->reference) > 10);
    orthant_model_free(model);
    problem_free(&p);
}

/* ------------------------------------------------------------------ memory */

typedef struct counting {
    int64_t count, fail_at; /* the fail_at-th allocation fails; 0: none */
    int notes;              /* of the result; each is an allocation after the last iteration */
} counting;

static void *count_allocate(void *user, size_t size, size_t alignment)
{
    counting *c = user;
    return ++c->count == c->fail_at ? NULL : aligned_alloc(alignment, size);
}

static void count_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* Reads nothing, makes everything, fits and labels: all that a user's program does. */
static orthant_status whole_fit(const char *method, const char *iterations, counting *c)
{
    orthant_context *ctx = NULL;
    orthant_matrix *X = NULL;
    orthant_labels *given = NULL, *found = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    double values[40 * 12];
    int64_t known[40];
    for (int i = 0; i < 40 * 12; i++)
        values[i] = (i * 7919 % 101) / 100.0;
    for (int i = 0; i < 40; i++)
        known[i] = i % 5 - 1;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_threads(ctx, 2);
    assert_int_equal(orthant_context_set_allocator(ctx, count_allocate, count_release, c),
                     ORTHANT_OK);
    orthant_status status = orthant_matrix_create(ctx, 40, 12, values, &X);
    if (!status)
        status = orthant_labels_create(ctx, 40, known, &given);
    if (!status)
        status = orthant_model_create(ctx, method, 4, &model);
    if (!status)
        status = orthant_model_set(model, "iterations", iterations);
    if (!status)
        status = orthant_model_set(model, "tolerance", "0");
    if (!status)
        status = orthant_model_set_labels(model, given);
    if (!status)
        status = orthant_fit(model, X, &result);
    if (!status)
        status = orthant_result_labels(result, NULL, 4, 2, 1, &found);
    if (status)
        assert_true(orthant_message(ctx)[0] && !found);
    else
        c->notes = orthant_result_note_count(result);
    orthant_labels_free(found);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_labels_free(given);
    orthant_matrix_free(X);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    counting all = {0};
    assert_int_equal(whole_fit(method_name(state), "3", &all), ORTHANT_OK);
    assert_true(all.count > 10);
    int without_threads = 0; /* the one allocation that a fit can do without */
    for (int64_t i = 1; i <= all.count; i++) {
        counting c = {.fail_at = i};
        const orthant_status status = whole_fit(method_name(state), "3", &c);
        without_threads += status == ORTHANT_OK;
        assert_true(status == ORTHANT_ERROR_MEMORY || without_threads == 1);
    }
}

static void test_no_allocation_inside_an_iteration(void **state)
{
    const orthant_method_info *info = *state;
    counting few = {0}, many = {0};
    if (!strcmp(info->family, "reference"))
        skip(); /* how often these iterate is not the caller's to say */
    assert_int_equal(whole_fit(info->name, "150", &few), ORTHANT_OK);
    assert_int_equal(whole_fit(info->name, "250", &many), ORTHANT_OK);
    assert_int_equal(few.count - few.notes, many.count - many.notes);
}

static const struct {
    const char *name;
    CMUnitTestFunction function;
} functions[] = {
    {"finite, nonnegative, monotone", test_finite_nonnegative_monotone},
    {"objective is the sum of its parts", test_objective_is_the_sum_of_its_parts},
    {"single is close to double", test_single_is_close_to_double},
    {"sparse equals dense", test_sparse_equals_dense},
    {"missing needs", test_missing_needs_are_refused_by_name},
    {"bad data", test_bad_data_are_refused_with_their_place},
    {"rank and parameters", test_rank_and_parameters_are_checked},
    {"parameters follow the table", test_parameters_follow_the_table},
    {"every allocation may fail", test_every_allocation_may_fail},
    {"no allocation inside an iteration", test_no_allocation_inside_an_iteration},
};

int main(void)
{
    enum { FUNCTIONS = sizeof functions / sizeof *functions, MOST = 64 };
    static orthant_method_info infos[MOST];
    static struct CMUnitTest tests[MOST * FUNCTIONS];
    static char names[MOST * FUNCTIONS][96];
    int made = 0;
    for (int m = 0; m < orthant_method_count() && m < MOST; m++) {
        infos[m].size = sizeof infos[m];
        orthant_method_info_at(m, &infos[m]);
        for (int f = 0; f < FUNCTIONS; f++, made++) {
            snprintf(names[made], sizeof names[made], "%s: %s", infos[m].name, functions[f].name);
            tests[made] =
                (struct CMUnitTest){names[made], functions[f].function, NULL, NULL, &infos[m]};
        }
    }
    return _cmocka_run_group_tests("contract", tests, (size_t)made, NULL, NULL);
}
