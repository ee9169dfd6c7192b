/* LAPACKE's failures as ours. */
#ifndef KERNEL_LAPACK_H
#define KERNEL_LAPACK_H

#include "core/context.h"

/* `info` is what a function of LAPACKE returned: where its workspace could not be allocated the
 * message says so, otherwise it is the one given, of ORTHANT_ERROR_NUMERIC. */
orthant_status lapack_fail(orthant_context *ctx, int info, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
