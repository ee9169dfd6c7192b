/* A FILE by fopencookie whose writes grow a block of memory. */
#define _GNU_SOURCE /* for fopencookie */
#include "core/text_stream.h"

#include <errno.h>
#include <string.h>

#include "core/memory.h"

#define LEAST_CAPACITY 4096

static ssize_t append(void *to, const char *text, size_t size)
{
    text_stream *stream = to;
    if (size > stream->capacity - stream->length) {
        const size_t capacity = 2 * (stream->length + size) + LEAST_CAPACITY;
        char *larger = memory_resize(stream->ctx, stream->text, (int64_t)capacity, 1, "a page");
        if (!larger) {
            errno = ENOMEM;
            return 0;
        }
        stream->text = larger;
        stream->capacity = capacity;
    }
    memcpy(stream->text + stream->length, text, size);
    stream->length += size;
    return (ssize_t)size;
}

static orthant_status fail_full(const text_stream *stream)
{
    return fail(stream->ctx, ORTHANT_ERROR_MEMORY, "out of memory: a page does not fit");
}

orthant_status text_stream_open(orthant_context *ctx, text_stream *stream)
{
    *stream = (text_stream){.ctx = ctx};
    stream->file = fopencookie(stream, "w", (cookie_io_functions_t){.write = append});
    return stream->file ? ORTHANT_OK : fail_full(stream);
}

orthant_status text_stream_close(text_stream *stream)
{
    if (!stream->file)
        return ORTHANT_OK;
    const bool failed = fflush(stream->file) != 0 || ferror(stream->file);
    fclose(stream->file);
    stream->file = NULL;
    return failed ? fail_full(stream) : ORTHANT_OK;
}

void text_stream_free(text_stream *stream)
{
    text_stream_close(stream);
    memory_free(stream->ctx, stream->text);
    *stream = (text_stream){.ctx = stream->ctx};
}
