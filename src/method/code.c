#include "method/code.h"

#include <float.h>
#include <math.h>

#include "data/matrix.h"

#define RIDGE 1e-10 /* of the curvature: columns of W may depend on each other */
#define MOST_HALVINGS 40
#define LEAST_FITTED 1e-100 /* where squares of quotients do not overflow */

static void add(double *to, double scale, const double *from, int64_t count)
{
    for (int64_t j = 0; j < count; j++)
        to[j] += scale * from[j];
}

/* ------------------------------------------------------------------ Frobenius */

static const double *gram_row(const code *c, int64_t r)
{
    return (const double *)c->gram.data + r * c->gram.stride;
}

static void frobenius_gradient(code *c)
{
    for (int64_t r = 0; r < c->rank; r++)
        c->gradient[r] = -c->cross[r];
    for (int64_t r = 0; r < c->rank; r++)
        if (c->s[r] > 0)
            add(c->gradient, c->s[r], gram_row(c, r), c->rank);
}

static void frobenius_coordinates(code *c)
{
    frobenius_gradient(c);
    for (int64_t r = 0; r < c->rank; r++) {
        const double *row = gram_row(c, r);
        const double next = row[r] > 0 ? fmax(c->s[r] - c->gradient[r] / row[r], 0) : 0,
                     step = next - c->s[r];
        c->s[r] = next;
        if (step < 0 || step > 0)
            add(c->gradient, step, row, c->rank);
    }
}

static void frobenius_curvature(code *c)
{
    for (int64_t i = 0; i < c->free_count; i++) {
        const double *row = gram_row(c, c->free[i]);
        for (int64_t j = 0; j <= i; j++)
            c->curvature[i * c->padded + j] = row[c->free[j]];
    }
}

/* The loss falls all the way to the minimiser over the free parts. */
static double frobenius_length(code *c, double most)
{
    (void)c;
    return most;
}

const code_loss code_frobenius = {frobenius_gradient, frobenius_coordinates, frobenius_curvature,
                                  frobenius_length};

/* ------------------------------------------------------------------ Kullback-Leibler */

static array tile_rows(const code *c, int64_t first, int64_t rows)
{
    return (array){(double *)c->tile + first * c->stride, rows, c->count, c->stride};
}

/* W s of the entries. */
static void fit_entries(const code *c, double *s, double *fitted)
{
    const int64_t whole = KERNEL_WHOLE(c->count);
    kernel_table(ORTHANT_DOUBLE)
        ->product((array){fitted, 1, whole, c->stride}, (array){s, 1, c->rank, c->rank},
                  (array){(double *)c->tile, c->rank, whole, c->stride}, false);
}

static void kl_gradient(code *c)
{
    fit_entries(c, c->s, c->fitted);
    for (int64_t j = 0; j < c->count; j++)
        c->change[j] = c->x[j] / (c->fitted[j] > LEAST_FITTED ? c->fitted[j] : LEAST_FITTED);
    kernel_table(ORTHANT_DOUBLE)->vector_product(tile_rows(c, 0, c->rank), c->change, c->gradient);
    for (int64_t r = 0; r < c->rank; r++)
        c->gradient[r] = c->sums[r] - c->gradient[r];
}

static void kl_coordinates(code *c)
{
    const array row = {c->s, 1, c->rank, c->rank};
    fit_entries(c, c->s, c->fitted);
    kernel_table(ORTHANT_DOUBLE)
        ->newton(row, c->x, c->fitted, c->tile, c->stride, c->count, LEAST_FITTED, c->sums, NULL,
                 NULL, false);
}

/* W' diag(x / fitted^2) W, of the free parts. */
static void kl_curvature(code *c)
{
    const kernels *ops = kernel_table(ORTHANT_DOUBLE);
    for (int64_t j = 0; j < c->count; j++) {
        const double fitted = c->fitted[j] > LEAST_FITTED ? c->fitted[j] : LEAST_FITTED;
        c->weight[j] = c->x[j] / fitted / fitted;
    }
    for (int64_t i = 0; i < c->free_count; i++) {
        const double *row = c->tile + c->free[i] * c->stride;
        for (int64_t j = 0; j < c->count; j++)
            c->change[j] = c->weight[j] * row[j];
        for (int64_t j = 0; j <= i; j++)
            ops->vector_product(tile_rows(c, c->free[j], 1), c->change,
                                c->curvature + i * c->padded + j);
    }
}

/* What the loss, a sum of parts of about 1, changes by on a share of the step. */
static double kl_difference(const code *c, double share)
{
    double linear = 0, entropy = 0;
    for (int64_t i = 0; i < c->rank; i++)
        linear += c->step[i];
    for (int64_t j = 0; j < c->count; j++)
        entropy += c->x[j] * log1p(share * c->change[j] / fmax(c->fitted[j], LEAST_FITTED));
    return share * linear - entropy;
}

static double kl_length(code *c, double most)
{
    double share = most;
    fit_entries(c, c->step, c->change);
    for (int i = 0; i < MOST_HALVINGS; i++, share /= 2)
        if (kl_difference(c, share) <= DBL_EPSILON)
            return share;
    return 0;
}

const code_loss code_kl = {kl_gradient, kl_coordinates, kl_curvature, kl_length};

/* ------------------------------------------------------------------ one sample */

/* The largest entry of the gradient that does not point out of s >= 0. */
static double violation(const code *c)
{
    double most = 0;
    for (int64_t r = 0; r < c->rank; r++)
        most = fmax(most, c->s[r] > 0 ? fabs(c->gradient[r]) : -c->gradient[r]);
    return most;
}

/* -(curvature)^-1 gradient for the free parts, 0 for the others, into c->step. */
static void newton_step(code *c)
{
    double *d = c->column;
    for (int64_t i = 0; i < c->free_count; i++)
        d[i] = -c->gradient[c->free[i]];
    kernel_table(ORTHANT_DOUBLE)
        ->cholesky_solve((array){c->curvature, c->free_count, c->free_count, c->padded}, RIDGE, d,
                         d + c->padded);
    for (int64_t r = 0; r < c->rank; r++)
        c->step[r] = 0;
    for (int64_t i = 0; i < c->free_count; i++)
        c->step[c->free[i]] = d[i];
}

/* Newton's step over the positive parts, no further than to where the first of them is zero, which
 * then is left out; true where one was. */
static bool step_on_face(code *c)
{
    int64_t first = -1;
    double most = 1;
    c->free_count = 0;
    for (int64_t r = 0; r < c->rank; r++)
        if (c->s[r] > 0)
            c->free[c->free_count++] = r;
    c->loss->curvature(c);
    newton_step(c);
    for (int64_t r = 0; r < c->rank; r++)
        if (c->step[r] < 0 && c->s[r] < -most * c->step[r]) {
            most = -c->s[r] / c->step[r];
            first = r;
        }
    const double share = c->loss->length(c, most);
    const bool ends = first >= 0 && share >= most;
    for (int64_t r = 0; r < c->rank; r++)
        c->s[r] = fmax(c->s[r] + share * c->step[r], 0);
    if (ends)
        c->s[first] = 0;
    c->loss->gradient(c);
    return ends;
}

int64_t code_numbers(int64_t rank)
{
    return 3 * rank + (3 + rank) * matrix_padded(ORTHANT_DOUBLE, rank);
}

code code_new(const code_loss *loss, int64_t rank, double *numbers, int64_t *free)
{
    const int64_t padded = matrix_padded(ORTHANT_DOUBLE, rank);
    return (code){.loss = loss,
                  .rank = rank,
                  .padded = padded,
                  .s = numbers,
                  .gradient = numbers + rank,
                  .step = numbers + 2 * rank,
                  .column = numbers + 3 * rank,
                  .curvature = numbers + 3 * rank + 3 * padded,
                  .free = free};
}

bool code_solve(code *c, int64_t iterations, double tolerance)
{
    /* what rounding leaves of a sum of positive numbers */
    const double least = fmax(tolerance, 8 * DBL_EPSILON * (double)(c->rank + 8));
    c->loss->gradient(c);
    for (int64_t i = 0; i < iterations && violation(c) > least; i++) {
        c->loss->coordinates(c);
        c->loss->gradient(c);
        while (violation(c) > least && step_on_face(c))
            ;
    }
    return violation(c) <= least;
}
