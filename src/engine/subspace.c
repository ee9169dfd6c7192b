#include "engine/subspace.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "engine/products.h"
#include "kernel/blas.h"
#include "kernel/lapack.h"

#define EXTRA_COLUMNS 10

void subspace_release(subspace *s)
{
    orthant_matrix_free(s->Y);
    orthant_matrix_free(s->Z);
    orthant_matrix_free(s->mean_column);
    orthant_matrix_free(s->sums);
    memory_free(s->ctx, s->tall);
    memory_free(s->ctx, s->tau);
    memory_free(s->ctx, s->values);
    memory_free(s->ctx, s->vectors);
}

static orthant_status setup_mean(subspace *s)
{
    orthant_status status;
    if (!s->mean)
        return ORTHANT_OK;
    if ((status = matrix_new_dense(s->ctx, s->X->precision, s->X->columns, 1, &s->mean_column)) ||
        (status = matrix_new_factor(s->ctx, s->X->precision, 1, s->columns, &s->sums)))
        return status;
    for (int64_t j = 0; j < s->X->columns; j++)
        matrix_set_value(s->mean_column, j, -s->mean[j]);
    return ORTHANT_OK;
}

orthant_status subspace_setup(subspace *s, uint64_t seed)
{
    const int64_t n = s->X->rows, m = s->X->columns, least = n < m ? n : m;
    s->columns = s->wanted + EXTRA_COLUMNS < least ? s->wanted + EXTRA_COLUMNS : least;
    orthant_status status;
    if ((status = matrix_new_factor(s->ctx, s->X->precision, n, s->columns, &s->Y)) ||
        (status = matrix_new_factor(s->ctx, s->X->precision, m, s->columns, &s->Z)) ||
        (status = setup_mean(s)))
        return status;
    s->tall = memory_new(s->ctx, (n > m ? n : m) * s->columns, sizeof(double), "singular vectors");
    s->tau = memory_new(s->ctx, s->columns, sizeof(double), "singular vectors");
    s->values = memory_new(s->ctx, 2 * s->columns, sizeof(double), "singular values");
    s->vectors = memory_new(s->ctx, s->columns * s->columns, sizeof(double), "singular vectors");
    if (!s->tall || !s->tau || !s->values || !s->vectors || blas_check_memory(s->ctx))
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < s->columns; j++)
            matrix_set_value(s->Z, i * s->Z->stride + j,
                             random_normal(seed, RANDOM_SUBSPACE, (uint64_t)i, (uint64_t)j));
    return ORTHANT_OK;
}

/* The factor as column-major doubles, and back. */
static void to_columns(const orthant_matrix *factor, double *tall)
{
    for (int64_t j = 0; j < factor->columns; j++)
        for (int64_t i = 0; i < factor->rows; i++)
            tall[j * factor->rows + i] = matrix_value(factor, i * factor->stride + j);
}

static void from_columns(orthant_matrix *factor, const double *tall)
{
    for (int64_t j = 0; j < factor->columns; j++)
        for (int64_t i = 0; i < factor->rows; i++)
            matrix_set_value(factor, i * factor->stride + j, tall[j * factor->rows + i]);
}

static orthant_status orthonormalise(subspace *s, orthant_matrix *factor)
{
    const lapack_int rows = (lapack_int)factor->rows, columns = (lapack_int)s->columns;
    to_columns(factor, s->tall);
    blas_enter();
    lapack_int failed = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, columns, s->tall, rows, s->tau);
    if (!failed)
        failed = LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, columns, columns, s->tall, rows, s->tau);
    blas_leave();
    if (failed)
        return lapack_fail(s->ctx, failed, "a QR factorisation of singular vectors failed");
    from_columns(factor, s->tall);
    return ORTHANT_OK;
}

/* With Y orthonormal and Z = X'Y: singular values, and the rotation of both, from the eigenvectors
 * of Z'Z, falling. */
static orthant_status ritz(subspace *s)
{
    const int64_t c = s->columns, m = s->Z->rows;
    to_columns(s->Z, s->tall);
    for (int64_t i = 0; i < c; i++)
        for (int64_t j = 0; j <= i; j++) {
            double total = 0;
            for (int64_t f = 0; f < m; f++)
                total += s->tall[i * m + f] * s->tall[j * m + f];
            s->vectors[i * c + j] = s->vectors[j * c + i] =
                -total; /* negated: LAPACK sorts upwards */
        }
    blas_enter();
    const lapack_int failed = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)c, s->vectors,
                                            (lapack_int)c, s->values);
    blas_leave();
    if (failed)
        return lapack_fail(s->ctx, failed, "the eigenvalues of singular vectors failed");
    for (int64_t i = 0; i < c; i++)
        s->values[i] = s->values[i] < 0 ? sqrt(-s->values[i]) : 0;
    return ORTHANT_OK;
}

static bool settled_now(subspace *s)
{
    double *now = s->values, *before = s->values + s->columns;
    bool still = true;
    for (int64_t j = 0; j < s->columns; j++) {
        if (j < s->wanted && fabs(now[j] - before[j]) > s->tolerance * now[0])
            still = false;
        before[j] = now[j];
    }
    return still;
}

void centre_forward(const kernels *k, array Y, array Z, array mean_column, orthant_matrix *sums)
{
    const array row = matrix_array(sums);
    k->product_transposed(row, mean_column, Z, false);
    for (int64_t i = 0; i < Y.rows; i++)
        k->add(array_rows(k, Y, i, 1), 1, row);
}

void centre_backward(const kernels *k, array Z, array Y, array mean_column, orthant_matrix *sums)
{
    const array row = matrix_array(sums);
    memset(row.data, 0, (size_t)row.stride * k->size);
    for (int64_t i = 0; i < Y.rows; i++)
        k->add(row, 1, array_rows(k, Y, i, 1));
    k->product(Z, mean_column, row, true);
}

orthant_status subspace_round(subspace *s, bool *settled)
{
    const kernels *k = kernel_table(s->X->precision);
    const array Y = matrix_array(s->Y), Z = matrix_array(s->Z);
    orthant_status status;
    *settled = false;
    if (s->values[0] > 0 && (status = orthonormalise(s, s->Z))) /* Z of the last round */
        return status;
    products_forward(s->ctx, s->X, Z, Y);
    if (s->mean)
        centre_forward(k, Y, Z, matrix_array(s->mean_column), s->sums);
    if ((status = orthonormalise(s, s->Y)))
        return status;
    products_backward(s->ctx, s->X, Y, Z);
    if (s->mean)
        centre_backward(k, Z, Y, matrix_array(s->mean_column), s->sums);
    if ((status = ritz(s)))
        return status;
    *settled = settled_now(s);
    return ORTHANT_OK;
}

/* Column j of the factor times the rotation. */
static void rotated_column(const subspace *s, const orthant_matrix *factor, int64_t j, double scale,
                           double *column)
{
    for (int64_t i = 0; i < factor->rows; i++) {
        double total = 0;
        for (int64_t c = 0; c < s->columns; c++)
            total += matrix_value(factor, i * factor->stride + c) * s->vectors[j * s->columns + c];
        column[i] = scale * total;
    }
}

void subspace_left(const subspace *s, int64_t j, double *vector)
{
    rotated_column(s, s->Y, j, 1, vector);
}

void subspace_right(const subspace *s, int64_t j, double *vector)
{
    rotated_column(s, s->Z, j, s->values[j] > 0 ? 1 / s->values[j] : 0, vector);
}
