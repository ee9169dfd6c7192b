/* Which labels are kept, where they are looked for, and what cannot be one. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/random.h"
#include "data/labels.h"
#include "data/matrix.h"

enum { SAMPLES = 40 };

/* Classes of 20, 13, 6 and 1 samples, mixed, two of them with values below 0; one is not known. */
static orthant_labels *make_truth(orthant_context *ctx)
{
    int64_t values[SAMPLES];
    orthant_labels *truth = NULL;
    for (int i = 0; i < SAMPLES; i++)
        values[i] = i % 2 ? -5 : i % 3 ? 9 : 4;
    values[0] = 100;
    values[8] = -1;
    expect_ok(ctx, orthant_labels_create(ctx, SAMPLES, values, &truth));
    return truth;
}

/* How many samples of i's class have a lower lot than i. */
static int64_t lower_lots(const orthant_labels *truth, int64_t i, uint64_t seed)
{
    const double own = random_uniform(seed, RANDOM_LABELLED, (uint64_t)i, 0);
    int64_t lower = 0;
    for (int64_t o = 0; o < truth->count; o++)
        lower += truth->values[o] == truth->values[i] &&
                 random_uniform(seed, RANDOM_LABELLED, (uint64_t)o, 0) < own;
    return lower;
}

static void check_kept(const orthant_labels *truth, const orthant_labels *kept, uint64_t seed,
                       int64_t count)
{
    assert_int_equal(kept->count, truth->count);
    for (int64_t i = 0; i < truth->count; i++) {
        const bool keep = truth->values[i] != -1 && lower_lots(truth, i, seed) < count;
        assert_int_equal(kept->values[i], keep ? truth->values[i] : -1);
    }
}

static void test_count(void **state)
{
    orthant_context *ctx = *state;
    orthant_labels *truth = make_truth(ctx), *kept = NULL;
    static const int64_t counts[] = {1, 2, 6, 13, 20, 21, INT64_MAX};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            expect_ok(ctx, orthant_labels_keep_count(ctx, truth, counts[c], seed, &kept));
            check_kept(truth, kept, seed, counts[c]);
            orthant_labels_free(kept);
        }
    kept = truth;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "0 labels per class: must be at least 1",
                   orthant_labels_keep_count(ctx, truth, 0, 1, &kept));
    assert_null(kept);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "keep_count: an argument is NULL",
                   orthant_labels_keep_count(ctx, NULL, 1, 1, &kept));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "keep_count: an argument is NULL",
                   orthant_labels_keep_count(ctx, truth, 1, 1, NULL));
    orthant_labels_free(truth);
}

static void test_fraction(void **state)
{
    orthant_context *ctx = *state;
    orthant_labels *truth = NULL, *kept = NULL;
    int64_t values[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        values[i] = i % 4;
    expect_ok(ctx, orthant_labels_create(ctx, SAMPLES, values, &truth));
    /* of ten samples each, rounded up */
    static const struct {
        double fraction;
        int64_t count;
    } cases[] = {{0, 0},   {1e-9, 1}, {0.1, 1},   {0.100001, 2},
                 {0.3, 3}, {0.7, 7},  {0.91, 10}, {1, 10}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        expect_ok(ctx, orthant_labels_keep_fraction(ctx, truth, cases[c].fraction, 5, &kept));
        check_kept(truth, kept, 5, cases[c].count);
        orthant_labels_free(kept);
    }
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "labelled fraction -0.1: must be between 0 and 1",
                   orthant_labels_keep_fraction(ctx, truth, -0.1, 5, &kept));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "keep_fraction: an argument is NULL",
                   orthant_labels_keep_fraction(ctx, NULL, 0.5, 5, &kept));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "keep_fraction: an argument is NULL",
                   orthant_labels_keep_fraction(ctx, truth, 0.5, 5, NULL));
    orthant_labels_free(truth);
}

static void test_arguments(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t values[] = {1};
    orthant_labels *labels = NULL;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "labels_create: an argument is NULL",
                   orthant_labels_create(ctx, 1, NULL, &labels));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "labels_create: an argument is NULL",
                   orthant_labels_create(ctx, 1, values, NULL));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "-1 labels: expected at least one",
                   orthant_labels_create(ctx, -1, NULL, &labels));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "labels_read: an argument is NULL",
                   orthant_labels_read(ctx, NULL, &labels));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "labels_write: an argument is NULL",
                   orthant_labels_write(ctx, NULL, "x.csv"));
}

static void test_whole_numbers(void **state)
{
    orthant_context *ctx = *state;
    static const double good[] = {0x1p53, -0x1p53, 0, -1}, far[] = {1, 0x1p53 + 2},
                        half[] = {1, 2, -0.5};
    static const int64_t expected[] = {INT64_C(1) << 53, -(INT64_C(1) << 53), 0, -1};
    orthant_matrix *matrix = NULL;
    orthant_labels *labels = NULL;
    for (int row = 0; row < 2; row++) {
        expect_ok(ctx, orthant_matrix_create(ctx, row ? 1 : 4, row ? 4 : 1, good, &matrix));
        expect_ok(ctx, labels_from_matrix(ctx, "y", matrix, &labels));
        assert_int_equal(labels->count, 4);
        assert_memory_equal(labels->values, expected, sizeof expected);
        orthant_labels_free(labels);
        orthant_matrix_free(matrix);
        expect_ok(ctx, orthant_matrix_create(ctx, row ? 1 : 3, row ? 3 : 1, half, &matrix));
        expect_failure(ctx, ORTHANT_ERROR_FORMAT, "y: label 3 is -0.5, expected a whole number",
                       labels_from_matrix(ctx, "y", matrix, &labels));
        assert_null(labels);
        orthant_matrix_free(matrix);
    }
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 1, far, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "y: label 2 is 9.0072e+15, expected a whole number",
                   labels_from_matrix(ctx, "y", matrix, &labels));
    orthant_matrix_free(matrix);
    expect_ok(ctx, orthant_matrix_create(ctx, 2, 2, good, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "y: found 2 x 2 numbers, expected labels in one",
                   labels_from_matrix(ctx, "y", matrix, &labels));
    orthant_matrix_free(matrix);
}

static void test_path_beside(void **state)
{
    orthant_context *ctx = *state;
    static const char *const cases[][2] = {
        {"words.npy", "words.labels.csv"},
        {"a/words.npy", "a/words.labels.csv"},
        {"a.b/words", "a.b/words.labels.csv"},
        {"words", "words.labels.csv"},
        {"two.dots.csv", "two.dots.labels.csv"},
        {"x.h5:/group/w.x", "x.labels.csv"},
        {"x.hdf5:/w", "x.labels.csv"},
        {"a/.hidden", "a/.hidden.labels.csv"},
        {"a/.hidden.npy", "a/.hidden.labels.csv"},
        {"./w.npy", "./w.labels.csv"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *beside = NULL;
        expect_ok(ctx, labels_path_beside(ctx, cases[i][0], &beside));
        assert_string_equal(beside, cases[i][1]);
        memory_free(ctx, beside);
    }
    /* And they are found there, but for who says 'none'. */
    static const orthant_read_options none = {.size = sizeof none, .truth = "none"};
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    const char *path = files_write_text("found.csv", "1,2\n3,4\n");
    files_write_text("found.labels.csv", "7\n8\n");
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &matrix, &truth));
    assert_int_equal(orthant_labels_values(truth)[1], 8);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    expect_ok(ctx, orthant_matrix_read(ctx, path, &none, &matrix, &truth));
    assert_null(truth);
    orthant_matrix_free(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_count),       fixture_test(test_fraction),
        fixture_test(test_arguments),   fixture_test(test_whole_numbers),
        fixture_test(test_path_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
