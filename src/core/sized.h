/* Public structs begin with their size, so that a program compiled with an older or a newer header
 * is understood as far as both know the struct. */
#ifndef CORE_SIZED_H
#define CORE_SIZED_H

#include "core/context.h"

/* Copies what `given` has of a struct of `size` bytes into `own`, the rest is zero; a `given` of
 * NULL is all zero. `function` is its name in the message that refuses a size that is none. */
orthant_status sized_take(orthant_context *ctx, const char *function, const void *given, void *own,
                          size_t size);
/* Copies as much of `found` into the caller's `given` as that has room for, but for the size. */
orthant_status sized_give(orthant_context *ctx, const char *function, const void *found,
                          size_t size, void *given);

#endif
