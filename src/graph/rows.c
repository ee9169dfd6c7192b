/* Distances and dot products of two samples, dense or sparse. */
#include "graph/rows.h"

#include "kernel/kernel.h"

#define DENSE(REAL, DOT)                                           \
    static double DOT(const REAL *x, const REAL *y, int64_t count) \
    {                                                              \
        double total = 0.0;                                        \
        for (int64_t l = 0; l < count; l++)                        \
            total += (double)x[l] * (double)y[l];                  \
        return total;                                              \
    }

DENSE(float, dot_single)
DENSE(double, dot_double)

static double sparse_distance(const orthant_matrix *samples, int64_t i, int64_t j, double limit)
{
    const int64_t end_i = samples->row_start[i + 1], end_j = samples->row_start[j + 1];
    int64_t p = samples->row_start[i], q = samples->row_start[j];
    double total = 0.0;
    while ((p < end_i || q < end_j) && total <= limit) {
        const int32_t at_i = p < end_i ? samples->column[p] : INT32_MAX;
        const int32_t at_j = q < end_j ? samples->column[q] : INT32_MAX;
        const double x = at_i <= at_j ? matrix_value(samples, p++) : 0.0;
        const double y = at_j <= at_i ? matrix_value(samples, q++) : 0.0;
        total += (x - y) * (x - y);
    }
    return total;
}

static double sparse_dot(const orthant_matrix *samples, int64_t i, int64_t j)
{
    const int64_t end_i = samples->row_start[i + 1], end_j = samples->row_start[j + 1];
    int64_t p = samples->row_start[i], q = samples->row_start[j];
    double total = 0.0;
    while (p < end_i && q < end_j) {
        const int32_t at_i = samples->column[p], at_j = samples->column[q];
        if (at_i == at_j)
            total += matrix_value(samples, p) * matrix_value(samples, q);
        p += at_i <= at_j;
        q += at_j <= at_i;
    }
    return total;
}

double rows_distance(const orthant_matrix *samples, int64_t i, int64_t j, double limit)
{
    if (samples->sparse)
        return sparse_distance(samples, i, j, limit);
    const kernels *ops = kernel_table(samples->precision);
    const array X = matrix_array(samples);
    return ops->plain_distance(array_rows(ops, X, i, 1), array_rows(ops, X, j, 1), limit);
}

double rows_dot(const orthant_matrix *samples, int64_t i, int64_t j)
{
    if (samples->sparse)
        return sparse_dot(samples, i, j);
    const int64_t x = i * samples->stride, y = j * samples->stride;
    if (samples->precision == ORTHANT_DOUBLE) {
        const double *values = samples->values;
        return dot_double(values + x, values + y, samples->columns);
    }
    const float *values = samples->values;
    return dot_single(values + x, values + y, samples->columns);
}
