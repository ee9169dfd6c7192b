/* NNDSVD (Boutsidis and Gallopoulos 2008): the leading singular triplets of X, each replaced by the
 * larger of its positive and negative parts. */
#include <math.h>

#include "core/pieces.h"
#include "engine/singular.h"
#include "engine/start.h"

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
                     const double *left, const double *right)
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
    const int64_t n = samples->rows, m = samples->columns, least = smaller(n, m);
    singular s = {.ctx = ctx, .X = samples, .wanted = basis->columns, .seed = seed};
    if (s.wanted > least)
        return fail(
            ctx, ORTHANT_ERROR_ARGUMENT,
            "init nndsvd takes at most min(samples, features) = %lld columns, rank is %lld: take "
            "init random",
            (long long)least, (long long)s.wanted);
    const orthant_status status = singular_find(&s);
    for (int64_t j = 0; j < s.found; j++) {
        const double *left, *right, value = singular_triplet(&s, j, &left, &right);
        set_pair(encoding, basis, j, value, left, right);
    }
    singular_free(&s);
    return status;
}
