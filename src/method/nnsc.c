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
 * X. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "method/method.h"

#define MOST_HALVINGS 60

typedef struct trial_step {
    array gradient; /* m x k */
    array trial;    /* m x k */
    array gram;     /* k x k */
    double *scale;  /* k */
    double *column; /* 2 m */
} trial_step;

static void release(sweep *s, void *state)
{
    trial_step *step = state;
    if (!step)
        return;
    memory_free(s->ctx, step->gradient.data);
    memory_free(s->ctx, step->trial.data);
    memory_free(s->ctx, step->gram.data);
    memory_free(s->ctx, step->scale);
    memory_free(s->ctx, step->column);
    memory_free(s->ctx, step);
}

static orthant_status setup(sweep *s, void **state)
{
    trial_step *step = *state = memory_new(s->ctx, 1, sizeof *step, "the basis step");
    if (!step)
        return ORTHANT_ERROR_MEMORY;
    step->gradient = step->trial = s->W;
    step->gram = s->G;
    step->gradient.data = memory_new(s->ctx, s->m * s->W.stride, s->k->size, "the basis step");
    step->trial.data = memory_new(s->ctx, s->m * s->W.stride, s->k->size, "the basis step");
    step->gram.data = memory_new(s->ctx, s->G.rows * s->G.stride, s->k->size, "the basis step");
    step->scale = memory_new(s->ctx, s->W.columns, sizeof *step->scale, "the basis step");
    step->column = memory_new(s->ctx, 2 * s->m, sizeof *step->column, "the basis step");
    return step->gradient.data && step->trial.data && step->gram.data && step->scale && step->column
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

/* Columns to unit length; a zero column stays zero. */
static void unit_columns(const kernels *k, array W, double *scale)
{
    memset(scale, 0, (size_t)W.columns * sizeof *scale);
    k->column_squares(W, scale);
    for (int64_t j = 0; j < W.columns; j++)
        scale[j] = scale[j] > 0 ? 1 / sqrt(scale[j]) : 0;
    k->scale_columns(W, scale);
}

static void start(sweep *s, void *state)
{
    trial_step *step = state;
    unit_columns(s->k, s->W, step->scale);
}

/* The part of |X - W S'|^2 that depends on W. */
static double fit_of(const sweep *s, array W, array gram)
{
    return s->k->dot(gram, s->B) - 2 * s->k->dot(W, s->A);
}

/* A column without a positive entry is nearest to the unit vector at its largest one. One that is
 * zero before and after the step is dead and stays so. */
static void save_column(const sweep *s, const trial_step *step, double mu, int64_t j)
{
    double *value = step->column, *slope = step->column + s->m;
    int64_t largest = 0;
    bool dead = true;
    s->k->get_values(array_columns(s->k, s->W, j, 1), value);
    s->k->get_values(array_columns(s->k, step->gradient, j, 1), slope);
    for (int64_t i = 0; i < s->m; i++) {
        value[i] -= mu * slope[i];
        dead &= value[i] == 0;
        if (value[i] > value[largest])
            largest = i;
    }
    memset(value, 0, (size_t)s->m * sizeof *value);
    value[largest] = dead ? 0 : 1;
    s->k->set_values(array_columns(s->k, step->trial, j, 1), value);
}

/* The trial: a step along the gradient, and back to nonnegative columns of unit length. */
static void try_step(const sweep *s, const trial_step *step, double mu)
{
    const kernels *k = s->k;
    k->copy(step->trial, s->W);
    k->add(step->trial, -mu, step->gradient);
    k->positive_part(step->trial);
    memset(step->scale, 0, (size_t)s->W.columns * sizeof *step->scale);
    k->column_squares(step->trial, step->scale);
    for (int64_t j = 0; j < s->W.columns; j++)
        if (!(step->scale[j] > 0))
            save_column(s, step, mu, j);
    unit_columns(k, step->trial, step->scale);
}

static void basis(sweep *s, void *state)
{
    trial_step *step = state;
    const kernels *k = s->k;
    const double before = fit_of(s, s->W, s->G);
    double mu = 1;
    k->product(step->gradient, s->W, s->B, false);
    k->add(step->gradient, -1, s->A);
    for (int i = 0; i <= MOST_HALVINGS; i++, mu *= 0.5) {
        try_step(s, step, mu);
        k->product_transposed(step->gram, step->trial, step->trial, false);
        if (fit_of(s, step->trial, step->gram) <= before) {
            k->copy(s->W, step->trial);
            return;
        }
    }
}

orthant_status nnsc_run(fit *f)
{
    static const factor_variant variant = {0.5, setup, start, basis, release};
    return factor_run_variant(f, &variant);
}
