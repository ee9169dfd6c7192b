/* With which encodings a fit ends: those of its samples as new ones, or those of the last
 * iteration. */
#include "expect.h"
#include "round_trip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

static double uniform(uint64_t stream, int64_t i, int64_t j)
{
    return random_uniform(stream, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

typedef struct end_case {
    const char *method;
    const char *settings; /* "name=value ..." */
    bool masked;
    bool weighted; /* samples and features */
} end_case;

static void set_all(orthant_context *ctx, orthant_model *model, const char *settings)
{
    char text[160];
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        if (!strncmp(word, "term:", 5))
            expect_ok(ctx, orthant_model_add_term(model, word + 5, atof(value)));
        else
            expect_ok(ctx, orthant_model_set(model, word, value));
    }
}

typedef struct end_inputs {
    orthant_context *ctx;
    orthant_matrix *X, *mask, *samples, *features;
} end_inputs;

static orthant_model *end_model(const end_inputs *in, const end_case *c, const char *more)
{
    orthant_model *model = NULL;
    expect_ok(in->ctx, orthant_model_create(in->ctx, c->method, 4, &model));
    set_all(in->ctx, model, c->settings);
    set_all(in->ctx, model, more);
    expect_ok(in->ctx, orthant_model_set_mask(model, c->masked ? in->mask : NULL));
    if (c->weighted) {
        expect_ok(in->ctx, orthant_model_set_sample_weights(model, in->samples));
        expect_ok(in->ctx, orthant_model_set_feature_weights(model, in->features));
    }
    return model;
}

static double trip_of(const end_inputs *in, const end_case *c, const orthant_model *model,
                      const orthant_result *result)
{
    orthant_matrix *codes = NULL;
    orthant_transform_options options = ORTHANT_TRANSFORM_DEFAULTS;
    options.mask = c->masked ? in->mask : NULL;
    options.sample_weights = c->weighted ? in->samples : NULL;
    expect_ok(in->ctx, orthant_model_transform(model, orthant_result_factor(result, "basis"), in->X,
                                               &options, &codes));
    const double away = round_trip_error(codes, orthant_result_factor(result, "encoding"), NULL);
    orthant_matrix_free(codes);
    return away;
}

static bool same_entries(const orthant_result *a, const orthant_result *b, const char *factor)
{
    const orthant_matrix *x = orthant_result_factor(a, factor),
                         *y = orthant_result_factor(b, factor);
    for (int64_t i = 0; i < orthant_matrix_rows(x); i++)
        for (int64_t j = 0; j < orthant_matrix_columns(x); j++)
            if (orthant_matrix_get(x, i, j) < orthant_matrix_get(y, i, j) ||
                orthant_matrix_get(x, i, j) > orthant_matrix_get(y, i, j))
                return false;
    return true;
}

/* With a tolerance the encodings are those of the samples as new ones, to the bits, on the basis of
 * the last iteration; the objective that is told is theirs, and no higher. Without one they are
 * those of the last iteration. */
static void check_end(const end_inputs *in, const end_case *c)
{
    orthant_model *models[] = {end_model(in, c, ""), end_model(in, c, "final_encodings=last"),
                               end_model(in, c, "tolerance=0"),
                               end_model(in, c, "tolerance=0 final_encodings=minimal")};
    orthant_result *ended = NULL, *last = NULL, *counted = NULL, *named = NULL;
    expect_ok(in->ctx, orthant_fit(models[0], in->X, &ended));
    expect_ok(in->ctx, orthant_fit(models[1], in->X, &last));
    expect_ok(in->ctx, orthant_fit(models[2], in->X, &counted));
    expect_ok(in->ctx, orthant_fit(models[3], in->X, &named));
    const double away = trip_of(in, c, models[0], ended), exact = trip_of(in, c, models[3], named),
                 before = trip_of(in, c, models[1], last);
    if (away > 0 || exact > 0)
        fail_msg("%s %s: codes of the fit's samples are %g and %g from its encodings", c->method,
                 c->settings, away, exact);
    assert_true(before > 0);
    assert_true(orthant_result_minimal_encodings(ended) && orthant_result_minimal_encodings(named));
    assert_false(orthant_result_minimal_encodings(last) ||
                 orthant_result_minimal_encodings(counted));
    const double now = orthant_result_objective(ended), was = orthant_result_objective(last);
    if (!(now <= was && orthant_result_objective(named) <= orthant_result_objective(counted)))
        fail_msg("%s %s: the objective rose from %.17g to %.17g", c->method, c->settings, was, now);
    assert_true(same_entries(ended, last, "basis") && same_entries(counted, named, "basis"));
    assert_int_equal(orthant_result_iterations(ended), orthant_result_iterations(last));
    assert_int_equal(orthant_result_converged(ended), orthant_result_converged(last));
    assert_int_equal(orthant_result_history_rows(ended), orthant_result_history_rows(last));
    orthant_result *all[] = {ended, last, counted, named};
    for (int i = 0; i < 4; i++) {
        orthant_result_free(all[i]);
        orthant_model_free(models[i]);
    }
}

static void make_end_inputs(end_inputs *in)
{
    double weights[60 * 25];
    expect_ok(NULL, orthant_context_create(&in->ctx));
    orthant_context_set_precision(in->ctx, ORTHANT_DOUBLE);
    in->X = planted_samples(in->ctx, 60, 25);
    for (int e = 0; e < 60 * 25; e++)
        weights[e] = e % 7 ? 0.5 + uniform(14, e, 0) : 0;
    expect_ok(in->ctx, orthant_matrix_create(in->ctx, 60, 25, weights, &in->mask));
    for (int i = 0; i < 60; i++)
        weights[i] = 0.5 + uniform(15, i, 0);
    expect_ok(in->ctx, orthant_matrix_create(in->ctx, 60, 1, weights, &in->samples));
    expect_ok(in->ctx, orthant_matrix_create(in->ctx, 1, 25, weights, &in->features));
}

static void free_end_inputs(end_inputs *in)
{
    orthant_matrix *all[] = {in->X, in->mask, in->samples, in->features};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        orthant_matrix_free(all[i]);
    orthant_context_free(in->ctx);
}

static void test_end(void **state)
{
    static const end_case cases[] = {
        {"nmf", "", false, false},
        {"nmf", "solver=mu", false, false},
        {"nmf", "solver=emu", true, false},
        {"nmf", "solver=mu", true, true},
        {"nmf", "solver=mu", false, true},
        {"nmf-kl", "", false, false},
        {"nmf-kl", "solver=newton", false, false},
        {"nmf-kl", "solver=emu", true, false},
        {"nmf", "loss=is", false, false},
        {"nmf", "loss=beta:1.5", false, false},
        {"nmf", "loss=beta:1.5", true, true},
        {"nmf", "loss=beta:2.5", false, false},
        {"nmf", "loss=beta:3 solver=emu", false, false},
        {"nmf", "loss=beta:-0.5", false, true},
        {"nmf", "loss=euclidean-entrywise", false, false},
        {"nmf", "loss=huber:0.1", false, false},
        {"nmf", "loss=l1", false, false},
        {"nmf", "term:sparsity=0.1", false, false},
        {"nmf", "term:ridge=0.2", true, false},
        {"nmf", "term:orthogonal=0.05 solver=mu", false, false},
        {"nmf", "term:orthogonal=1 normalise=basis solver=hals", false, false},
        {"nmf", "term:orthogonal=1 normalise=basis", true, false},
        {"nmf-kl", "term:orthogonal=1 normalise=basis", false, false},
        {"nmf-kl", "term:sparsity=0.1 term:ridge-basis=0.1", false, false},
        {"tnmf", "", false, false},
        {"tnmf+", "", false, false},
        {"nlcf", "iterations=100", false, false},
        {"nnsc", "", false, false},
        {"semi-nmf", "", false, false},
    };
    end_inputs in = {0};
    (void)state;
    make_end_inputs(&in);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_end(&in, &cases[i]);
    free_end_inputs(&in);
}

/* Samples with a label minimise what the class asks of them too; those without are encoded as new
 * ones. */
static void test_end_with_classes(void **state)
{
    const end_case c = {"cdnmf", "iterations=60", false, false};
    end_inputs in = {0};
    int64_t known[60];
    orthant_labels *labels = NULL;
    orthant_result *ended = NULL, *last = NULL;
    orthant_matrix *codes = NULL;
    (void)state;
    make_end_inputs(&in);
    for (int i = 0; i < 60; i++)
        known[i] = i % 3 ? -1 : i / 3 % 4;
    expect_ok(in.ctx, orthant_labels_create(in.ctx, 60, known, &labels));
    orthant_model *model = end_model(&in, &c, ""),
                  *other = end_model(&in, &c, "final_encodings=last");
    expect_ok(in.ctx, orthant_model_set_labels(model, labels));
    expect_ok(in.ctx, orthant_model_set_labels(other, labels));
    expect_ok(in.ctx, orthant_fit(model, in.X, &ended));
    expect_ok(in.ctx, orthant_fit(other, in.X, &last));
    assert_true(orthant_result_objective(ended) < orthant_result_objective(last));
    assert_false(orthant_result_minimal_encodings(ended));
    expect_ok(in.ctx, orthant_model_transform(model, orthant_result_factor(ended, "basis"), in.X,
                                              NULL, &codes));
    const orthant_matrix *encoding = orthant_result_factor(ended, "encoding");
    assert_true(round_trip_error(codes, encoding, labels) <= 1e-6);
    assert_true(round_trip_error(codes, encoding, NULL) > 1e-3);
    orthant_matrix_free(codes);
    orthant_result_free(ended);
    orthant_result_free(last);
    orthant_model_free(model);
    orthant_model_free(other);
    orthant_labels_free(labels);
    free_end_inputs(&in);
}

/* Terms that couple samples leave the encodings to the iterations; minima are refused by name. */
static void test_end_of_coupled(void **state)
{
    static const end_case cases[] = {{"gnmf", "iterations=30", false, false},
                                     {"anp", "iterations=30", false, false},
                                     {"nmf", "term:smooth=1 iterations=30", false, false}};
    end_inputs in = {0};
    (void)state;
    make_end_inputs(&in);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orthant_model *model = end_model(&in, &cases[i], ""),
                      *last = end_model(&in, &cases[i], "final_encodings=last"),
                      *minimal = end_model(&in, &cases[i], "final_encodings=minimal");
        orthant_result *ended = NULL, *other = NULL, *none = NULL;
        expect_ok(in.ctx, orthant_fit(model, in.X, &ended));
        expect_ok(in.ctx, orthant_fit(last, in.X, &other));
        assert_false(orthant_result_minimal_encodings(ended));
        assert_true(same_entries(ended, other, "encoding"));
        assert_int_equal(orthant_fit(minimal, in.X, &none), ORTHANT_ERROR_ARGUMENT);
        assert_null(none);
        assert_non_null(strstr(orthant_message(in.ctx), "couples the samples"));
        orthant_result_free(ended);
        orthant_result_free(other);
        orthant_model_free(model);
        orthant_model_free(last);
        orthant_model_free(minimal);
    }
    free_end_inputs(&in);
}

static bool stop_at_codes(void *user, const orthant_progress *progress)
{
    (void)user;
    return strcmp(progress->phase, "transform") != 0;
}

/* Stopped while the encodings are sought, the fit has those of the last iteration. */
static void test_stopped_at_the_end(void **state)
{
    const end_case c = {"nmf", "solver=mu iterations=30", false, false};
    end_inputs in = {0};
    orthant_result *stopped = NULL, *last = NULL;
    (void)state;
    make_end_inputs(&in);
    orthant_model *model = end_model(&in, &c, ""),
                  *other = end_model(&in, &c, "final_encodings=last");
    expect_ok(in.ctx, orthant_fit(other, in.X, &last));
    orthant_context_set_progress(in.ctx, stop_at_codes, NULL);
    expect_ok(in.ctx, orthant_fit(model, in.X, &stopped));
    assert_true(orthant_result_stopped(stopped));
    assert_false(orthant_result_minimal_encodings(stopped));
    assert_true(same_entries(stopped, last, "encoding"));
    assert_true(orthant_result_objective(stopped) <= orthant_result_objective(last) &&
                orthant_result_objective(stopped) >= orthant_result_objective(last));
    orthant_result_free(stopped);
    orthant_result_free(last);
    orthant_model_free(model);
    orthant_model_free(other);
    free_end_inputs(&in);
}

/* Where the iterations have room and the last step has none, the message says how to leave it out.
 */
static void test_no_room_at_the_end(void **state)
{
    const int64_t n = 400, m = 20;
    double *values = malloc((size_t)(n * m) * sizeof *values);
    orthant_context *ctx = NULL;
    orthant_matrix *X = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    (void)state;
    assert_non_null(values);
    expect_ok(NULL, orthant_context_create(&ctx));
    expect_ok(ctx, orthant_context_set_threads(ctx, 1));
    for (int64_t i = 0; i < n * m; i++)
        values[i] = uniform(9, i, 0);
    expect_ok(ctx, orthant_matrix_create(ctx, n, m, values, &X));
    expect_ok(ctx, orthant_model_create(ctx, "nmf", 20, &model));
    set_all(ctx, model, "iterations=5 solver=mu final_encodings=last");
    for (size_t more = 0; status == ORTHANT_ERROR_MEMORY; more += 4096) {
        orthant_context_set_memory_limit(ctx, orthant_context_memory(ctx) + more);
        status = orthant_fit(model, X, &result);
        orthant_result_free(result);
    }
    expect_ok(ctx, status);
    expect_ok(ctx, orthant_model_set(model, "final_encodings", "auto"));
    expect_failure(ctx, ORTHANT_ERROR_MEMORY, "final_encodings=last",
                   orthant_fit(model, X, &result));
    assert_null(result);
    assert_non_null(strstr(orthant_message(ctx), "out of memory"));
    orthant_model_free(model);
    orthant_matrix_free(X);
    orthant_context_free(ctx);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_end_with_classes),
        cmocka_unit_test(test_end_of_coupled),
        cmocka_unit_test(test_stopped_at_the_end),
        cmocka_unit_test(test_no_room_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
