/* Products with K on the context's device (engine/device_products.h), and work on factors that stay
 * there: what gram.c, similar.c and panels.c call in the place of their own. The host's arrays have
 * mirrors on the device, found by the address of their data: made when they are first used, brought
 * there when the host has changed them, and back by kernel_device_fetch(). A verb that fails is
 * remembered, none is called after it, and kernel_device_check() ends the fit. */
#ifndef METHOD_KERNEL_DEVICE_H
#define METHOD_KERNEL_DEVICE_H

#include "core/device_search.h"
#include "data/matrix.h"
#include "engine/device_products.h"
#include "kernel/kernel.h"

#define KERNEL_MIRRORS 16

typedef struct kernel_mirror {
    const void *data;
    int number;
    bool on_host, on_device; /* where it is up to date */
} kernel_mirror;

typedef struct kernel_device {
    orthant_context *ctx;
    const device_products *verbs; /* NULL: products are the host's */
    device_multiplier *state;
    kernel_mirror mirrors[KERNEL_MIRRORS];
    int count;
    bool failed;
    char message[DEVICE_MESSAGE];
} kernel_device;

/* K = X X' of `a` (is_gram), or `a` itself, for factors of so many columns; `splits`: K has
 * negative entries. Nothing where the context has no device. To be closed in any case. */
orthant_status kernel_device_open(kernel_device *d, orthant_context *ctx, const orthant_matrix *a,
                                  int64_t columns, bool is_gram, bool splits);
void kernel_device_close(kernel_device *d);

/* The host has changed the array; and brings it to what the device has made of it. Nothing where
 * there is no device. */
void kernel_device_changed(kernel_device *d, array a);
void kernel_device_fetch(kernel_device *d, array a);
/* The host frees it before the end. */
void kernel_device_forget(kernel_device *d, array a);

/* Arrays are n x columns. plus = K V; with `minus`, plus = K+ V and minus = K- V. */
void kernel_device_multiply(kernel_device *d, array v, array plus, array minus);
/* As the functions of panels.h. */
void kernel_device_gram(kernel_device *d, array a, array b, double *small);
double kernel_device_dot(kernel_device *d, array a, array b);
void kernel_device_product(kernel_device *d, array c, array a, const double *small, bool adds);
void kernel_device_update(kernel_device *d, array to, array u, const double *left, array v,
                          const double *right, double exponent, bool damps);
void kernel_device_columns(kernel_device *d, array a, bool squares, double *totals);
void kernel_device_scale(kernel_device *d, array a, const double *scales);
void kernel_device_step(kernel_device *d, array to, array from, array slope, double length);

orthant_status kernel_device_check(const kernel_device *d);

#endif
