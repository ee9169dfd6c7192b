#include "core/memory.h"

#include <inttypes.h>
#include <string.h>

/* In front of each block, so that releasing it can count it. */
typedef union header {
    size_t bytes;
    char space[MEMORY_ALIGNMENT];
} header;

bool size_multiply(int64_t a, int64_t b, int64_t *product)
{
    return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, product);
}

void *memory_new(orthant_context *ctx, int64_t count, size_t size, const char *what)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) ||
        bytes > SIZE_MAX / 2 - sizeof(header) - MEMORY_ALIGNMENT) {
        fail(ctx, ORTHANT_ERROR_MEMORY,
             "out of memory: %" PRId64 " times %zu bytes for %s do not fit", count, size, what);
        return NULL;
    }
    const size_t rounded =
        (bytes + sizeof(header) + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    header *block = ctx->allocate(ctx->allocator_user, rounded, MEMORY_ALIGNMENT);
    if (!block) {
        fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory: %zu bytes for %s", bytes, what);
        return NULL;
    }
    memset(block, 0, rounded);
    block->bytes = rounded;
    ctx->memory += rounded;
    if (ctx->memory > ctx->peak_memory)
        ctx->peak_memory = ctx->memory;
    return block + 1;
}

void *memory_resize(orthant_context *ctx, void *memory, int64_t count, size_t size,
                    const char *what)
{
    void *larger = memory_new(ctx, count, size, what);
    if (!larger || !memory)
        return larger;
    const size_t held = ((header *)memory - 1)->bytes - sizeof(header);
    const size_t wanted = (size_t)count * size;
    memcpy(larger, memory, held < wanted ? held : wanted);
    memory_free(ctx, memory);
    return larger;
}

void memory_free(orthant_context *ctx, void *memory)
{
    if (!memory)
        return;
    header *block = (header *)memory - 1;
    ctx->memory -= block->bytes;
    ctx->release(ctx->allocator_user, block);
}

char *memory_text(orthant_context *ctx, const char *text)
{
    const size_t length = strlen(text);
    char *copy = memory_new(ctx, (int64_t)length + 1, 1, "a text");
    if (copy)
        memcpy(copy, text, length);
    return copy;
}
