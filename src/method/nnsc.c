/* Nonnegative sparse coding (Hoyer 2002): O = (1/2)|X - W S'|^2 + lambda sum S, columns of W at
 * unit length.
 *
 *   W <- W - mu (W S'S - X S), negatives to 0, columns to unit length
 *        (one without a positive entry to the unit vector at its largest: the nearest point);
 *        mu from 1, halved until O does not rise, 60 times at most
 *
 *   S <- S .* (X'W) ./ (S W'W + lambda)
 *
 * With S fixed O depends on W through A = X S and S'S alone, so no trial of the line search needs X
 * but where A is not kept. No trial is kept whole: its rows are formed from W and the slope
 * W S'S - A when they are needed, once for the lengths of its columns and once for its value. One
 * slope serves all trials, so those that the last search lets expect are measured together, in one
 * pass over the features each time. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "method/method.h"

#define MOST_HALVINGS 60
/* Trials that are measured together: more where a pass over the features has to form A. */
#define AT_ONCE_KEPT 8
#define AT_ONCE_FORMED 16
#define GROUP_FEATURES 256 /* so many at least, so that a group's sums stay small beside its W */

/* Of a column without a positive entry. */
typedef struct top_entry {
    double value;
    int64_t row;
    bool dead; /* all entries are zero */
} top_entry;

typedef struct line_search {
    const sweep *s;
    int64_t groups, most_groups; /* of features, each with sums of its own */
    int at_once;                 /* trials that can be measured together */
    int trials;                  /* that are */
    double mu;                   /* of the first of them; each next has half the one before */
    int expected;                /* halvings of the last search */

    double *squares; /* groups x at_once x k: squared lengths of the trials' columns */
    double *values;  /* groups x (1 + at_once): O without what is fixed, of W and of the trials */
    double *scale;   /* at_once x k: of the trials' columns */
    int64_t *saved;  /* at_once x k: the row of a column's only entry; -1: as the step says */
    int chosen;      /* the trial whose columns are saved, or which becomes W */
    top_entry *top;  /* groups x k: of its columns */
} line_search;

static void release(sweep *s, void *state)
{
    line_search *l = state;
    if (!l)
        return;
    memory_free(s->ctx, l->squares);
    memory_free(s->ctx, l->values);
    memory_free(s->ctx, l->scale);
    memory_free(s->ctx, l->saved);
    memory_free(s->ctx, l->top);
    memory_free(s->ctx, l);
}

static orthant_status setup(sweep *s, void **state)
{
    static const char what[] = "the basis step";
    const int64_t rank = s->W.columns;
    line_search *l = *state = memory_new(s->ctx, 1, sizeof *l, what);
    if (!l)
        return ORTHANT_ERROR_MEMORY;
    l->s = s;
    l->most_groups = s->m / GROUP_FEATURES + 1;
    l->most_groups = l->most_groups < SWEEP_RANGES ? l->most_groups : SWEEP_RANGES;
    l->groups = sweep_feature_groups(s, l->most_groups);
    l->at_once = s->deferred ? AT_ONCE_FORMED : AT_ONCE_KEPT;
    l->squares = memory_new(s->ctx, l->groups * l->at_once * rank, sizeof *l->squares, what);
    l->values = memory_new(s->ctx, l->groups * (1 + l->at_once), sizeof *l->values, what);
    l->scale = memory_new(s->ctx, l->at_once * rank, sizeof *l->scale, what);
    l->saved = memory_new(s->ctx, l->at_once * rank, sizeof *l->saved, what);
    l->top = memory_new(s->ctx, l->groups * rank, sizeof *l->top, what);
    return l->squares && l->values && l->scale && l->saved && l->top ? ORTHANT_OK
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

/* W S'S - A */
static array slope_rows(const line_search *l, block b, array A)
{
    const kernels *k = l->s->k;
    const array slope = sweep_term_array(l->s, b.thread, 0, b.rows);
    k->product(slope, array_rows(k, l->s->W, b.first, b.rows), l->s->B, false);
    k->add(slope, -1, A);
    return slope;
}

/* W - mu (W S'S - A) */
static array step_rows(const line_search *l, block b, array slope, int trial)
{
    const kernels *k = l->s->k;
    const array rows = sweep_term_array(l->s, b.thread, 1, b.rows);
    k->copy(rows, array_rows(k, l->s->W, b.first, b.rows));
    k->add(rows, -ldexp(l->mu, -trial), slope);
    return rows;
}

/* The same, nonnegative with columns of unit length. */
static array trial_rows(const line_search *l, block b, array slope, int trial)
{
    const kernels *k = l->s->k;
    const array rows = step_rows(l, b, slope, trial);
    const int64_t *saved = l->saved + trial * rows.columns;
    k->positive_part(rows);
    k->scale_columns(rows, l->scale + trial * rows.columns);
    for (int64_t j = 0; j < rows.columns; j++)
        if (saved[j] >= b.first && saved[j] < b.first + b.rows) {
            const double one = 1;
            k->set_values(array_columns(k, array_rows(k, rows, saved[j] - b.first, 1), j, 1), &one);
        }
    return rows;
}

static void measure_columns(void *user, block b, int64_t group, array A, array XS)
{
    const line_search *l = user;
    const array slope = slope_rows(l, b, A);
    (void)XS;
    for (int t = 0; t < l->trials; t++) {
        const array rows = step_rows(l, b, slope, t);
        l->s->k->positive_part(rows);
        l->s->k->column_squares(rows, l->squares + (group * l->at_once + t) * rows.columns);
    }
}

/* <R, R S'S - 2 A>, for the rows R of W and of each trial. */
static void measure_values(void *user, block b, int64_t group, array A, array XS)
{
    const line_search *l = user;
    const kernels *k = l->s->k;
    const array slope = slope_rows(l, b, A), W = array_rows(k, l->s->W, b.first, b.rows),
                part = sweep_term_array(l->s, b.thread, 2, b.rows);
    double *values = l->values + group * (1 + l->at_once);
    (void)XS;
    values[0] += k->dot(W, slope) - k->dot(W, A);
    for (int t = 0; t < l->trials; t++) {
        const array rows = trial_rows(l, b, slope, t);
        k->product(part, rows, l->s->B, false);
        k->add(part, -2, A);
        values[1 + t] += k->dot(rows, part);
    }
}

static void find_tops(void *user, block b, int64_t group, array A, array XS)
{
    const line_search *l = user;
    const kernels *k = l->s->k;
    const array rows = step_rows(l, b, slope_rows(l, b, A), l->chosen);
    double value[KERNEL_ROWS];
    (void)XS;
    for (int64_t j = 0; j < rows.columns; j++) {
        top_entry *top = &l->top[group * rows.columns + j];
        k->get_values(array_columns(k, rows, j, 1), value);
        for (int64_t i = 0; i < b.rows; i++) {
            top->dead &= value[i] == 0;
            if (value[i] > top->value) {
                top->value = value[i];
                top->row = b.first + i;
            }
        }
    }
}

static void take(void *user, block b, int64_t group, array A, array XS)
{
    const line_search *l = user;
    const kernels *k = l->s->k;
    (void)group;
    (void)XS;
    k->copy(array_rows(k, l->s->W, b.first, b.rows),
            trial_rows(l, b, slope_rows(l, b, A), l->chosen));
}

/* ------------------------------------------------------------------ the line search */

/* A column without a positive entry is nearest to the unit vector at its largest one. One that is
 * zero before and after the step is dead and stays so. */
static void save_columns(line_search *l, int trial)
{
    const int64_t rank = l->s->W.columns;
    l->chosen = trial;
    for (int64_t i = 0; i < l->groups * rank; i++)
        l->top[i] = (top_entry){-INFINITY, -1, true};
    sweep_over_features(l->s, l->most_groups, find_tops, l);
    for (int64_t j = 0; j < rank; j++) {
        top_entry best = l->top[j];
        for (int64_t g = 1; g < l->groups; g++) {
            const top_entry top = l->top[g * rank + j];
            const bool dead = best.dead && top.dead;
            best = top.value > best.value ? top : best;
            best.dead = dead;
        }
        if (!(l->scale[trial * rank + j] > 0) && !best.dead)
            l->saved[trial * rank + j] = best.row;
    }
}

/* Neither the basis nor the encodings have anything in this column: the step leaves it at zero. */
static bool is_dead(const sweep *s, int64_t j)
{
    double in_basis, in_encoding;
    s->k->get_values(array_columns(s->k, array_rows(s->k, s->G, j, 1), j, 1), &in_basis);
    s->k->get_values(array_columns(s->k, array_rows(s->k, s->B, j, 1), j, 1), &in_encoding);
    return in_basis == 0 && in_encoding == 0;
}

static void find_lengths(line_search *l)
{
    const int64_t rank = l->s->W.columns;
    memset(l->squares, 0, (size_t)(l->groups * l->at_once * rank) * sizeof *l->squares);
    sweep_over_features(l->s, l->most_groups, measure_columns, l);
    for (int t = 0; t < l->trials; t++) {
        bool saves = false;
        for (int64_t j = 0; j < rank; j++) {
            double square = 0;
            for (int64_t g = 0; g < l->groups; g++)
                square += l->squares[(g * l->at_once + t) * rank + j];
            l->scale[t * rank + j] = square > 0 ? 1 / sqrt(square) : 0;
            l->saved[t * rank + j] = -1;
            saves |= !(square > 0) && !is_dead(l->s, j);
        }
        if (saves)
            save_columns(l, t);
    }
}

/* The part of |X - W S'|^2 that depends on W: of W, then of the trials, summed into the first
 * group's. */
static const double *find_values(line_search *l)
{
    memset(l->values, 0, (size_t)(l->groups * (1 + l->at_once)) * sizeof *l->values);
    sweep_over_features(l->s, l->most_groups, measure_values, l);
    for (int64_t g = 1; g < l->groups; g++)
        for (int t = 0; t <= l->trials; t++)
            l->values[t] += l->values[g * (1 + l->at_once) + t];
    return l->values;
}

/* Those that the last search needed and one more; then, where none of them will do, two each time.
 */
static int trials_from(const line_search *l, int halvings)
{
    int trials = l->expected + 2 - halvings;
    trials = trials > 2 ? trials : 2;
    trials = trials < l->at_once ? trials : l->at_once;
    return halvings + trials <= MOST_HALVINGS + 1 ? trials : MOST_HALVINGS + 1 - halvings;
}

static void basis(sweep *s, void *state)
{
    line_search *l = state;
    for (int halvings = 0; halvings <= MOST_HALVINGS; halvings += l->trials) {
        l->trials = trials_from(l, halvings);
        l->mu = ldexp(1, -halvings);
        find_lengths(l);
        const double *values = find_values(l);
        for (l->chosen = 0; l->chosen < l->trials; l->chosen++)
            if (values[1 + l->chosen] <= values[0]) {
                sweep_over_features(s, l->most_groups, take, l);
                l->expected = halvings + l->chosen;
                return;
            }
    }
}

orthant_status nnsc_run(fit *f)
{
    static const factor_variant variant = {0.5, setup, start, basis, release};
    return factor_run_variant(f, &variant);
}
