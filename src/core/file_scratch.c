/* Files without a name. */
#define _GNU_SOURCE /* for O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"

/* One that never had a name, where the system knows such; -1. */
static int open_nameless(const char *path)
{
#ifdef O_TMPFILE
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 2;
    if (length >= sizeof folder)
        return -1;
    memcpy(folder, slash ? path : "./", length);
    folder[length] = '\0';
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
    (void)path;
    return -1;
#endif
}

/* One whose name is taken off when it is open. */
static orthant_status open_unlinked(orthant_context *ctx, const char *path, int *descriptor)
{
    file_writer writer;
    const orthant_status status = file_write_begin_named(ctx, path, &writer);
    if (status != ORTHANT_OK)
        return status;
    *descriptor = open(writer.temporary, O_RDWR | O_CLOEXEC);
    const int error = errno;
    file_write_end(&writer, ORTHANT_ERROR_IO);
    return *descriptor < 0 ? file_fail_write(ctx, path, error) : ORTHANT_OK;
}

orthant_status file_scratch(orthant_context *ctx, const char *path, FILE **file)
{
    int descriptor = open_nameless(path);
    orthant_status status = ORTHANT_OK;
    if (descriptor < 0)
        status = open_unlinked(ctx, path, &descriptor);
    *file = status == ORTHANT_OK ? fdopen(descriptor, "w+b") : NULL;
    if (status == ORTHANT_OK && !*file) {
        status = file_fail_write(ctx, path, errno);
        close(descriptor);
    }
    return status;
}
