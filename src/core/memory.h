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

/* Three quarters of the memory that is free now, in bytes; SIZE_MAX where the system does not tell.
 */
size_t memory_default_limit(void);
/* ORTHANT_OK where `bytes` more stay within the context's limit; otherwise the refusal that
 * memory_new() gives, for who lets another library allocate. */
orthant_status memory_check(orthant_context *ctx, int64_t bytes, const char *what);
/* Puts the name of the file that wanted the memory before the message of such a refusal; other
 * failures stay as they are. Returns `status`. */
orthant_status memory_name_file(orthant_context *ctx, const char *path, orthant_status status);
/* Bytes that may still be taken. */
int64_t memory_left(const orthant_context *ctx);

/* False when a * b does not fit; otherwise *product is set. Both must be >= 0. */
bool size_multiply(int64_t a, int64_t b, int64_t *product);

#endif
