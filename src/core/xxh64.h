/* XXH64, the 64-bit xxHash (Collet 2016, github.com/Cyan4973/xxHash, doc/xxhash_spec.md): tells
 * files apart about as fast as memory is read. Nobody is kept from forging one. With seed 0
 * `xxh64sum FILE` gives the same digits. */
#ifndef CORE_XXH64_H
#define CORE_XXH64_H

#include <stddef.h>
#include <stdint.h>

#define XXH64_DIGITS 16

typedef struct xxh64 {
    uint64_t lane[4], seed;
    uint64_t bytes; /* so far */
    unsigned char block[32];
} xxh64;

void xxh64_begin(xxh64 *hash, uint64_t seed);
void xxh64_add(xxh64 *hash, const void *data, size_t size);
uint64_t xxh64_value(const xxh64 *hash);
/* Lower-case hexadecimal with the end. */
void xxh64_end(const xxh64 *hash, char digest[XXH64_DIGITS + 1]);

#endif
