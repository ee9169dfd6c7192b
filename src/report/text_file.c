/* Reads a file as one text; joins paths. */
#include "report/text_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"

orthant_status text_file_read(orthant_context *ctx, const char *path, int64_t limit, char **text,
                              size_t *length)
{
    FILE *file = NULL;
    char *block = NULL;
    int64_t bytes = 0;
    *text = NULL;
    *length = 0;
    orthant_status status = file_size(ctx, path, &bytes);
    if (status)
        goto done;
    if (bytes > limit) {
        status = fail(ctx, ORTHANT_ERROR_FORMAT, "%s: %" PRId64 " bytes, expected at most %" PRId64,
                      path, bytes, limit);
        goto done;
    }
    status = file_open(ctx, path, &file);
    if (status)
        goto done;
    block = memory_new(ctx, bytes + 1, 1, "a text file");
    if (!block) {
        status = ORTHANT_ERROR_MEMORY;
        goto done;
    }
    *length = fread(block, 1, (size_t)bytes, file);
    if (ferror(file))
        status = file_fail_read(ctx, path, errno);
    else if (*length < (size_t)bytes)
        status = file_fail_ended(ctx, path, (int64_t)*length, bytes);
    if (status)
        goto done;
    block[*length] = '\0';
    *text = block;
    block = NULL;
done:
    if (file)
        fclose(file);
    memory_free(ctx, block);
    return status;
}

char *path_join(orthant_context *ctx, const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = memory_new(ctx, (int64_t)size, 1, "a path");
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}
