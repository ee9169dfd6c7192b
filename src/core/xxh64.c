/* XXH64 as its specification states it. */
#include "core/xxh64.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 32
#define PRIME_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME_3 UINT64_C(0x165667B19E3779F9)
#define PRIME_4 UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME_5 UINT64_C(0x27D4EB2F165667C5)

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static uint64_t load_8(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static uint64_t load_4(const unsigned char *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
}

static uint64_t take_word(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * PRIME_2, 31) * PRIME_1;
}

static void take_blocks(uint64_t lane[4], const unsigned char *from, size_t blocks)
{
    uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    for (size_t i = 0; i < blocks; i++, from += BLOCK) {
        a = take_word(a, load_8(from));
        b = take_word(b, load_8(from + 8));
        c = take_word(c, load_8(from + 16));
        d = take_word(d, load_8(from + 24));
    }
    lane[0] = a;
    lane[1] = b;
    lane[2] = c;
    lane[3] = d;
}

void xxh64_begin(xxh64 *hash, uint64_t seed)
{
    const uint64_t lane[4] = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
    memcpy(hash->lane, lane, sizeof lane);
    hash->seed = seed;
    hash->bytes = 0;
}

void xxh64_add(xxh64 *hash, const void *data, size_t size)
{
    const unsigned char *from = data;
    const size_t held = (size_t)(hash->bytes % BLOCK);
    hash->bytes += size;
    if (held) {
        const size_t now = size < BLOCK - held ? size : BLOCK - held;
        memcpy(hash->block + held, from, now);
        from += now;
        size -= now;
        if (held + now < BLOCK)
            return;
        take_blocks(hash->lane, hash->block, 1);
    }
    take_blocks(hash->lane, from, size / BLOCK);
    if (size % BLOCK)
        memcpy(hash->block, from + size / BLOCK * BLOCK, size % BLOCK);
}

static uint64_t join_lanes(const uint64_t lane[4])
{
    uint64_t sum =
        rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
    for (int i = 0; i < 4; i++)
        sum = (sum ^ take_word(0, lane[i])) * PRIME_1 + PRIME_4;
    return sum;
}

uint64_t xxh64_value(const xxh64 *hash)
{
    uint64_t sum = hash->bytes < BLOCK ? hash->seed + PRIME_5 : join_lanes(hash->lane);
    const unsigned char *at = hash->block, *end = at + hash->bytes % BLOCK;
    sum += hash->bytes;
    for (; end - at >= 8; at += 8)
        sum = rotate(sum ^ take_word(0, load_8(at)), 27) * PRIME_1 + PRIME_4;
    if (end - at >= 4) {
        sum = rotate(sum ^ load_4(at) * PRIME_1, 23) * PRIME_2 + PRIME_3;
        at += 4;
    }
    for (; at < end; at++)
        sum = rotate(sum ^ *at * PRIME_5, 11) * PRIME_1;
    sum = (sum ^ sum >> 33) * PRIME_2;
    sum = (sum ^ sum >> 29) * PRIME_3;
    return sum ^ sum >> 32;
}

void xxh64_end(const xxh64 *hash, char digest[XXH64_DIGITS + 1])
{
    snprintf(digest, XXH64_DIGITS + 1, "%016" PRIx64, xxh64_value(hash));
}
