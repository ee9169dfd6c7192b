/* A matrix whose entries lie in the memory of a device too, and what of it goes there. */
#include <stdio.h>
#include <string.h>

#include "core/device_search.h"
#include "data/matrix.h"
#include "orthant/device.h"

orthant_status orthant_matrix_set_device_copy(orthant_matrix *matrix, const char *device,
                                              const void *values, int64_t stride)
{
    const orthant_status refused =
        entry_check(matrix ? matrix->ctx : NULL, device != NULL, __func__);
    if (refused)
        return refused;
    matrix->device_copy.values = NULL;
    if (!values)
        return ORTHANT_OK;
    if (matrix->sparse || matrix->file)
        return fail(matrix->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: expected a dense matrix in memory, this one %s", __func__,
                    matrix->sparse ? "is sparse" : "stays in its file");
    if (stride < matrix->columns)
        return fail(matrix->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: rows of %lld columns are not %lld elements apart", __func__,
                    (long long)matrix->columns, (long long)stride);
    if (!strchr(device, ':') || strlen(device) >= sizeof matrix->device_copy.device)
        return fail(matrix->ctx, ORTHANT_ERROR_ARGUMENT,
                    "device '%.60s': expected a kind and a number, as in cuda:0", device);
    snprintf(matrix->device_copy.device, sizeof matrix->device_copy.device, "%s", device);
    matrix->device_copy.values = values;
    matrix->device_copy.stride = stride;
    return ORTHANT_OK;
}

/* Where they lie on the device already, they are read there. */
bool matrix_device_points(const orthant_matrix *matrix, device_points *to)
{
    const orthant_context *ctx = matrix->ctx;
    if (matrix->sparse || matrix->file)
        return false;
    *to = (device_points){.values = matrix->values,
                          .rows = matrix->rows,
                          .columns = matrix->columns,
                          .stride = matrix->stride,
                          .single = matrix->precision == ORTHANT_SINGLE,
                          .memory_limit = (int64_t)ctx->device_memory_limit};
    if (matrix->device_copy.values && !strcmp(matrix->device_copy.device, ctx->device_name)) {
        to->values = matrix->device_copy.values;
        to->stride = matrix->device_copy.stride;
        to->on_device = true;
    }
    return true;
}
