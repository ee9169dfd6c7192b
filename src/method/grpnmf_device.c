/* Graph regularised projective NMF on the context's device (engine/device_projective.h): the loop
 * of grpnmf.c, with the steps and all sums made there. The host has a mirror of H for who looks on,
 * for checkpoints and for the end. A verb that fails is remembered, and none is called after it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "engine/device.h"
#include "engine/start.h"
#include "method/gram.h"
#include "method/grpnmf.h"

typedef struct device_fit {
    fit *f;
    const device_projections *verbs;
    device_projective *state;
    orthant_matrix *encoding;
    double squares; /* |X|^2 */
    double lambda, exponent, used, objective;
    projective_sums now, next;
    bool failed;
    char message[DEVICE_MESSAGE];
} device_fit;

/* ------------------------------------------------------------------ what is asked */

static double graph_weight(const fit *f)
{
    const parameter_set *set = &f->model->parameters;
    return parameter_has(set, "graph_weight") ? parameter_number(set, "graph_weight") : 0;
}

static device_projection describe(const fit *f)
{
    const orthant_matrix *X = f->samples;
    return (device_projection){.samples = X->rows,
                               .features = X->columns,
                               .rank = f->model->rank,
                               .single = X->precision == ORTHANT_SINGLE,
                               .values = X->values,
                               .stride = X->stride,
                               .graph_weight = graph_weight(f),
                               .memory_limit = (int64_t)f->ctx->device_memory_limit};
}

orthant_status grpnmf_check_device(fit *f)
{
    const device_projections *verbs = f->ctx->device->projections;
    const device_projection asked = describe(f);
    char reason[DEVICE_MESSAGE] = "";
    const char *why = !verbs                            ? "does not know projective methods"
                      : f->samples->sparse              ? "takes dense data only"
                      : f->model->similarity            ? "takes no similarity"
                      : gram_has_negative(f->samples)   ? "takes nonnegative data only"
                      : !verbs->accepts(&asked, reason) ? reason
                                                        : NULL;
    if (!why)
        return ORTHANT_OK;
    return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED, "the device '%s' %s; such a fit runs on the CPU",
                f->ctx->device_name, why);
}

static orthant_status open_device(device_fit *s)
{
    const fit *f = s->f;
    const orthant_matrix *X = f->samples;
    device_projection asked = describe(f);
    if (X->device_copy.values && !strcmp(X->device_copy.device, f->ctx->device_name)) {
        asked.values = X->device_copy.values;
        asked.stride = X->device_copy.stride;
        asked.on_device = true;
    }
    if (s->lambda > 0) {
        const csr graph = matrix_csr(f->graph->adjacency);
        asked.start = graph.row_start;
        asked.column = graph.column;
        asked.weights = graph.values;
        asked.degree = f->graph->degree;
    }
    if (s->verbs->open(f->ctx->device_number, &asked, &s->state, s->message))
        return ORTHANT_OK;
    s->state = NULL;
    return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED, "the device '%s' cannot begin the fit: %s",
                f->ctx->device_name, s->message);
}

/* ------------------------------------------------------------------ verbs */

static void note(device_fit *s, bool succeeded)
{
    if (succeeded || s->failed)
        return;
    s->failed = true;
    snprintf(s->message, sizeof s->message, "%s", s->verbs->message(s->state));
}

static orthant_status check(void *state)
{
    const device_fit *s = state;
    return s->failed ? fail(s->f->ctx, ORTHANT_ERROR_NUMERIC, "the device '%s' failed: %s",
                            s->f->ctx->device_name, s->message)
                     : ORTHANT_OK;
}

static void put(device_fit *s)
{
    if (!s->failed)
        note(s, s->verbs->put(s->state, s->encoding->values, s->encoding->stride, &s->next));
}

static void show(void *state)
{
    device_fit *s = state;
    if (!s->failed)
        note(s, s->verbs->get(s->state, s->encoding->values, s->encoding->stride));
}

/* ------------------------------------------------------------------ one iteration */

static double loss_of(const device_fit *s, const projective_sums *at)
{
    return s->squares - 2 * at->trace + at->fitted;
}

static double objective_of(const device_fit *s, const projective_sums *at)
{
    return loss_of(s, at) + s->lambda * at->energy;
}

/* The next H at its best scale. */
static void rescale(device_fit *s, double lambda)
{
    const double above = s->next.trace - 0.5 * lambda * s->next.energy,
                 square = above / s->next.fitted;
    if (!s->failed && above > 0 && s->next.fitted > 0 && isfinite(square))
        note(s, s->verbs->scale(s->state, sqrt(square), &s->next));
}

static void try_step(device_fit *s, double exponent)
{
    s->used = exponent;
    if (!s->failed)
        note(s, s->verbs->step(s->state, exponent, &s->next));
}

static void take_next(device_fit *s)
{
    if (!s->failed)
        note(s, s->verbs->take(s->state));
    s->now = s->next;
    s->objective = objective_of(s, &s->now);
}

static void step(void *state)
{
    device_fit *s = state;
    try_step(s, s->exponent);
    if (s->exponent > SAFE_EXPONENT) {
        rescale(s, s->lambda);
        if (!(objective_of(s, &s->next) <= s->objective))
            try_step(s, SAFE_EXPONENT);
    }
    take_next(s);
}

/* Entry by entry where the sums cancel. */
static void measure(void *state, double *values)
{
    device_fit *s = state;
    const bool single = s->f->samples->precision == ORTHANT_SINGLE;
    int column = 2;
    values[1] = loss_of(s, &s->now);
    if (values[1] < (single ? 1e-6 : 1e-9) * s->squares && !s->failed)
        note(s, s->verbs->loss(s->state, &values[1]));
    values[0] = values[1];
    if (s->lambda > 0) {
        values[column] = s->lambda * s->now.energy;
        values[0] += values[column++];
    }
    if (s->exponent > SAFE_EXPONENT)
        values[column] = s->used;
}

/* The sums follow from H. */
static void parts(void *state, checkpoint_parts *parts)
{
    device_fit *s = state;
    show(s);
    parts_add_array(parts, "encoding", kernel_table(s->encoding->precision),
                    matrix_array(s->encoding));
    parts_add_field(parts, "used", &s->used, sizeof s->used);
}

static void restored(void *state)
{
    device_fit *s = state;
    put(s);
    take_next(s);
}

/* ------------------------------------------------------------------ start and end */

static orthant_status setup(device_fit *s)
{
    fit *f = s->f;
    const parameter_set *set = &f->model->parameters;
    orthant_status status;
    s->lambda = graph_weight(f);
    s->exponent = s->used = parameter_number(set, "exponent");
    s->squares = matrix_squares(f->samples);
    if ((status = fit_new_factor(f, "encoding", f->samples->rows, f->model->rank, &s->encoding)) ||
        (s->lambda > 0 && (status = fit_graph(f, parameter_whole(set, "neighbours")))))
        return status;
    history_begin(&f->result->history);
    if (s->lambda > 0)
        history_add_column(&f->result->history, "graph");
    if (s->exponent > SAFE_EXPONENT)
        history_add_column(&f->result->history, "step");
    return open_device(s);
}

/* As on the host: a random start at the scale where X H H' fits X best. */
static orthant_status start(device_fit *s)
{
    const uint64_t seed = (uint64_t)parameter_whole(&s->f->model->parameters, "seed");
    bool given = false;
    const orthant_status status = fit_start_given(s->f, "encoding", s->encoding, &given);
    if (status)
        return status;
    if (!given)
        start_random_factor(s->encoding, seed, RANDOM_ENCODING,
                            1 / sqrt((double)s->f->samples->rows));
    put(s);
    if (!given)
        rescale(s, 0);
    take_next(s);
    return check(s);
}

orthant_status grpnmf_device_run(fit *f)
{
    device_fit s = {.f = f, .verbs = f->ctx->device->projections};
    orthant_status status = setup(&s);
    if (!status)
        status = start(&s);
    if (!status)
        status = fit_loop(f, (loop_steps){.state = &s,
                                          .step = step,
                                          .measure = measure,
                                          .show = show,
                                          .parts = parts,
                                          .restored = restored,
                                          .check = check});
    if (s.state)
        show(&s);
    if (!status)
        status = check(&s);
    if (!status)
        status = grpnmf_tell(f, s.encoding, s.lambda, s.squares, false);
    if (s.state)
        s.verbs->close(s.state);
    return status;
}
