/* SHA-256 as FIPS 180-4 states it, for builds without nettle. */
#include "core/sha256.h"

#include <string.h>

#define BLOCK 64

typedef struct digest_state {
    uint32_t word[8];
    uint64_t bytes; /* so far */
    unsigned char block[BLOCK];
} digest_state;

_Static_assert(sizeof(digest_state) <= sizeof(sha256), "the state fits");

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static void expand_block(const unsigned char *block, uint32_t w[64])
{
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        const uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10) + w[t - 7] +
               (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[t - 16];
    }
}

/* Section 6.2.2, with its names. */
static void take_block(digest_state *s, const unsigned char *block)
{
    uint32_t w[64], *v = s->word;
    uint32_t a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];
    expand_block(block, w);
    for (int t = 0; t < 64; t++) {
        const uint32_t t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                            ((e & f) ^ (~e & g)) + constants[t] + w[t];
        const uint32_t t2 =
            (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    v[0] += a;
    v[1] += b;
    v[2] += c;
    v[3] += d;
    v[4] += e;
    v[5] += f;
    v[6] += g;
    v[7] += h;
}

void sha256_begin(sha256 *hash)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    digest_state *s = (digest_state *)hash;
    memcpy(s->word, start, sizeof start);
    s->bytes = 0;
}

void sha256_add(sha256 *hash, const void *data, size_t size)
{
    digest_state *s = (digest_state *)hash;
    const unsigned char *from = data;
    while (size > 0) {
        const size_t held = (size_t)(s->bytes % BLOCK);
        const size_t now = size < BLOCK - held ? size : BLOCK - held;
        memcpy(s->block + held, from, now);
        s->bytes += now;
        if (held + now == BLOCK)
            take_block(s, s->block);
        from += now;
        size -= now;
    }
}

/* The message ends with a bit of 1, zeros, and its length in bits. */
void sha256_end(sha256 *hash, char digest[65])
{
    static const char digits[] = "0123456789abcdef";
    static const unsigned char one = 0x80, zero = 0;
    digest_state *s = (digest_state *)hash;
    const uint64_t bits = 8 * s->bytes;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(hash, &one, 1);
    while (s->bytes % BLOCK != BLOCK - sizeof length)
        sha256_add(hash, &zero, 1);
    sha256_add(hash, length, sizeof length);
    for (int i = 0; i < 64; i++)
        digest[i] = digits[s->word[i / 8] >> (28 - 4 * (i % 8)) & 15];
    digest[64] = '\0';
}
