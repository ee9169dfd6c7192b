/* XXH64 as its specification has it (Collet 2016, github.com/Cyan4973/xxHash). */
#include "core/checksum.h"

#include <string.h>

#define PRIME_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME_3 UINT64_C(0x165667B19E3779F9)
#define PRIME_4 UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME_5 UINT64_C(0x27D4EB2F165667C5)

static inline uint64_t rotate(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

/* As the machine holds it: a checksum is read where it was written, or told from it by the format
 * around it. */
static inline uint64_t word_at(const unsigned char *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline uint64_t half_at(const unsigned char *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline uint64_t take(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * PRIME_2, 31) * PRIME_1;
}

static inline uint64_t merge(uint64_t hash, uint64_t lane)
{
    return (hash ^ take(0, lane)) * PRIME_1 + PRIME_4;
}

/* Four lanes of 8 bytes; moves *from behind what was taken. */
static uint64_t stripes(const unsigned char **from, size_t bytes, uint64_t seed)
{
    uint64_t a = seed + PRIME_1 + PRIME_2, b = seed + PRIME_2, c = seed, d = seed - PRIME_1;
    const unsigned char *at = *from, *end = at + bytes / 32 * 32;
    for (; at < end; at += 32) {
        a = take(a, word_at(at));
        b = take(b, word_at(at + 8));
        c = take(c, word_at(at + 16));
        d = take(d, word_at(at + 24));
    }
    *from = at;
    const uint64_t hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    return merge(merge(merge(merge(hash, a), b), c), d);
}

uint64_t checksum_bytes(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *at = data, *end = at + bytes;
    uint64_t hash = (bytes >= 32 ? stripes(&at, bytes, seed) : seed + PRIME_5) + bytes;
    for (; end - at >= 8; at += 8)
        hash = rotate(hash ^ take(0, word_at(at)), 27) * PRIME_1 + PRIME_4;
    for (; end - at >= 4; at += 4)
        hash = rotate(hash ^ (half_at(at) * PRIME_1), 23) * PRIME_2 + PRIME_3;
    for (; at < end; at++)
        hash = rotate(hash ^ (*at * PRIME_5), 11) * PRIME_1;
    hash = (hash ^ hash >> 33) * PRIME_2;
    hash = (hash ^ hash >> 29) * PRIME_3;
    return hash ^ hash >> 32;
}

uint64_t checksum_rows(const void *data, int64_t first, int64_t rows, size_t row_bytes,
                       size_t stride)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += checksum_bytes((const unsigned char *)data + (size_t)i * stride, row_bytes,
                              (uint64_t)(first + i));
    return sum;
}
