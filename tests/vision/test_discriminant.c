/* Fisher's discriminant against its definition, row by row. */
#include "fixture.h"

#include <float.h>
#include <math.h>

#include "core/random.h"
#include "data/matrix.h"
#include "vision/discriminant.h"

enum { ROWS = 5000, FEATURES = 7, CLASSES = 4 };

static const double ridge = 0.1;

static double draw(int64_t row, int64_t column)
{
    return random_uniform(5, RANDOM_TEST, (uint64_t)row, (uint64_t)column);
}

/* Classes differ in the first two features; a shade that has nothing to do with them moves
 * all features together, much further. Class 2 has no rows. */
static orthant_matrix *shaded_rows(orthant_context *ctx, int32_t *labels)
{
    orthant_matrix *rows = NULL;
    expect_ok(ctx, matrix_new_factor(ctx, ORTHANT_SINGLE, ROWS, FEATURES, &rows));
    for (int64_t i = 0; i < ROWS; i++) {
        const double shade = 10.0 * draw(i, 100);
        labels[i] = (int32_t)(i % 3 == 2 ? 3 : i % 3);
        for (int64_t j = 0; j < FEATURES; j++)
            ((float *)rows->values)[i * rows->stride + j] =
                (float)(shade * (double)(j + 1) + 0.5 * draw(i, j) + (labels[i] == j ? 0.5 : 0.0));
    }
    return rows;
}

static double entry(const orthant_matrix *m, int64_t i, int64_t j)
{
    return orthant_matrix_get(m, i, j);
}

/* The means and the mean scatter around them, with nothing added. */
static void define(const orthant_matrix *rows, const int32_t *labels,
                   double means[CLASSES][FEATURES], double S[FEATURES][FEATURES])
{
    double sizes[CLASSES] = {0};
    memset(means, 0, sizeof(double[CLASSES][FEATURES]));
    memset(S, 0, sizeof(double[FEATURES][FEATURES]));
    for (int64_t i = 0; i < ROWS; i++) {
        sizes[labels[i]] += 1.0;
        for (int j = 0; j < FEATURES; j++)
            means[labels[i]][j] += entry(rows, i, j);
    }
    for (int k = 0; k < CLASSES; k++)
        for (int j = 0; j < FEATURES; j++)
            means[k][j] = sizes[k] > 0.0 ? means[k][j] / sizes[k] : 0.0;
    for (int64_t i = 0; i < ROWS; i++)
        for (int a = 0; a < FEATURES; a++)
            for (int b = 0; b < FEATURES; b++)
                S[a][b] += (entry(rows, i, a) - means[labels[i]][a]) *
                           (entry(rows, i, b) - means[labels[i]][b]) / ROWS;
}

static void test_weights(void **state)
{
    orthant_context *ctx = *state;
    static int32_t labels[ROWS];
    double means[CLASSES][FEATURES], S[FEATURES][FEATURES], u[CLASSES][FEATURES], b[CLASSES];
    discriminant d;
    orthant_matrix *rows = shaded_rows(ctx, labels);
    define(rows, labels, means, S);
    double diagonal = 0.0;
    for (int j = 0; j < FEATURES; j++)
        diagonal += S[j][j] / FEATURES;
    for (int j = 0; j < FEATURES; j++)
        S[j][j] += ridge * diagonal;
    expect_ok(ctx, discriminant_create(ctx, rows, labels, CLASSES, ridge, &d));
    for (int k = 0; k < CLASSES; k++) {
        discriminant_weights(&d, k, u[k], &b[k]);
        if (k == 2) {
            assert_true(b[k] == -(double)FLT_MAX);
            continue;
        }
        double product = 0.0;
        for (int i = 0; i < FEATURES; i++) {
            double Su = 0.0;
            for (int j = 0; j < FEATURES; j++)
                Su += S[i][j] * u[k][j];
            product += u[k][i] * means[k][i];
            assert_true(fabs(Su - means[k][i]) < 1e-4 * fabs(means[k][i]));
        }
        assert_true(fabs(b[k] + 0.5 * product) < 1e-4 * product);
    }
    discriminant_free(&d);
    orthant_matrix_free(rows);
}

/* Which share of the rows the discriminant gives to their own class. */
static double accuracy(const discriminant *d, const orthant_matrix *rows, const int32_t *labels)
{
    int right = 0;
    double u[CLASSES][FEATURES], b[CLASSES];
    for (int k = 0; k < CLASSES; k++)
        discriminant_weights(d, k, u[k], &b[k]);
    for (int64_t i = 0; i < ROWS; i++) {
        double most = -INFINITY;
        int best = 0;
        for (int k = 0; k < CLASSES; k++) {
            double score = b[k];
            for (int j = 0; j < FEATURES; j++)
                score += u[k][j] * entry(rows, i, j);
            if (score > most) {
                most = score;
                best = k;
            }
        }
        right += best == labels[i];
    }
    return (double)right / ROWS;
}

/* A shade twenty times as wide as the classes are apart does not hide them. */
static void test_shade(void **state)
{
    orthant_context *ctx = *state;
    static int32_t labels[ROWS];
    discriminant d;
    orthant_matrix *rows = shaded_rows(ctx, labels);
    expect_ok(ctx, discriminant_create(ctx, rows, labels, CLASSES, 1e-9, &d));
    assert_true(accuracy(&d, rows, labels) > 0.9);
    discriminant_free(&d);
    orthant_matrix_free(rows);
}

/* Within the classes the whitened rows scatter by 1 in all directions, but for the ridge. */
static void test_whitening(void **state)
{
    orthant_context *ctx = *state;
    static int32_t labels[ROWS];
    double means[CLASSES][FEATURES], S[FEATURES][FEATURES];
    discriminant d;
    orthant_matrix *rows = shaded_rows(ctx, labels), *z = NULL;
    for (int64_t i = 0; i < ROWS; i++) /* no shade: nothing is next to the ridge */
        for (int64_t j = 0; j < FEATURES; j++)
            ((float *)rows->values)[i * rows->stride + j] = (float)(draw(i, j) * (double)(j + 1));
    expect_ok(ctx, discriminant_create(ctx, rows, labels, CLASSES, 1e-9, &d));
    expect_ok(ctx, discriminant_whiten(&d, rows, &z));
    define(z, labels, means, S);
    for (int i = 0; i < FEATURES; i++)
        for (int j = 0; j < FEATURES; j++)
            assert_true(fabs(S[i][j] - (i == j ? 1.0 : 0.0)) < 0.05);
    orthant_matrix_free(z);
    discriminant_free(&d);
    orthant_matrix_free(rows);
}

/* Rows that are all alike within their classes have a scatter of rounding alone. */
static void test_nothing_scatters(void **state)
{
    orthant_context *ctx = *state;
    static int32_t labels[ROWS];
    discriminant d;
    orthant_matrix *rows = shaded_rows(ctx, labels);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < FEATURES; j++)
            ((float *)rows->values)[i * rows->stride + j] = (float)(0.1 + 0.7 * draw(labels[i], j));
    expect_ok(ctx, discriminant_create(ctx, rows, labels, CLASSES, ridge, &d));
    assert_true(accuracy(&d, rows, labels) == 1.0);
    discriminant_free(&d);
    memset(rows->values, 0, (size_t)(ROWS * rows->stride) * sizeof(float));
    expect_failure(ctx, ORTHANT_ERROR_NUMERIC, "not definite",
                   discriminant_create(ctx, rows, labels, CLASSES, ridge, &d));
    assert_true(!d.means && !d.sizes && !d.inverse);
    orthant_matrix_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_weights), fixture_test(test_shade),
                                       fixture_test(test_whitening),
                                       fixture_test(test_nothing_scatters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
