/* The encodings that a fit ends with. Iterations stop when the objective hardly falls any more,
 * which multiplicative rules do while entries that belong at 0 are still on their way. With the
 * basis held the objective is a sum over samples, unless a term couples them (a graph, neighbours
 * in order, S'S). A fit that has a tolerance takes the minimiser of each. Where a sample's label
 * has no part in it, that is what orthant_model_transform() finds, with the same bits: the samples
 * of the fit are then encoded as new ones are. A fit without a tolerance, of so many iterations and
 * no more, ends with those of the last one. */
#include "method/final_encodings.h"

#include <math.h>
#include <string.h>

#include "engine/loss.h"

#define COUNT 500 /* as ORTHANT_TRANSFORM_DEFAULTS */
#define TOLERANCE 1e-10

static const char *asked(const fit *f)
{
    return parameter_text(&f->model->parameters, "final_encodings");
}

orthant_status final_encodings_check(const fit *f, const char *coupled_by)
{
    if (strcmp(asked(f), "minimal"))
        return ORTHANT_OK;
    if (coupled_by)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "final_encodings = 'minimal': the term '%s' couples the samples, which have no "
                    "minimiser each of their own; leave final_encodings at auto",
                    coupled_by);
    if (f->ctx->device)
        return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "final_encodings=minimal does not run on the device '%s'; such a fit runs on "
                    "the CPU",
                    f->ctx->device_name);
    return ORTHANT_OK;
}

code_problem final_encodings_problem(const fit *f, const orthant_matrix *basis, const loss *l)
{
    return (code_problem){.ctx = f->ctx,
                          .basis = basis,
                          .samples = f->samples,
                          .loss = l,
                          .of_fit = true,
                          .iterations = COUNT,
                          .tolerance = TOLERANCE};
}

double final_encodings_summed(const sweep *s)
{
    const loss *l = s->problem->loss;
    return l->quadratic ? s->data_squares : l->constant_q ? s->data_sum : 0;
}

static bool is_wanted(const final_encodings *e)
{
    const fit *f = e->f;
    const fit_history *h = &f->result->history;
    if (h->stopped || h->iterations == 0 || !strcmp(asked(f), "last"))
        return false;
    return !strcmp(asked(f), "minimal") ||
           (parameter_number(&f->model->parameters, "tolerance") > 0 && !e->coupled_by &&
            !f->ctx->device);
}

/* What rounding makes of the objective. */
static double noise(const final_encodings *e)
{
    const bool single = e->f->samples->precision == ORTHANT_SINGLE;
    return (single ? 1e-6 : 1e-12) * (fabs(orthant_result_objective(e->f->result)) + e->summed);
}

/* Each takes the other's. */
static void exchange(const sweep *s, orthant_matrix *codes)
{
    const array S = s->factors.S;
    const size_t size = s->ops->size, bytes = (size_t)codes->columns * size;
    for (int64_t i = 0; i < codes->rows; i++) {
        char *a = (char *)S.data + (size_t)(i * S.stride) * size,
             *b = (char *)codes->values + (size_t)(i * codes->stride) * size;
        for (size_t j = 0; j < bytes; j++) {
            const char kept = a[j];
            a[j] = b[j];
            b[j] = kept;
        }
    }
}

/* The codes for the encodings. A loss that is not convex has several minima, of which these may be
 * the higher: then the encodings stay. */
static orthant_status settle(const final_encodings *e, orthant_matrix *codes, double most,
                             double begin)
{
    orthant_result *result = e->f->result;
    double values[HISTORY_MOST_COLUMNS] = {0};
    exchange(e->sweep, codes);
    e->measure(e->state, values);
    if (values[0] <= most) {
        result->minimal_encodings = !e->knows_labels;
    } else {
        exchange(e->sweep, codes);
        e->measure(e->state, values);
    }
    const orthant_status status = sweep_check(e->sweep);
    if (!status)
        history_end(&result->history, clock_seconds() - begin, values);
    return status;
}

/* A fit whose iterations had room is told how to be made within it. */
static orthant_status tell_lacking(const fit *f, orthant_status status)
{
    char lacking[sizeof f->ctx->message];
    if (status != ORTHANT_ERROR_MEMORY)
        return status;
    memcpy(lacking, f->ctx->message, sizeof lacking);
    return fail(f->ctx, ORTHANT_ERROR_MEMORY,
                "%.700s; it was for the encodings that the fit ends with: final_encodings=last, or "
                "tolerance=0 where a checkpoint is gone on from, leaves them out",
                lacking);
}

/* The arrays of the sweep make room for those of the codes, so that the peak of memory stays. */
orthant_status final_encodings_take(const final_encodings *e)
{
    const fit *f = e->f;
    fit_history *h = &f->result->history;
    const sample_share part = samples_here(f->samples);
    const double begin = clock_seconds();
    orthant_matrix *codes = NULL;
    if (!is_wanted(e))
        return ORTHANT_OK;
    const double most = orthant_result_objective(f->result) + noise(e);
    sweep_hand_over(e->sweep, e->encoding);
    if (e->release)
        e->release(e->state);
    else
        sweep_release(e->sweep);
    orthant_status status = tell_lacking(f, e->encode(e->state, &codes));
    /* As in the loop: what there is by then is the result. */
    h->stopped = group_any(&part, status == ORTHANT_STOPPED);
    status = group_agree(&part, status == ORTHANT_STOPPED ? ORTHANT_OK : status);
    if (!status)
        status = tell_lacking(f, e->setup(e->state));
    if (!status && h->stopped)
        sweep_start(e->sweep);
    else if (!status)
        status = settle(e, codes, most, begin);
    orthant_matrix_free(codes);
    return status;
}
