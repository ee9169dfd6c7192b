/* The factor model: X ~ W S', objective = loss(X, W S') + sum of weighted terms.
 *
 *   Frobenius   W <- W .* (X S + N_W) ./ (W S'S + P_W)
 *               S <- S .* (X'W + N_S) ./ (S W'W + P_S)
 *
 *   KL          W <- W .* (R S + N_W) ./ (1 sum(S) + P_W)       R = X ./ (W S')
 *               S <- S .* (R'W + N_S) ./ (1 sum(W) + P_S)
 *
 * N and P are the sums over the terms of weight times the negative and the positive part of half
 * the term's gradient (KL: the gradient). With the Frobenius loss every set of terms descends: each
 * has a quadratic majoriser whose minimum is this rule. With KL that holds for terms linear in S;
 * otherwise the objective is watched, and an iteration that raised it is repeated with its ratios
 * to the power 1/2, 1/4, ... */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "method/method.h"
#include "term/term.h"

#define LEAST_EXPONENT (1.0 / 64)
#define DRIFT_TO_TELL 1e3

static const char *const solver_names[] = {"mu", "emu", "hals", "newton"}; /* by solver_kind */

typedef struct model_state {
    fit *f;
    sweep sweep;
    term terms[FIT_MOST_TERMS];
    orthant_matrix *basis, *encoding;
    const factor_variant *variant;
    void *variant_state;
    bool normalise;
    double first_length; /* |W| at the start */

    /* The safeguard: what an iteration started from. */
    bool guarded;
    array kept_W, kept_S, kept_A, kept_XS, kept_B;
    double *kept_sums;
    double objective; /* of the last iteration */
    bool fresh;       /* the last measurement holds for the factors as they are */
    double values[FIT_MOST_COLUMNS];
    double before[FIT_MOST_COLUMNS]; /* where the divergence is late: of the iteration before */
} model_state;

/* ------------------------------------------------------------------ measuring */

/* objective, loss, the terms (which are there), and the exponent where there is a safeguard */
static void add_up(const model_state *m, double loss, double *values)
{
    const sweep *s = &m->sweep;
    const double scale = m->variant ? m->variant->objective_scale : 1;
    values[0] = values[1] = scale * loss;
    for (int t = 0; t < s->term_count; t++) {
        values[2 + t] *= scale;
        values[0] += values[2 + t];
    }
    if (m->guarded)
        values[2 + s->term_count] = s->exponent;
}

static void evaluate(model_state *m, double *values)
{
    const double loss = sweep_loss(&m->sweep);
    sweep_term_values(&m->sweep, values + 2);
    add_up(m, loss, values);
}

static void measure(void *state, double *values)
{
    model_state *m = state;
    if (!m->fresh)
        evaluate(m, m->values);
    m->fresh = true;
    m->objective = m->values[0];
    memcpy(values, m->values, sizeof m->values);
}

/* What measure() would have given before the last step. */
static void measure_before(void *state, double *values)
{
    const model_state *m = state;
    memcpy(values, m->before, sizeof m->before);
}

/* ------------------------------------------------------------------ one iteration */

/* Columns of W to unit length; S takes the scale, so that W S' stays. */
static void normalise_basis(sweep *s)
{
    const int64_t rank = s->W.columns;
    double *scale = s->basis_squares;
    memset(scale, 0, (size_t)rank * sizeof *scale);
    s->k->column_squares(s->W, scale);
    for (int64_t j = 0; j < rank; j++)
        scale[j] = scale[j] > 0 ? sqrt(scale[j]) : 1;
    s->k->scale_columns(s->S, scale);
    if (s->uses_gram) {
        s->k->scale_columns(s->B, scale);
        s->k->scale_rows(s->B, scale);
    }
    for (int64_t j = 0; j < rank; j++)
        scale[j] = 1 / scale[j];
    s->k->scale_columns(s->W, scale);
}

/* The basis step, which finds on its way what the objective that nobody asked for lacked. */
static void measured_basis(model_state *m)
{
    sweep *s = &m->sweep;
    const double fitted = sweep_fitted(s);
    sweep_term_values(s, m->before + 2);
    add_up(m, sweep_kl_loss(s, sweep_basis_divergence(s), fitted), m->before);
}

static void change_basis(model_state *m)
{
    sweep *s = &m->sweep;
    if (m->variant)
        m->variant->basis(s, m->variant_state);
    else if (s->late && !m->fresh)
        measured_basis(m);
    else
        sweep_basis(s);
    if (m->normalise)
        normalise_basis(s);
}

/* One iteration, or the encodings' half of one. */
static void iterate(model_state *m, bool with_basis)
{
    sweep *s = &m->sweep;
    /* Coordinate descent would fit the basis to random encodings at once and for good: it begins
     * with encodings that fit the starting basis. On text that ends lower. */
    if (s->iteration == 0 && sweep_by_coordinates(s))
        sweep_encoding(s);
    s->iteration++;
    if (with_basis)
        change_basis(m);
    sweep_basis_changed(s);
    sweep_encoding(s);
    m->fresh = false;
}

static void keep(model_state *m)
{
    const sweep *s = &m->sweep;
    s->k->copy(m->kept_W, s->W);
    s->k->copy(m->kept_S, s->S);
    if (m->kept_A.data)
        s->k->copy(m->kept_A, s->A);
    if (m->kept_XS.data)
        s->k->copy(m->kept_XS, s->XS);
    if (m->kept_B.data)
        s->k->copy(m->kept_B, s->B);
    memcpy(m->kept_sums, s->encoding_sums, (size_t)s->W.columns * sizeof(double));
}

static void restore(model_state *m)
{
    sweep *s = &m->sweep;
    s->k->copy(s->W, m->kept_W);
    s->k->copy(s->S, m->kept_S);
    if (m->kept_A.data)
        s->k->copy(s->A, m->kept_A);
    if (m->kept_XS.data)
        s->k->copy(s->XS, m->kept_XS);
    if (m->kept_B.data)
        s->k->copy(s->B, m->kept_B);
    memcpy(s->encoding_sums, m->kept_sums, (size_t)s->W.columns * sizeof(double));
}

/* Extrapolated updates: full momentum after some iterations that did not raise the objective. */
#define FIRST_MOMENTUM 0.5
#define MOMENTUM_GROWS 1.05
#define MOMENTUM_FALLS 1.5

static void adapt_momentum(sweep *s, bool rose, double momentum)
{
    s->momentum = rose           ? momentum / MOMENTUM_FALLS
                  : momentum > 0 ? fmin(1, momentum * MOMENTUM_GROWS)
                                 : FIRST_MOMENTUM;
}

/* Iterations from one and the same start, without momentum and then with the exponent halved, until
 * one does not raise the objective; false where all do. */
static bool try_iterations(model_state *m, bool with_basis)
{
    sweep *s = &m->sweep;
    const double before = m->objective, momentum = s->momentum;
    const int64_t iteration = s->iteration;
    const double noise = (s->samples->precision == ORTHANT_SINGLE ? 1e-6 : 1e-12) * fabs(before);
    bool rose = false;
    for (s->exponent = 1; s->exponent >= LEAST_EXPONENT;) {
        s->iteration = iteration;
        iterate(m, with_basis);
        evaluate(m, m->values);
        m->fresh = true;
        if (m->values[0] <= before + noise) {
            adapt_momentum(s, rose, momentum);
            return true;
        }
        restore(m);
        rose = true;
        if (s->momentum > 0)
            s->momentum = 0;
        else /* Newton's steps have no exponent: nothing is left but rounding */
            s->exponent *= sweep_by_coordinates(s) ? 0 : 0.5;
    }
    return false;
}

/* An iteration that may not raise the objective. The basis step does not see what its normalisation
 * does to a penalty on the encodings: where that raises the objective they alone go on, until their
 * penalty is in balance with the loss. When nothing helps the factors stay where they were. */
static void iterate_guarded(model_state *m)
{
    sweep *s = &m->sweep;
    const double divergence = s->divergence, cross = s->cross;
    keep(m);
    if (try_iterations(m, true) || (m->normalise && try_iterations(m, false)))
        return;
    s->exponent = 0;
    s->momentum = 0;
    s->divergence = divergence;
    s->cross = cross;
    sweep_basis_changed(s);
    m->fresh = false;
}

static void step(void *state)
{
    model_state *m = state;
    if (m->guarded)
        iterate_guarded(m);
    else
        iterate(m, true);
}

/* ------------------------------------------------------------------ setup */

static orthant_status setup_terms(model_state *m)
{
    const orthant_model *model = m->f->model;
    const double scale = m->variant ? m->variant->objective_scale : 1;
    orthant_status status = ORTHANT_OK;
    m->sweep.terms = m->terms;
    for (int i = 0; i < model->term_count && !status; i++) {
        term *t = &m->terms[m->sweep.term_count++];
        t->kind = model->terms[i];
        t->ctx = m->f->ctx;
        t->weight = parameter_number(&model->parameters, t->kind->parameters[0].name) / scale;
        t->gain = t->weight * (m->sweep.loss == LOSS_KL ? 2 : 1);
        if (t->kind->flags & TERM_MAY_RISE ||
            (m->sweep.loss == LOSS_KL && !(t->kind->flags & TERM_DESCENDS_WITH_KL)))
            m->guarded = true;
        if (t->kind->setup)
            status = t->kind->setup(t, m->f);
    }
    return status;
}

static orthant_status setup_columns(model_state *m)
{
    orthant_result *result = m->f->result;
    history_begin(result);
    for (int t = 0; t < m->sweep.term_count; t++)
        result->columns[result->column_count++] = m->terms[t].kind->name;
    if (m->guarded)
        result->columns[result->column_count++] = "step";
    return ORTHANT_OK;
}

static bool keep_room(model_state *m, array *kept, array like)
{
    *kept = like;
    if (like.data)
        kept->data = memory_new(m->f->ctx, like.rows * like.stride, m->sweep.k->size,
                                "the safeguard's copies");
    return !like.data || kept->data;
}

static orthant_status setup_safeguard(model_state *m)
{
    sweep *s = &m->sweep;
    const array none = {0};
    if (!m->guarded)
        return ORTHANT_OK;
    m->kept_sums = memory_new(m->f->ctx, s->W.columns, sizeof(double), "the safeguard's copies");
    if (!m->kept_sums || !keep_room(m, &m->kept_W, s->W) || !keep_room(m, &m->kept_S, s->S) ||
        !keep_room(m, &m->kept_A, s->A) ||
        !keep_room(m, &m->kept_XS, s->XS.data == s->A.data ? none : s->XS) ||
        !keep_room(m, &m->kept_B, s->B))
        return ORTHANT_ERROR_MEMORY;
    return ORTHANT_OK;
}

/* A variant's own basis step knows the Frobenius loss, and no term that pulls the basis. */
static orthant_status check_variant(const model_state *m)
{
    const orthant_model *model = m->f->model;
    if (!m->variant)
        return ORTHANT_OK;
    if (m->sweep.loss != LOSS_FROBENIUS)
        return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT, "method '%s' has the loss frobenius only",
                    model->method->name);
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i]->basis)
            return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT,
                        "method '%s' cannot take the term '%s', which acts on the basis",
                        model->method->name, model->terms[i]->name);
    return ORTHANT_OK;
}

/* "auto" takes coordinate descent for the plain model alone: the papers' methods are their rules as
 * much as their objectives. So is a run from given factors: it is asked for certain iterates. */
static orthant_status choose_solver(model_state *m)
{
    const fit *f = m->f;
    const orthant_model *model = f->model;
    const char *solver = parameter_text(&model->parameters, "solver");
    const bool plain =
        m->sweep.loss == LOSS_FROBENIUS && !model->term_count && !m->variant && !model->start_count;
    if (!strcmp(solver, "mu") || (!strcmp(solver, "auto") && !plain))
        return ORTHANT_OK;
    if (m->variant)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' has a basis step of its own; take solver mu or auto",
                    model->method->name);
    const bool newton = !strcmp(solver, "newton"), extrapolates = newton || !strcmp(solver, "emu");
    m->sweep.solver = newton ? SOLVER_NEWTON : extrapolates ? SOLVER_EXTRAPOLATED : SOLVER_DESCENT;
    m->guarded |= extrapolates;
    if (extrapolates && m->normalise)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "solver '%s' looks at how the factors change, which normalise=basis hides; "
                    "take solver mu",
                    solver);
    if (m->sweep.solver == SOLVER_EXTRAPOLATED)
        return ORTHANT_OK;
    if (newton != (m->sweep.loss == LOSS_KL))
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    newton ? "solver 'newton' is for the loss kl; take solver mu, emu or hals with "
                             "the loss frobenius"
                           : "solver 'hals' is for the loss frobenius; take solver mu, emu or "
                             "newton with the loss kl");
    for (int i = 0; i < model->term_count; i++)
        if (!model->terms[i]->majorise || (newton && model->terms[i]->majorise_basis))
            return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                        "solver '%s' does not know the curvature of the term '%s'; take solver "
                        "mu or emu",
                        solver, model->terms[i]->name);
    return ORTHANT_OK;
}

static orthant_status setup(model_state *m)
{
    fit *f = m->f;
    const parameter_set *set = &f->model->parameters;
    sweep *s = &m->sweep;
    orthant_status status;
    s->ctx = f->ctx;
    s->k = kernel_table(f->samples->precision);
    s->samples = f->samples;
    s->n = f->samples->rows;
    s->m = f->samples->columns;
    s->loss = strcmp(parameter_text(set, "loss"), "kl") ? LOSS_FROBENIUS : LOSS_KL;
    m->normalise = !strcmp(parameter_text(set, "normalise"), "basis");
    if ((status = check_variant(m)) || (status = choose_solver(m)) ||
        (status = fit_new_factor(f, "basis", s->m, f->model->rank, &m->basis)) ||
        (status = fit_new_factor(f, "encoding", s->n, f->model->rank, &m->encoding)) ||
        (status = setup_terms(m)))
        return status;
    s->W = matrix_array(m->basis);
    s->S = matrix_array(m->encoding);
    s->own_basis = m->variant != NULL;
    s->can_wait = !m->guarded && !m->variant;
    if ((status = sweep_setup(s)) || (status = setup_safeguard(m)) || (status = setup_columns(m)))
        return status;
    return m->variant ? m->variant->setup(s, &m->variant_state) : ORTHANT_OK;
}

/* ------------------------------------------------------------------ the end */

static double length(const kernels *k, array a)
{
    return sqrt(k->dot(a, a));
}

/* What rounding stopped is no convergence. */
static orthant_status tell_limit(model_state *m)
{
    const double loss = m->values[1] / (m->variant ? m->variant->objective_scale : 1);
    const bool single = m->sweep.samples->precision == ORTHANT_SINGLE;
    if (!sweep_at_limit(&m->sweep, loss))
        return ORTHANT_OK;
    m->f->result->converged = false;
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
    if (!m->guarded || result->iterations == 0 ||
        orthant_result_objective(result) < orthant_result_history(result, 0, 2))
        return ORTHANT_OK;
    result->converged = false;
    return fit_note(m->f,
                    "no step lowered the objective: the factors are no better than the start; "
                    "try another start or smaller weights");
}

/* Columns that died, and the scale that drifts from S to W under penalties on S alone. */
static orthant_status tell_notes(model_state *m)
{
    const sweep *s = &m->sweep;
    orthant_status status = fit_tell_dead_columns(m->f);
    if (!status)
        status = tell_limit(m);
    if (!status)
        status = tell_refused(m);
    if (status)
        return status;
    const double drift = m->first_length > 0 ? length(s->k, s->W) / m->first_length : 1;
    if (drift > DRIFT_TO_TELL && s->term_count)
        return fit_note(m->f,
                        "the scale drifted: the basis grew %.3g times while the encodings shrank, "
                        "as a penalty on the "
                        "encodings alone allows; normalise=basis prevents it",
                        drift);
    if (drift > 0 && drift < 1 / DRIFT_TO_TELL && s->term_count)
        return fit_note(
            m->f,
            "the scale drifted: the basis shrank %.3g times while the encodings grew, "
            "as a term that favours large encodings allows; normalise=basis prevents it",
            1 / drift);
    return ORTHANT_OK;
}

/* Where the scale drifts, or each column is minimised by itself, columns of the encoding end with
 * scales of their own, and k-means would see the largest alone: labels are taken from the encodings
 * of a basis of unit columns (TNMF and cdNMF do not say). */
static orthant_status make_labels_scale_free(model_state *m)
{
    const sweep *s = &m->sweep;
    bool drifts = solves_by_coordinates(s->solver);
    for (int t = 0; t < s->term_count; t++)
        drifts |= (m->terms[t].kind->flags & TERM_LETS_SCALE_DRIFT) != 0;
    if (!drifts)
        return ORTHANT_OK;
    double *scale = memory_new(m->f->ctx, s->W.columns, sizeof *scale, "scales of labels");
    if (!scale)
        return ORTHANT_ERROR_MEMORY;
    s->k->column_squares(s->W, scale);
    for (int64_t j = 0; j < s->W.columns; j++)
        scale[j] = sqrt(scale[j]);
    m->f->result->label_scale = scale;
    return ORTHANT_OK;
}

/* The encodings may have ended in the sweep's second buffer: the result takes whichever holds the
 * newest. */
static void hand_over_encoding(model_state *m)
{
    sweep *s = &m->sweep;
    if (!m->encoding || !s->S.data || s->S.data == m->encoding->values)
        return;
    s->last.data = m->encoding->values;
    m->encoding->values = s->S.data;
}

static void release(model_state *m)
{
    sweep *s = &m->sweep;
    if (m->variant && m->variant->release)
        m->variant->release(s, m->variant_state);
    for (int t = 0; t < s->term_count; t++)
        if (m->terms[t].kind->release)
            m->terms[t].kind->release(&m->terms[t]);
    void *kept[] = {m->kept_W.data,  m->kept_S.data, m->kept_A.data,
                    m->kept_XS.data, m->kept_B.data, m->kept_sums};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        memory_free(m->f->ctx, kept[i]);
    sweep_release(s);
}

orthant_status factor_run_variant(fit *f, const factor_variant *variant)
{
    model_state m = {.f = f, .variant = variant};
    orthant_status status = setup(&m);
    if (!status)
        status = start_factors(f, m.basis, m.encoding);
    if (!status) {
        if (variant)
            variant->start(&m.sweep, m.variant_state);
        if (m.normalise) /* what the first iteration is compared with is normalised too */
            normalise_basis(&m.sweep);
        m.first_length = length(m.sweep.k, m.sweep.W);
        sweep_start(&m.sweep);
        status =
            loop_run_late(f, (loop_steps){&m, step, measure}, m.sweep.late ? measure_before : NULL);
    }
    if (!status && !variant)
        f->result->projected_gradient = sweep_projected_gradient(&m.sweep);
    f->result->solver = solver_names[m.sweep.solver];
    hand_over_encoding(&m);
    if (!status)
        status = tell_notes(&m);
    if (!status)
        status = make_labels_scale_free(&m);
    release(&m);
    return status;
}

orthant_status factor_run(fit *f)
{
    return factor_run_variant(f, NULL);
}
