/* The encodings that a fit of the factor model ends with (final_encodings.h). With the basis W held
 * each sample has a part of the objective to itself,
 *
 *     loss(x, W s) + sum over terms of weight * term(s),      s >= 0
 *
 * unless a term couples the samples. */
#include <string.h>

#include "loss/losses.h"
#include "method/factor_state.h"
#include "method/final_encodings.h"

/* Whether the term has a part in a sample's encoding; and whether other samples have one too. */
static bool acts(const term *t)
{
    return t->kind->encoding && t->weight > 0;
}

static bool couples(const term *t)
{
    return acts(t) && (!t->kind->code_parts || t->kind->code_prepare ||
                       t->kind->flags & (TERM_READS_SAMPLES | TERM_NEEDS_GRAPH));
}

static const char *coupling_term(const model_state *m)
{
    for (int i = 0; i < m->problem.term_count; i++)
        if (couples(&m->terms[i]))
            return m->terms[i].kind->name;
    return NULL;
}

/* New samples have no labels. */
static bool knows_labels(const model_state *m)
{
    for (int i = 0; i < m->problem.term_count; i++)
        if (acts(&m->terms[i]) && m->terms[i].kind->flags & TERM_NEEDS_LABELS)
            return true;
    return false;
}

static orthant_status encode(void *state, orthant_matrix **codes)
{
    const model_state *m = state;
    const fit *f = m->f;
    loss plain; /* m->loss may have taken weights */
    term terms[FIT_MOST_TERMS];
    const orthant_status status =
        loss_make(f->ctx, parameter_text(&f->model->parameters, "loss"), &plain);
    if (status)
        return status;
    code_problem p = final_encodings_problem(f, m->basis, &plain);
    p.weights = m->problem.weights;
    p.terms = terms;
    for (int i = 0; i < m->problem.term_count; i++)
        if (acts(&m->terms[i]))
            terms[p.term_count++] = m->terms[i];
    return transform_samples(&p, codes);
}

static void release(void *state)
{
    factor_release_sweep(state);
}

static orthant_status setup(void *state)
{
    return factor_setup_sweep(state);
}

static void measure(void *state, double *values)
{
    model_state *m = state;
    sweep_start(&m->sweep);
    factor_evaluate(m);
    memcpy(values, m->values, sizeof m->values);
}

orthant_status factor_final_encodings_check(const model_state *m)
{
    return final_encodings_check(m->f, coupling_term(m));
}

orthant_status factor_final_encodings(model_state *m)
{
    return final_encodings_take(
        &(final_encodings){.f = m->f,
                           .sweep = &m->sweep,
                           .encoding = m->encoding,
                           .coupled_by = coupling_term(m),
                           .knows_labels = knows_labels(m),
                           .summed = m->scale * final_encodings_summed(&m->sweep),
                           .state = m,
                           .encode = encode,
                           .release = release,
                           .setup = setup,
                           .measure = measure});
}
