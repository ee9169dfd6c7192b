/* With which encodings fits with labels end: cnmf, cnmf-kl, ssnmf. Samples without a label have the
 * bits of new ones; a class's row is the code of the mean of its samples; that of a sample of ssnmf
 * with a label knows the label. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "problem.h"

enum { SAMPLES = 90, FEATURES = 21, RANK = 5, CLASSES = 4 };

typedef struct final_case {
    const char *method;
    const char *weight; /* of labels, or NULL */
    orthant_precision precision;
    bool sparse;
} final_case;

static const struct {
    const char *method, *weight;
} asked[] = {
    {"cnmf", NULL}, {"cnmf-kl", NULL}, {"ssnmf", "0.5"}, {"ssnmf", "100"}, {"ssnmf", "1e6"}};
enum { ASKED = sizeof asked / sizeof *asked };

static orthant_model *model_of(const test_problem *p, const final_case *c, const char *tolerance,
                               const char *end)
{
    orthant_model *model = problem_model(p, c->method, RANK, "60");
    expect_ok(p->ctx, orthant_model_set(model, "tolerance", tolerance));
    expect_ok(p->ctx, orthant_model_set(model, "final_encodings", end));
    if (c->weight)
        expect_ok(p->ctx, orthant_model_set(model, "label_weight", c->weight));
    return model;
}

static int64_t label_of(const test_problem *p, int64_t i)
{
    return orthant_labels_values(p->labels)[i];
}

/* Of the rows of samples with a label, or of those without. */
static bool same_rows(const test_problem *p, const orthant_matrix *a, const orthant_matrix *b,
                      bool labelled)
{
    for (int64_t i = 0; i < SAMPLES; i++)
        for (int64_t r = 0; r < RANK && (label_of(p, i) >= 0) == labelled; r++)
            if (orthant_matrix_get(a, i, r) != orthant_matrix_get(b, i, r))
                return false;
    return true;
}

/* ------------------------------------------------------------------ by plain loops */

/* The derivative of |x - W s|^2 or of the divergence, added up to `times` it. */
static void add_slope(const orthant_matrix *W, const double *x, const double *s, bool kl,
                      double *slope, double *size)
{
    for (int64_t j = 0; j < FEATURES; j++) {
        double y = 0;
        for (int64_t r = 0; r < RANK; r++)
            y += orthant_matrix_get(W, j, r) * s[r];
        const double q = kl ? 1 : 2 * y, p = !kl ? 2 * x[j] : x[j] > 0 ? x[j] / y : 0;
        for (int64_t r = 0; r < RANK; r++) {
            slope[r] += (q - p) * orthant_matrix_get(W, j, r);
            size[r] += p * orthant_matrix_get(W, j, r);
        }
    }
}

/* No part's slope goes down, and that of one that is positive is 0, beside what it is made of. */
static void expect_stationary(const final_case *c, const char *what, int64_t which, const double *s,
                              const double *slope, const double *size)
{
    const double tolerance = c->precision == ORTHANT_SINGLE ? 3e-5 : 1e-9;
    double most = 1e-30;
    for (int64_t r = 0; r < RANK; r++)
        most = fmax(most, size[r]);
    for (int64_t r = 0; r < RANK; r++)
        if (!(slope[r] >= -tolerance * most && (s[r] <= 0 || slope[r] <= tolerance * most)))
            fail_msg("%s %s: %s %d: part %d is %g and its slope %g of %g", c->method,
                     c->weight ? c->weight : "", what, (int)which, (int)r, s[r], slope[r], most);
}

static void take_row(const orthant_matrix *from, int64_t i, double *to)
{
    for (int64_t j = 0; j < orthant_matrix_columns(from); j++)
        to[j] = orthant_matrix_get(from, i, j);
}

/* The row that a class shares, for all its samples together. */
static void check_shared(const test_problem *p, const final_case *c, const orthant_result *result)
{
    const bool kl = !strcmp(c->method, "cnmf-kl");
    const orthant_matrix *W = orthant_result_factor(result, "basis"),
                         *Z = orthant_result_factor(result, "auxiliary"),
                         *S = orthant_result_factor(result, "encoding");
    for (int64_t class = 0; class < CLASSES; class ++) {
        double x[FEATURES], z[RANK], slope[RANK] = {0}, size[RANK] = {0};
        take_row(Z, class, z);
        for (int64_t i = 0; i < SAMPLES; i++) {
            if (label_of(p, i) != class)
                continue;
            take_row(p->X, i, x);
            add_slope(W, x, z, kl, slope, size);
            for (int64_t r = 0; r < RANK; r++)
                assert_true(orthant_matrix_get(S, i, r) == z[r]);
        }
        expect_stationary(c, "class", class, z, slope, size);
    }
}

/* |x - W s|^2 + w |y - B s|^2 of each sample with a label. */
static void check_labelled(const test_problem *p, const final_case *c, const orthant_result *result)
{
    const orthant_matrix *W = orthant_result_factor(result, "basis"),
                         *B = orthant_result_factor(result, "label_basis"),
                         *S = orthant_result_factor(result, "encoding");
    const double w = strtod(c->weight, NULL);
    for (int64_t i = 0; i < SAMPLES; i++) {
        double x[FEATURES], s[RANK], slope[RANK] = {0}, size[RANK] = {0};
        if (label_of(p, i) < 0)
            continue;
        take_row(p->X, i, x);
        take_row(S, i, s);
        add_slope(W, x, s, false, slope, size);
        for (int64_t class = 0; class < CLASSES; class ++) {
            const double y = class == label_of(p, i);
            double fitted = 0;
            for (int64_t r = 0; r < RANK; r++)
                fitted += orthant_matrix_get(B, class, r) * s[r];
            for (int64_t r = 0; r < RANK; r++) {
                slope[r] += 2 * w * (fitted - y) * orthant_matrix_get(B, class, r);
                size[r] += 2 * w * y * orthant_matrix_get(B, class, r);
            }
        }
        expect_stationary(c, "sample", i, s, slope, size);
    }
}

/* ------------------------------------------------------------------ fits */

/* The mean of each class, in the data's precision, gets its row as a new sample, but for rounding.
 */
static void check_means(const test_problem *p, const final_case *c, const orthant_model *model,
                        const orthant_result *result)
{
    double means[CLASSES][FEATURES] = {{0}}, count[CLASSES] = {0};
    orthant_matrix *X = NULL, *codes = NULL;
    const orthant_matrix *Z = orthant_result_factor(result, "auxiliary");
    for (int64_t i = 0; i < SAMPLES; i++)
        if (label_of(p, i) >= 0)
            count[label_of(p, i)]++;
    for (int64_t i = 0; i < SAMPLES; i++)
        for (int64_t j = 0; j < FEATURES && label_of(p, i) >= 0; j++)
            means[label_of(p, i)][j] += orthant_matrix_get(p->X, i, j) / count[label_of(p, i)];
    expect_ok(p->ctx, orthant_matrix_create(p->ctx, CLASSES, FEATURES, &means[0][0], &X));
    expect_ok(p->ctx, orthant_model_transform(model, orthant_result_factor(result, "basis"), X,
                                              NULL, &codes));
    for (int64_t class = 0; class < CLASSES; class ++)
        for (int64_t r = 0; r < RANK; r++) {
            const double away =
                orthant_matrix_get(codes, class, r) - orthant_matrix_get(Z, class, r);
            assert_true(fabs(away) <= (c->precision == ORTHANT_SINGLE ? 1e-4 : 1e-8));
        }
    orthant_matrix_free(X);
    orthant_matrix_free(codes);
}

/* The codes of the fit's own samples as new ones. */
static orthant_matrix *codes_of(const test_problem *p, const orthant_model *model,
                                const orthant_result *result)
{
    orthant_matrix *codes = NULL;
    expect_ok(p->ctx, orthant_model_transform(model, orthant_result_factor(result, "basis"), p->X,
                                              NULL, &codes));
    return codes;
}

static bool same_basis(const orthant_result *a, const orthant_result *b)
{
    return factor_difference(orthant_result_factor(a, "basis"),
                             orthant_result_factor(b, "basis")) == 0;
}

/* The fit that ends so beside the one that ends with the last iteration. */
static void check_end(const test_problem *p, const final_case *c, const char *tolerance,
                      const char *end)
{
    orthant_model *model = model_of(p, c, tolerance, end),
                  *other = model_of(p, c, tolerance, "last");
    orthant_result *ended = problem_fit(p, model), *last = problem_fit(p, other);
    orthant_matrix *codes = codes_of(p, model, ended), *before = codes_of(p, other, last);
    const orthant_matrix *S = orthant_result_factor(ended, "encoding");
    assert_true(same_basis(ended, last));
    assert_true(same_rows(p, codes, S, false));
    assert_false(same_rows(p, codes, S, true));
    assert_false(same_rows(p, before, orthant_result_factor(last, "encoding"), false));
    assert_false(orthant_result_minimal_encodings(ended));
    const double now = orthant_result_objective(ended), was = orthant_result_objective(last);
    if (!(now < was))
        fail_msg("%s: the objective rose from %.17g to %.17g", c->method, was, now);
    assert_int_equal(orthant_result_history_rows(ended), orthant_result_history_rows(last));
    if (!c->weight) {
        check_shared(p, c, ended);
        check_means(p, c, model, ended);
    } else
        check_labelled(p, c, ended);
    orthant_matrix_free(codes);
    orthant_matrix_free(before);
    orthant_result_free(ended);
    orthant_result_free(last);
    orthant_model_free(model);
    orthant_model_free(other);
}

static void test_end(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4 * ASKED; variant++) {
        const final_case c = {asked[variant / 4].method, asked[variant / 4].weight,
                              variant & 1 ? ORTHANT_DOUBLE : ORTHANT_SINGLE, variant & 2};
        test_problem p;
        problem_make(&p, (problem_shape){SAMPLES, FEATURES, c.precision, c.sparse, 5, 0});
        check_end(&p, &c, "1e-5", "auto");
        check_end(&p, &c, "0", "minimal");
        problem_free(&p);
    }
}

/* The last row of the history is that of the encodings that are stored. */
static void test_objective(void **state)
{
    (void)state;
    for (int a = 0; a < ASKED; a++) {
        const final_case c = {asked[a].method, asked[a].weight, ORTHANT_DOUBLE, false};
        test_problem p;
        problem_make(&p, (problem_shape){SAMPLES, FEATURES, c.precision, false, 5, 0});
        orthant_model *model = model_of(&p, &c, "1e-5", "auto");
        orthant_result *result = problem_fit(&p, model);
        const double loss = problem_loss(&p, result, !strcmp(c.method, "cnmf-kl")),
                     told =
                         orthant_result_history(result, orthant_result_history_rows(result) - 1, 3);
        assert_true(fabs(loss - told) <= 1e-9 * loss);
        orthant_result_free(result);
        orthant_model_free(model);
        problem_free(&p);
    }
}

/* Every sample with a label; and of ssnmf none, or labels without weight, where the bits are those
 * of plain multiplicative updates. */
static void test_all_and_none(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        const bool single = variant & 1, weightless = variant & 2;
        const orthant_precision precision = single ? ORTHANT_SINGLE : ORTHANT_DOUBLE;
        const final_case none = {"ssnmf", weightless ? "0" : "5", precision, false};
        int64_t label[SAMPLES];
        test_problem p;
        problem_make(&p, (problem_shape){SAMPLES, FEATURES, precision, false, 5, 0});
        for (int i = 0; i < SAMPLES && !weightless; i++)
            label[i] = -1;
        if (!weightless) {
            orthant_labels_free(p.labels);
            expect_ok(p.ctx, orthant_labels_create(p.ctx, SAMPLES, label, &p.labels));
        }
        orthant_model *model = model_of(&p, &none, "1e-5", "auto"),
                      *plain = problem_model(&p, "nmf", RANK, "60");
        expect_ok(p.ctx, orthant_model_set(plain, "tolerance", "1e-5"));
        expect_ok(p.ctx, orthant_model_set(plain, "solver", "mu"));
        orthant_result *result = problem_fit(&p, model), *expected = problem_fit(&p, plain);
        assert_true(orthant_result_minimal_encodings(result));
        assert_true(same_basis(result, expected));
        assert_true(factor_difference(orthant_result_factor(result, "encoding"),
                                      orthant_result_factor(expected, "encoding")) == 0);
        orthant_result_free(result);
        orthant_result_free(expected);
        orthant_model_free(model);
        orthant_model_free(plain);
        for (int i = 0; i < SAMPLES; i++)
            label[i] = i % CLASSES;
        orthant_labels_free(p.labels);
        expect_ok(p.ctx, orthant_labels_create(p.ctx, SAMPLES, label, &p.labels));
        for (int a = 0; a < ASKED; a++) {
            const final_case c = {asked[a].method, asked[a].weight, precision, false};
            model = model_of(&p, &c, "1e-5", "auto");
            result = problem_fit(&p, model);
            if (c.weight)
                check_labelled(&p, &c, result);
            else
                check_shared(&p, &c, result);
            orthant_result_free(result);
            orthant_model_free(model);
        }
        problem_free(&p);
    }
}

/* The bits of one thread and memory, from a file and by any number of threads. */
static void test_streams(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2 * ASKED; variant++) {
        const final_case c = {asked[variant / 2].method, asked[variant / 2].weight, ORTHANT_SINGLE,
                              variant & 1};
        const char *name = c.sparse ? "labels.csr" : "labels.npy";
        orthant_read_options options = ORTHANT_READ_DEFAULTS;
        orthant_matrix *streamed = NULL;
        test_problem p;
        options.stream = true;
        problem_make(&p, (problem_shape){5003, FEATURES, c.precision, c.sparse, 5, 0});
        expect_ok(p.ctx, orthant_matrix_write(p.ctx, p.X, files_path(name)));
        expect_ok(p.ctx, orthant_matrix_read(p.ctx, files_path(name), &options, &streamed, NULL));
        orthant_model *model = model_of(&p, &c, "1e-3", "auto");
        expect_ok(p.ctx, orthant_context_set_threads(p.ctx, 1));
        orthant_result *here = problem_fit(&p, model);
        for (int threads = 1; threads <= 3; threads++) {
            orthant_result *there = NULL;
            expect_ok(p.ctx, orthant_context_set_threads(p.ctx, threads));
            expect_ok(p.ctx, orthant_fit(model, threads == 2 ? p.X : streamed, &there));
            assert_true(factors_identical(here, there));
            assert_true(orthant_result_objective(here) == orthant_result_objective(there));
            orthant_result_free(there);
        }
        orthant_result_free(here);
        orthant_model_free(model);
        orthant_matrix_free(streamed);
        problem_free(&p);
    }
}

/* The codes of samples without a label are stopped, or those with one. */
typedef struct stopper {
    int codes; /* calls that tell of codes, before the one that stops */
} stopper;

static bool stop_at_codes(void *user, const orthant_progress *progress)
{
    stopper *s = user;
    return strcmp(progress->phase, "transform") != 0 || s->codes-- > 0;
}

static void test_stopped(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2 * ASKED; variant++) {
        const final_case c = {asked[variant / 2].method, asked[variant / 2].weight, ORTHANT_SINGLE,
                              false};
        stopper s = {variant & 1};
        test_problem p;
        problem_make(&p, (problem_shape){SAMPLES, FEATURES, c.precision, false, 5, 0});
        orthant_model *model = model_of(&p, &c, "1e-5", "auto"),
                      *other = model_of(&p, &c, "1e-5", "last");
        orthant_result *last = problem_fit(&p, other);
        orthant_context_set_progress(p.ctx, stop_at_codes, &s);
        orthant_result *stopped = problem_fit(&p, model);
        orthant_context_set_progress(p.ctx, NULL, NULL);
        assert_int_equal(s.codes, -1);
        assert_true(orthant_result_stopped(stopped));
        assert_true(factors_identical(stopped, last));
        assert_true(orthant_result_objective(stopped) == orthant_result_objective(last));
        orthant_result_free(stopped);
        orthant_result_free(last);
        orthant_model_free(model);
        orthant_model_free(other);
        problem_free(&p);
    }
}

/* Where the iterations have room and the last step has none, the message says how to leave it out.
 */
static void test_no_room(void **state)
{
    (void)state;
    for (int a = 0; a < ASKED; a++) {
        const final_case c = {asked[a].method, asked[a].weight, ORTHANT_SINGLE, false};
        orthant_status status = ORTHANT_ERROR_MEMORY;
        orthant_result *result = NULL;
        test_problem p;
        problem_make(&p, (problem_shape){400, FEATURES, c.precision, false, 5, 0});
        expect_ok(p.ctx, orthant_context_set_threads(p.ctx, 1));
        orthant_model *model = model_of(&p, &c, "1e-5", "last");
        for (size_t more = 0; status == ORTHANT_ERROR_MEMORY; more += 1024) {
            orthant_context_set_memory_limit(p.ctx, orthant_context_memory(p.ctx) + more);
            status = orthant_fit(model, p.X, &result);
            orthant_result_free(result);
        }
        expect_ok(p.ctx, status);
        expect_ok(p.ctx, orthant_model_set(model, "final_encodings", "auto"));
        expect_failure(p.ctx, ORTHANT_ERROR_MEMORY, "final_encodings=last",
                       orthant_fit(model, p.X, &result));
        assert_null(result);
        orthant_model_free(model);
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_end),     fixture_test(test_objective), fixture_test(test_all_and_none),
        fixture_test(test_streams), fixture_test(test_stopped),   fixture_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
