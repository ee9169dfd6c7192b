/* The class term: which labels and ranks it takes, and its value by plain loops. */
#include "fixture.h"

#include "orthant/orthant.h"

#include <math.h>
#include <stdio.h>

enum { SAMPLES = 12, FEATURES = 5 };

typedef struct setting {
    orthant_context *ctx;
    orthant_matrix *X;
    orthant_labels *labels;
    orthant_model *model;
} setting;

/* Samples of `classes` classes in turn, every third one not known; 0: none is known. */
static setting prepare(orthant_context *ctx, int64_t classes, int64_t rank, const char *width)
{
    setting s = {.ctx = ctx};
    double values[SAMPLES * FEATURES];
    int64_t label[SAMPLES];
    for (int i = 0; i < SAMPLES * FEATURES; i++)
        values[i] = 1 + i * 7 % 11;
    for (int i = 0; i < SAMPLES; i++)
        label[i] = classes == 0 || i % 3 == 2 ? -1 : 10 * (i % classes);
    expect_ok(ctx, orthant_matrix_create(ctx, SAMPLES, FEATURES, values, &s.X));
    expect_ok(ctx, orthant_labels_create(ctx, SAMPLES, label, &s.labels));
    expect_ok(ctx, orthant_model_create(ctx, "cdnmf", rank, &s.model));
    expect_ok(ctx, orthant_model_set(s.model, "basis_per_class", width));
    expect_ok(ctx, orthant_model_set(s.model, "iterations", "4"));
    expect_ok(ctx, orthant_model_set_labels(s.model, s.labels));
    return s;
}

static void clear(setting *s)
{
    orthant_model_free(s->model);
    orthant_labels_free(s->labels);
    orthant_matrix_free(s->X);
}

static void refused(orthant_context *ctx, int64_t classes, int64_t rank, const char *width,
                    const char *words)
{
    setting s = prepare(ctx, classes, rank, width);
    orthant_result *result = NULL;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, words, orthant_fit(s.model, s.X, &result));
    assert_null(result);
    clear(&s);
}

static void test_refusals(void **state)
{
    refused(*state, 0, 4, "1", "no sample has a label: every one is -1");
    refused(*state, 4, 3, "1", "rank 3 is too small for 4 classes with 1 column each: take rank 4");
    refused(*state, 4, 7, "2",
            "rank 7 is too small for 4 classes with 2 columns each: take rank 8, or "
            "basis_per_class=1");
}

/* Any rank from one column (or `width`) for each class on; the value is the sum of what labelled
 * samples have outside their class's columns. */
static void test_value(void **state)
{
    static const struct {
        int64_t classes, rank, width;
    } cases[] = {{1, 1, 1}, {4, 4, 1}, {4, 6, 1}, {4, 8, 2}, {2, 9, 4}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char width[24];
        snprintf(width, sizeof width, "%d", (int)cases[c].width);
        setting s = prepare(*state, cases[c].classes, cases[c].rank, width);
        orthant_result *result = NULL;
        expect_ok(*state, orthant_fit(s.model, s.X, &result));
        const orthant_matrix *S = orthant_result_factor(result, "encoding");
        double outside = 0;
        for (int64_t i = 0; i < SAMPLES; i++)
            for (int64_t k = 0; k < cases[c].rank && i % 3 != 2; k++)
                if (k / cases[c].width != i % cases[c].classes)
                    outside += orthant_matrix_get(S, i, k);
        assert_string_equal(orthant_result_history_column(result, 4), "class");
        const double told = orthant_result_history(result, 4, 4);
        assert_true(fabs(told - outside) <= 1e-12 * (1 + outside));
        orthant_result_free(result);
        clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_refusals), fixture_test(test_value)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
