/* Nonnegative sparse coding (Hoyer 2002): O = (1/2)|X - W S'|^2 + lambda sum S, columns of W at
 * unit length.
 *
 *   W <- W - mu (W S'S - X S), negatives to 0, columns to unit length
 *        (one without a positive entry to the unit vector at its largest: the nearest point);
 *        mu from 1, halved until O does not rise, 60 times at most
 *
 *   S <- S .* (X'W) ./ (S W'W + lambda)
 *
 * With S fixed O depends on W through X S and S'S alone, so no trial step of the line search reads
 * X. No trial is kept whole either: its rows are formed from W when they are needed, once for the
 * lengths of its columns and once for its value. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "method/method.h"

#define MOST_HALVINGS 60
#define MOST_PANELS 8

typedef struct line_search {
    sweep *s;
    int64_t panels;  /* of features: a task each, with sums of its own */
    array gram;      /* panels x k rows: the trial's Gram matrix from each panel */
    double *squares; /* panels x k: squared lengths of columns */
    double *cross;   /* panels: <trial, X S> */
    double *scale;   /* k */
    int64_t *saved;  /* k: the row of a column's only entry; -1: as the step says */
    double mu;
} line_search;

static void release(sweep *s, void *state)
{
    line_search *l = state;
    if (!l)
        return;
    memory_free(s->ctx, l->gram.data);
    memory_free(s->ctx, l->squares);
    memory_free(s->ctx, l->cross);
    memory_free(s->ctx, l->scale);
    memory_free(s->ctx, l->saved);
    memory_free(s->ctx, l);
}

static orthant_status setup(sweep *s, void **state)
{
    const int64_t rank = s->W.columns;
    line_search *l = *state = memory_new(s->ctx, 1, sizeof *l, "the basis step");
    if (!l)
        return ORTHANT_ERROR_MEMORY;
    l->s = s;
    l->panels = s->m / (8 * rank) + 1; /* their Gram matrices stay small beside W */
    l->panels = l->panels < MOST_PANELS ? l->panels : MOST_PANELS;
    l->gram =
        (array){memory_new(s->ctx, l->panels * rank * s->W.stride, s->k->size, "the basis step"),
                l->panels * rank, rank, s->W.stride};
    l->squares = memory_new(s->ctx, l->panels * rank, sizeof *l->squares, "the basis step");
    l->cross = memory_new(s->ctx, l->panels, sizeof *l->cross, "the basis step");
    l->scale = memory_new(s->ctx, rank, sizeof *l->scale, "the basis step");
    l->saved = memory_new(s->ctx, rank, sizeof *l->saved, "the basis step");
    return l->gram.data && l->squares && l->cross && l->scale && l->saved ? ORTHANT_OK
                                                                          : ORTHANT_ERROR_MEMORY;
}

static void start(sweep *s, void *state)
{
    line_search *l = state;
    memset(l->scale, 0, (size_t)s->W.columns * sizeof *l->scale);
    s->k->column_squares(s->W, l->scale);
    for (int64_t j = 0; j < s->W.columns; j++)
        l->scale[j] = l->scale[j] > 0 ? 1 / sqrt(l->scale[j]) : 0;
    s->k->scale_columns(s->W, l->scale);
}

/* ------------------------------------------------------------------ rows of a trial */

/* W - mu (W S'S - X S) */
static array step_rows(const line_search *l, block b)
{
    const sweep *s = l->s;
    const kernels *k = s->k;
    const array rows = sweep_term_array(s, b.thread, 0, b.rows),
                slope = sweep_term_array(s, b.thread, 1, b.rows),
                W = array_rows(k, s->W, b.first, b.rows);
    k->product(slope, W, s->B, false);
    k->add(slope, -1, array_rows(k, s->A, b.first, b.rows));
    k->copy(rows, W);
    k->add(rows, -l->mu, slope);
    return rows;
}

/* The same, nonnegative with columns of unit length. */
static array trial_rows(const line_search *l, block b)
{
    const kernels *k = l->s->k;
    const array rows = step_rows(l, b);
    k->positive_part(rows);
    k->scale_columns(rows, l->scale);
    for (int64_t j = 0; j < rows.columns; j++)
        if (l->saved[j] >= b.first && l->saved[j] < b.first + b.rows) {
            const double one = 1;
            k->set_values(array_columns(k, array_rows(k, rows, l->saved[j] - b.first, 1), j, 1),
                          &one);
        }
    return rows;
}

typedef void (*block_work)(const line_search *l, block b, int64_t panel);

static void each_block(const line_search *l, int64_t panel, int thread, block_work work)
{
    const int64_t first = panel * l->s->m / l->panels, end = (panel + 1) * l->s->m / l->panels,
                  most = sweep_block_rows(l->s);
    for (int64_t f = first; f < end; f += most)
        work(l, (block){f, end - f < most ? end - f : most, thread}, panel);
}

static void measure_columns(const line_search *l, block b, int64_t panel)
{
    const array rows = step_rows(l, b);
    l->s->k->positive_part(rows);
    l->s->k->column_squares(rows, l->squares + panel * rows.columns);
}

static void measure_value(const line_search *l, block b, int64_t panel)
{
    const kernels *k = l->s->k;
    const array rows = trial_rows(l, b);
    k->product_transposed(array_rows(k, l->gram, panel * rows.columns, rows.columns), rows, rows,
                          true);
    l->cross[panel] += k->dot(rows, array_rows(k, l->s->A, b.first, b.rows));
}

static void take(const line_search *l, block b, int64_t panel)
{
    (void)panel;
    l->s->k->copy(array_rows(l->s->k, l->s->W, b.first, b.rows), trial_rows(l, b));
}

static void columns_task(void *user, int64_t panel, int thread)
{
    each_block(user, panel, thread, measure_columns);
}

static void value_task(void *user, int64_t panel, int thread)
{
    each_block(user, panel, thread, measure_value);
}

static void take_task(void *user, int64_t panel, int thread)
{
    each_block(user, panel, thread, take);
}

/* ------------------------------------------------------------------ the line search */

/* A column without a positive entry is nearest to the unit vector at its largest one. One that is
 * zero before and after the step is dead and stays so. */
static void save_column(line_search *l, int64_t j)
{
    const sweep *s = l->s;
    double value[KERNEL_ROWS], largest = -INFINITY;
    bool dead = true;
    for (int64_t f = 0; f < s->m; f += sweep_block_rows(s)) {
        const int64_t rows = s->m - f < sweep_block_rows(s) ? s->m - f : sweep_block_rows(s);
        s->k->get_values(array_columns(s->k, step_rows(l, (block){f, rows, 0}), j, 1), value);
        for (int64_t i = 0; i < rows; i++) {
            dead &= value[i] == 0;
            if (value[i] > largest) {
                largest = value[i];
                l->saved[j] = f + i;
            }
        }
    }
    if (dead)
        l->saved[j] = -1;
}

static void find_lengths(line_search *l)
{
    const int64_t rank = l->s->W.columns;
    memset(l->squares, 0, (size_t)(l->panels * rank) * sizeof *l->squares);
    parallel_for(l->s->ctx, l->panels, columns_task, l);
    for (int64_t j = 0; j < rank; j++) {
        double square = 0;
        for (int64_t p = 0; p < l->panels; p++)
            square += l->squares[p * rank + j];
        l->scale[j] = square > 0 ? 1 / sqrt(square) : 0;
        l->saved[j] = -1;
        if (!(square > 0))
            save_column(l, j);
    }
}

/* The part of |X - W S'|^2 that depends on W, for the trial. */
static double trial_value(line_search *l)
{
    const sweep *s = l->s;
    const int64_t rank = s->W.columns;
    double value = 0;
    memset(l->gram.data, 0, (size_t)(l->gram.rows * l->gram.stride) * s->k->size);
    memset(l->cross, 0, (size_t)l->panels * sizeof *l->cross);
    parallel_for(s->ctx, l->panels, value_task, l);
    for (int64_t p = 0; p < l->panels; p++)
        value += s->k->dot(array_rows(s->k, l->gram, p * rank, rank), s->B) - 2 * l->cross[p];
    return value;
}

static void basis(sweep *s, void *state)
{
    line_search *l = state;
    const double before = s->k->dot(s->G, s->B) - 2 * s->k->dot(s->W, s->A);
    l->mu = 1;
    for (int i = 0; i <= MOST_HALVINGS; i++, l->mu *= 0.5) {
        find_lengths(l);
        if (trial_value(l) <= before) {
            parallel_for(s->ctx, l->panels, take_task, l);
            return;
        }
    }
}

orthant_status nnsc_run(fit *f)
{
    static const factor_variant variant = {0.5, setup, start, basis, release};
    return factor_run_variant(f, &variant);
}
