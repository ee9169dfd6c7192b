/* The encodings that a fit of the factor model ends with. Iterations stop when the objective hardly
 * falls any more, which multiplicative rules do while entries that belong at 0 are still on their
 * way. With the basis W held the objective is a sum over samples,
 *
 *     loss(x, W s) + sum over terms of weight * term(s),      s >= 0
 *
 * unless a term couples them (a graph, neighbours in order, S'S). A fit that has a tolerance takes
 * the minimiser of each, as orthant_model_transform() finds it, with the same bits: the samples of
 * the fit are then encoded as new ones are. A fit without a tolerance, of so many iterations and no
 * more, ends with those of the last one. */
#include "method/final_encodings.h"

#include <math.h>
#include <string.h>

#include "loss/losses.h"
#include "method/transform.h"

#define COUNT 500 /* as ORTHANT_TRANSFORM_DEFAULTS */
#define TOLERANCE 1e-10

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

static const char *asked(const model_state *m)
{
    return parameter_text(&m->f->model->parameters, "final_encodings");
}

orthant_status final_encodings_check(const model_state *m)
{
    const char *by = coupling_term(m);
    if (strcmp(asked(m), "minimal"))
        return ORTHANT_OK;
    if (by)
        return fail(m->f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "final_encodings = 'minimal': the term '%s' couples the samples, which have no "
                    "minimiser each of their own; leave final_encodings at auto",
                    by);
    if (m->problem.on_device)
        return fail(m->f->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "final_encodings=minimal does not run on the device '%s'; such a fit runs on "
                    "the CPU",
                    m->f->ctx->device_name);
    return ORTHANT_OK;
}

static bool is_wanted(const model_state *m)
{
    const fit_history *h = &m->f->result->history;
    if (h->stopped || h->iterations == 0 || !strcmp(asked(m), "last"))
        return false;
    return !strcmp(asked(m), "minimal") ||
           (parameter_number(&m->f->model->parameters, "tolerance") > 0 && !coupling_term(m) &&
            !m->problem.on_device);
}

static orthant_status encode(const model_state *m, orthant_matrix **codes)
{
    const fit *f = m->f;
    loss plain; /* m->loss may have taken weights */
    term terms[FIT_MOST_TERMS];
    int count = 0;
    const orthant_status status =
        loss_make(f->ctx, parameter_text(&f->model->parameters, "loss"), &plain);
    if (status)
        return status;
    for (int i = 0; i < m->problem.term_count; i++)
        if (acts(&m->terms[i]))
            terms[count++] = m->terms[i];
    return transform_samples(&(code_problem){.ctx = f->ctx,
                                             .basis = m->basis,
                                             .samples = f->samples,
                                             .loss = &plain,
                                             .weights = m->problem.weights,
                                             .terms = terms,
                                             .term_count = count,
                                             .of_fit = true,
                                             .iterations = COUNT,
                                             .tolerance = TOLERANCE},
                             codes);
}

static void exchange(const sweep *s, orthant_matrix *codes)
{
    const array S = s->factors.S;
    const size_t size = s->ops->size, bytes = (size_t)codes->columns * size;
    for (int64_t i = 0; i < codes->rows; i++) {
        char *a = (char *)S.data + (size_t)(i * S.stride) * size,
             *b = (char *)codes->values + (size_t)(i * codes->stride) * size;
        for (size_t e = 0; e < bytes; e++) {
            const char kept = a[e];
            a[e] = b[e];
            b[e] = kept;
        }
    }
}

/* What rounding makes of the objective. */
static double noise(const model_state *m)
{
    const bool single = m->f->samples->precision == ORTHANT_SINGLE;
    const loss *l = m->problem.loss;
    const double summed = l->quadratic    ? m->sweep.data_squares
                          : l->constant_q ? m->sweep.data_sum
                                          : 0;
    return (single ? 1e-6 : 1e-12) * (fabs(m->values[0]) + m->scale * summed);
}

/* New samples have no labels. */
static bool knows_labels(const model_state *m)
{
    for (int i = 0; i < m->problem.term_count; i++)
        if (acts(&m->terms[i]) && m->terms[i].kind->flags & TERM_NEEDS_LABELS)
            return true;
    return false;
}

/* Each takes the other's, and the objective is theirs. */
static void change(model_state *m, orthant_matrix *codes, void (*measure)(model_state *m))
{
    exchange(&m->sweep, codes);
    sweep_start(&m->sweep);
    measure(m);
}

/* A loss that is not convex has several minima, of which the new ones may be the higher. */
static orthant_status settle(model_state *m, orthant_matrix *codes, void (*measure)(model_state *m),
                             double most)
{
    change(m, codes, measure);
    if (m->values[0] <= most)
        m->f->result->minimal_encodings = !knows_labels(m);
    else
        change(m, codes, measure);
    return sweep_check(&m->sweep);
}

/* A fit whose iterations had room is told how to be made within it. */
static orthant_status tell_lacking(const fit *f)
{
    char lacking[sizeof f->ctx->message];
    memcpy(lacking, f->ctx->message, sizeof lacking);
    return fail(f->ctx, ORTHANT_ERROR_MEMORY,
                "%.700s; it was for the encodings that the fit ends with: final_encodings=last, or "
                "tolerance=0 where a checkpoint is gone on from, leaves them out",
                lacking);
}

/* The arrays of the sweep make room for those of the codes, so that the peak of memory stays. */
orthant_status final_encodings_take(model_state *m, void (*measure)(model_state *m))
{
    fit *f = m->f;
    fit_history *h = &f->result->history;
    const sample_share part = samples_here(f->samples);
    const double begin = clock_seconds();
    orthant_matrix *codes = NULL;
    if (!is_wanted(m))
        return ORTHANT_OK;
    const double most = m->values[0] + noise(m);
    sweep_hand_over(&m->sweep, m->encoding);
    factor_release_sweep(m);
    orthant_status status = encode(m, &codes);
    if (status == ORTHANT_ERROR_MEMORY)
        status = tell_lacking(f);
    /* As in the loop: what there is by then is the result. */
    h->stopped = group_any(&part, status == ORTHANT_STOPPED);
    status = group_agree(&part, status == ORTHANT_STOPPED ? ORTHANT_OK : status);
    if (!status)
        status = factor_setup_sweep(m);
    if (!status && h->stopped)
        sweep_start(&m->sweep);
    else if (!status && !(status = settle(m, codes, measure, most)))
        history_end(h, clock_seconds() - begin, m->values);
    orthant_matrix_free(codes);
    return status;
}
