/* Numbers 0, 1, 2, ... for keys in the order in which they first come. */
#ifndef CORE_NUMBERING_H
#define CORE_NUMBERING_H

#include "core/context.h"

typedef struct numbering {
    orthant_context *ctx;
    int64_t count; /* keys so far */
    int64_t *key;  /* by number */
    int64_t *slot; /* number + 1 where a key hashes to, 0 where there is none */
    int64_t slots; /* a power of two, at least twice the keys */
} numbering;

/* Nothing is allocated before the first key. */
void numbering_begin(orthant_context *ctx, numbering *of);
void numbering_free(numbering *of);
/* The key's number; a new key gets the next one. */
orthant_status numbering_take(numbering *of, int64_t key, int64_t *number);

#endif
