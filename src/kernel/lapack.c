/* The message for LAPACKE's return value. */
#include "kernel/lapack.h"

#include <lapacke.h>
#include <stdio.h>

orthant_status lapack_fail(orthant_context *ctx, int info, const char *format, ...)
{
    char message[512];
    va_list arguments;
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory: no workspace for LAPACK");
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail(ctx, ORTHANT_ERROR_NUMERIC, "%s", message);
}
