/* SHA-256 (FIPS 180-4), for checksums of data: nettle's (sha256_nettle.c), which allocates nothing,
 * has no state of its own and uses the processor's instructions where there are some; in a build
 * without it plain C (sha256_plain.c), which gives the same digests at about a sixth of the speed.
 */
#ifndef CORE_SHA256_H
#define CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* The state of either. */
typedef struct sha256 {
    uint64_t state[16];
} sha256;

void sha256_begin(sha256 *hash);
void sha256_add(sha256 *hash, const void *data, size_t size);
/* Lower-case hexadecimal with the end. */
void sha256_end(sha256 *hash, char digest[65]);

#endif
