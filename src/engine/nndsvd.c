/* NNDSVD (Boutsidis and Gallopoulos 2008): the leading singular triplets of X, each replaced by the
 * larger of its positive and negative parts.
 *
 * The triplets come from subspace iteration: Y = orth(X Z), Z = orth(X'Y), on a few more columns
 * than asked for, until the singular values stand. */
#include <lapacke.h>
#include <math.h>

#include "core/memory.h"
#include "core/random.h"
#include "engine/fit.h"
#include "engine/products.h"

#define EXTRA_COLUMNS 10
#define MOST_ROUNDS 60

typedef struct subspace {
    orthant_context *ctx;
    const orthant_matrix *X;
    int64_t wanted, columns;
    orthant_matrix *Y, *Z; /* n x columns, m x columns */
    double *tall;          /* room for the larger of them, column-major */
    double *tau;           /* columns */
    double *values;        /* columns: singular values, falling; twice, for the last round's */
    double *vectors;       /* columns x columns */
} subspace;

static void release(subspace *s)
{
    orthant_matrix_free(s->Y);
    orthant_matrix_free(s->Z);
    memory_free(s->ctx, s->tall);
    memory_free(s->ctx, s->tau);
    memory_free(s->ctx, s->values);
    memory_free(s->ctx, s->vectors);
}

static orthant_status setup(subspace *s, uint64_t seed)
{
    const int64_t n = s->X->rows, m = s->X->columns, least = n < m ? n : m;
    s->columns = s->wanted + EXTRA_COLUMNS < least ? s->wanted + EXTRA_COLUMNS : least;
    orthant_status status;
    if ((status = matrix_new_factor(s->ctx, s->X->precision, n, s->columns, &s->Y)) ||
        (status = matrix_new_factor(s->ctx, s->X->precision, m, s->columns, &s->Z)))
        return status;
    s->tall = memory_new(s->ctx, (n > m ? n : m) * s->columns, sizeof(double), "singular vectors");
    s->tau = memory_new(s->ctx, s->columns, sizeof(double), "singular vectors");
    s->values = memory_new(s->ctx, 2 * s->columns, sizeof(double), "singular values");
    s->vectors = memory_new(s->ctx, s->columns * s->columns, sizeof(double), "singular vectors");
    if (!s->tall || !s->tau || !s->values || !s->vectors)
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
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, columns, s->tall, rows, s->tau) ||
        LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, columns, columns, s->tall, rows, s->tau))
        return fail(s->ctx, ORTHANT_ERROR_NUMERIC, "a QR factorisation failed in the nndsvd start");
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
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)c, s->vectors, (lapack_int)c,
                      s->values))
        return fail(s->ctx, ORTHANT_ERROR_NUMERIC,
                    "an eigenvalue computation failed in the nndsvd start");
    for (int64_t i = 0; i < c; i++)
        s->values[i] = s->values[i] < 0 ? sqrt(-s->values[i]) : 0;
    return ORTHANT_OK;
}

static bool settled(subspace *s)
{
    const double tolerance = s->X->precision == ORTHANT_SINGLE ? 1e-5 : 1e-9;
    double *now = s->values, *before = s->values + s->columns;
    bool still = true;
    for (int64_t j = 0; j < s->columns; j++) {
        if (j < s->wanted && fabs(now[j] - before[j]) > tolerance * now[0])
            still = false;
        before[j] = now[j];
    }
    return still;
}

/* Ends with Y orthonormal, Z = X'Y, and their rotation in `vectors`. */
static orthant_status iterate(subspace *s)
{
    orthant_status status = ORTHANT_OK;
    for (int round = 0; round < MOST_ROUNDS && !status; round++) {
        products_forward(s->ctx, s->X, matrix_array(s->Z), matrix_array(s->Y));
        if ((status = orthonormalise(s, s->Y)))
            break;
        products_backward(s->ctx, s->X, matrix_array(s->Y), matrix_array(s->Z));
        if ((status = ritz(s)) || settled(s))
            break;
        status = orthonormalise(s, s->Z);
    }
    return status;
}

/* Column j of factor times the rotation, into tall. */
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

static double part_length(const double *column, int64_t count, double sign)
{
    double total = 0;
    for (int64_t i = 0; i < count; i++)
        if (sign * column[i] > 0)
            total += column[i] * column[i];
    return sqrt(total);
}

static void set_part(orthant_matrix *factor, int64_t j, const double *column, double sign,
                     double scale)
{
    for (int64_t i = 0; i < factor->rows; i++)
        matrix_set_value(factor, i * factor->stride + j, fmax(sign * column[i], 0) * scale);
}

/* The pair of parts whose product of lengths is the larger, scaled to the singular value. */
static void set_pair(orthant_matrix *encoding, orthant_matrix *basis, int64_t j, double value,
                     double *left, double *right)
{
    const double left_plus = part_length(left, encoding->rows, 1),
                 right_plus = part_length(right, basis->rows, 1);
    const double left_minus = part_length(left, encoding->rows, -1),
                 right_minus = part_length(right, basis->rows, -1);
    const bool plus = left_plus * right_plus >= left_minus * right_minus;
    const double a = plus ? left_plus : left_minus, b = plus ? right_plus : right_minus,
                 sign = plus ? 1 : -1;
    if (!(a > 0) || !(b > 0))
        return;
    const double scale = sqrt(value * a * b);
    set_part(encoding, j, left, sign, scale / a);
    set_part(basis, j, right, sign, scale / b);
}

orthant_status nndsvd_start(orthant_context *ctx, const orthant_matrix *samples, uint64_t seed,
                            orthant_matrix *basis, orthant_matrix *encoding)
{
    subspace s = {.ctx = ctx, .X = samples, .wanted = basis->columns};
    double *left = NULL, *right = NULL;
    if (s.wanted > samples->rows || s.wanted > samples->columns)
        return fail(
            ctx, ORTHANT_ERROR_ARGUMENT,
            "init nndsvd takes at most min(samples, features) = %lld columns, rank is %lld: take "
            "init random",
            (long long)(samples->rows < samples->columns ? samples->rows : samples->columns),
            (long long)s.wanted);
    orthant_status status = setup(&s, seed);
    if (!status)
        status = iterate(&s);
    if (!status) {
        left = memory_new(ctx, encoding->rows, sizeof *left, "a singular vector");
        right = memory_new(ctx, basis->rows, sizeof *right, "a singular vector");
        status = left && right ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    for (int64_t j = 0; j < s.wanted && !status; j++) {
        if (!(s.values[j] > 1e-12 * s.values[0]))
            break;
        rotated_column(&s, s.Y, j, 1, left);
        rotated_column(&s, s.Z, j, 1 / s.values[j], right);
        set_pair(encoding, basis, j, s.values[j], left, right);
    }
    memory_free(ctx, left);
    memory_free(ctx, right);
    release(&s);
    return status;
}
