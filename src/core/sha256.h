/* SHA-256 (FIPS 180-4), for checksums of data. */
#ifndef CORE_SHA256_H
#define CORE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t bytes; /* seen so far */
    unsigned char block[64];
    bool portable; /* never by the processor's own instructions; sha256_begin leaves them allowed */
} sha256;

void sha256_begin(sha256 *hash);
void sha256_add(sha256 *hash, const void *data, size_t size);
/* Lower-case hexadecimal with the end. */
void sha256_end(sha256 *hash, char digest[65]);

#endif
