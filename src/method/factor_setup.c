/* From a model to what its fit asks: loss, solver and terms, every refusal, and the arrays. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/halo.h"
#include "engine/sweep_device.h"
#include "engine/unit_basis.h"
#include "loss/losses.h"
#include "method/factor_state.h"
#include "method/fixed_basis.h"
#include "method/online.h"
#include "solver/solvers.h"
#include "term/terms.h"

/* Kinds and weights, without what they need. */
static void list_terms(model_state *m)
{
    const orthant_model *model = m->f->model;
    const loss *l = m->problem.loss;
    m->problem.terms = m->terms;
    for (int i = 0; i < model->term_count; i++) {
        term *t = &m->terms[m->problem.term_count++];
        t->kind = model->terms[i];
        t->ctx = m->f->ctx;
        t->weight = parameter_number(&model->parameters, t->kind->parameters[0].name) / m->scale;
        t->gain = t->weight * l->gain;
        /* a step that normalises the basis does not see what that does to a penalty on it; what it
         * does to one on the encodings descends with the quadratic loss alone (unit_basis.h) */
        if (t->kind->flags & TERM_MAY_RISE || (m->normalise && (t->kind->basis || m->variant)) ||
            (!l->quadratic &&
             (m->normalise || !(l->constant_q && t->kind->flags & TERM_DESCENDS_WITH_KL))))
            m->guarded = true;
    }
}

static orthant_status setup_terms(model_state *m)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < m->problem.term_count && !status; i++) {
        term *t = &m->terms[i];
        if (t->kind->setup)
            status = t->kind->setup(t, &m->problem);
        m->f->result->term_weights[i] = t->weight * m->scale;
        if (t->halo)
            m->problem.halo += t->halo->rows;
    }
    return status;
}

static void setup_columns(model_state *m)
{
    fit_history *h = &m->f->result->history;
    history_begin(h);
    for (int t = 0; t < m->problem.term_count; t++)
        history_add_column(h, m->terms[t].kind->name);
    if (m->guarded)
        history_add_column(h, "step");
}

/* A variant's own basis step knows the quadratic loss, and no term that acts on the basis. */
static orthant_status check_variant(const model_state *m)
{
    const orthant_model *model = m->f->model;
    if (!m->variant)
        return ORTHANT_OK;
    if (!m->problem.loss->quadratic)
        return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT, "method '%s' has the loss frobenius only",
                    model->method->name);
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i]->basis)
            return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT,
                        "method '%s' cannot take the term '%s', which acts on the basis",
                        model->method->name, model->terms[i]->name);
    return ORTHANT_OK;
}

/* Whether a solver that works on quadratics knows one for each factor that the term acts on. */
static bool majorises(const solver *by, const term_kind *kind)
{
    return (!kind->encoding || kind->majorise) &&
           (!kind->basis || (by->majorises_basis && kind->majorise_basis));
}

static orthant_status check_solver(const model_state *m)
{
    const orthant_model *model = m->f->model;
    const solver *by = m->problem.solver;
    const loss *l = m->problem.loss;
    char others[64];
    snprintf(others, sizeof others, "solver '%s'", by->name);
    /* One that takes no sums goes through the features of all samples by itself. */
    const orthant_status here =
        by->takes_no_sums ? matrix_check_here(m->f->samples, others) : ORTHANT_OK;
    if (here)
        return here;
    if (by->accepts && m->problem.weights)
        return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "solver '%s' takes no mask and no weights; take solver mu or emu", by->name);
    if (by->accepts && !by->accepts(l)) {
        solver_list(l, others, sizeof others);
        return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "solver '%s' is for the loss %s; take solver %s with the loss %s", by->name,
                    by->losses, others, l->name);
    }
    if (by->may_rise && m->normalise)
        return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "solver '%s' looks at how the factors change, which normalise=basis hides; "
                    "take solver mu",
                    by->name);
    if (by->takes_no_sums && m->f->samples->part.total)
        return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "solver '%s' needs all samples in one process; take solver mu or emu",
                    by->name);
    for (int i = 0; by->majorises && i < model->term_count; i++)
        if (!majorises(by, model->terms[i]))
            return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT,
                        "solver '%s' does not know the curvature of the term '%s'; take solver "
                        "mu or emu",
                        by->name, model->terms[i]->name);
    return ORTHANT_OK;
}

/* "auto" takes coordinate descent for the plain model alone: the papers' methods are their rules as
 * much as their objectives. So is a run from given factors: it is asked for certain iterates. */
static orthant_status choose_solver(model_state *m)
{
    const orthant_model *model = m->f->model;
    const char *name = parameter_text(&model->parameters, "solver");
    const bool plain =
        m->problem.loss->quadratic && !model->term_count && !m->variant && !model->start_count;
    if (!strcmp(name, "auto"))
        name = plain ? solver_hals.name : solver_mu.name;
    m->problem.solver = solver_find(name);
    m->guarded |= m->problem.solver->may_rise;
    if (m->variant && m->problem.solver != &solver_mu)
        return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' has a basis step of its own; take solver mu or auto",
                    model->method->name);
    if (m->variant && m->variant->solver)
        m->problem.solver = m->variant->solver;
    return check_solver(m);
}

/* What is asked, and every refusal but those of the terms. */
static orthant_status list_problem(model_state *m)
{
    const fit *f = m->f;
    const parameter_set *set = &f->model->parameters;
    orthant_status status;
    m->problem = fit_problem(f);
    if ((status = loss_make(f->ctx, parameter_text(set, "loss"), &m->loss)))
        return status;
    if (m->problem.weights)
        loss_take_weights(&m->loss);
    m->loss_parameter = m->loss.parameter;
    m->problem.loss = &m->loss;
    m->scale = f->model->method->objective_scale > 0 ? f->model->method->objective_scale : 1;
    m->normalise = !strcmp(parameter_text(set, "normalise"), "basis");
    m->step = (sweep_step){.exponent = 1};
    m->problem.unit_basis = m->normalise;
    m->problem.on_device = f->ctx->device != NULL;
    if ((status = check_variant(m)) || (status = choose_solver(m)) ||
        (status = fixed_basis_check(f)))
        return status;
    list_terms(m);
    return ORTHANT_OK;
}

orthant_status factor_setup_problem(model_state *m)
{
    const orthant_status status = list_problem(m);
    if (status)
        return status;
    const orthant_status set = setup_terms(m);
    return set ? set : factor_final_encodings_check(m);
}

orthant_status factor_check_device(fit *f)
{
    model_state m = {.f = f};
    const orthant_status status = list_problem(&m);
    if (status)
        return status;
    if (online_asked(f->model))
        return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "a fit by batches does not run on the device '%s'; it runs on the CPU",
                    f->ctx->device_name);
    if (m.normalise)
        return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "normalise=basis does not run on the device '%s'; such a fit runs on the CPU",
                    f->ctx->device_name);
    if (f->model->method->labels_in_graph &&
        fabs(parameter_number(&f->model->parameters, "label_weight") - 1) > 0)
        return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "a label_weight other than 1 does not run on the device '%s'; such a fit runs "
                    "on the CPU",
                    f->ctx->device_name);
    return sweep_device_accepts(&m.problem);
}

/* With room behind its rows for those of other processes. */
static orthant_status new_encoding(model_state *m)
{
    const int64_t rows = m->f->samples->rows;
    const orthant_status status = fit_new_factor(
        m->f, "encoding", larger(rows + m->problem.halo, 1), m->problem.rank, &m->encoding);
    if (!status && m->f->samples->part.total) {
        m->encoding->rows = rows;
        m->encoding->part = m->f->samples->part;
    }
    return status;
}

orthant_status factor_setup_sweep(model_state *m)
{
    const orthant_status status = sweep_setup(&m->sweep, &m->problem, m->basis, m->encoding);
    return status || !m->variant ? status : m->variant->setup(&m->sweep, &m->variant_state);
}

void factor_release_sweep(model_state *m)
{
    if (m->variant && m->variant->release && m->sweep.problem)
        m->variant->release(&m->sweep, m->variant_state);
    m->variant_state = NULL;
    sweep_release(&m->sweep);
}

orthant_status factor_setup(model_state *m)
{
    fit *f = m->f;
    orthant_status status;
    if ((status = factor_setup_problem(m)) || (status = fixed_basis_take(f, &m->fixed)))
        return status;
    m->problem.fixed_basis = m->fixed;
    if ((status = fit_new_factor(f, "basis", f->samples->columns, f->model->rank, &m->basis)) ||
        (status = new_encoding(m)) || (status = factor_setup_sweep(m)) ||
        (m->guarded && (status = sweep_guard(&m->sweep))))
        return status;
    setup_columns(m);
    return ORTHANT_OK;
}
