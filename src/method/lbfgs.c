#include "method/lbfgs.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

#define ENOUGH_FALL 1e-4 /* Armijo's share of the fall that the slope promises */
#define ENOUGH_SLOPE 0.9 /* Wolfe's share of the slope that may be left */
#define MOST_TRIALS 60

void lbfgs_release(lbfgs *l)
{
    double *all[] = {l->x, l->gradient, l->trial, l->trial_gradient, l->direction};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(l->ctx, all[i]);
    for (int i = 0; i < LBFGS_MEMORY; i++) {
        memory_free(l->ctx, l->steps[i]);
        memory_free(l->ctx, l->changes[i]);
    }
}

orthant_status lbfgs_setup(lbfgs *l, orthant_context *ctx, int64_t size, lbfgs_function function,
                           void *user)
{
    memset(l, 0, sizeof *l);
    l->ctx = ctx;
    l->size = size;
    l->function = function;
    l->user = user;
    double **all[5 + 2 * LBFGS_MEMORY] = {&l->x, &l->gradient, &l->trial, &l->trial_gradient,
                                          &l->direction};
    for (int i = 0; i < LBFGS_MEMORY; i++) {
        all[5 + 2 * i] = &l->steps[i];
        all[6 + 2 * i] = &l->changes[i];
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i] = memory_new(ctx, size, sizeof(double), "L-BFGS")))
            return ORTHANT_ERROR_MEMORY;
    return ORTHANT_OK;
}

static double dot(const lbfgs *l, const double *a, const double *b)
{
    double total = 0;
    for (int64_t i = 0; i < l->size; i++)
        total += a[i] * b[i];
    return total;
}

static void add(const lbfgs *l, double *to, double scale, const double *from)
{
    for (int64_t i = 0; i < l->size; i++)
        to[i] += scale * from[i];
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* The two loops: direction = -H gradient, H built from the kept steps. */
static void find_direction(lbfgs *l)
{
    double alpha[LBFGS_MEMORY] = {0};
    double *d = l->direction;
    memcpy(d, l->gradient, (size_t)l->size * sizeof *d);
    for (int i = 1; i <= l->kept; i++) {
        const int at = (l->next - i + LBFGS_MEMORY) % LBFGS_MEMORY;
        alpha[at] = dot(l, l->steps[at], d) / l->curvature[at];
        add(l, d, -alpha[at], l->changes[at]);
    }
    double scale = 1;
    if (l->kept) {
        const int last = (l->next - 1 + LBFGS_MEMORY) % LBFGS_MEMORY;
        scale = l->curvature[last] / dot(l, l->changes[last], l->changes[last]);
    }
    for (int64_t j = 0; j < l->size; j++)
        d[j] *= -scale;
    for (int i = l->kept; i >= 1; i--) {
        const int at = (l->next - i + LBFGS_MEMORY) % LBFGS_MEMORY;
        const double beta = dot(l, l->changes[at], d) / l->curvature[at];
        add(l, d, -alpha[at] - beta, l->steps[at]);
    }
}

/* The length of a step by bisection between one that falls too little and one that leaves too much
 * slope. Ends at the best length so far that falls enough, if any. */
static bool search(lbfgs *l, double slope, double first)
{
    double least = 0, most = INFINITY, length = first;
    for (int i = 0; i < MOST_TRIALS; i++) {
        memcpy(l->trial, l->x, (size_t)l->size * sizeof *l->trial);
        add(l, l->trial, length, l->direction);
        const double value = l->function(l->user, l->trial, l->trial_gradient);
        l->evaluations++;
        if (!(value <= l->value + ENOUGH_FALL * length * slope) || !isfinite(value)) {
            most = length;
        } else if (dot(l, l->trial_gradient, l->direction) < ENOUGH_SLOPE * slope &&
                   i < MOST_TRIALS / 2) {
            least = length;
        } else {
            l->value = value;
            return true;
        }
        length = isfinite(most) ? 0.5 * (least + most) : 2 * length;
    }
    return false;
}

/* Keeps the step for the next directions, unless it saw no curvature. */
static void keep(lbfgs *l)
{
    double *step = l->steps[l->next], *change = l->changes[l->next];
    for (int64_t i = 0; i < l->size; i++) {
        step[i] = l->trial[i] - l->x[i];
        change[i] = l->trial_gradient[i] - l->gradient[i];
    }
    const double curvature = dot(l, step, change);
    if (!(curvature > 1e-12 * dot(l, change, change)) && !(curvature > 0))
        return;
    l->curvature[l->next] = curvature;
    l->next = (l->next + 1) % LBFGS_MEMORY;
    if (l->kept < LBFGS_MEMORY)
        l->kept++;
}

void lbfgs_parts(lbfgs *l, checkpoint_parts *parts)
{
    parts_add_numbers(parts, "x", l->x, l->size);
    parts_add_numbers(parts, "gradient", l->gradient, l->size);
    for (int i = 0; i < LBFGS_MEMORY; i++) {
        parts_add_numbers(parts, "step", l->steps[i], l->size);
        parts_add_numbers(parts, "change", l->changes[i], l->size);
    }
    parts_add_numbers(parts, "curvature", l->curvature, LBFGS_MEMORY);
    parts_add_field(parts, "value", &l->value, sizeof l->value);
    parts_add_field(parts, "stuck", &l->stuck, sizeof l->stuck);
    parts_add_field(parts, "evaluations", &l->evaluations, sizeof l->evaluations);
    parts_add_field(parts, "kept", &l->kept, sizeof l->kept);
    parts_add_field(parts, "next", &l->next, sizeof l->next);
}

/* A file may be anybody's: steps that are not there are forgotten. */
void lbfgs_restored(lbfgs *l)
{
    if (l->kept < 0 || l->kept > LBFGS_MEMORY || l->next < 0 || l->next >= LBFGS_MEMORY)
        l->kept = l->next = 0;
}

void lbfgs_begin(lbfgs *l)
{
    l->value = l->function(l->user, l->x, l->gradient);
    l->evaluations++;
}

void lbfgs_step(lbfgs *l)
{
    for (int attempt = 0; attempt < 2 && !l->stuck; attempt++) {
        find_direction(l);
        const double slope = dot(l, l->gradient, l->direction);
        const double length = sqrt(dot(l, l->gradient, l->gradient));
        const double first = l->kept || !(length > 0) ? 1 : fmin(1, 1 / length);
        if (slope < 0 && search(l, slope, first)) {
            keep(l);
            swap(&l->x, &l->trial);
            swap(&l->gradient, &l->trial_gradient);
            return;
        }
        l->stuck = l->kept == 0;
        l->kept = 0; /* once more along the gradient itself */
    }
}
