/* Scaling: max, unit, tf-idf, extreme samples, and by other data. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "data/matrix.h"

/* Three documents, four words: word 1 in two of them, word 2 in all, word 3 in one, word 4 in none.
 */
static const double counts[] = {2, 1, 0, 0, 1, 3, 0, 0, 0, 1, 4, 0};

static orthant_matrix *make_matrix(orthant_context *ctx, bool sparse, const double *values)
{
    orthant_matrix *matrix = NULL;
    int64_t starts[4] = {0}, columns[12], stored = 0;
    double entries[12];
    for (int i = 0; i < 12; i++) {
        if (values[i] != 0) {
            columns[stored] = i % 4;
            entries[stored++] = values[i];
        }
        starts[i / 4 + 1] = stored;
    }
    if (sparse)
        expect_ok(ctx, orthant_matrix_create_csr(ctx, 3, 4, starts, columns, entries, &matrix));
    else
        expect_ok(ctx, orthant_matrix_create(ctx, 3, 4, values, &matrix));
    return matrix;
}

static void check_scaled(orthant_context *ctx, const double *values, orthant_scaling scaling,
                         const double *expected)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        orthant_matrix *matrix = make_matrix(ctx, sparse != 0, values);
        expect_ok(ctx, orthant_matrix_scale(matrix, scaling));
        assert_int_equal(orthant_matrix_is_sparse(matrix), sparse);
        for (int i = 0; i < 12; i++)
            assert_true(fabs(orthant_matrix_get(matrix, i / 4, i % 4) - expected[i]) <=
                        1e-15 * fabs(expected[i]));
        orthant_matrix_free(matrix);
    }
}

static void test_none_max_and_unit(void **state)
{
    orthant_context *ctx = *state;
    static const double mixed[] = {3, 0, -4, 0, 0, 0, 0, 0, 1, 2, 2, 0};
    static const double unit[] = {0.6, 0, -0.8, 0, 0, 0, 0, 0, 1.0 / 3, 2.0 / 3, 2.0 / 3, 0};
    static const double max[] = {0.75, 0, -1, 0, 0, 0, 0, 0, 0.25, 0.5, 0.5, 0};
    static const double zero[12] = {0};
    check_scaled(ctx, mixed, ORTHANT_SCALE_NONE, mixed);
    check_scaled(ctx, mixed, ORTHANT_SCALE_UNIT, unit);
    check_scaled(ctx, mixed, ORTHANT_SCALE_MAX, max);
    check_scaled(ctx, zero, ORTHANT_SCALE_MAX, zero);
    check_scaled(ctx, zero, ORTHANT_SCALE_UNIT, zero);
    check_scaled(ctx, zero, ORTHANT_SCALE_TFIDF, zero);
}

static void test_tfidf(void **state)
{
    orthant_context *ctx = *state;
    const double a = log(3.0 / 2), b = log(3.0);
    const double expected[] = {2 * a / (2 * a), 0, 0, 0, a / a, 0, 0, 0, 0, 0, 4 * b / (4 * b), 0};
    check_scaled(ctx, counts, ORTHANT_SCALE_TFIDF, expected);
    static const double two[] = {2, 0, 3, 0, 0, 0, 5, 0, 0, 1, 0, 0};
    const double x = 2 * log(3.0), y = 3 * log(1.5), length = sqrt(x * x + y * y);
    const double both[] = {x / length, 0, y / length, 0, 0, 0, 1, 0, 0, 1, 0, 0};
    check_scaled(ctx, two, ORTHANT_SCALE_TFIDF, both);
}

static void test_tfidf_refuses_negative_counts(void **state)
{
    orthant_context *ctx = *state;
    static const double negative[] = {2, 1, 0, 0, 1, -3, 0, 0, 0, 1, 4, 0};
    for (int sparse = 0; sparse < 2; sparse++) {
        orthant_matrix *matrix = make_matrix(ctx, sparse != 0, negative);
        expect_failure(ctx, ORTHANT_ERROR_DATA, "entry (2, 2) is -3; 'tfidf' needs nonnegative",
                       orthant_matrix_scale(matrix, ORTHANT_SCALE_TFIDF));
        assert_true(orthant_matrix_get(matrix, 0, 0) == 2);
        orthant_matrix_free(matrix);
    }
}

static void test_unit_length_of_extreme_samples(void **state)
{
    orthant_context *ctx = *state;
    static const double extreme[] = {3e200, 4e200, 0,      0,      3e-200, 4e-200,
                                     0,     0,     3e-310, 4e-310, 0,      0};
    orthant_matrix *matrix = make_matrix(ctx, false, extreme);
    expect_ok(ctx, orthant_matrix_scale(matrix, ORTHANT_SCALE_UNIT));
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(orthant_matrix_get(matrix, i, 0) - 0.6) < 1e-12);
        assert_true(fabs(orthant_matrix_get(matrix, i, 1) - 0.8) < 1e-12);
    }
    orthant_matrix_free(matrix);
}

static void test_names(void **state)
{
    orthant_context *ctx = *state;
    orthant_scaling scaling = ORTHANT_SCALE_NONE;
    expect_ok(ctx, orthant_scaling_parse(ctx, "tfidf", &scaling));
    assert_int_equal(scaling, ORTHANT_SCALE_TFIDF);
    expect_ok(ctx, orthant_scaling_parse(ctx, "none", &scaling));
    assert_int_equal(scaling, ORTHANT_SCALE_NONE);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "unknown scaling 'tf-idf': did you mean 'tfidf'?",
                   orthant_scaling_parse(ctx, "tf-idf", &scaling));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "unknown scaling 'whiten'; known are none, unit, max, tfidf",
                   orthant_scaling_parse(ctx, "whiten", &scaling));
}

/* Other data scaled by the statistics of the counts: half of the largest entry stays a half, and a
 * word of all documents still weighs nothing in one alone. */
static void test_scaling_by_other_data(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *data = make_matrix(ctx, false, counts), *statistics = NULL, *other = NULL;
    static const double one[] = {2, 7, 1, 3};
    expect_ok(ctx, orthant_matrix_scale_statistics(data, ORTHANT_SCALE_UNIT, &statistics));
    assert_null(statistics);
    expect_ok(ctx, orthant_matrix_scale_statistics(data, ORTHANT_SCALE_MAX, &statistics));
    expect_ok(ctx, orthant_matrix_create(ctx, 1, 4, one, &other));
    expect_ok(ctx, orthant_matrix_scale_by(other, ORTHANT_SCALE_MAX, statistics));
    for (int j = 0; j < 4; j++)
        assert_true(orthant_matrix_get(other, 0, j) == one[j] / 4);
    expect_failure(ctx, ORTHANT_ERROR_DATA, "found 1 x 1 numbers to scale by, expected 1 x 4",
                   orthant_matrix_scale_by(other, ORTHANT_SCALE_TFIDF, statistics));
    orthant_matrix_free(statistics);
    orthant_matrix_free(other);
    expect_ok(ctx, orthant_matrix_scale_statistics(data, ORTHANT_SCALE_TFIDF, &statistics));
    expect_ok(ctx, orthant_matrix_create(ctx, 1, 4, one, &other));
    expect_ok(ctx, orthant_matrix_scale_by(other, ORTHANT_SCALE_TFIDF, statistics));
    const double x = 2 * log(3.0 / 2), y = log(3.0), length = sqrt(x * x + y * y);
    const double expected[] = {x / length, 0, y / length, 0};
    for (int j = 0; j < 4; j++)
        assert_true(fabs(orthant_matrix_get(other, 0, j) - expected[j]) < 1e-15);
    expect_failure(ctx, ORTHANT_ERROR_DATA, "found 0 x 0 numbers to scale by, expected 1 x 4",
                   orthant_matrix_scale_by(other, ORTHANT_SCALE_TFIDF, NULL));
    orthant_matrix_free(statistics);
    orthant_matrix_free(other);
    orthant_matrix_free(data);
}

/* ------------------------------------------------------------------ masks */

/* Row 2 has nothing that is known, row 3 all; of row 1 the largest entry counts for nothing. */
static const double seen[] = {3, 0.5, 9, -4, 7, 7, 0, 1, 2, 1, 0, 2},
                    weights[] = {2, 0.5, 0, 1, 0, 0, 0, 0, 1, 0.1, 3, 1};

/* Plain loops: lengths, or the largest modulus, of entries with a weight above 0. */
static void plain_masked(orthant_scaling scaling, double *expected)
{
    double most = 0;
    for (int i = 0; i < 12; i++)
        most = fmax(most, weights[i] > 0 ? fabs(seen[i]) : 0);
    for (int i = 0; i < 3; i++) {
        double squares = 0;
        for (int j = 0; j < 4; j++)
            squares += weights[4 * i + j] > 0 ? seen[4 * i + j] * seen[4 * i + j] : 0;
        for (int j = 0; j < 4; j++)
            expected[4 * i + j] = seen[4 * i + j] / (scaling == ORTHANT_SCALE_MAX ? most
                                                     : squares > 0                ? sqrt(squares)
                                                                                  : 1);
    }
}

/* Dense and sparse, of either; where the mask has zeros NaN gives the same bits. */
static void test_by_known_entries(void **state)
{
    orthant_context *ctx = *state;
    for (int c = 0; c < 8; c++) {
        const orthant_scaling scaling = c / 4 ? ORTHANT_SCALE_MAX : ORTHANT_SCALE_UNIT;
        double expected[12], holes[12];
        orthant_matrix *matrix = make_matrix(ctx, c % 2, seen), *taken = NULL, *missing = NULL,
                       *mask = make_matrix(ctx, c / 2 % 2, weights);
        plain_masked(scaling, expected);
        for (int i = 0; i < 12; i++)
            holes[i] = weights[i] > 0 ? seen[i] : (double)NAN;
        expect_ok(ctx, orthant_matrix_create(ctx, 3, 4, holes, &missing));
        expect_ok(ctx, orthant_matrix_scale_masked(matrix, scaling, mask, NULL, &taken));
        expect_ok(ctx, orthant_matrix_scale_masked(missing, scaling, NULL, NULL, NULL));
        assert_true(!taken == (scaling == ORTHANT_SCALE_UNIT));
        for (int i = 0; i < 12; i++) {
            const double found = orthant_matrix_get(matrix, i / 4, i % 4);
            assert_true(fabs(found - expected[i]) <= 1e-15 * fabs(expected[i]));
            if (weights[i] > 0)
                assert_true(found == orthant_matrix_get(missing, i / 4, i % 4));
        }
        orthant_matrix_free(matrix);
        orthant_matrix_free(missing);
        orthant_matrix_free(mask);
        orthant_matrix_free(taken);
    }
}

/* Other data with a mask of their own go by what the first gave. */
static void test_masked_by_other_data(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *first = make_matrix(ctx, false, seen), *mask = make_matrix(ctx, false, weights),
                   *other = make_matrix(ctx, true, counts), *taken = NULL, *none = NULL;
    expect_ok(ctx, orthant_matrix_scale_masked(first, ORTHANT_SCALE_MAX, mask, NULL, &taken));
    assert_true(orthant_matrix_get(taken, 0, 0) == 4);
    expect_ok(ctx, orthant_matrix_scale_masked(other, ORTHANT_SCALE_MAX, mask, taken, &none));
    assert_null(none);
    for (int i = 0; i < 12; i++)
        assert_true(orthant_matrix_get(other, i / 4, i % 4) == counts[i] / 4);
    orthant_matrix_free(first);
    orthant_matrix_free(other);
    orthant_matrix_free(mask);
    orthant_matrix_free(taken);
}

static void test_masks_that_are_refused(void **state)
{
    orthant_context *ctx = *state;
    static const double nothing[12] = {0}, negative[12] = {1, 1, -1};
    orthant_matrix *matrix = make_matrix(ctx, false, counts),
                   *mask = make_matrix(ctx, false, weights),
                   *zeros = make_matrix(ctx, true, nothing),
                   *minus = make_matrix(ctx, false, negative), *narrow = NULL, *taken = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 4, 3, counts, &narrow));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "counts the samples that have a word",
                   orthant_matrix_scale_masked(matrix, ORTHANT_SCALE_TFIDF, mask, NULL, &taken));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "the mask is 4 x 3, the data are 3 x 4",
                   orthant_matrix_scale_masked(matrix, ORTHANT_SCALE_UNIT, narrow, NULL, &taken));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "the mask is 0 everywhere",
                   orthant_matrix_scale_masked(matrix, ORTHANT_SCALE_MAX, zeros, NULL, &taken));
    expect_failure(ctx, ORTHANT_ERROR_DATA, "the mask: entry (1, 3) is -1",
                   orthant_matrix_scale_masked(matrix, ORTHANT_SCALE_UNIT, minus, NULL, &taken));
    assert_null(taken);
    for (int i = 0; i < 12; i++)
        assert_true(orthant_matrix_get(matrix, i / 4, i % 4) == counts[i]);
    expect_ok(ctx, orthant_matrix_scale_masked(matrix, ORTHANT_SCALE_TFIDF, NULL, NULL, &taken));
    assert_int_equal(orthant_matrix_columns(taken), 4);
    orthant_matrix *all[] = {matrix, mask, zeros, minus, narrow, taken};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        orthant_matrix_free(all[i]);
}

/* So many entries that threads share them; every fifth sample is zero. */
static void test_many_samples(void **state)
{
    enum { ROWS = 1501, COLUMNS = 97 };
    orthant_context *ctx = *state;
    double *values = malloc(sizeof(double[ROWS][COLUMNS]));
    assert_non_null(values);
    for (int64_t e = 0; e < ROWS * COLUMNS; e++)
        values[e] = e / COLUMNS % 5 ? (double)(e * e % 1009) : 0;
    for (int threads = 1; threads <= 3; threads++) {
        orthant_matrix *unit = NULL, *most = NULL;
        expect_ok(ctx, orthant_context_set_threads(ctx, threads));
        expect_ok(ctx, orthant_matrix_create(ctx, ROWS, COLUMNS, values, &unit));
        expect_ok(ctx, orthant_matrix_create(ctx, ROWS, COLUMNS, values, &most));
        expect_ok(ctx, orthant_matrix_scale(unit, ORTHANT_SCALE_UNIT));
        expect_ok(ctx, orthant_matrix_scale(most, ORTHANT_SCALE_MAX));
        for (int64_t i = 0; i < ROWS; i++) {
            /* Sums of squares of whole numbers are exact in any order. */
            double square = 0;
            for (int64_t j = 0; j < COLUMNS; j++)
                square += values[i * COLUMNS + j] * values[i * COLUMNS + j];
            for (int64_t j = 0; j < COLUMNS; j++) {
                const double x = values[i * COLUMNS + j];
                assert_true(orthant_matrix_get(unit, i, j) == (square > 0 ? x / sqrt(square) : 0));
                assert_true(orthant_matrix_get(most, i, j) == x / 1008);
            }
        }
        orthant_matrix_free(unit);
        orthant_matrix_free(most);
    }
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_none_max_and_unit),
        fixture_test(test_tfidf),
        fixture_test(test_tfidf_refuses_negative_counts),
        fixture_test(test_unit_length_of_extreme_samples),
        fixture_test(test_names),
        fixture_test(test_scaling_by_other_data),
        fixture_test(test_many_samples),
        fixture_test(test_by_known_entries),
        fixture_test(test_masked_by_other_data),
        fixture_test(test_masks_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
