/* Checked memory: sizes are multiplied with a check, blocks are zeroed, aligned for SIMD and
 * counted in the context. Not for use inside a parallel region. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include "core/context.h"

#define MEMORY_ALIGNMENT 64

/* count * size bytes, zeroed, or NULL with the context's message set ("out of memory: ... for
 * `what`"). A count of 0 gives a valid block. */
void *memory_new(orthant_context *ctx, int64_t count, size_t size, const char *what);
/* Keeps the contents up to the smaller size, the rest is zeroed; on failure the old block stays and
 * NULL comes back. */
void *memory_resize(orthant_context *ctx, void *memory, int64_t count, size_t size,
                    const char *what);
void memory_free(orthant_context *ctx, void *memory);

/* A copy of a text; NULL with the message set when there is no memory. */
char *memory_text(orthant_context *ctx, const char *text);

/* False when a * b does not fit; otherwise *product is set. Both must be >= 0. */
bool size_multiply(int64_t a, int64_t b, int64_t *product);

#endif
