/* Projected Newton's method (Bertsekas 1982). Parts that a step along their own axis would take to
 * zero are held by that axis; the others share a step of Newton's, which is cut at zero. Of an
 * entry whose loss is not convex there, or is linear, the curvature is that of the multiplicative
 * rule's majoriser, q / y, times a damping that follows how far the steps can go. */
#include "method/descend.h"

#include <float.h>
#include <math.h>

#include "data/matrix.h"

#define LEAST_DAMPING 1e-8
#define MOST_DAMPING 1e2
#define FIRST_DAMPING 1e-3
#define DIFFERENCE 1e-6 /* of a fit, for the second derivative of its loss */
#define RIDGE 1e-10     /* of the curvature: columns of W may depend on each other */
#define MOST_HALVINGS 40
#define LEAST_GAIN 1e-4 /* of what the slope promises */
#define FIRST_STEPS 8
#define PATIENCE 40 /* steps without a nearer approach */

typedef struct state {
    descent *d;
    double *positive, *negative, *step, *next;       /* rank each */
    double *curvature;                               /* rank x rank */
    int64_t padded;                                  /* the rank */
    double *row, *column;                            /* padded, and twice that */
    double *factor;                                  /* rank x padded */
    double *fitted, *first, *second, *change, *line; /* of entries */
    double damping, size; /* size: of the objective, beside which a change is rounding */
    int64_t free_count;
} state;

int64_t descent_room(int64_t count)
{
    return (count + KERNEL_FEATURES - 1) / KERNEL_FEATURES * KERNEL_FEATURES;
}

int64_t descent_parts(int64_t rank)
{
    return (4 + rank) * rank + (3 + rank) * matrix_padded(ORTHANT_DOUBLE, rank);
}

static state state_of(descent *d)
{
    const int64_t k = d->rank, padded = matrix_padded(ORTHANT_DOUBLE, k),
                  room = d->gram ? 0 : descent_room(d->count) + DESCENT_MORE;
    double *p = d->parts, *behind = p + (4 + k) * k, *e = d->entries;
    return (state){.d = d,
                   .positive = p,
                   .negative = p + k,
                   .step = p + 2 * k,
                   .next = p + 3 * k,
                   .curvature = p + 4 * k,
                   .padded = padded,
                   .row = behind,
                   .column = behind + padded,
                   .factor = behind + 3 * padded,
                   .fitted = e,
                   .first = e + room,
                   .second = e + 2 * room,
                   .change = e + 3 * room,
                   .line = e + 4 * room,
                   .damping = d->gram ? 0 : FIRST_DAMPING};
}

/* ------------------------------------------------------------------ the loss of entries */

static array tile_rows(const descent *d, int64_t first, int64_t rows)
{
    return (array){(double *)d->tile + first * d->stride, rows, d->count, d->stride};
}

/* W s of the entries; 1 behind them, where rules may look. */
static void fit_entries(const state *t, const double *s, double *fitted)
{
    const descent *d = t->d;
    const int64_t whole = KERNEL_WHOLE(d->count);
    kernel_table(ORTHANT_DOUBLE)
        ->product((array){fitted, 1, whole, d->stride}, (array){(double *)s, 1, d->rank, d->rank},
                  (array){(double *)d->tile, d->rank, whole, d->stride}, false);
    for (int64_t j = d->count; j < descent_room(d->count); j++)
        fitted[j] = 1;
}

/* Lines of entries, as rules take them. */
static array line_of(const double *values, int64_t first, int64_t count)
{
    return (array){values ? (double *)values + first : NULL, 1,
                   count - first < KERNEL_FEATURES ? count - first : KERNEL_FEATURES,
                   KERNEL_FEATURES};
}

/* p in the place of the fits, and q. */
static void weigh_entries(const descent *d, double *p, double *q)
{
    for (int64_t j = 0; j < d->count; j += KERNEL_FEATURES)
        d->rule.weights(d->rule.parameter, line_of(d->x, j, d->count), line_of(p, j, d->count),
                        line_of(q, j, d->count));
}

static double entries_value(const state *t, const double *s)
{
    const descent *d = t->d;
    double total = 0;
    fit_entries(t, s, t->line);
    for (int64_t j = 0; j < d->count; j += KERNEL_FEATURES)
        total += d->rule.value(d->rule.parameter, line_of(d->x, j, d->count),
                               line_of(t->line, j, d->count), line_of(d->weights, j, d->count));
    return d->scale * total;
}

static double weight_at(const descent *d, int64_t j)
{
    return d->scale * (d->weights ? d->weights[j] : 1);
}

static void entries_parts(const state *t)
{
    const descent *d = t->d;
    const kernels *ops = kernel_table(ORTHANT_DOUBLE);
    fit_entries(t, d->s, t->fitted);
    for (int64_t j = 0; j < descent_room(d->count); j++)
        t->first[j] = t->fitted[j];
    weigh_entries(d, t->first, t->second);
    for (int64_t j = 0; j < d->count; j++)
        t->change[j] = weight_at(d, j) * t->second[j];
    ops->vector_product(tile_rows(d, 0, d->rank), t->change, t->positive);
    for (int64_t j = 0; j < d->count; j++)
        t->change[j] = weight_at(d, j) * t->first[j];
    ops->vector_product(tile_rows(d, 0, d->rank), t->change, t->negative);
}

/* Some features of W, of its `count` listed columns (NULL: all), scaled by t->first. */
static array scaled_features(const state *t, int64_t first, const int64_t *listed, int64_t count)
{
    const descent *d = t->d;
    const int64_t rows = smaller(d->count - first, DESCENT_PANEL);
    kernel_table(ORTHANT_DOUBLE)
        ->transpose((array){d->panel, rows, d->rank, t->padded},
                    (array){(double *)d->tile + first, d->rank, rows, d->stride});
    for (int64_t j = 0; j < rows; j++) {
        double *row = d->panel + j * t->padded;
        for (int64_t i = 0; i < count; i++)
            row[i] = t->first[first + j] * row[listed ? listed[i] : i];
        for (int64_t i = count; i < t->padded; i++)
            row[i] = 0;
    }
    return (array){d->panel, rows, count, t->padded};
}

/* After entries_parts(), which left p and q: the roots of the loss's second derivatives by the fits
 * into t->first, and the diagonal of its second derivative to the curvature. */
static void entries_curvature(const state *t)
{
    const descent *d = t->d;
    const int64_t k = d->rank;
    double *moved = t->line, *q = t->change;
    for (int64_t j = 0; j < descent_room(d->count); j++)
        moved[j] = fmax(t->fitted[j], FLT_MIN) * (1 + DIFFERENCE);
    weigh_entries(d, moved, q);
    for (int64_t j = 0; j < d->count; j++) {
        const double fitted = fmax(t->fitted[j], 1e-12),
                     slope = (q[j] - moved[j]) - (t->second[j] - t->first[j]),
                     most = t->second[j] / fitted, curvature = slope / (DIFFERENCE * fitted);
        t->first[j] = sqrt(weight_at(d, j) * ((curvature > 0 ? curvature : 0) + t->damping * most));
    }
    for (int64_t r = 0; r < k; r++)
        t->row[r] = 0;
    for (int64_t j = 0; j < d->count; j += DESCENT_PANEL)
        kernel_table(ORTHANT_DOUBLE)->column_squares(scaled_features(t, j, NULL, k), t->row);
    for (int64_t r = 0; r < k; r++)
        t->curvature[r * k + r] += t->row[r];
}

/* The second derivative of the loss by the free parts, into t->factor. */
static void free_gram(const state *t)
{
    const descent *d = t->d;
    const array gram = {t->factor, t->free_count, t->free_count, t->padded};
    array_clear(kernel_table(ORTHANT_DOUBLE), gram);
    for (int64_t j = 0; j < d->count; j += DESCENT_PANEL) {
        const array scaled = scaled_features(t, j, d->free, t->free_count);
        kernel_table(ORTHANT_DOUBLE)->product_transposed(gram, scaled, scaled, true);
    }
}

/* ------------------------------------------------------------------ the objective */

static double squares_value(const descent *d, const double *s)
{
    const int64_t padded = matrix_padded(ORTHANT_DOUBLE, d->rank);
    double total = d->sample.squares;
    for (int64_t i = 0; i < d->rank; i++) {
        double product = -2 * d->cross[i];
        for (int64_t j = 0; j < d->rank; j++)
            product += d->gram[i * padded + j] * s[j];
        total += s[i] * product;
    }
    return total;
}

static void squares_parts(const state *t)
{
    const descent *d = t->d;
    const int64_t padded = t->padded;
    for (int64_t i = 0; i < d->rank; i++) {
        const double linear = 2 * d->cross[i];
        t->positive[i] = linear < 0 ? -linear : 0;
        t->negative[i] = linear < 0 ? 0 : linear;
        for (int64_t j = 0; j < d->rank; j++) {
            const double part = 2 * d->gram[i * padded + j] * d->s[j];
            *(part < 0 ? &t->negative[i] : &t->positive[i]) += fabs(part);
        }
    }
}

static double value(const state *t, const double *s)
{
    const descent *d = t->d;
    double total = d->gram ? squares_value(d, s) : entries_value(t, s);
    for (int i = 0; i < d->term_count; i++)
        total += d->terms[i].kind->code_value(&d->terms[i], &d->sample, s);
    return total;
}

static void find_parts(const state *t)
{
    const descent *d = t->d;
    if (d->gram)
        squares_parts(t);
    else
        entries_parts(t);
    for (int i = 0; i < d->term_count; i++)
        d->terms[i].kind->code_parts(&d->terms[i], &d->sample, d->s, t->positive, t->negative);
}

/* Of the loss of entries the diagonal alone: the rest is asked for of the free parts. */
static void find_curvature(const state *t)
{
    const descent *d = t->d;
    for (int64_t i = 0; i < d->rank; i++)
        for (int64_t j = 0; j < d->rank; j++)
            t->curvature[i * d->rank + j] =
                d->gram ? 2 * (1 + t->damping) * d->gram[i * t->padded + j] : 0;
    for (int i = 0; i < d->term_count; i++)
        if (d->terms[i].kind->code_curvature)
            d->terms[i].kind->code_curvature(&d->terms[i], &d->sample, d->s, t->curvature);
    if (!d->gram)
        entries_curvature(t);
}

/* That of the free parts into t->factor, the lower triangle. */
static void take_free(const state *t)
{
    const descent *d = t->d;
    const int64_t k = d->rank;
    if (!d->gram)
        free_gram(t);
    for (int64_t i = 0; i < t->free_count; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double entry = t->curvature[d->free[i] * k + d->free[j]];
            double *to = &t->factor[i * t->padded + j];
            *to = i == j || d->gram ? entry : *to + entry;
        }
}

static double slope_of(const state *t, int64_t r)
{
    return t->positive[r] - t->negative[r];
}

/* The largest slope that does not point out of s >= 0, as a share of its parts. */
static double violation(const state *t)
{
    double most = 0;
    for (int64_t r = 0; r < t->d->rank; r++) {
        const double size = t->positive[r] + t->negative[r], slope = slope_of(t, r);
        if (size > 0)
            most = fmax(most, (t->d->s[r] > 0 ? fabs(slope) : -slope) / size);
    }
    return most;
}

/* ------------------------------------------------------------------ one step */

/* Parts that their own axis would take to zero are not free. */
static void choose_step(state *t)
{
    const descent *d = t->d;
    const int64_t k = d->rank;
    t->free_count = 0;
    for (int64_t r = 0; r < k; r++) {
        const double curvature = t->curvature[r * k + r], slope = slope_of(t, r);
        t->step[r] = curvature > 0 ? -slope / curvature : slope > 0 ? -d->s[r] : 0;
        if (curvature > 0 && d->s[r] + t->step[r] > 0)
            d->free[t->free_count++] = r;
    }
    take_free(t);
    for (int64_t i = 0; i < t->free_count; i++)
        t->row[i] = -slope_of(t, d->free[i]);
    kernel_table(ORTHANT_DOUBLE)
        ->cholesky_solve((array){t->factor, t->free_count, t->free_count, t->padded}, RIDGE, t->row,
                         t->column);
    for (int64_t i = 0; i < t->free_count; i++)
        t->step[d->free[i]] = t->row[i];
}

/* How much the slope promises of a way to t->next. */
static double promised(const state *t)
{
    double total = 0;
    for (int64_t r = 0; r < t->d->rank; r++)
        total += slope_of(t, r) * (t->next[r] - t->d->s[r]);
    return total;
}

/* A step of Newton's gains half of what the slope promises where the curvature is right. */
static void follow_damping(state *t, double gained, double slope_promised)
{
    const double share = gained / (0.5 * slope_promised);
    if (share < 0.6)
        t->damping = fmin(fmax(t->damping, LEAST_DAMPING) * 4, MOST_DAMPING);
    else if (share > 0.9 && !t->d->gram)
        t->damping = fmax(t->damping / 4, LEAST_DAMPING);
}

/* Shorter and shorter steps until one gains; the objective there. Below rounding a whole step does.
 */
static double take_step(state *t, double before)
{
    const descent *d = t->d;
    const double rounding = 64 * DBL_EPSILON * t->size;
    double share = 1;
    for (int i = 0; i < MOST_HALVINGS; i++, share /= 2) {
        for (int64_t r = 0; r < d->rank; r++)
            t->next[r] = fmax(d->s[r] + share * t->step[r], 0);
        const double now = value(t, t->next), hoped = promised(t);
        if (i == 0 && hoped < -rounding)
            follow_damping(t, isfinite(now) ? before - now : -INFINITY, -hoped);
        if (isfinite(now) && now <= before + LEAST_GAIN * hoped + rounding) {
            for (int64_t r = 0; r < d->rank; r++)
                d->s[r] = t->next[r];
            return now;
        }
    }
    return before;
}

/* Multiplicative steps, by the roots of the ratios, as long as they lower the objective: far from
 * the minimum they are cheaper than Newton's, and gain as much. */
static double approach(state *t, double objective)
{
    const descent *d = t->d;
    for (int i = 0; i < FIRST_STEPS; i++) {
        for (int64_t r = 0; r < d->rank; r++)
            t->next[r] = t->positive[r] > 0 ? d->s[r] * sqrt(t->negative[r] / t->positive[r]) : 0;
        const double now = value(t, t->next);
        if (!(now < objective))
            break;
        for (int64_t r = 0; r < d->rank; r++)
            d->s[r] = t->next[r];
        objective = now;
        find_parts(t);
    }
    return objective;
}

/* Newton's steps until there is nothing to gain by them; the objective. */
static double descend(state *t, double objective, int64_t iterations, double least)
{
    double nearest = INFINITY;
    int64_t waited = 0;
    for (int64_t i = 0; i < iterations && waited < PATIENCE; i++) {
        const double away = violation(t);
        if (away <= least)
            break;
        waited = away < 0.9 * nearest ? 0 : waited + 1;
        nearest = fmin(nearest, away);
        find_curvature(t);
        choose_step(t);
        const double now = take_step(t, objective);
        if (now < objective - 1e-12 * fabs(objective))
            waited = 0;
        objective = now;
        find_parts(t);
    }
    return objective;
}

bool descent_run(descent *d, int64_t iterations, double tolerance)
{
    state t = state_of(d);
    const double least = fmax(tolerance, 8 * DBL_EPSILON * (double)(d->rank + 8));
    double objective = value(&t, d->s);
    t.size = fabs(objective) + (d->gram ? d->sample.squares : 0);
    find_parts(&t);
    if (!d->gram)
        objective = approach(&t, objective);
    descend(&t, objective, iterations, least);
    return violation(&t) <= least;
}

double descent_value(descent *d)
{
    const state t = state_of(d);
    return value(&t, d->s);
}
