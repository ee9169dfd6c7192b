/* NNDSVD (Boutsidis and Gallopoulos 2008): the leading singular triplets of X, each replaced by the
 * larger of its positive and negative parts. */
#include <math.h>

#include "core/memory.h"
#include "engine/fit.h"
#include "engine/subspace.h"

#define MOST_ROUNDS 60

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
    subspace s = {.ctx = ctx,
                  .X = samples,
                  .wanted = basis->columns,
                  .tolerance = samples->precision == ORTHANT_SINGLE ? 1e-5 : 1e-9};
    bool settled = false;
    double *left = NULL, *right = NULL;
    if (s.wanted > samples->rows || s.wanted > samples->columns)
        return fail(
            ctx, ORTHANT_ERROR_ARGUMENT,
            "init nndsvd takes at most min(samples, features) = %lld columns, rank is %lld: take "
            "init random",
            (long long)(samples->rows < samples->columns ? samples->rows : samples->columns),
            (long long)s.wanted);
    orthant_status status = subspace_setup(&s, seed);
    for (int round = 0; round < MOST_ROUNDS && !settled && !status; round++)
        status = subspace_round(&s, &settled);
    if (!status) {
        left = memory_new(ctx, encoding->rows, sizeof *left, "a singular vector");
        right = memory_new(ctx, basis->rows, sizeof *right, "a singular vector");
        status = left && right ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    for (int64_t j = 0; j < s.wanted && !status; j++) {
        if (!(s.values[j] > 1e-12 * s.values[0]))
            break;
        subspace_left(&s, j, left);
        subspace_right(&s, j, right);
        set_pair(encoding, basis, j, s.values[j], left, right);
    }
    memory_free(ctx, left);
    memory_free(ctx, right);
    subspace_release(&s);
    return status;
}
