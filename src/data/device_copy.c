/* A matrix whose entries lie in the memory of a device too. */
#include <stdio.h>
#include <string.h>

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
