/* NNDSVD (Boutsidis and Gallopoulos 2008): the leading singular triplets of X, each replaced by the
 * larger of its positive and negative parts. The triplets are found in double whatever the
 * precision of X: singular values of a high rank lie close together, and vectors to the precision
 * of a float would be mixtures. */
#include <math.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "engine/eigen.h"
#include "engine/start.h"
#include "engine/principal.h"

#define NOTHING 1e-13 /* eigenvalues below this share of the first are rounding */
#define SHIFT 0.01    /* added to the eigenvalues, of sum 1, that Lanczos's method works on: ... */
#define TOLERANCE \
    1e-12 /* ... to this share of one it can find those of a matrix without full rank */
#define RESTARTS 10000
#define FEATURES 256 /* of a task */

/* ------------------------------------------------------------------ products in double */

typedef struct vector_work {
    const orthant_matrix *X;
    const double *from;
    double *to;
} vector_work;

static void forward_task(void *user, int64_t index, int thread)
{
    const vector_work *w = user;
    const kernels *ops = kernel_table(w->X->precision);
    const int64_t first = index * KERNEL_ROWS, left = w->X->rows - first,
                  rows = left < KERNEL_ROWS ? left : KERNEL_ROWS;
    (void)thread;
    if (w->X->sparse)
        ops->sparse_vector_product(matrix_csr(w->X), first, rows, w->from, w->to + first);
    else
        ops->vector_product(array_rows(ops, matrix_array(w->X), first, rows), w->from,
                            w->to + first);
}

/* A range of features, over all samples in their order. */
static void backward_task(void *user, int64_t index, int thread)
{
    const vector_work *w = user;
    const int64_t first = index * FEATURES, left = w->X->columns - first,
                  count = left < FEATURES ? left : FEATURES;
    double *restrict to = w->to + first;
    (void)thread;
    for (int64_t j = 0; j < count; j++)
        to[j] = 0;
    for (int64_t i = 0; i < w->X->rows; i++) {
        const int64_t at = i * w->X->stride + first;
        const double scale = w->from[i];
        if (w->X->precision == ORTHANT_SINGLE)
            for (int64_t j = 0; j < count; j++)
                to[j] += scale * (double)((const float *)w->X->values)[at + j];
        else
            for (int64_t j = 0; j < count; j++)
                to[j] += scale * ((const double *)w->X->values)[at + j];
    }
}

/* to = X from, n entries, or X'from, m entries. */
static void vector_product(orthant_context *ctx, const orthant_matrix *X, bool forward,
                           const double *from, double *to)
{
    vector_work work = {X, from, to};
    if (forward) {
        parallel_for(ctx, (X->rows + KERNEL_ROWS - 1) / KERNEL_ROWS, forward_task, &work);
        return;
    }
    if (!X->sparse) {
        parallel_for(ctx, (X->columns + FEATURES - 1) / FEATURES, backward_task, &work);
        return;
    }
    for (int64_t j = 0; j < X->columns; j++)
        to[j] = 0;
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t e = X->row_start[i]; e < X->row_start[i + 1]; e++)
            to[X->column[e]] += from[i] * matrix_value(X, e);
}

/* ------------------------------------------------------------------ singular vectors */

/* Those of the shorter side: eigenvectors of X X' or X'X. */
typedef struct short_side {
    orthant_context *ctx;
    const orthant_matrix *X;
    bool features; /* is the shorter side */
    int64_t length;
    double scale; /* |X|^2, the sum of the eigenvalues */
    double *half; /* of the longer side */
} short_side;

static void gram_product(void *user, const double *x, double *y)
{
    const short_side *s = user;
    vector_product(s->ctx, s->X, s->features, x, s->half);
    vector_product(s->ctx, s->X, !s->features, s->half, y);
    for (int64_t i = 0; i < s->length; i++)
        y[i] = y[i] / s->scale + SHIFT * x[i];
}

/* Falling eigenvalues, and their vectors as rows. */
static orthant_status find_vectors(short_side *s, uint64_t seed, int64_t wanted, double *values,
                                   double *vectors)
{
    if (principal_is_exact(s->X))
        return principal_gram(s->ctx, s->X, wanted, values, vectors);
    eigen_problem search = {.ctx = s->ctx,
                            .n = s->length,
                            .wanted = wanted,
                            .product = gram_product,
                            .user = s,
                            .seed = seed,
                            .tolerance = TOLERANCE,
                            .restarts = RESTARTS};
    const orthant_status status = eigen_leading(&search, values, vectors);
    for (int64_t j = 0; j < wanted && !status; j++)
        values[j] -= SHIFT;
    return status;
}

/* The other vector of the triplet, to unit length; the singular value. */
static double other_vector(const short_side *s, const double *vector)
{
    const int64_t length = s->features ? s->X->rows : s->X->columns;
    double squares = 0;
    vector_product(s->ctx, s->X, s->features, vector, s->half);
    for (int64_t i = 0; i < length; i++)
        squares += s->half[i] * s->half[i];
    for (int64_t i = 0; i < length && squares > 0; i++)
        s->half[i] /= sqrt(squares);
    return sqrt(squares);
}

/* ------------------------------------------------------------------ nonnegative parts */

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
    const int64_t n = samples->rows, m = samples->columns, wanted = basis->columns,
                  least = n < m ? n : m;
    short_side s = {.ctx = ctx,
                    .X = samples,
                    .features = n > m,
                    .length = least,
                    .scale = matrix_squares(samples)};
    if (wanted > least)
        return fail(
            ctx, ORTHANT_ERROR_ARGUMENT,
            "init nndsvd takes at most min(samples, features) = %lld columns, rank is %lld: take "
            "init random",
            (long long)least, (long long)wanted);
    if (!(s.scale > 0))
        return ORTHANT_OK;
    double *values = memory_new(ctx, least, sizeof *values, "singular values"),
           *vectors = memory_new(ctx, wanted * least, sizeof *vectors, "singular vectors");
    s.half = memory_new(ctx, n > m ? n : m, sizeof *s.half, "a singular vector");
    orthant_status status = values && vectors && s.half ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = find_vectors(&s, seed, wanted, values, vectors);
    for (int64_t j = 0; j < wanted && !status && values[j] > NOTHING * values[0]; j++) {
        const double *vector = vectors + j * least, value = other_vector(&s, vector);
        set_pair(encoding, basis, j, value, s.features ? s.half : vector,
                 s.features ? vector : s.half);
    }
    memory_free(ctx, values);
    memory_free(ctx, vectors);
    memory_free(ctx, s.half);
    return status;
}
