/* snmf, wnmf, rmnd, spectral and nsdr on many small problems; what they promise, what they refuse,
 * and how often they read the similarity. */
#include "expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "method/fit.h"
#include "orthant/orthant.h"
#include "problem.h"

enum { PROBLEMS = 200, LARGEST = 40 };

static double draw(uint64_t number, uint64_t *at)
{
    return random_uniform(number, RANDOM_TEST, (*at)++, 7);
}

static orthant_context *new_context(bool single)
{
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, single ? ORTHANT_SINGLE : ORTHANT_DOUBLE);
    return ctx;
}

/* A symmetric matrix with exact zeros, rows of zeros and repeated rows; every third one sparse. */
static orthant_matrix *random_similarity(orthant_context *ctx, uint64_t number, int64_t n)
{
    uint64_t at = 0;
    const double density = 0.1 + 0.9 * draw(number, &at), size = pow(10, 6 * draw(number, &at) - 3);
    double values[LARGEST * LARGEST] = {0}, stored[LARGEST * LARGEST];
    int64_t start[LARGEST + 1] = {0}, column[LARGEST * LARGEST], count = 0;
    orthant_matrix *K = NULL;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            if (draw(number, &at) < density && i != n / 2 && j != n / 2)
                values[i * n + j] = values[j * n + i] = size * draw(number, &at);
    values[0] = size;
    for (int64_t j = 1; n > 3 && j < n; j++) /* the last repeats the first */
        values[(n - 1) * n + j] = values[j * n + n - 1] = j == n - 1 ? size : values[j];
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            if (values[i * n + j] != 0) {
                column[count] = j;
                stored[count++] = values[i * n + j];
            }
        start[i + 1] = count;
    }
    expect_ok(ctx, number % 3 ? orthant_matrix_create(ctx, n, n, values, &K)
                              : orthant_matrix_create_csr(ctx, n, n, start, column, stored, &K));
    return K;
}

static orthant_result *fit_similarity_of(orthant_context *ctx, const char *method, int64_t rank,
                                         const orthant_matrix *K, const char *iterations)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    expect_ok(ctx, orthant_model_create(ctx, method, rank, &model));
    expect_ok(ctx, orthant_model_set(model, "iterations", iterations));
    expect_ok(ctx, orthant_model_set(model, "tolerance", "0"));
    expect_ok(ctx, orthant_model_set_similarity(model, K));
    expect_ok(ctx, orthant_fit(model, K, &result));
    orthant_model_free(model);
    return result;
}

static void entries_are_finite(const orthant_result *result, bool nonnegative)
{
    for (int f = 0; f < orthant_result_factor_count(result); f++) {
        const orthant_matrix *factor =
            orthant_result_factor(result, orthant_result_factor_name(result, f));
        for (int64_t i = 0; i < orthant_matrix_rows(factor); i++)
            for (int64_t j = 0; j < orthant_matrix_columns(factor); j++) {
                const double value = orthant_matrix_get(factor, i, j);
                assert_true(isfinite(value) && (!nonnegative || value >= 0));
            }
    }
}

/* No rise beyond the rounding of sums of the size of |K|^2, nothing that is not finite. */
static void check_problems(const char *method, bool nonnegative)
{
    for (uint64_t number = 0; number < PROBLEMS; number++) {
        const bool single = number % 4 == 3;
        const int64_t n = 2 + (int64_t)random_below(number, RANDOM_TEST, 1, 1, LARGEST - 1);
        const int64_t rank =
            1 + (int64_t)random_below(number, RANDOM_TEST, 2, 1, (uint64_t)(n < 9 ? n : 9));
        orthant_context *ctx = new_context(single);
        orthant_matrix *K = random_similarity(ctx, number, n);
        orthant_result *result = fit_similarity_of(ctx, method, rank, K, "40");
        double squares = 0;
        for (int64_t e = 0; e < n * n; e++)
            squares += pow(orthant_matrix_get(K, e / n, e % n), 2);
        entries_are_finite(result, nonnegative);
        for (int64_t i = 1; i < orthant_result_history_rows(result); i++) {
            const double before = orthant_result_history(result, i - 1, 2),
                         now = orthant_result_history(result, i, 2);
            if (!(now <= before + (single ? 2e-6 : 1e-13) * squares))
                fail_msg("%s, number %d: %.17g after %.17g in iteration %d", method, (int)number,
                         now, before, (int)i);
        }
        orthant_result_free(result);
        orthant_matrix_free(K);
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
    }
}

static void test_snmf(void **state)
{
    (void)state;
    check_problems("snmf", true);
}

/* Not proven, but seen from the start that the method itself makes. */
static void test_wnmf(void **state)
{
    (void)state;
    check_problems("wnmf", true);
}

static void test_rmnd(void **state)
{
    (void)state;
    check_problems("rmnd", true);
    check_problems("rmnd+", true);
}

/* On the same similarity, from the same start, it ends below RMND and has columns of unit length
 * and columns that sum to 1. */
static void test_rmnd_plus_ends_lower(void **state)
{
    (void)state;
    orthant_context *ctx = new_context(false);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        orthant_matrix *K = random_similarity(ctx, seed, 40);
        orthant_result *paper = fit_similarity_of(ctx, "rmnd", 5, K, "200"),
                       *plus = fit_similarity_of(ctx, "rmnd+", 5, K, "200");
        const orthant_matrix *A = orthant_result_factor(plus, "relation"),
                             *M = orthant_result_factor(plus, "distribution");
        assert_true(orthant_result_objective(plus) < orthant_result_objective(paper));
        for (int64_t j = 0; j < 5; j++) {
            double squares = 0, sum = 0;
            for (int64_t i = 0; i < 40; i++) {
                squares += pow(orthant_matrix_get(A, i, j), 2);
                sum += orthant_matrix_get(M, i, j);
            }
            assert_true(fabs(squares - 1) < 1e-9 && fabs(sum - 1) < 1e-9);
        }
        orthant_result_free(plus);
        orthant_result_free(paper);
        orthant_matrix_free(K);
    }
    orthant_context_free(ctx);
}

static void test_spectral(void **state)
{
    (void)state;
    check_problems("spectral", false);
}

/* From samples: zero ones, repeated ones, mixed signs. */
static void test_nsdr(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < PROBLEMS; number++) {
        uint64_t at = 0;
        const bool single = number % 4 == 3;
        const int64_t n = 7 + (int64_t)random_below(number, RANDOM_TEST, 1, 1, 30),
                      m = 1 + (int64_t)random_below(number, RANDOM_TEST, 2, 1, 12),
                      rank = 1 + (int64_t)random_below(number, RANDOM_TEST, 3, 1, 6);
        orthant_context *ctx = new_context(single);
        orthant_matrix *X = NULL;
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        double values[37 * 12];
        for (int64_t e = 0; e < n * m; e++) {
            const double u = draw(number, &at);
            values[e] = e / m == 3 || u < 0.3 ? 0 : u - (number % 2 ? 0.6 : 0);
        }
        memcpy(values, values + m, (size_t)m * sizeof *values); /* the first two are the same */
        expect_ok(ctx, orthant_matrix_create(ctx, n, m, values, &X));
        expect_ok(ctx, orthant_model_create(ctx, "nsdr", rank, &model));
        expect_ok(ctx, orthant_model_set(model, "iterations", "40"));
        expect_ok(ctx, orthant_model_set(model, "tolerance", "0"));
        expect_ok(ctx, orthant_model_set(model, "start", number % 5 ? "random" : "spectral"));
        expect_ok(ctx, orthant_fit(model, X, &result));
        entries_are_finite(result, true);
        const double rounding =
            (single ? 1e-5 : 1e-12) * (orthant_result_history(result, 0, 2) + 1000);
        for (int64_t i = 1; i < orthant_result_history_rows(result); i++)
            assert_true(orthant_result_history(result, i, 2) <=
                        orthant_result_history(result, i - 1, 2) + rounding);
        orthant_result_free(result);
        orthant_model_free(model);
        orthant_matrix_free(X);
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
    }
}

/* One product K times n x k per iteration, and no more than three for rmnd. */
static void test_products_with_the_similarity(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        int64_t most;
    } rows[] = {{"snmf", 1}, {"wnmf", 1}, {"rmnd", 3}, {"rmnd+", 3}};
    orthant_context *ctx = new_context(false);
    orthant_matrix *K = random_similarity(ctx, 1, 30);
    for (int i = 0; i < 4; i++) {
        orthant_result *result = fit_similarity_of(ctx, rows[i].method, 4, K, "50");
        assert_true(result->products >= 50 && result->products <= 50 * rows[i].most);
        orthant_result_free(result);
    }
    orthant_matrix_free(K);
    orthant_context_free(ctx);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const methods[] = {"snmf", "wnmf", "rmnd", "rmnd+", "spectral"};
    const double asymmetric[] = {1, 0.5, 0.25, 1}, negative[] = {1, -0.5, -0.5, 1},
                 other[] = {1, 2, 3};
    orthant_context *ctx = new_context(false);
    orthant_matrix *first = NULL, *second = NULL, *samples = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, asymmetric, &first));
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, negative, &second));
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 1, other, &samples));
    for (int i = 0; i < 5; i++) {
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        expect_ok(ctx, orthant_model_create(ctx, methods[i], 1, &model));
        expect_ok(ctx, orthant_model_set_similarity(model, first));
        expect_failure(ctx, ORTHANT_ERROR_DATA, "(2, 1) is 0.25, entry (1, 2) is 0.5",
                       orthant_fit(model, first, &result));
        expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "for 2 samples, the data have 3",
                       orthant_fit(model, samples, &result));
        expect_ok(ctx, orthant_model_set_similarity(model, second));
        expect_failure(ctx, ORTHANT_ERROR_DATA, "entry (1, 2) is -0.5",
                       orthant_fit(model, second, &result));
        assert_null(result);
        orthant_model_free(model);
    }
    orthant_model *nmf = NULL;
    expect_ok(ctx, orthant_model_create(ctx, "nmf", 1, &nmf));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "does not work on a similarity",
                   orthant_model_set_similarity(nmf, first));
    orthant_model_free(nmf);
    orthant_matrix_free(samples);
    orthant_matrix_free(second);
    orthant_matrix_free(first);
    orthant_context_free(ctx);
}

/* Three clouds of mixed signs, one sample twice. */
static orthant_matrix *clouds(orthant_context *ctx)
{
    double values[45 * 2];
    orthant_matrix *X = NULL;
    for (int i = 0; i < 45; i++) {
        values[2 * i] =
            (i % 3 == 0 ? 4 : -2) + 0.5 * random_uniform(1, RANDOM_TEST, (uint64_t)i, 0);
        values[2 * i + 1] =
            (i % 3 == 1 ? 4 : -2) + 0.5 * random_uniform(1, RANDOM_TEST, (uint64_t)i, 1);
    }
    memcpy(values, values + 6, 2 * sizeof *values);
    expect_ok(ctx, orthant_matrix_create(ctx, 45, 2, values, &X));
    return X;
}

static void clouds_are_told_apart(const orthant_labels *labels)
{
    const int64_t *found = orthant_labels_values(labels);
    for (int i = 3; i < 45; i++)
        assert_int_equal(found[i], found[i % 3]);
    assert_true(found[0] != found[1] && found[0] != found[2] && found[1] != found[2]);
}

static void test_clouds(void **state)
{
    (void)state;
    static const char *const methods[] = {"snmf", "wnmf", "rmnd", "rmnd+", "spectral"};
    orthant_context *ctx = new_context(true);
    orthant_matrix *X = clouds(ctx);
    for (int i = 0; i < 10; i++) {
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        orthant_labels *labels = NULL;
        expect_ok(ctx, orthant_model_create(ctx, methods[i % 5], 3, &model));
        expect_ok(ctx, orthant_model_set(model, "neighbours", i < 5 ? "0" : "12"));
        expect_ok(ctx, orthant_fit(model, X, &result));
        expect_ok(ctx, orthant_result_labels(result, NULL, 3, 5, 1, &labels));
        clouds_are_told_apart(labels);
        orthant_labels_free(labels);
        orthant_result_free(result);
        orthant_model_free(model);
    }
    orthant_matrix_free(X);
    orthant_context_free(ctx);
}

static orthant_matrix *many_points(orthant_context *ctx, int64_t n)
{
    orthant_matrix *X = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, n, 2, NULL, &X));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < 2; j++)
            matrix_set_value(X, i * X->stride + j,
                             random_uniform(2, RANDOM_TEST, (uint64_t)i, (uint64_t)j));
    return X;
}

/* The note of a short fit, or "". */
static orthant_result *fit_short(orthant_context *ctx, const char *method, const orthant_matrix *X,
                                 const char *name, const char *value, char *note)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    expect_ok(ctx, orthant_model_create(ctx, method, 2, &model));
    expect_ok(ctx, orthant_model_set(model, "iterations", "2"));
    if (!strcmp(method, "spectral"))
        expect_ok(ctx, orthant_model_set(model, "eigen_tolerance", "1e-3"));
    if (name)
        expect_ok(ctx, orthant_model_set(model, name, value));
    expect_ok(ctx, orthant_fit(model, X, &result));
    note[0] = 0;
    for (int i = 0; i < result->note_count; i++)
        if (strstr(result->notes[i], "nearest neighbours"))
            snprintf(note, 200, "%s", result->notes[i]);
    orthant_model_free(model);
    return result;
}

/* Above 5,000 samples neighbours alone are kept, which is said; any number of threads gives the
 * same bits. Who asks for all pairs gets them. */
static void test_by_itself(void **state)
{
    (void)state;
    static const char *const methods[] = {"snmf", "wnmf", "rmnd", "rmnd+", "spectral"};
    char note[200];
    orthant_context *ctx = new_context(true);
    orthant_matrix *X = many_points(ctx, 5001), *fewer = many_points(ctx, 300);
    for (int i = 0; i < 5; i++) {
        expect_ok(ctx, orthant_context_set_threads(ctx, 1));
        orthant_result *itself = fit_short(ctx, methods[i], X, NULL, NULL, note);
        assert_non_null(strstr(note, "5001 samples"));
        assert_non_null(strstr(note, "(knn:20)"));
        assert_non_null(strstr(note, "0.1 GB"));
        for (int threads = 2; threads <= 3; threads++) {
            expect_ok(ctx, orthant_context_set_threads(ctx, threads));
            orthant_result *asked = fit_short(ctx, methods[i], X, "similarity", "knn:20", note);
            assert_string_equal(note, "");
            assert_true(factors_identical(itself, asked));
            orthant_result_free(asked);
        }
        orthant_result_free(itself);
        orthant_result_free(fit_short(ctx, methods[i], fewer, NULL, NULL, note));
        assert_string_equal(note, "");
    }
    orthant_result *itself = fit_short(ctx, "snmf", X, NULL, NULL, note),
                   *all = fit_short(ctx, "snmf", X, "similarity", "gaussian", note);
    assert_string_equal(note, "");
    assert_false(factors_identical(itself, all));
    orthant_result_free(all);
    orthant_result_free(fit_short(ctx, "snmf", X, "neighbours", "0", note));
    assert_string_equal(note, "");
    orthant_result_free(itself);
    orthant_matrix_free(fewer);
    orthant_matrix_free(X);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}

/* knn:P is the same as neighbours=P, for what works on a similarity in place of X X' too. */
static void test_neighbours_of_a_word(void **state)
{
    (void)state;
    char note[200];
    orthant_context *ctx = new_context(false);
    orthant_matrix *X = many_points(ctx, 90), *K = NULL;
    orthant_model *model = NULL;
    orthant_result *word = fit_short(ctx, "snmf", X, "similarity", "knn:9", note),
                   *number = fit_short(ctx, "snmf", X, "neighbours", "9", note), *given = NULL;
    assert_true(factors_identical(word, number));
    orthant_result_free(number);
    orthant_result_free(word);
    word = fit_short(ctx, "cf", X, "similarity", "knn:9", note);
    expect_ok(ctx, orthant_similarity_gaussian(ctx, X, 9, 1, &K));
    expect_ok(ctx, orthant_model_create(ctx, "cf", 2, &model));
    expect_ok(ctx, orthant_model_set(model, "iterations", "2"));
    expect_ok(ctx, orthant_model_set_similarity(model, K));
    expect_ok(ctx, orthant_fit(model, X, &given));
    assert_true(factors_identical(word, given));
    orthant_model_free(model);
    orthant_result_free(given);
    orthant_result_free(word);
    expect_ok(ctx, orthant_model_create(ctx, "rmnd", 2, &model));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "expected one of auto|gaussian|knn:P",
                   orthant_model_set(model, "similarity", "knn:0"));
    expect_ok(ctx, orthant_model_set(model, "similarity", "knn:4"));
    expect_ok(ctx, orthant_model_set(model, "neighbours", "5"));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "'knn:4' and neighbours = 5: give one",
                   orthant_fit(model, X, &given));
    expect_ok(ctx, orthant_model_set(model, "neighbours", "4"));
    expect_ok(ctx, orthant_fit(model, X, &given));
    orthant_result_free(given);
    expect_ok(ctx, orthant_model_set(model, "neighbours", "90"));
    expect_ok(ctx, orthant_model_set(model, "similarity", "knn:90"));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "90 nearest neighbours of each of 90 samples: must be from 1 to 89, a sample "
                   "has no more; or 'gaussian'",
                   orthant_fit(model, X, &given));
    orthant_model_free(model);
    orthant_matrix_free(K);
    orthant_matrix_free(X);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}

/* All four ways, each by its name, and the best of them. */
static void test_read_outs(void **state)
{
    (void)state;
    static const char *const rules[] = {"kmeans:relation", "kmeans:encoding", "snmf:relation",
                                        "wnmf:relation", "best-of"};
    orthant_context *ctx = new_context(false);
    orthant_matrix *X = clouds(ctx);
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_method_info info = {.size = sizeof info};
    orthant_labels *labels = NULL;
    expect_ok(ctx, orthant_method_info_by_name(ctx, "rmnd", &info));
    for (int i = 0; i < 4; i++)
        assert_non_null(strstr(info.read_outs, rules[i]));
    expect_ok(ctx, orthant_model_create(ctx, "rmnd", 3, &model));
    expect_ok(ctx, orthant_fit(model, X, &result));
    assert_string_equal(orthant_result_labels_rule(result), "kmeans-unit:relation");
    for (int i = 0; i < 5; i++) {
        expect_ok(ctx, orthant_result_labels(result, rules[i], 3, 5, 1, &labels));
        clouds_are_told_apart(labels);
        orthant_labels_free(labels);
        double spread = -1;
        if (i < 4) {
            expect_ok(ctx, orthant_result_read_out(result, rules[i], 3, 5, 1, &labels, &spread));
            assert_true(spread >= 0 && spread < 0.1);
            orthant_labels_free(labels);
        }
    }
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no rule 'kmean'",
                   orthant_result_labels(result, "kmean", 3, 5, 1, &labels));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no factor 'basis'",
                   orthant_result_labels(result, "snmf:basis", 3, 5, 1, &labels));
    orthant_result_free(result);
    expect_ok(ctx, orthant_model_set(model, "labels", "best-of"));
    expect_ok(ctx, orthant_fit(model, X, &result));
    assert_string_equal(orthant_result_labels_rule(result), "best-of");
    orthant_result_free(result);
    orthant_model_free(model);
    expect_ok(ctx, orthant_model_create(ctx, "snmf", 3, &model));
    expect_ok(ctx, orthant_fit(model, X, &result));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "there is no best-of",
                   orthant_result_labels(result, "best-of", 3, 5, 1, &labels));
    assert_null(labels);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(X);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snmf),
        cmocka_unit_test(test_wnmf),
        cmocka_unit_test(test_rmnd),
        cmocka_unit_test(test_rmnd_plus_ends_lower),
        cmocka_unit_test(test_spectral),
        cmocka_unit_test(test_nsdr),
        cmocka_unit_test(test_products_with_the_similarity),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_clouds),
        cmocka_unit_test(test_read_outs),
        cmocka_unit_test(test_by_itself),
        cmocka_unit_test(test_neighbours_of_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
