/* SHA-256 (FIPS 180-4), for checksums of data: nettle's, which allocates nothing, has no state of
 * its own and uses the processor's instructions where there are some. */
#ifndef CORE_SHA256_H
#define CORE_SHA256_H

#include <nettle/sha2.h>
#include <stddef.h>

typedef struct sha256_ctx sha256;

void sha256_begin(sha256 *hash);
void sha256_add(sha256 *hash, const void *data, size_t size);
/* Lower-case hexadecimal with the end. */
void sha256_end(sha256 *hash, char digest[65]);

#endif
