#include "kmeans_case.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"

double uniform(int64_t i, int64_t j)
{
    return random_uniform(5, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

orthant_matrix *make_points(orthant_context *ctx, entry_function entry, int64_t n, int64_t m,
                            bool sparse)
{
    double *values = malloc((size_t)(n * m) * sizeof *values);
    int64_t *start = malloc((size_t)(n + 1) * sizeof *start);
    int64_t *column = malloc((size_t)(n * m) * sizeof *column);
    orthant_matrix *points = NULL;
    int64_t stored = 0;
    assert_true(values && start && column);
    for (int64_t i = 0; i < n; i++) {
        start[i] = stored;
        for (int64_t j = 0; j < m; j++)
            if (!sparse || entry(i, j) != 0.0) {
                column[stored] = j;
                values[stored++] = entry(i, j);
            }
    }
    start[n] = stored;
    if (sparse)
        expect_ok(ctx, orthant_matrix_create_csr(ctx, n, m, start, column, values, &points));
    else
        expect_ok(ctx, orthant_matrix_create(ctx, n, m, values, &points));
    free(values);
    free(start);
    free(column);
    return points;
}

double distance(const orthant_matrix *points, int64_t i, const double *centre)
{
    double sum = 0.0;
    for (int64_t l = 0; l < points->columns; l++)
        sum += (orthant_matrix_get(points, i, l) - centre[l]) *
               (orthant_matrix_get(points, i, l) - centre[l]);
    return sum;
}

void check_outcome(const orthant_matrix *points, int64_t k, const kmeans_outcome *outcome)
{
    const int64_t n = points->rows, m = points->columns;
    double *mean = calloc((size_t)(k * m), sizeof *mean);
    int64_t *size = calloc((size_t)k, sizeof *size);
    double inertia = 0.0, rounding = 0.0;
    assert_true(mean && size);
    for (int64_t i = 0; i < n; i++) {
        const int64_t label = outcome->label[i];
        assert_true(label >= 0 && label < k);
        const double mine = distance(points, i, outcome->centres + label * m);
        for (int64_t c = 0; c < k; c++)
            assert_true(mine <= distance(points, i, outcome->centres + c * m) + 1e-9);
        size[label]++;
        inertia += mine;
        for (int64_t l = 0; l < m; l++) {
            const double value = orthant_matrix_get(points, i, l);
            mean[label * m + l] += value;
            rounding += 1e-15 * value * value;
        }
    }
    assert_true(fabs(inertia - outcome->inertia) <= 1e-11 * inertia + 1e-11);
    assert_true(outcome->history[outcome->iterations] == outcome->inertia);
    for (int64_t t = 1; t <= outcome->iterations; t++)
        assert_true(outcome->history[t] <= outcome->history[t - 1] + rounding);
    for (int64_t c = 0; c < k; c++) {
        assert_true(size[c] > 0);
        for (int64_t l = 0; l < m && outcome->converged; l++)
            assert_true(fabs(mean[c * m + l] / (double)size[c] - outcome->centres[c * m + l]) <
                        1e-11 * (1.0 + fabs(outcome->centres[c * m + l])));
    }
    free(mean);
    free(size);
}
