/* Distances and sums of one dense or sparse row. */
#include "cluster/point.h"

#include <string.h>

#define DENSE(REAL, DISTANCE, ADD)                                                        \
    static double DISTANCE(const REAL *x, const double *centre, int64_t count)            \
    {                                                                                     \
        double sums[4] = {0};                                                             \
        int64_t l = 0;                                                                    \
        for (; l + 4 <= count; l += 4)                                                    \
            for (int lane = 0; lane < 4; lane++) {                                        \
                const double difference = (double)x[l + lane] - centre[l + lane];         \
                sums[lane] += difference * difference;                                    \
            }                                                                             \
        for (; l < count; l++)                                                            \
            sums[0] += ((double)x[l] - centre[l]) * ((double)x[l] - centre[l]);           \
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);                                 \
    }                                                                                     \
    static void ADD(const REAL *x, double sign, const double *mean, double *restrict sum, \
                    int64_t count)                                                        \
    {                                                                                     \
        int64_t l = 0;                                                                    \
        for (; l + 4 <= count; l += 4)                                                    \
            for (int lane = 0; lane < 4; lane++)                                          \
                sum[l + lane] += sign * ((double)x[l + lane] - mean[l + lane]);           \
        for (; l < count; l++)                                                            \
            sum[l] += sign * ((double)x[l] - mean[l]);                                    \
    }

DENSE(float, distance_single, add_single)
DENSE(double, distance_double, add_double)

double centre_square(const double *centre, int64_t features)
{
    double total = 0.0;
    for (int64_t l = 0; l < features; l++)
        total += centre[l] * centre[l];
    return total;
}

/* A sparse row differs from the centre's own square in its stored entries only. */
double point_distance(const orthant_matrix *points, int64_t i, const double *centre, double square)
{
    if (!points->sparse)
        return points->precision == ORTHANT_DOUBLE
                   ? distance_double((double *)points->values + i * points->stride, centre,
                                     points->columns)
                   : distance_single((float *)points->values + i * points->stride, centre,
                                     points->columns);
    double total = square;
    for (int64_t e = points->row_start[i]; e < points->row_start[i + 1]; e++) {
        const double value = matrix_value(points, e);
        total += value * (value - 2.0 * centre[points->column[e]]);
    }
    return total > 0.0 ? total : 0.0;
}

void point_add(const orthant_matrix *points, int64_t i, int64_t first, int64_t features,
               double sign, const double *mean, double *sum)
{
    const int64_t at = i * points->stride + first;
    if (points->sparse)
        for (int64_t e = points->row_start[i]; e < points->row_start[i + 1]; e++)
            sum[points->column[e]] += sign * matrix_value(points, e);
    else if (points->precision == ORTHANT_DOUBLE)
        add_double((double *)points->values + at, sign, mean + first, sum, features);
    else
        add_single((float *)points->values + at, sign, mean + first, sum, features);
}

void point_copy(const orthant_matrix *points, int64_t i, double *centre)
{
    memset(centre, 0, (size_t)points->columns * sizeof *centre);
    if (points->sparse)
        for (int64_t e = points->row_start[i]; e < points->row_start[i + 1]; e++)
            centre[points->column[e]] = matrix_value(points, e);
    else
        for (int64_t l = 0; l < points->columns; l++)
            centre[l] = matrix_value(points, i * points->stride + l);
}
