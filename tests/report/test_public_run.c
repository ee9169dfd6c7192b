/* A trial, its run folder, the folder read back, and a study with its summary: what a program with
 * the public headers alone can do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orthant/orthant.h"

#include "expect.h"

#define SAMPLES 30
#define FEATURES 6

static orthant_context *ctx;
static orthant_matrix *samples;
static orthant_labels *truth;
static char folder[] = "/tmp/orthant-public-run-XXXXXX";

/* Three groups, each with two features of its own. */
static int setup(void **state)
{
    double values[SAMPLES * FEATURES];
    int64_t classes[SAMPLES];
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        classes[i] = i % 3;
        for (int j = 0; j < FEATURES; j++)
            values[i * FEATURES + j] = (j / 2 == i % 3 ? 3 : 0.1) + 0.01 * ((i * 7 + j * 3) % 11);
    }
    return !mkdtemp(folder) || orthant_context_create(&ctx) ||
                   orthant_context_set_threads(ctx, 1) ||
                   orthant_matrix_create(ctx, SAMPLES, FEATURES, values, &samples) ||
                   orthant_labels_create(ctx, SAMPLES, classes, &truth)
               ? -1
               : 0;
}

static int teardown(void **state)
{
    char line[128];
    (void)state;
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    return system(line);
}

static orthant_trial *fitted(const char *name, const char *value)
{
    orthant_trial *trial = NULL;
    expect_ok(ctx, orthant_trial_create(ctx, 3, &trial));
    expect_ok(ctx, orthant_trial_set(trial, "method", "nmf"));
    expect_ok(ctx, orthant_trial_set(trial, "iterations", "50"));
    if (name)
        expect_ok(ctx, orthant_trial_set(trial, name, value));
    expect_ok(ctx, orthant_trial_set_data(trial, "groups", samples, truth));
    expect_ok(ctx, orthant_trial_fit(trial));
    expect_ok(ctx, orthant_trial_label(trial));
    return trial;
}

static void test_trial(void **state)
{
    orthant_scores scores = {.size = sizeof scores};
    orthant_trial *trial = fitted(NULL, NULL);
    (void)state;
    expect_ok(ctx, orthant_trial_scores(trial, &scores));
    assert_true(scores.accuracy == 1);
    assert_int_equal(orthant_labels_count(orthant_trial_labels(trial)), SAMPLES);
    assert_string_equal(orthant_trial_labels_rule(trial), "kmeans-scaled:encoding");
    assert_null(orthant_trial_sample_rows(trial));
    assert_ptr_equal(orthant_trial_samples(trial), samples);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "already",
                   orthant_trial_set(trial, "iterations", "3"));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "already", orthant_trial_fit(trial));
    orthant_trial_free(trial);
    trial = fitted("classes", "2");
    assert_int_equal(orthant_matrix_rows(orthant_trial_samples(trial)), 20);
    assert_int_equal(orthant_labels_count(orthant_trial_sample_rows(trial)), 20);
    orthant_trial_free(trial);
}

/* In the words of the settings, before any data. */
static void test_trial_refusals(void **state)
{
    orthant_trial *trial = NULL;
    (void)state;
    expect_ok(ctx, orthant_trial_create(ctx, 3, &trial));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no setting 'colour'",
                   orthant_trial_set(trial, "colour", "red"));
    expect_ok(ctx, orthant_trial_set(trial, "labels-rule", "dice"));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "labels-rule = 'dice'",
                   orthant_trial_prepare(trial));
    assert_null(orthant_trial_model(trial));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no data", orthant_trial_fit(trial));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no fit", orthant_trial_label(trial));
    orthant_trial_free(trial);
}

static void test_run_and_back(void **state)
{
    char path[64], *text = NULL;
    const orthant_matrix *basis = NULL;
    orthant_matrix *encoding = NULL;
    orthant_labels *labels = NULL;
    orthant_saved_run *saved = NULL;
    orthant_run run = {.size = sizeof run};
    orthant_trial *trial = fitted(NULL, NULL);
    const orthant_result *result = orthant_trial_result(trial);
    (void)state;
    expect_ok(ctx, orthant_trial_run(trial, &run));
    run.without_report = true;
    expect_ok(ctx, orthant_run_describe(ctx, &run, &text));
    assert_int_equal(text[0], '{');
    assert_non_null(strstr(text, "\"accuracy\": 1,"));
    orthant_text_free(ctx, text);
    snprintf(path, sizeof path, "%s/run", folder);
    expect_ok(ctx, orthant_run_write(ctx, &run, path));
    expect_ok(ctx, orthant_saved_run_open(ctx, path, &saved));
    assert_string_equal(orthant_saved_run_text(saved, "method"), "nmf");
    assert_true(orthant_saved_run_number(saved, "rank") == 3);
    assert_true(orthant_saved_run_number(saved, "accuracy") == 1);
    assert_true(isnan(orthant_saved_run_number(saved, "no such")));
    expect_ok(ctx, orthant_saved_run_factor(saved, "basis", &basis));
    assert_true(orthant_matrix_get(basis, 1, 2) ==
                orthant_matrix_get(orthant_result_factor(result, "basis"), 1, 2));
    expect_ok(ctx, orthant_saved_run_labels(saved, &labels));
    assert_memory_equal(orthant_labels_values(labels),
                        orthant_labels_values(orthant_trial_labels(trial)),
                        SAMPLES * sizeof(int64_t));
    expect_ok(ctx, orthant_saved_run_scale(saved, NULL, samples));
    expect_ok(ctx, orthant_saved_run_transform(saved, samples, 100, 1e-10, &encoding));
    assert_int_equal(orthant_matrix_rows(encoding), SAMPLES);
    expect_ok(ctx, orthant_run_tables(ctx, path, "md", &text));
    assert_non_null(strstr(text, "|"));
    orthant_text_free(ctx, text);
    expect_ok(ctx, orthant_run_tables(ctx, path, "text", &text));
    assert_non_null(strstr(text, "accuracy %"));
    orthant_text_free(ctx, text);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "format 'pdf'",
                   orthant_run_tables(ctx, path, "pdf", &text));
    assert_null(text);
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such file",
                   orthant_saved_run_factor(saved, "relation", &basis));
    assert_null(basis);
    orthant_matrix_free(encoding);
    orthant_labels_free(labels);
    orthant_saved_run_free(saved);
    orthant_trial_free(trial);
}

static void test_study(void **state)
{
    char path[64], file[96], *text = NULL, *again = NULL;
    orthant_study *study = NULL, *stored = NULL;
    orthant_study_summary *summary = NULL;
    orthant_study_cell cell = {.size = sizeof cell};
    orthant_study_rank rank = {.size = sizeof rank};
    orthant_friedman test = {.size = sizeof test};
    (void)state;
    snprintf(path, sizeof path, "%s/study", folder);
    snprintf(file, sizeof file, "%s/results.csv", path);
    expect_ok(ctx, orthant_study_create(ctx, &study));
    expect_ok(ctx, orthant_study_set(study, "methods", "nmf,kmeans"));
    expect_ok(ctx, orthant_study_check(study));
    expect_ok(ctx, orthant_study_set(study, "classes", "2,3"));
    expect_ok(ctx, orthant_study_set(study, "repeats", "2"));
    expect_ok(ctx, orthant_study_set(study, "iterations", "10"));
    expect_ok(ctx, orthant_study_add_data(study, "groups", NULL, samples, truth));
    expect_ok(ctx, orthant_study_run(study, path));
    assert_int_equal(orthant_study_run_count(study), 8);
    expect_ok(ctx, orthant_study_summarise(study, "accuracy", &summary));
    assert_int_equal(orthant_study_cell_count(summary), 4);
    expect_ok(ctx, orthant_study_cell_at(summary, 3, &cell));
    assert_string_equal(cell.method, "kmeans");
    assert_int_equal(cell.classes, 3);
    assert_int_equal(cell.runs, 2);
    assert_true(cell.mean.accuracy > 0.9 && cell.mean.accuracy <= 1);
    assert_int_equal(orthant_study_rank_count(summary), 2);
    expect_ok(ctx, orthant_study_rank_at(summary, 0, &rank));
    assert_true(rank.mean_rank >= 1 && rank.mean_rank <= 2);
    expect_ok(ctx, orthant_study_friedman(summary, &test));
    assert_int_equal(orthant_study_gain_count(summary), 0);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "cell 4", orthant_study_cell_at(summary, 4, &cell));
    orthant_study_summary_free(summary);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "measure 'luck'",
                   orthant_study_summarise(study, "luck", &summary));
    assert_null(summary);
    /* The stored rows give the same tables. */
    expect_ok(ctx, orthant_study_read(ctx, file, &stored));
    expect_ok(ctx, orthant_study_tables(study, "csv", &text));
    expect_ok(ctx, orthant_study_tables(stored, "csv", &again));
    assert_string_equal(text, again);
    orthant_text_free(ctx, text);
    orthant_text_free(ctx, again);
    orthant_study_free(stored);
    orthant_study_free(study);
}

static void test_null(void **state)
{
    orthant_trial *trial = NULL;
    orthant_saved_run *saved = NULL;
    orthant_study *study = NULL;
    char *text = "";
    const orthant_status wrong = ORTHANT_ERROR_ARGUMENT;
    (void)state;
    assert_int_equal(orthant_trial_create(NULL, 2, &trial), wrong);
    assert_int_equal(orthant_trial_create(ctx, 2, NULL), wrong);
    assert_int_equal(orthant_trial_set(NULL, "method", "nmf"), wrong);
    assert_int_equal(orthant_trial_prepare(NULL), wrong);
    assert_int_equal(orthant_trial_set_data(NULL, "x", samples, NULL), wrong);
    assert_int_equal(orthant_trial_fit(NULL), wrong);
    assert_int_equal(orthant_trial_label(NULL), wrong);
    assert_int_equal(orthant_trial_scores(NULL, NULL), wrong);
    assert_int_equal(orthant_trial_read_out(NULL, 0, NULL), wrong);
    assert_int_equal(orthant_trial_run(NULL, NULL), wrong);
    assert_null(orthant_trial_model(NULL));
    assert_null(orthant_trial_samples(NULL));
    assert_null(orthant_trial_result(NULL));
    assert_null(orthant_trial_labels(NULL));
    assert_null(orthant_trial_truth(NULL));
    assert_int_equal(orthant_run_check(ctx, NULL), wrong);
    assert_int_equal(orthant_run_write(ctx, NULL, "x"), wrong);
    assert_int_equal(orthant_run_describe(ctx, NULL, &text), wrong);
    assert_null(text);
    assert_int_equal(orthant_run_report(ctx, NULL), wrong);
    assert_int_equal(orthant_run_tables(ctx, "x", NULL, &text), wrong);
    assert_int_equal(orthant_run_set_words(ctx, NULL, "x"), wrong);
    assert_int_equal(orthant_run_check_words(ctx, NULL, 3), wrong);
    assert_int_equal(orthant_saved_run_open(ctx, NULL, &saved), wrong);
    assert_int_equal(orthant_saved_run_factor(NULL, "basis", NULL), wrong);
    assert_int_equal(orthant_saved_run_labels(NULL, NULL), wrong);
    assert_int_equal(orthant_saved_run_scale(NULL, NULL, samples), wrong);
    assert_int_equal(orthant_saved_run_transform(NULL, samples, 1, 1, NULL), wrong);
    assert_string_equal(orthant_saved_run_text(NULL, "x"), "");
    assert_true(isnan(orthant_saved_run_number(NULL, "x")));
    assert_int_equal(orthant_study_create(NULL, &study), wrong);
    assert_int_equal(orthant_study_read(ctx, NULL, &study), wrong);
    assert_int_equal(orthant_study_set(NULL, "a", "b"), wrong);
    assert_int_equal(orthant_study_check(NULL), wrong);
    assert_int_equal(orthant_study_add_data(NULL, "a", NULL, samples, truth), wrong);
    assert_int_equal(orthant_study_run(NULL, NULL), wrong);
    assert_int_equal(orthant_study_row_count(NULL) + orthant_study_run_count(NULL), 0);
    assert_int_equal(orthant_study_row_at(NULL, 0, NULL), wrong);
    assert_null(orthant_study_failure(NULL, 0));
    assert_int_equal(orthant_study_tables(NULL, "csv", &text), wrong);
    assert_int_equal(orthant_study_summarise(NULL, "accuracy", NULL), wrong);
    assert_int_equal(orthant_study_cell_at(NULL, 0, NULL), wrong);
    assert_int_equal(orthant_study_friedman(NULL, NULL), wrong);
    orthant_trial_free(NULL);
    orthant_saved_run_free(NULL);
    orthant_study_summary_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trial),        cmocka_unit_test(test_trial_refusals),
        cmocka_unit_test(test_run_and_back), cmocka_unit_test(test_study),
        cmocka_unit_test(test_null),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
