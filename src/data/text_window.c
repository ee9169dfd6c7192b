/* What is behind the last whole line goes to the front of the next window. */
#include "data/text_window.h"

#include <inttypes.h>
#include <string.h>

#include "core/memory.h"

orthant_status text_window_open(orthant_context *ctx, const char *path, int64_t bytes,
                                text_window *window)
{
    *window = (text_window){.capacity = bytes};
    const orthant_status status = stream_open(ctx, path, &window->in);
    if (status)
        return status;
    window->bytes = memory_new(ctx, bytes, 1, "lines of a text");
    return window->bytes ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

void text_window_close(text_window *window)
{
    memory_free(window->in.ctx, window->bytes);
    if (window->in.ctx)
        stream_close(&window->in);
    window->bytes = NULL;
}

static int64_t count_lines(const char *at, const char *end)
{
    int64_t count = 0;
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        count++;
    }
    return count;
}

/* Where the last whole line ends that is not inside of quotes. */
static int64_t whole_lines(const text_window *window)
{
    int64_t end = window->length;
    bool quoted = false;
    if (!memchr(window->bytes, '"', (size_t)window->length)) {
        while (end > 0 && window->bytes[end - 1] != '\n')
            end--;
        return end;
    }
    end = 0;
    for (int64_t i = 0; i < window->length; i++) {
        quoted ^= window->bytes[i] == '"';
        if (window->bytes[i] == '\n' && !quoted)
            end = i + 1;
    }
    return end;
}

bool text_window_next(text_window *window, lines *text, orthant_status *status)
{
    const int64_t left = window->length - window->taken;
    int64_t got = 0;
    window->line += count_lines(window->bytes, window->bytes + window->taken);
    memmove(window->bytes, window->bytes + window->taken, (size_t)left);
    window->length = left;
    window->taken = 0;
    if (!window->ended) {
        *status = stream_read(&window->in, window->bytes + left, window->capacity - left, &got);
        if (*status)
            return false;
        window->length += got;
        window->ended = window->length < window->capacity;
    }
    if (!window->length)
        return false;
    window->taken = window->ended ? window->length : whole_lines(window);
    if (!window->taken) {
        *status = fail(window->in.ctx, ORTHANT_ERROR_MEMORY,
                       "out of memory: %s:%" PRId64 ": a line is longer than %" PRId64
                       " bytes, which is what the memory limit allows",
                       window->in.name, window->line + 1, window->capacity);
        return false;
    }
    text->text = window->bytes;
    text->at = window->bytes;
    text->number = window->line;
    text->end = window->bytes + window->taken;
    return true;
}
