/* A hash table with open addressing, always less than half full. */
#include "core/numbering.h"

#include "core/memory.h"

#define FIRST_SLOTS 256

/* The finaliser of splitmix64 (Steele, Lea and Flood 2014): neighbouring keys land far apart. */
static uint64_t scatter(int64_t key)
{
    uint64_t x = (uint64_t)key + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Where the key stands or would stand. */
static int64_t find_slot(const numbering *of, int64_t key)
{
    const uint64_t mask = (uint64_t)of->slots - 1;
    uint64_t at = scatter(key) & mask;
    while (of->slot[at] != 0 && of->key[of->slot[at] - 1] != key)
        at = (at + 1) & mask;
    return (int64_t)at;
}

static orthant_status grow(numbering *of)
{
    const int64_t slots = of->slots > 0 ? 2 * of->slots : FIRST_SLOTS;
    int64_t *key = memory_resize(of->ctx, of->key, slots / 2, sizeof *key, "different labels");
    if (!key)
        return ORTHANT_ERROR_MEMORY;
    of->key = key;
    int64_t *slot = memory_new(of->ctx, slots, sizeof *slot, "different labels");
    if (!slot)
        return ORTHANT_ERROR_MEMORY;
    memory_free(of->ctx, of->slot);
    of->slot = slot;
    of->slots = slots;
    for (int64_t i = 0; i < of->count; i++)
        of->slot[find_slot(of, of->key[i])] = i + 1;
    return ORTHANT_OK;
}

void numbering_begin(orthant_context *ctx, numbering *of)
{
    *of = (numbering){.ctx = ctx};
}

void numbering_free(numbering *of)
{
    memory_free(of->ctx, of->key);
    memory_free(of->ctx, of->slot);
    numbering_begin(of->ctx, of);
}

orthant_status numbering_take(numbering *of, int64_t key, int64_t *number)
{
    if (of->count == of->slots / 2) {
        const orthant_status status = grow(of);
        if (status != ORTHANT_OK)
            return status;
    }
    const int64_t at = find_slot(of, key);
    if (of->slot[at] == 0) {
        of->key[of->count] = key;
        of->slot[at] = ++of->count;
    }
    *number = of->slot[at] - 1;
    return ORTHANT_OK;
}
