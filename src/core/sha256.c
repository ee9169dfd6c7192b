/* Nettle's SHA-256, with the digest as hexadecimal text. */
#include "core/sha256.h"

void sha256_begin(sha256 *hash)
{
    sha256_init(hash);
}

void sha256_add(sha256 *hash, const void *data, size_t size)
{
    sha256_update(hash, size, data);
}

void sha256_end(sha256 *hash, char digest[65])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[SHA256_DIGEST_SIZE];
    sha256_digest(hash, sizeof bytes, bytes);
    for (int i = 0; i < 64; i++)
        digest[i] = digits[bytes[i / 2] >> (i % 2 ? 0 : 4) & 15];
    digest[64] = '\0';
}
