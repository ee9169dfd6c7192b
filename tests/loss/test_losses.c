/* Fits of the plain model under every entrywise loss: the objective is that of plain loops, it
 * never rises on many random problems, dense and CSR data give one result, and what a loss does not
 * take is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#include "core/random.h"
#include "objective.h"
#include "problem.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static const char *const names[] = {
    "is",        "beta:-1",  "beta:-0.5", "beta:0", "beta:0.3",  "beta:0.5",
    "beta:1",    "beta:1.5", "beta:1.7",  "beta:2", "beta:2.5",  "beta:3",
    "huber:0.1", "huber:2",  "l1",        "kl",     "frobenius", "euclidean-entrywise"};

static bool takes_no_zeros(const char *name)
{
    return !strcmp(name, "is") || !strncmp(name, "beta:-", 6) || !strcmp(name, "beta:0");
}

static orthant_result *fit(const test_problem *p, const char *loss, int64_t rank,
                           const char *iterations, const orthant_matrix *mask,
                           orthant_model **model)
{
    *model = problem_model(p, "nmf", rank, iterations);
    if (mask)
        expect_ok(p->ctx, orthant_model_set_mask(*model, mask));
    expect_ok(p->ctx, orthant_model_set(*model, "loss", loss));
    expect_ok(p->ctx, orthant_model_set(*model, "solver", "mu"));
    return problem_fit(p, *model);
}

static void make(test_problem *p, problem_shape shape, const char *loss)
{
    problem_make(p, shape);
    if (takes_no_zeros(loss))
        problem_fill(p);
}

/* ------------------------------------------------------------------ descent */

static int64_t random_size(uint64_t seed, uint64_t which, int64_t least, int64_t most)
{
    return least + (int64_t)((double)(most - least) * random_uniform(seed, RANDOM_TEST, 77, which));
}

/* A tenth of the entries is not known, and the others have weights. */
static orthant_matrix *random_mask(const test_problem *p, uint64_t seed)
{
    const int64_t n = orthant_matrix_rows(p->X), m = orthant_matrix_columns(p->X);
    double *weight = calloc((size_t)(n * m), sizeof *weight);
    orthant_matrix *mask = NULL;
    assert_non_null(weight);
    for (int64_t e = 0; e < n * m; e++) {
        const double drawn = random_uniform(seed, RANDOM_TEST, 78, (uint64_t)e);
        weight[e] = drawn < 0.1 ? 0 : seed % 2 ? 1 : drawn;
    }
    expect_ok(p->ctx, orthant_matrix_create(p->ctx, n, m, weight, &mask));
    free(weight);
    return mask;
}

static void descends(const char *loss, uint64_t seed, orthant_precision precision, bool masked)
{
    const int64_t n = random_size(seed, 0, 2, 40), m = random_size(seed, 1, 2, 80),
                  k = random_size(seed, 2, 1, n < 9 ? n : 9);
    const double noise = precision == ORTHANT_DOUBLE ? 1e-12 : 1e-6;
    test_problem p;
    orthant_model *model = NULL;
    make(&p, (problem_shape){n, m, precision, false, seed, 0}, loss);
    orthant_matrix *mask = masked ? random_mask(&p, seed) : NULL;
    orthant_result *result = fit(&p, loss, k, "12", mask, &model);
    for (int64_t i = 1; i < orthant_result_history_rows(result); i++) {
        const double before = orthant_result_history(result, i - 1, 2),
                     now = orthant_result_history(result, i, 2);
        if (!(now <= before + noise * orthant_result_history(result, 0, 2)))
            fail_msg("%s%s, problem %d: iteration %d rose from %.17g to %.17g", loss,
                     masked ? ", masked" : "", (int)seed, (int)i, before, now);
    }
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(mask);
    problem_free(&p);
}

static void test_never_rises(void **state)
{
    (void)state;
    for (int l = 0; l < COUNT(names); l++)
        for (uint64_t seed = 1; seed <= 200; seed++)
            descends(names[l], seed, ORTHANT_DOUBLE, false);
}

static void test_masked_never_rises(void **state)
{
    (void)state;
    for (int l = 0; l < COUNT(names); l++)
        for (uint64_t seed = 1; seed <= 200; seed++)
            descends(names[l], seed, ORTHANT_DOUBLE, true);
}

static void test_single_precision(void **state)
{
    (void)state;
    for (int l = 0; l < COUNT(names); l++)
        for (uint64_t seed = 1; seed <= 10; seed++)
            descends(names[l], seed, ORTHANT_SINGLE, seed % 2);
}

/* ------------------------------------------------------------------ the objective */

static void test_objective(void **state)
{
    (void)state;
    for (int l = 0; l < COUNT(names); l++)
        for (int single = 0; single < 2; single++) {
            test_problem p;
            orthant_model *model = NULL;
            make(&p, (problem_shape){60, 75, single ? ORTHANT_SINGLE : ORTHANT_DOUBLE, false, 5, 0},
                 names[l]);
            orthant_result *result = fit(&p, names[l], 4, "7", NULL, &model);
            const double expected = plain_objective(model, p.X, p.labels, result),
                         found = orthant_result_objective(result),
                         bound = !strcmp(names[l], "l1") ? 1e-5
                                 : single                ? 1e-4
                                                         : 1e-11;
            if (!(fabs(found - expected) <= bound * fabs(expected)))
                fail_msg("%s: objective %.15g, by plain loops %.15g", names[l], found, expected);
            orthant_result_free(result);
            orthant_model_free(model);
            problem_free(&p);
        }
}

/* One loss by two names or two ways. */
static void same_iterates(const char *first, const char *second, bool sparse, double scale)
{
    test_problem p;
    orthant_model *models[2];
    make(&p, (problem_shape){50, 70, ORTHANT_DOUBLE, sparse, 5, 0}, first);
    orthant_result *a = fit(&p, first, 5, "20", NULL, &models[0]),
                   *b = fit(&p, second, 5, "20", NULL, &models[1]);
    assert_true(factor_difference(orthant_result_factor(a, "basis"),
                                  orthant_result_factor(b, "basis")) < 1e-10);
    const double found = orthant_result_objective(a), other = orthant_result_objective(b);
    assert_true(fabs(found - scale * other) <= 1e-10 * found);
    for (int i = 0; i < 2; i++)
        orthant_model_free(models[i]);
    orthant_result_free(a);
    orthant_result_free(b);
    problem_free(&p);
}

/* Where the fit of an entry is zero the loss is what the entry alone makes of it, in single
 * precision too. */
static void test_entries_without_a_fit(void **state)
{
    const double x[] = {16, 3, 200, 2500}, zeros[4] = {0}, ones[] = {1, 1, 1, 1};
    static const struct {
        const char *loss;
        double beta;
    } cases[] = {{"beta:1.5", 1.5}, {"beta:2.5", 2.5}, {"beta:2.8", 2.8}, {"beta:3", 3}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int precision = 0; precision < 2; precision++) {
            orthant_context *ctx = NULL;
            orthant_matrix *X = NULL, *basis = NULL, *encoding = NULL;
            orthant_model *model = NULL;
            orthant_result *result = NULL;
            const double b = cases[c].beta;
            double expected = 0;
            expect_ok(NULL, orthant_context_create(&ctx));
            orthant_context_set_precision(ctx, precision ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
            expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, x, &X));
            expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, ones, &basis));
            expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, zeros, &encoding));
            expect_ok(ctx, orthant_model_create(ctx, "nmf", 2, &model));
            expect_ok(ctx, orthant_model_set(model, "loss", cases[c].loss));
            expect_ok(ctx, orthant_model_set(model, "iterations", "0"));
            expect_ok(ctx, orthant_model_set_start(model, "basis", basis));
            expect_ok(ctx, orthant_model_set_start(model, "encoding", encoding));
            expect_ok(ctx, orthant_fit(model, X, &result));
            for (int e = 0; e < 4; e++)
                expected += pow(x[e], b) / (b * (b - 1));
            if (!(fabs(orthant_result_objective(result) - expected) <= 1e-5 * expected))
                fail_msg("%s: objective %.15g, expected %.15g", cases[c].loss,
                         orthant_result_objective(result), expected);
            orthant_result_free(result);
            orthant_model_free(model);
            orthant_matrix_free(encoding);
            orthant_matrix_free(basis);
            orthant_matrix_free(X);
            orthant_context_free(ctx);
        }
}

static void test_names(void **state)
{
    (void)state;
    same_iterates("is", "beta:0", false, 1);
    for (int sparse = 0; sparse < 2; sparse++) {
        same_iterates("kl", "beta:1", sparse, 1);
        same_iterates("frobenius", "euclidean-entrywise", sparse, 1);
        same_iterates("frobenius", "beta:2", sparse, 2);
        same_iterates("beta:2", "huber:1e6", sparse, 1);
    }
}

static void test_csr(void **state)
{
    (void)state;
    for (int l = 0; l < COUNT(names); l++) {
        test_problem dense, sparse;
        orthant_model *models[2];
        if (takes_no_zeros(names[l]))
            continue;
        problem_make(&dense, (problem_shape){50, 140, ORTHANT_DOUBLE, false, 5, 0.2});
        problem_make(&sparse, (problem_shape){50, 140, ORTHANT_DOUBLE, true, 5, 0.2});
        orthant_result *a = fit(&dense, names[l], 5, "10", NULL, &models[0]),
                       *b = fit(&sparse, names[l], 5, "10", NULL, &models[1]);
        const double difference = factor_difference(orthant_result_factor(a, "encoding"),
                                                    orthant_result_factor(b, "encoding"));
        if (!(difference < 1e-9))
            fail_msg("%s: CSR data end %g apart", names[l], difference);
        for (int i = 0; i < 2; i++)
            orthant_model_free(models[i]);
        orthant_result_free(a);
        orthant_result_free(b);
        problem_free(&dense);
        problem_free(&sparse);
    }
}

/* ------------------------------------------------------------------ refusals */

static void refused(bool sparse, const char *loss, const char *solver, const char *words)
{
    test_problem p;
    orthant_result *result = NULL;
    problem_make(&p, (problem_shape){20, 10, ORTHANT_DOUBLE, sparse, 5, 0});
    orthant_model *model = problem_model(&p, "nmf", 2, "2");
    orthant_status status = orthant_model_set(model, "loss", loss);
    expect_ok(p.ctx, orthant_model_set(model, "solver", solver));
    if (!status)
        status = orthant_fit(model, p.X, &result);
    assert_int_not_equal(status, ORTHANT_OK);
    if (!strstr(orthant_message(p.ctx), words))
        fail_msg("'%s' does not say '%s'", orthant_message(p.ctx), words);
    assert_null(result);
    orthant_model_free(model);
    problem_free(&p);
}

static void test_refusals(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        refused(sparse, "is", "mu", "the loss 'is' is infinite where the data are zero");
        refused(sparse, "beta:-0.5", "mu", "the loss 'beta:-0.5' is infinite where");
    }
    refused(false, "beta:3.5", "mu", "expected 'beta:' and a number between -1 and 3");
    refused(false, "beta:nan", "mu", "expected");
    refused(false, "huber:0", "mu", "expected 'huber:' and a number between 1e-12 and 1e+12");
    refused(false, "beta", "mu", "expected one of frobenius|kl|is|beta:B|huber:D|l1");
    refused(false, "beta:", "mu", "expected one of");
    refused(false, "l1:2", "mu", "expected one of");
    refused(false, "huber:1", "hals",
            "solver 'hals' is for the loss frobenius; take solver mu or emu");
    refused(false, "beta:1.5", "newton",
            "solver 'newton' is for the loss kl; take solver mu or emu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_rises),
        cmocka_unit_test(test_masked_never_rises),
        cmocka_unit_test(test_single_precision),
        cmocka_unit_test(test_objective),
        cmocka_unit_test(test_entries_without_a_fit),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_csr),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
