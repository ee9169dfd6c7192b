/* Every block has a header with its size, so that the context can count and limit memory. */
#include "core/memory.h"

#include <inttypes.h>
#include <stdio.h>
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

/* The number behind `name` in a file of the system, 0 where there is none. */
static unsigned long long system_number(const char *path, const char *name)
{
    char line[256];
    unsigned long long value = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (!value && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)))
            sscanf(line + strlen(name), "%llu", &value);
    fclose(file);
    return value;
}

size_t memory_default_limit(void)
{
    const unsigned long long kilobytes = system_number("/proc/meminfo", "MemAvailable:");
    /* A container's own bound, where it is lower ("max" where there is none). */
    const unsigned long long group = system_number("/sys/fs/cgroup/memory.max", ""),
                             taken = system_number("/sys/fs/cgroup/memory.current", "");
    unsigned long long available = kilobytes * 1024;
    if (group > taken && (!available || group - taken < available))
        available = group - taken;
    return available ? (size_t)(available / 4 * 3) : SIZE_MAX;
}

int64_t memory_left(const orthant_context *ctx)
{
    const size_t left = ctx->memory_limit > ctx->memory ? ctx->memory_limit - ctx->memory : 0;
    return left > INT64_MAX ? INT64_MAX : (int64_t)left;
}

orthant_status memory_check(orthant_context *ctx, int64_t bytes, const char *what)
{
    if (bytes <= memory_left(ctx))
        return ORTHANT_OK;
    return fail(ctx, ORTHANT_ERROR_MEMORY,
                "out of memory: %" PRId64
                " bytes for %s; the memory limit is %zu bytes, of which %zu are in use",
                bytes, what, ctx->memory_limit, ctx->memory);
}

orthant_status memory_name_file(orthant_context *ctx, const char *path, orthant_status status)
{
    char reason[sizeof ctx->message];
    if (status != ORTHANT_ERROR_MEMORY || strncmp(ctx->message, "out of memory", 13) != 0)
        return status;
    memcpy(reason, ctx->message, sizeof reason);
    return fail(ctx, status, "%.600s: %.400s", path, reason);
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
    if (memory_check(ctx, (int64_t)rounded, what) != ORTHANT_OK)
        return NULL;
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
    if (ctx->closed)
        context_release(ctx);
}

char *memory_text(orthant_context *ctx, const char *text)
{
    const size_t length = strlen(text);
    char *copy = memory_new(ctx, (int64_t)length + 1, 1, "a text");
    if (copy)
        memcpy(copy, text, length);
    return copy;
}
