/* Takes and gives structs whose first field is their size. */
#include "core/sized.h"

#include <string.h>

/* No public struct is nearly as large: more is a field that was never set. */
#define MOST_BYTES 65536

static orthant_status read_size(orthant_context *ctx, const char *function, const void *given,
                                size_t expected, size_t *size)
{
    memcpy(size, given, sizeof *size);
    if (*size < sizeof *size || *size > MOST_BYTES)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: the struct's size is %zu; set it to its sizeof, %zu, before the call",
                    function, *size, expected);
    return ORTHANT_OK;
}

orthant_status sized_take(orthant_context *ctx, const char *function, const void *given, void *own,
                          size_t size)
{
    size_t known = 0;
    memset(own, 0, size);
    if (!given)
        return ORTHANT_OK;
    const orthant_status status = read_size(ctx, function, given, size, &known);
    if (!status)
        memcpy(own, given, known < size ? known : size);
    return status;
}

orthant_status sized_give(orthant_context *ctx, const char *function, const void *found,
                          size_t size, void *given)
{
    size_t known = 0;
    if (!given)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: an argument is NULL", function);
    const orthant_status status = read_size(ctx, function, given, size, &known);
    if (!status && known > sizeof known)
        memcpy((char *)given + sizeof known, (const char *)found + sizeof known,
               (known < size ? known : size) - sizeof known);
    return status;
}
