/* Silences HDF5's error stack around our calls and takes the innermost reason for our message. */
#include "data/hdf5_errors.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "data/read.h"

/* Small arrays are allowed in any file: one that was never written to takes no bytes. */
#define ALWAYS_ALLOWED_BYTES (INT64_C(64) << 20)
#define BEST_PACKING 1100

void hdf5_quiet_begin(hdf5_quiet *quiet)
{
    H5Eget_auto2(H5E_DEFAULT, &quiet->function, &quiet->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    quiet->begun = true;
}

void hdf5_quiet_end(const hdf5_quiet *quiet)
{
    if (!quiet->begun)
        return;
    H5Eset_auto2(H5E_DEFAULT, quiet->function, quiet->data);
}

void hdf5_no_exit_handler(void)
{
    H5dont_atexit();
}

static herr_t keep_innermost(unsigned place, const H5E_error2_t *error, void *reason)
{
    if (place == 0 && error->desc)
        snprintf(reason, 160, "%s", error->desc);
    return 0;
}

orthant_status hdf5_fail(orthant_context *ctx, orthant_status status, const char *format, ...)
{
    char message[768], reason[160] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, reason);
    if (strstr(reason, "errno = 28")) /* ENOSPC, among a time, an address and a name */
        snprintf(reason, sizeof reason, "the disk is full");
    for (char *c = reason; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return reason[0] ? fail(ctx, status, "%s: %s", message, reason)
                     : fail(ctx, status, "%s", message);
}

bool hdf5_can_hold(int64_t file_bytes, int64_t count, int64_t entry_bytes)
{
    int64_t bytes;
    if (!size_multiply(count, entry_bytes, &bytes))
        return false;
    return bytes <= ALWAYS_ALLOWED_BYTES || bytes / BEST_PACKING <= file_bytes;
}

/* What HDF5, matio and the C library take beside the values. */
#define CHILD_OWN_BYTES (INT64_C(96) << 20)

int64_t hdf5_child_memory(const orthant_context *ctx, int64_t file_bytes)
{
    const int64_t most = memory_left(ctx);
    int64_t held = file_bytes < INT64_MAX / BEST_PACKING ? file_bytes * BEST_PACKING : INT64_MAX;
    if (held < ALWAYS_ALLOWED_BYTES)
        held = ALWAYS_ALLOWED_BYTES;
    return CHILD_OWN_BYTES + (held < most ? held : most < INT64_MAX / 2 ? most : INT64_MAX / 2);
}
