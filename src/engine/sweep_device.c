#include "engine/sweep_device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "engine/device.h"
#include "engine/loss.h"
#include "engine/solver.h"
#include "engine/term.h"

/* Iterations that together take about so long are made together, where what they started from is
 * small: it is fetched, to go back to. */
#define AHEAD_SECONDS 4e-3
#define FIRST_AHEAD 8
#define FEWEST_AHEAD 4
#define MOST_AHEAD 64
#define MOST_AHEAD_BYTES (8 << 20)

struct sweep_device {
    const device_interface *verbs;
    device_state *state;
    device_problem problem;
    device_term terms[STRIPS_MOST_WIDTH];
    bool failed;
    char message[DEVICE_MESSAGE];
    device_step ahead;   /* the first of the iterations that were made together */
    double seconds_each; /* of the last ones; 0: not known yet */
    double values[MOST_AHEAD * (1 + STRIPS_MOST_WIDTH)]; /* of some of them again */
};

/* ------------------------------------------------------------------ what is asked */

static void describe(const problem *p, device_problem *to, device_term *terms)
{
    const orthant_matrix *X = p->samples;
    for (int i = 0; i < p->term_count; i++)
        terms[i] = (device_term){
            .name = p->terms[i].kind->name, .weight = p->terms[i].weight, .gain = p->terms[i].gain};
    *to = (device_problem){.samples = X->rows,
                           .features = X->columns,
                           .rank = p->rank,
                           .single = X->precision == ORTHANT_SINGLE,
                           .rounds_products =
                               X->precision == ORTHANT_SINGLE && p->ctx->rounds_products,
                           .loss = p->loss->name,
                           .solver = p->solver->name,
                           .exponent = p->loss->exponent,
                           .terms = terms,
                           .term_count = p->term_count,
                           .values = X->values,
                           .stride = X->sparse ? 0 : X->stride,
                           .start = X->sparse ? X->row_start : NULL,
                           .column = X->sparse ? X->column : NULL,
                           .memory_limit = (int64_t)p->ctx->device_memory_limit,
                           .strip_bytes = p->ctx->device_strip_bytes,
                           .streams = p->ctx->device_streams};
}

/* Where X lies on the device already, it is read there. */
static void find_copy(const problem *p, device_problem *to)
{
    const orthant_matrix *X = p->samples;
    if (!X->device_copy.values || strcmp(X->device_copy.device, p->ctx->device_name) != 0)
        return;
    to->values = X->device_copy.values;
    to->stride = X->device_copy.stride;
    to->on_device = true;
}

orthant_status sweep_device_accepts(const problem *p)
{
    char reason[DEVICE_MESSAGE] = "";
    device_problem asked;
    device_term terms[STRIPS_MOST_WIDTH];
    describe(p, &asked, terms);
    if (p->ctx->device->accepts(&asked, reason))
        return ORTHANT_OK;
    return fail(p->ctx, ORTHANT_ERROR_UNSUPPORTED, "the device '%s' %s; such a fit runs on the CPU",
                p->ctx->device_name, reason);
}

orthant_status sweep_device_open(sweep *s)
{
    const problem *p = s->problem;
    if (!p->on_device)
        return ORTHANT_OK;
    sweep_device *d = s->device = memory_new(s->ctx, 1, sizeof *d, "a device");
    if (!d)
        return ORTHANT_ERROR_MEMORY;
    d->verbs = s->ctx->device;
    describe(p, &d->problem, d->terms);
    find_copy(p, &d->problem);
    for (int i = 0; i < p->term_count; i++)
        if (p->terms[i].kind->describe)
            p->terms[i].kind->describe(&p->terms[i], &d->terms[i]);
    d->problem.cautious = p->solver->is_cautious && p->solver->is_cautious(s);
    d->problem.data_squares = s->data_squares;
    d->problem.data_sum = s->data_sum;
    if (d->verbs->open(s->ctx->device_number, &d->problem, &d->state, d->message))
        return ORTHANT_OK;
    d->state = NULL;
    d->failed = true;
    return fail(s->ctx, ORTHANT_ERROR_UNSUPPORTED, "the device '%s' cannot begin the fit: %s",
                s->ctx->device_name, d->message);
}

void sweep_device_close(sweep *s)
{
    sweep_device *d = s->device;
    if (!d)
        return;
    if (d->state)
        d->verbs->close(d->state);
    memory_free(s->ctx, d);
    s->device = NULL;
}

/* ------------------------------------------------------------------ verbs */

/* After a call: remembers the first that failed, with its message. */
static bool done(sweep_device *d, bool succeeded)
{
    if (!succeeded && !d->failed) {
        d->failed = true;
        snprintf(d->message, sizeof d->message, "%s", d->verbs->message(d->state));
    }
    return succeeded;
}

orthant_status sweep_device_check(const sweep *s)
{
    const sweep_device *d = s->device;
    return d->failed ? fail(s->ctx, ORTHANT_ERROR_NUMERIC, "the device '%s' failed: %s",
                            s->ctx->device_name, d->message)
                     : ORTHANT_OK;
}

static void put(sweep *s, device_array which, array a)
{
    sweep_device *d = s->device;
    if (a.data && !d->failed)
        done(d, d->verbs->put(d->state, which, a.data, a.stride));
}

static void get(sweep *s, device_array which, array a)
{
    sweep_device *d = s->device;
    if (a.data && !d->failed)
        done(d, d->verbs->get(d->state, which, a.data, a.stride));
}

static array columns_of(const sweep *s)
{
    const int64_t rank = s->problem->rank;
    return (array){s->plan.keeps_columns ? s->sums.columns : NULL, 1, rank, rank};
}

/* X'S, where it is not A. */
static array products_of(const sweep *s)
{
    return s->plan.keeps_products ? s->sums.XS : (array){0};
}

static device_step step_of(const sweep_step *t)
{
    return (device_step){t->solver->name, t->iteration, t->exponent, t->momentum};
}

void sweep_device_start(sweep *s)
{
    sweep_device *d = s->device;
    put(s, DEVICE_BASIS, s->factors.W);
    put(s, DEVICE_ENCODING, s->factors.S);
    if (!d->failed)
        done(d, d->verbs->start(d->state));
}

void sweep_device_basis(sweep *s, const sweep_step *t)
{
    sweep_device *d = s->device;
    const device_step step = step_of(t);
    if (!d->failed)
        done(d, d->verbs->basis(d->state, &step));
}

void sweep_device_basis_changed(sweep *s)
{
    sweep_device *d = s->device;
    if (!d->failed)
        done(d, d->verbs->basis_changed(d->state));
}

void sweep_device_encoding(sweep *s, const sweep_step *t)
{
    sweep_device *d = s->device;
    const device_step step = step_of(t);
    if (!d->failed)
        done(d, d->verbs->encoding(d->state, &step));
}

void sweep_device_keep(sweep *s)
{
    sweep_device *d = s->device;
    if (!d->failed)
        done(d, d->verbs->keep(d->state));
}

void sweep_device_go_back(sweep *s)
{
    sweep_device *d = s->device;
    if (!d->failed && done(d, d->verbs->restore(d->state)))
        done(d, d->verbs->start(d->state));
}

void sweep_device_measure(const sweep *s, double *values)
{
    sweep_device *d = s->device;
    const size_t bytes = (size_t)(1 + s->problem->term_count) * sizeof *values;
    if (d->failed || !done(d, d->verbs->measure(d->state, values)))
        memset(values, 0, bytes);
}

double sweep_device_projected_gradient(sweep *s)
{
    sweep_device *d = s->device;
    double value = 0;
    return !d->failed && done(d, d->verbs->projected_gradient(d->state, &value)) ? value : 0;
}

void sweep_device_show(sweep *s)
{
    get(s, DEVICE_BASIS, s->factors.W);
    get(s, DEVICE_ENCODING, s->factors.S);
}

void sweep_device_fetch(sweep *s)
{
    sweep_device_show(s);
    get(s, DEVICE_UPDATED_BASIS, s->factors.updated_basis);
    get(s, DEVICE_UPDATED_ENCODING, s->factors.updated_encoding);
    get(s, DEVICE_SUMS, s->sums.A);
    get(s, DEVICE_GRAM, s->sums.B);
    get(s, DEVICE_COLUMNS, columns_of(s));
    get(s, DEVICE_PRODUCTS, products_of(s));
}

void sweep_device_restored(sweep *s)
{
    put(s, DEVICE_BASIS, s->factors.W);
    put(s, DEVICE_ENCODING, s->factors.S);
    put(s, DEVICE_UPDATED_BASIS, s->factors.updated_basis);
    put(s, DEVICE_UPDATED_ENCODING, s->factors.updated_encoding);
    put(s, DEVICE_SUMS, s->sums.A);
    put(s, DEVICE_GRAM, s->sums.B);
    put(s, DEVICE_COLUMNS, columns_of(s));
    put(s, DEVICE_PRODUCTS, products_of(s));
    sweep_device_basis_changed(s);
}

/* ------------------------------------------------------------------ iterations together */

static int64_t ahead_count(const sweep *s, int64_t most)
{
    const sweep_device *d = s->device;
    const int64_t rows = s->plan.strips.n + 2 * s->plan.strips.m;
    if (!d->verbs->run || d->failed || plan_rows_bytes(&s->plan, rows) > MOST_AHEAD_BYTES)
        return 0;
    const double count = d->seconds_each > 0 ? AHEAD_SECONDS / d->seconds_each : FIRST_AHEAD;
    return count < FEWEST_AHEAD ? 0 : smaller((int64_t)fmin(count, MOST_AHEAD), most);
}

/* What they started from is fetched, and lies in the host's arrays until anybody else asks for
 * them. */
int64_t sweep_device_ahead(sweep *s, const sweep_step *t, int64_t most, double *values)
{
    sweep_device *d = s->device;
    const int64_t count = ahead_count(s, most);
    if (count == 0)
        return 0;
    sweep_device_fetch(s);
    const double begin = clock_seconds();
    d->ahead = step_of(t);
    if (d->failed || !done(d, d->verbs->run(d->state, &d->ahead, count, values)))
        memset(values, 0, (size_t)(count * (1 + s->problem->term_count)) * sizeof *values);
    d->seconds_each = fmax((clock_seconds() - begin) / (double)count, 1e-9);
    return count;
}

void sweep_device_back(sweep *s, int64_t count)
{
    sweep_device *d = s->device;
    sweep_device_restored(s);
    if (!d->failed)
        done(d, d->verbs->run(d->state, &d->ahead, count, d->values));
}
