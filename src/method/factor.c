/* The factor model: X ~ W S', objective = loss(X, W S') + sum of weighted terms. With N_l and D_l
 * the loss's numerators and denominators (src/loss/), the multiplicative rule is
 *
 *     W <- W .* (N_l + N) ./ (D_l + P),     S <- S .* (N_l + N) ./ (D_l + P)
 *
 * N and P are the sums over the terms of weight times the negative and the positive part of half
 * the term's gradient, times the loss's gain. With the quadratic loss every set of terms descends:
 * each has a quadratic majoriser whose minimum is this rule. With an entrywise loss that holds for
 * terms linear in S; otherwise the objective is watched, and an iteration that raised it is
 * repeated with its ratios to the power 1/2, 1/4, ... */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "engine/fixed.h"
#include "engine/halo.h"
#include "engine/sweep_device.h"
#include "loss/losses.h"
#include "method/factor_state.h"
#include "method/fixed_basis.h"
#include "method/method.h"
#include "method/online.h"
#include "solver/solvers.h"
#include "term/terms.h"

#define LEAST_EXPONENT (1.0 / 64)
#define DRIFT_TO_TELL 1e3

/* Extrapolated updates: full momentum after some iterations that did not raise the objective. */
#define FIRST_MOMENTUM 0.5
#define MOMENTUM_GROWS 1.05
#define MOMENTUM_FALLS 1.5

/* ------------------------------------------------------------------ measuring */

/* The objective in values[0], from those of loss and terms behind it. */
static void add_values(const model_state *m, double *values)
{
    values[0] = 0;
    for (int t = 0; t < 1 + m->problem.term_count; t++) {
        values[1 + t] *= m->scale;
        values[0] += values[1 + t];
    }
}

void factor_evaluate(model_state *m)
{
    const int terms = m->problem.term_count;
    sweep_measure(&m->sweep, m->values + 1);
    add_values(m, m->values);
    if (m->guarded)
        m->values[2 + terms] = m->step.exponent;
}

static void measure(void *state, double *values)
{
    model_state *m = state;
    if (!m->guarded || m->step.iteration == 0)
        factor_evaluate(m);
    memcpy(values, m->values, sizeof m->values);
}

/* ------------------------------------------------------------------ one iteration */

static void set_loss(model_state *m)
{
    const double halvings = (double)m->step.iteration / m->loss.halves;
    if (m->loss.halves > 0)
        m->loss.parameter = fmax(m->loss_parameter, m->loss.begins * exp2(-halvings));
}

/* Columns of W to unit length; S takes the scale, so that W S' stays. */
static void normalise_basis(sweep *s)
{
    double *lengths = s->factors.basis_squares;
    sweep_unit_columns(s, s->factors.W, lengths);
    s->ops->scale_columns(s->factors.S, lengths);
    if (s->sums.B.data) {
        s->ops->scale_columns(s->sums.B, lengths);
        s->ops->scale_rows(s->sums.B, lengths);
    }
}

/* The solver of an iteration: with terms some begin with another's steps. */
static const solver *solver_now(const model_state *m)
{
    const solver *chosen = m->problem.solver;
    return m->problem.term_count && m->step.iteration <= chosen->first_steps ? chosen->first_solver
                                                                             : chosen;
}

/* One iteration, or the encodings' half of one. */
static void iterate(model_state *m, bool with_basis)
{
    sweep *s = &m->sweep;
    sweep_step *t = &m->step;
    t->solver = m->problem.solver;
    /* Coordinate descent would fit the basis to random encodings at once and for good: it begins
     * with encodings that fit the starting basis. On text that ends lower. */
    if (t->iteration == 0 && t->solver->fits_encodings_first && !m->problem.term_count)
        sweep_encoding(s, t);
    t->iteration++;
    set_loss(m);
    t->solver = solver_now(m);
    if (with_basis && m->variant)
        m->variant->basis(s, m->variant_state);
    else if (with_basis)
        sweep_basis(s, t);
    if (with_basis && m->normalise)
        normalise_basis(s);
    sweep_basis_changed(s);
    sweep_encoding(s, t);
}

/* ------------------------------------------------------------------ the safeguard */

static double next_momentum(bool rose, double momentum)
{
    return rose           ? momentum / MOMENTUM_FALLS
           : momentum > 0 ? fmin(1, momentum * MOMENTUM_GROWS)
                          : FIRST_MOMENTUM;
}

/* Iterations from one and the same start, without momentum and then with the exponent halved, until
 * one does not raise the objective; false where all do. */
static bool try_iterations(model_state *m, bool with_basis)
{
    const sweep_step first = m->step;
    const double before = m->kept_objective,
                 noise = (m->f->samples->precision == ORTHANT_SINGLE ? 1e-6 : 1e-12) * fabs(before);
    bool rose = false;
    for (m->step.exponent = 1; m->step.exponent >= LEAST_EXPONENT;) {
        m->step.iteration = first.iteration;
        iterate(m, with_basis);
        factor_evaluate(m);
        if (m->values[0] <= before + noise) {
            m->step.momentum = next_momentum(rose, first.momentum);
            return true;
        }
        sweep_go_back(&m->sweep);
        rose = true;
        if (m->step.momentum > 0)
            m->step.momentum = 0;
        else /* steps by coordinates have no exponent: nothing is left but rounding */
            m->step.exponent *= solver_now(m)->majorises ? 0 : 0.5;
    }
    m->step.momentum = first.momentum;
    return false;
}

/* An iteration that may not raise the objective. The basis step does not see what its normalisation
 * does to a penalty on the encodings: where that raises the objective they alone go on, until their
 * penalty is in balance with the loss. When nothing helps the factors stay where they were. */
static void iterate_guarded(model_state *m)
{
    m->kept_objective = m->values[0];
    sweep_keep(&m->sweep);
    if (try_iterations(m, true) || (m->normalise && try_iterations(m, false)))
        return;
    m->step.exponent = 0;
    m->step.momentum = 0;
    factor_evaluate(m);
}

/* ------------------------------------------------------------------ iterations ahead */

/* Those of one solver that the safeguard does not watch; the sweep gives rows of its own values. */
static int64_t go_ahead(void *state, int64_t most, double *values)
{
    model_state *m = state;
    const solver *chosen = m->problem.solver;
    const int64_t width = 1 + m->problem.term_count;
    if (m->guarded || m->variant || m->normalise || m->step.iteration == 0)
        return 0;
    sweep_step first = m->step;
    first.iteration++;
    m->step.iteration++;
    first.solver = solver_now(m);
    m->step.iteration--;
    if (first.solver != chosen)
        most = smaller(most, chosen->first_steps - m->step.iteration);
    const int64_t made = sweep_ahead(&m->sweep, &first, most, values);
    for (int64_t i = made - 1; i >= 0; i--) {
        double *row = values + i * HISTORY_MOST_COLUMNS;
        memmove(row + 1, values + i * width, (size_t)width * sizeof *row);
        add_values(m, row);
    }
    m->ahead = values;
    m->ahead_from = m->step.iteration;
    m->step.iteration += made;
    if (made)
        memcpy(m->values, values + (made - 1) * HISTORY_MOST_COLUMNS, sizeof m->values);
    return made;
}

static void go_back(void *state, int64_t count)
{
    model_state *m = state;
    sweep_back(&m->sweep, count);
    m->step.iteration = m->ahead_from + count;
    memcpy(m->values, m->ahead + (count - 1) * HISTORY_MOST_COLUMNS, sizeof m->values);
}

static void make_step(void *state)
{
    model_state *m = state;
    if (m->guarded)
        iterate_guarded(m);
    else
        iterate(m, true);
}

/* ------------------------------------------------------------------ the end */

static double length(const kernels *ops, array a)
{
    return sqrt(ops->dot(a, a));
}

/* The last row of the history is by the parameter that the loss is named for, which lowers it. */
static void end_loss(model_state *m)
{
    if (m->loss.parameter == m->loss_parameter)
        return;
    m->loss.parameter = m->loss_parameter;
    sweep_sums(&m->sweep);
    factor_evaluate(m);
    history_replace(&m->f->result->history, m->values);
}

/* What rounding stopped is no convergence. */
static orthant_status tell_limit(model_state *m)
{
    const bool single = m->f->samples->precision == ORTHANT_SINGLE;
    if (!m->problem.loss->at_limit(&m->sweep, m->values[1] / m->scale))
        return ORTHANT_OK;
    m->f->result->history.converged = false;
    return fit_note(m->f,
                    "the loss, %.3g, is at the limit of %s precision, where rounding hides what a "
                    "step changes%s",
                    m->values[1], single ? "single" : "double",
                    single ? "; precision double goes on" : "");
}

/* Nor is a safeguard that let no step pass. */
static orthant_status tell_refused(model_state *m)
{
    orthant_result *result = m->f->result;
    if (!m->guarded || result->history.iterations == 0 ||
        orthant_result_objective(result) < orthant_result_history(result, 0, 2))
        return ORTHANT_OK;
    result->history.converged = false;
    return fit_note(m->f,
                    "no step lowered the objective: the factors are no better than the start; "
                    "try another start or smaller weights");
}

/* The scale that drifts from one factor to the other under terms on one of them alone. */
static orthant_status tell_drift(model_state *m)
{
    const double now = length(m->sweep.ops, m->sweep.factors.W),
                 drift = fmax(now / m->first_length, m->first_length / now);
    if (!m->problem.term_count || !isfinite(drift) || drift <= DRIFT_TO_TELL)
        return ORTHANT_OK;
    return fit_note(m->f,
                    "the scale drifted: the basis %s %.3g times while the encodings %s, as terms "
                    "that see the scale of one factor alone allow; normalise=basis prevents it",
                    now > m->first_length ? "grew" : "shrank", drift,
                    now > m->first_length ? "shrank" : "grew");
}

/* What is left of X; the quadratic loss has measured it already. Under a mask or weights entries
 * count by these. */
static orthant_status tell_error(model_state *m)
{
    orthant_result *result = m->f->result;
    if (m->problem.weights) {
        weighted_error(&m->sweep, &result->squared_error, &result->data_squares);
        return ORTHANT_OK;
    }
    result->data_squares = m->sweep.data_squares;
    result->squared_error = fit_last_loss(m->f) / m->scale;
    return m->problem.loss->quadratic ? ORTHANT_OK
                                      : frobenius_error(&m->sweep, &result->squared_error);
}

static orthant_status tell_notes(model_state *m)
{
    orthant_status status;
    if ((status = tell_error(m)) || (status = fit_tell_dead_columns(m->f)) ||
        (status = tell_limit(m)) || (status = tell_refused(m)))
        return status;
    return tell_drift(m);
}

/* Where the scale drifts, or each column is minimised by itself, columns of the encoding end with
 * scales of their own, and k-means would see the largest alone: where no rule is given labels are
 * taken from the encodings of a basis of unit columns. */
static orthant_status set_label_scale(model_state *m)
{
    const sweep *s = &m->sweep;
    const int64_t rank = m->problem.rank;
    bool drifts = m->problem.solver->majorises;
    for (int t = 0; t < m->problem.term_count; t++)
        drifts |= (m->terms[t].kind->flags & TERM_LETS_SCALE_DRIFT) != 0;
    double *scale = memory_new(m->f->ctx, rank, sizeof *scale, "scales of labels");
    if (!scale)
        return ORTHANT_ERROR_MEMORY;
    s->ops->column_squares(s->factors.W, scale);
    for (int64_t j = 0; j < rank; j++)
        scale[j] = sqrt(scale[j]);
    m->f->result->label_scale = scale;
    m->f->result->labels_scaled = drifts;
    return ORTHANT_OK;
}

static void show(void *state)
{
    model_state *m = state;
    sweep_hand_over(&m->sweep, m->encoding);
}

static void parts(void *state, checkpoint_parts *parts)
{
    model_state *m = state;
    sweep_parts(&m->sweep, parts);
    parts_add_field(parts, "step", &m->step.iteration, sizeof m->step.iteration);
    parts_add_field(parts, "exponent", &m->step.exponent, sizeof m->step.exponent);
    parts_add_field(parts, "momentum", &m->step.momentum, sizeof m->step.momentum);
    parts_add_field(parts, "first length", &m->first_length, sizeof m->first_length);
    parts_add_numbers(parts, "values", m->values, HISTORY_MOST_COLUMNS);
}

static void restored(void *state)
{
    model_state *m = state;
    set_loss(m);
    sweep_restored(&m->sweep);
}

static orthant_status check(void *state)
{
    const model_state *m = state;
    return sweep_check(&m->sweep);
}

static void release(model_state *m)
{
    factor_release_sweep(m);
    for (int t = 0; t < m->problem.term_count; t++)
        if (m->terms[t].kind->release)
            m->terms[t].kind->release(&m->terms[t]);
    orthant_matrix_free(m->fixed);
}

orthant_status factor_run_variant(fit *f, const factor_variant *variant)
{
    model_state m = {.f = f, .variant = variant};
    orthant_status status = factor_setup(&m);
    if (!status)
        status = fit_start_factors(f, m.basis, m.encoding);
    if (!status) {
        if (variant)
            variant->start(&m.sweep, m.variant_state);
        if (m.normalise) /* what the first iteration is compared with is normalised too */
            normalise_basis(&m.sweep);
        fixed_restore(&m.sweep);
        m.first_length = length(m.sweep.ops, m.sweep.factors.W);
        set_loss(&m);
        sweep_start(&m.sweep);
        status = fit_loop(f, (loop_steps){.state = &m,
                                          .step = make_step,
                                          .measure = measure,
                                          .show = show,
                                          .parts = parts,
                                          .restored = restored,
                                          .check = check,
                                          .ahead = go_ahead,
                                          .back = go_back});
    }
    if (!status)
        end_loss(&m);
    if (!status)
        status = factor_final_encodings(&m);
    if (!status && !variant)
        f->result->projected_gradient = sweep_projected_gradient(&m.sweep);
    if (m.problem.solver)
        f->result->solver = m.problem.solver->name;
    if (m.sweep.problem && m.encoding)
        sweep_hand_over(&m.sweep, m.encoding);
    if (!status)
        status = sweep_check(&m.sweep);
    if (!status)
        status = tell_notes(&m);
    if (!status)
        status = set_label_scale(&m);
    release(&m);
    return status;
}

orthant_status factor_explain_variant(fit *f, const factor_variant *variant, explanation *e)
{
    model_state m = {.f = f, .variant = variant};
    orthant_status status = factor_setup_problem(&m);
    if (!status)
        status = sweep_plan(&m.sweep, &m.problem);
    if (!status && variant)
        status = variant->setup(&m.sweep, &m.variant_state);
    if (!status) {
        explain_sweep(e, &m.sweep);
        if (!m.problem.loss->quadratic)
            e->info->memory.grams += frobenius_error_bytes(&m.problem);
        if (m.guarded && !m.problem.on_device)
            e->info->memory.safeguard = e->info->memory.factors;
    }
    release(&m);
    return status;
}

orthant_status factor_run(fit *f)
{
    return online_asked(f->model) ? online_run(f) : factor_run_variant(f, NULL);
}

orthant_status factor_explain(fit *f, explanation *e)
{
    return online_asked(f->model) ? online_explain(f, e) : factor_explain_variant(f, NULL, e);
}
