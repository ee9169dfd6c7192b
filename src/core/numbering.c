/* A hash table with open addressing, always less than half full. */
#include "core/numbering.h"

#include "core/memory.h"

#define FIRST_PLACES 256

/* The finaliser of splitmix64 (Steele, Lea and Flood 2014): neighbouring keys land far apart. */
static uint64_t scatter(int64_t key)
{
    uint64_t x = (uint64_t)key + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Where the key stands or would stand. */
static int64_t find_place(const numbering *of, int64_t key)
{
    const uint64_t mask = (uint64_t)of->places - 1;
    uint64_t at = scatter(key) & mask;
    while (of->place[at] != 0 && of->key[of->place[at] - 1] != key)
        at = (at + 1) & mask;
    return (int64_t)at;
}

static orthant_status grow(numbering *of)
{
    const int64_t places = of->places > 0 ? 2 * of->places : FIRST_PLACES;
    int64_t *key = memory_resize(of->ctx, of->key, places / 2, sizeof *key, "different labels");
    if (!key)
        return ORTHANT_ERROR_MEMORY;
    of->key = key;
    int64_t *place = memory_new(of->ctx, places, sizeof *place, "different labels");
    if (!place)
        return ORTHANT_ERROR_MEMORY;
    memory_free(of->ctx, of->place);
    of->place = place;
    of->places = places;
    for (int64_t i = 0; i < of->count; i++)
        of->place[find_place(of, of->key[i])] = i + 1;
    return ORTHANT_OK;
}

void numbering_begin(orthant_context *ctx, numbering *of)
{
    *of = (numbering){.ctx = ctx};
}

void numbering_free(numbering *of)
{
    memory_free(of->ctx, of->key);
    memory_free(of->ctx, of->place);
    numbering_begin(of->ctx, of);
}

orthant_status numbering_take(numbering *of, int64_t key, int64_t *number)
{
    if (of->count == of->places / 2) {
        const orthant_status status = grow(of);
        if (status != ORTHANT_OK)
            return status;
    }
    const int64_t at = find_place(of, key);
    if (of->place[at] == 0) {
        of->key[of->count] = key;
        of->place[at] = ++of->count;
    }
    *number = of->place[at] - 1;
    return ORTHANT_OK;
}
