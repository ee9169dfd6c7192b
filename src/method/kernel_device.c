#include "method/kernel_device.h"

#include <stdio.h>
#include <string.h>

#include "engine/device.h"
#include "method/gram.h"
#include "method/method.h"

static device_kernel describe(orthant_context *ctx, const orthant_matrix *a, int64_t columns,
                              bool is_gram, bool splits)
{
    const bool single = a->precision == ORTHANT_SINGLE;
    return (device_kernel){.samples = a->rows,
                           .features = a->columns,
                           .columns = columns,
                           .single = single,
                           .rounds_products = single && ctx->rounds_products,
                           .is_gram = is_gram,
                           .splits = splits,
                           .values = a->values,
                           .stride = a->sparse ? 0 : a->stride,
                           .start = a->sparse ? a->row_start : NULL,
                           .column = a->sparse ? a->column : NULL,
                           .memory_limit = (int64_t)ctx->device_memory_limit};
}

/* A similarity that is to be made has nonnegative entries, and may be dense or sparse. */
orthant_status kernel_check_device(fit *f)
{
    const device_products *verbs = f->ctx->device->products;
    const orthant_matrix *given = f->model->similarity, *a = given ? given : f->samples;
    const bool similar = f->model->method->needs_similarity, made = similar && !given;
    device_kernel asked =
        describe(f->ctx, a, f->model->rank, !given && !similar, !similar && gram_has_negative(a));
    char reason[DEVICE_MESSAGE] = "does not know products with a matrix of the samples";
    if (made) {
        asked.features = asked.samples;
        asked.start = NULL;
    }
    if (verbs && verbs->accepts(&asked, reason))
        return ORTHANT_OK;
    return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED, "the device '%s' %s; such a fit runs on the CPU",
                f->ctx->device_name, reason);
}

orthant_status kernel_device_open(kernel_device *d, orthant_context *ctx, const orthant_matrix *a,
                                  int64_t columns, bool is_gram, bool splits)
{
    *d = (kernel_device){.ctx = ctx};
    if (!ctx->device)
        return ORTHANT_OK;
    device_kernel asked = describe(ctx, a, columns, is_gram, splits);
    if (a->device_copy.values && !strcmp(a->device_copy.device, ctx->device_name)) {
        asked.values = a->device_copy.values;
        asked.stride = a->device_copy.stride;
        asked.on_device = true;
    }
    d->verbs = ctx->device->products;
    if (d->verbs->open(ctx->device_number, &asked, &d->state, d->message))
        return ORTHANT_OK;
    d->state = NULL;
    return fail(ctx, ORTHANT_ERROR_UNSUPPORTED, "the device '%s' cannot begin the fit: %s",
                ctx->device_name, d->message);
}

void kernel_device_close(kernel_device *d)
{
    if (d->state)
        d->verbs->close(d->state);
    d->state = NULL;
}

/* ------------------------------------------------------------------ mirrors */

/* Remembers the first that failed, with its message. */
static void done(kernel_device *d, bool succeeded)
{
    if (succeeded || d->failed)
        return;
    d->failed = true;
    snprintf(d->message, sizeof d->message, "%s", d->verbs->message(d->state));
}

static kernel_mirror *find(kernel_device *d, array a)
{
    for (int i = 0; i < d->count; i++)
        if (d->mirrors[i].data == a.data)
            return &d->mirrors[i];
    return NULL;
}

/* Made where there is none; NULL where it cannot be. */
static kernel_mirror *mirror_of(kernel_device *d, array a)
{
    kernel_mirror *found = d->failed ? NULL : find(d, a);
    if (found || d->failed)
        return found;
    if (d->count == KERNEL_MIRRORS) {
        d->failed = true;
        snprintf(d->message, sizeof d->message, "a fit has more arrays than it takes");
        return NULL;
    }
    found = &d->mirrors[d->count];
    *found = (kernel_mirror){.data = a.data, .on_host = true};
    done(d, d->verbs->make(d->state, &found->number));
    d->count += !d->failed;
    return d->failed ? NULL : found;
}

/* An array that is read there; -1 after a failure. */
static int input(kernel_device *d, array a)
{
    kernel_mirror *mirror = mirror_of(d, a);
    if (mirror && !mirror->on_device)
        done(d, d->verbs->put(d->state, mirror->number, a.data, a.stride));
    if (d->failed)
        return -1;
    mirror->on_device = true;
    return mirror->number;
}

/* One that is written there. */
static int output(kernel_device *d, array a)
{
    kernel_mirror *mirror = mirror_of(d, a);
    if (!mirror)
        return -1;
    mirror->on_device = true;
    mirror->on_host = false;
    return mirror->number;
}

void kernel_device_changed(kernel_device *d, array a)
{
    kernel_mirror *mirror = d && d->verbs ? find(d, a) : NULL;
    if (!mirror)
        return;
    mirror->on_host = true;
    mirror->on_device = false;
}

void kernel_device_fetch(kernel_device *d, array a)
{
    kernel_mirror *mirror = d && d->verbs && !d->failed ? find(d, a) : NULL;
    if (!mirror || mirror->on_host)
        return;
    done(d, d->verbs->get(d->state, mirror->number, a.data, a.stride));
    mirror->on_host = true;
}

void kernel_device_forget(kernel_device *d, array a)
{
    kernel_mirror *mirror = d && d->verbs ? find(d, a) : NULL;
    if (mirror)
        mirror->data = NULL;
}

/* ------------------------------------------------------------------ verbs */

void kernel_device_multiply(kernel_device *d, array v, array plus, array minus)
{
    const int from = input(d, v), to = output(d, plus), other = minus.data ? output(d, minus) : -1;
    if (!d->failed)
        done(d, d->verbs->multiply(d->state, from, to, other));
}

void kernel_device_gram(kernel_device *d, array a, array b, double *small)
{
    const int left = input(d, a), right = input(d, b);
    if (!d->failed)
        done(d, d->verbs->gram(d->state, left, right, small));
}

double kernel_device_dot(kernel_device *d, array a, array b)
{
    const int left = input(d, a), right = input(d, b);
    double value = 0;
    if (!d->failed)
        done(d, d->verbs->dot(d->state, left, right, &value));
    return value;
}

void kernel_device_product(kernel_device *d, array c, array a, const double *small, bool adds)
{
    const int from = input(d, a), before = adds ? input(d, c) : 0, to = output(d, c);
    if (before >= 0 && !d->failed)
        done(d, d->verbs->product(d->state, to, from, small, adds));
}

void kernel_device_update(kernel_device *d, array to, array u, const double *left, array v,
                          const double *right, double exponent, bool damps)
{
    const int above = input(d, u), below = input(d, v), from = input(d, to), at = output(d, to);
    if (from >= 0 && !d->failed)
        done(d, d->verbs->update(d->state, at, above, left, below, right, exponent, damps));
}

void kernel_device_columns(kernel_device *d, array a, bool squares, double *totals)
{
    const int from = input(d, a);
    if (!d->failed)
        done(d, d->verbs->columns(d->state, from, squares, totals));
}

void kernel_device_scale(kernel_device *d, array a, const double *scales)
{
    const int from = input(d, a), at = output(d, a);
    if (from >= 0 && !d->failed)
        done(d, d->verbs->scale(d->state, at, scales));
}

void kernel_device_step(kernel_device *d, array to, array from, array slope, double length)
{
    const int begin = input(d, from), along = input(d, slope), at = output(d, to);
    if (!d->failed)
        done(d, d->verbs->step(d->state, at, begin, along, length));
}

orthant_status kernel_device_check(const kernel_device *d)
{
    return d->failed ? fail(d->ctx, ORTHANT_ERROR_NUMERIC, "the device '%s' failed: %s",
                            d->ctx->device_name, d->message)
                     : ORTHANT_OK;
}
