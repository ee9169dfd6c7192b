/* Projected Newton's method (Bertsekas 1982). Parts that a step along their own axis would take to
 * zero are held by that axis; the others share a step of Newton's, which is cut at zero. Of an
 * entry whose loss is not convex there, or is linear, the curvature is that of the multiplicative
 * rule's majoriser, q / y, times a damping that follows how far the steps can go. */
#include "method/descend.h"

#include <float.h>
#include <math.h>

#define LEAST_DAMPING 1e-8
#define MOST_DAMPING 1e2
#define FIRST_DAMPING 1e-3
#define DIFFERENCE 1e-6 /* of a fit, for the second derivative of its loss */
#define LEAST_PIVOT 1e-13
#define MOST_HALVINGS 40
#define LEAST_GAIN 1e-4 /* of what the slope promises */
#define PATIENCE 40     /* steps without a nearer approach */

typedef struct state {
    descent *d;
    double *positive, *negative, *step, *next, *row, *column; /* rank each */
    double *curvature, *majoriser, *factor;                   /* rank x rank */
    double *fitted, *first, *second, *change, *line;          /* of entries */
    double damping, size; /* size: of the objective, beside which a change is rounding */
    int64_t free_count;
} state;

int64_t descent_room(int64_t count)
{
    return (count + KERNEL_FEATURES - 1) / KERNEL_FEATURES * KERNEL_FEATURES;
}

int64_t descent_parts(int64_t rank)
{
    return DESCENT_PARTS * rank + 3 * rank * rank;
}

static state state_of(descent *d)
{
    const int64_t k = d->rank, room = d->gram ? 0 : descent_room(d->count);
    double *p = d->parts, *e = d->entries;
    return (state){.d = d,
                   .positive = p,
                   .negative = p + k,
                   .step = p + 2 * k,
                   .next = p + 3 * k,
                   .row = p + 4 * k,
                   .column = p + 5 * k,
                   .curvature = p + 6 * k,
                   .majoriser = p + 6 * k + k * k,
                   .factor = p + 6 * k + 2 * k * k,
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

static void fit_entries(const state *t, const double *s, double *fitted)
{
    const descent *d = t->d;
    const int64_t room = descent_room(d->count);
    for (int64_t j = 0; j < room; j++)
        fitted[j] = j < d->count ? 0 : 1;
    for (int64_t r = 0; r < d->rank; r++) {
        const double *row = d->tile + r * d->stride;
        for (int64_t j = 0; j < d->count && s[r] != 0; j++)
            fitted[j] += s[r] * row[j];
    }
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

/* W' diag(v) W into the lower triangle. */
static void weighted_gram(const state *t, const double *v, double *to)
{
    const descent *d = t->d;
    for (int64_t i = 0; i < d->rank; i++) {
        const double *row = d->tile + i * d->stride;
        for (int64_t j = 0; j < d->count; j++)
            t->change[j] = v[j] * row[j];
        kernel_table(ORTHANT_DOUBLE)
            ->vector_product(tile_rows(d, 0, i + 1), t->change, to + i * d->rank);
    }
}

/* After entries_parts(), which left p and q. */
static void entries_curvature(const state *t)
{
    const descent *d = t->d;
    double *moved = t->line, *q = t->change;
    for (int64_t j = 0; j < descent_room(d->count); j++)
        moved[j] = fmax(t->fitted[j], FLT_MIN) * (1 + DIFFERENCE);
    weigh_entries(d, moved, q);
    for (int64_t j = 0; j < d->count; j++) {
        const double fitted = fmax(t->fitted[j], 1e-12),
                     slope = (q[j] - moved[j]) - (t->second[j] - t->first[j]),
                     most = t->second[j] / fitted, bend = slope / (DIFFERENCE * fitted);
        t->first[j] = weight_at(d, j) * (bend > 0 ? bend : 0);
        t->second[j] = weight_at(d, j) * most;
    }
    weighted_gram(t, t->second, t->majoriser);
    weighted_gram(t, t->first, t->curvature);
}

/* ------------------------------------------------------------------ the objective */

static double squares_value(const descent *d, const double *s)
{
    double total = d->sample.squares;
    for (int64_t i = 0; i < d->rank; i++) {
        double product = -2 * d->cross[i];
        for (int64_t j = 0; j < d->rank; j++)
            product += d->gram[i * d->rank + j] * s[j];
        total += s[i] * product;
    }
    return total;
}

static void squares_parts(const state *t)
{
    const descent *d = t->d;
    for (int64_t i = 0; i < d->rank; i++) {
        const double linear = 2 * d->cross[i];
        t->positive[i] = linear < 0 ? -linear : 0;
        t->negative[i] = linear < 0 ? 0 : linear;
        for (int64_t j = 0; j < d->rank; j++) {
            const double part = 2 * d->gram[i * d->rank + j] * d->s[j];
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

static void find_curvature(const state *t)
{
    const descent *d = t->d;
    const int64_t size = d->rank * d->rank;
    for (int64_t e = 0; e < size && d->gram; e++) {
        t->curvature[e] = 2 * d->gram[e];
        t->majoriser[e] = 2 * d->gram[e];
    }
    if (!d->gram)
        entries_curvature(t);
    for (int i = 0; i < d->term_count; i++)
        if (d->terms[i].kind->code_curvature)
            d->terms[i].kind->code_curvature(&d->terms[i], &d->sample, d->s, t->curvature);
    for (int64_t e = 0; e < size; e++)
        t->curvature[e] += t->damping * t->majoriser[e];
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

/* The Cholesky factor of the free parts' curvature. */
static void factorise(const state *t)
{
    const int64_t count = t->free_count, k = t->d->rank;
    double *L = t->factor;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j <= i; j++) {
            const int64_t a = t->d->free[i], b = t->d->free[j];
            double sum = t->curvature[a * k + b];
            for (int64_t e = 0; e < j; e++)
                sum -= L[i * k + e] * L[j * k + e];
            const double least = LEAST_PIVOT * t->curvature[a * k + a];
            if (i == j)
                L[i * k + i] = sum > least ? sqrt(sum) : least > 0 ? sqrt(least) : 1;
            else
                L[i * k + j] = sum / L[j * k + j];
        }
}

/* Parts that their own axis would take to zero are not free. */
static void choose_step(state *t)
{
    const descent *d = t->d;
    const int64_t k = d->rank;
    t->free_count = 0;
    for (int64_t r = 0; r < k; r++) {
        const double bend = t->curvature[r * k + r], slope = slope_of(t, r);
        t->step[r] = bend > 0 ? -slope / bend : slope > 0 ? -d->s[r] : 0;
        if (bend > 0 && d->s[r] + t->step[r] > 0)
            d->free[t->free_count++] = r;
    }
    factorise(t);
    double *v = t->row;
    const double *L = t->factor;
    for (int64_t i = 0; i < t->free_count; i++) {
        double sum = -slope_of(t, d->free[i]);
        for (int64_t j = 0; j < i; j++)
            sum -= L[i * k + j] * v[j];
        v[i] = sum / L[i * k + i];
    }
    for (int64_t i = t->free_count - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < t->free_count; j++)
            v[i] -= L[j * k + i] * v[j];
        v[i] /= L[i * k + i];
        t->step[d->free[i]] = v[i];
    }
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
    else if (share > 0.9 && share < 1.5 && !t->d->gram)
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

bool descent_run(descent *d, int64_t iterations, double tolerance)
{
    state t = state_of(d);
    const double least = fmax(tolerance, 8 * DBL_EPSILON * (double)(d->rank + 8));
    double nearest = INFINITY, objective = value(&t, d->s);
    int64_t waited = 0;
    t.size = fabs(objective) + (d->gram ? d->sample.squares : 0);
    find_parts(&t);
    for (int64_t i = 0; i < iterations && waited < PATIENCE; i++) {
        const double away = violation(&t);
        if (away <= least)
            break;
        waited = away < 0.9 * nearest ? 0 : waited + 1;
        nearest = fmin(nearest, away);
        find_curvature(&t);
        choose_step(&t);
        const double now = take_step(&t, objective);
        if (now < objective - 1e-12 * fabs(objective))
            waited = 0;
        objective = now;
        find_parts(&t);
    }
    return violation(&t) <= least;
}
