/* The quadratic loss |X - W S'|^2.
 *
 *     numerators      X W  and  X'S
 *     denominators    S W'W  and  W S'S
 *     value           |X|^2 - 2 <W, X'S> + <W'W, S'S>
 *
 * Where the fit is so good that the value cancels, it is measured entry by entry. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "loss/losses.h"

/* A difference of sums below this share of them is measured without the difference: rounding takes
 * some 1e-7 of single precision's sums, and the stopping rule sees 1e-4 of the objective. */
static double cancels(const sweep *s)
{
    return s->problem->samples->precision == ORTHANT_SINGLE ? 1e-3 : 1e-9;
}

static void linear(const sweep *s, strip x, block b, array N)
{
    s->plan.strips.x->product(s->ops, x, b, s->factors.W, s->factors.packed, N);
    if (s->plan.copies_products)
        s->ops->copy(sweep_products(s, b), N);
}

static void encoding(const sweep *s, strip x, block b, array from, array N, array D)
{
    linear(s, x, b, N);
    s->ops->product(D, from, s->factors.G, false);
}

static void basis(const sweep *s, block f, array W, array D)
{
    (void)f;
    s->ops->product(D, W, s->sums.B, false);
}

static void accumulate(const sweep *s, strip x, panel p, int thread, sums *to, double *value)
{
    (void)thread;
    (void)value;
    s->plan.strips.x->product_transposed(s->ops, x, p, sweep_strip_rows(s, s->factors.S, x),
                                         array_rows(s->ops, to->A, p.first, p.end - p.first));
}

/* ------------------------------------------------------------------ the value */

#define GRAM_ROWS 256 /* of a factor, whose share of a Gram matrix one task makes */
#define GRAM_TASKS 4  /* at a time; their shares are added in order */

/* Gram matrices in double, whatever the precision of the factors. */
typedef struct exact_grams {
    const sweep *s;
    array factor;
    int64_t first; /* row of the first task */
    double *parts; /* k x k of each task, from the diagonal on */
    double *lines; /* k of each */
} exact_grams;

static void exact_gram_task(void *user, int64_t index, int thread)
{
    const exact_grams *g = user;
    const kernels *ops = g->s->ops;
    const int64_t rank = g->factor.columns, first = g->first + index * GRAM_ROWS;
    double *line = g->lines + index * rank, *gram = g->parts + index * rank * rank;
    (void)thread;
    memset(gram, 0, (size_t)(rank * rank) * sizeof *gram);
    for (int64_t i = first; i < smaller(first + GRAM_ROWS, g->factor.rows); i++) {
        ops->get_values(array_rows(ops, g->factor, i, 1), line);
        for (int64_t j = 0; j < rank; j++)
            for (int64_t l = j; l < rank; l++)
                gram[j * rank + l] += line[j] * line[l];
    }
}

/* Adds F'F to `gram`, from the diagonal on. */
static void add_exact_gram(exact_grams *g, array factor, double *gram)
{
    const int64_t square = factor.columns * factor.columns;
    g->factor = factor;
    for (g->first = 0; g->first < factor.rows; g->first += GRAM_TASKS * GRAM_ROWS) {
        const int64_t rows = smaller(GRAM_TASKS * GRAM_ROWS, factor.rows - g->first),
                      tasks = pieces(rows, GRAM_ROWS);
        strips_tasks(&g->s->plan.strips, tasks, exact_gram_task, g, rows * square / 2);
        for (int64_t t = 0; t < tasks; t++)
            for (int64_t e = 0; e < square; e++)
                gram[e] += g->parts[t * square + e];
    }
}

int64_t frobenius_error_bytes(const problem *p)
{
    if (!p->samples->sparse)
        return 0;
    return ((2 + CHUNK_SUM_SLOTS + GRAM_TASKS) * p->rank + GRAM_TASKS) * p->rank *
           (int64_t)sizeof(double);
}

/* |W S'|^2 = <W'W, S'S>, where the sweep's own Gram matrices are too rounded. */
static orthant_status exact_fitted_squares(const sweep *s, double *total)
{
    const sample_share *part = &s->plan.strips.share;
    const int64_t rank = s->problem->rank, square = rank * rank;
    double *grams = memory_new(s->ctx, frobenius_error_bytes(s->problem), 1, "Gram matrices");
    chunk_sum sum;
    if (!grams) {
        if (part->shared)
            group_abandon(part, ORTHANT_ERROR_MEMORY, "out of memory for Gram matrices");
        return ORTHANT_ERROR_MEMORY;
    }
    double *of_basis = grams, *of_encoding = grams + square, *slots = grams + 2 * square,
           *parts = slots + CHUNK_SUM_SLOTS * square;
    exact_grams made = {.s = s, .parts = parts, .lines = parts + GRAM_TASKS * square};
    add_exact_gram(&made, s->factors.W, of_basis);
    chunk_sum_begin(&sum, part, square, slots);
    for (int64_t chunk = part->first_chunk; chunk < part->end_chunk; chunk++) {
        const int64_t first = share_chunk_first(part, chunk);
        add_exact_gram(
            &made, array_rows(s->ops, s->factors.S, first, share_chunk_end(part, chunk) - first),
            chunk_sum_row(&sum));
        chunk_sum_next(&sum);
    }
    chunk_sum_end(&sum, of_encoding);
    *total = 0;
    for (int64_t j = 0; j < rank; j++)
        for (int64_t l = j; l < rank; l++)
            *total += (l > j ? 2 : 1) * of_basis[j * rank + l] * of_encoding[j * rank + l];
    memory_free(s->ctx, grams);
    return ORTHANT_OK;
}

static double residual_rows(const sweep *s, void *user, strip x, block b)
{
    (void)user;
    return s->plan.strips.x->residual(s->ops, x, b, sweep_rows(s, s->factors.S, b), s->factors.W,
                                      sweep_kernel_scratch(s, b.thread));
}

orthant_status frobenius_error(const sweep *s, double *error)
{
    double squares = 0;
    const orthant_status status =
        s->problem->samples->sparse ? exact_fitted_squares(s, &squares) : ORTHANT_OK;
    if (!status)
        *error = fmax(squares + sweep_over_samples(s, residual_rows, NULL), 0);
    return status;
}

static double value(const sweep *s)
{
    const double fitted = s->ops->dot(s->factors.G, s->sums.B);
    double found = s->data_squares - 2 * sweep_cross(s) + fitted;
    /* Without memory for what is exact it stays as it is. */
    if (!(found >= cancels(s) * s->data_squares) && frobenius_error(s, &found))
        found = fmax(found, 0);
    return found;
}

static bool at_limit(const sweep *s, double found)
{
    const bool single = s->problem->samples->precision == ORTHANT_SINGLE,
               sparse = s->problem->samples->sparse;
    /* of a sparse X the residual is a difference of sums in double; of a dense one 0 is 0 */
    const double part = single ? 1e-10 : sparse ? 1e-12 : 1e-27;
    return found < part * s->data_squares && (found > 0 || sparse);
}

const loss loss_frobenius = {
    .name = "frobenius",
    .title = "squared differences",
    .quadratic = true,
    .gain = 1,
    .exponent = 1,
    .encoding = encoding,
    .linear = linear,
    .basis = basis,
    .accumulate = accumulate,
    .value = value,
    .at_limit = at_limit,
};
