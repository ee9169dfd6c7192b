/* Nettle's SHA-256, with the digest as hexadecimal text. */
#include <nettle/sha2.h>

#include "core/sha256.h"

_Static_assert(sizeof(struct sha256_ctx) <= sizeof(sha256), "nettle's state fits into ours");

void sha256_begin(sha256 *hash)
{
    sha256_init((struct sha256_ctx *)hash);
}

void sha256_add(sha256 *hash, const void *data, size_t size)
{
    sha256_update((struct sha256_ctx *)hash, size, data);
}

void sha256_end(sha256 *hash, char digest[65])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[SHA256_DIGEST_SIZE];
    sha256_digest((struct sha256_ctx *)hash, sizeof bytes, bytes);
    for (int i = 0; i < 64; i++)
        digest[i] = digits[bytes[i / 2] >> (i % 2 ? 0 : 4) & 15];
    digest[64] = '\0';
}
