#include "core/sha256.h"

#include <string.h>

#ifdef ORTHANT_HAVE_X86
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t word, int by)
{
    return word >> by | word << (32 - by);
}

static uint32_t load_word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           (uint32_t)bytes[3];
}

/* One round; the caller names the state's words in turn, so that none has to be moved. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                   \
    do {                                                                                   \
        const uint32_t first = (h) + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +      \
                               ((g) ^ ((e) & ((f) ^ (g)))) + constants[i] + words[(i)&15]; \
        (d) += first;                                                                      \
        (h) = first + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +                     \
              (((a) & (b)) ^ ((c) & ((a) ^ (b))));                                         \
    } while (0)

/* The words of the next 16 rounds in place of those of the last. */
static void next_words(uint32_t words[16])
{
    for (int i = 0; i < 16; i++) {
        const uint32_t a = words[(i + 1) & 15], b = words[(i + 14) & 15];
        words[i] += (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[(i + 9) & 15] +
                    (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void compress_plain(uint32_t state[8], const unsigned char *block)
{
    uint32_t words[16];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 16; i++)
        words[i] = load_word(block + 4 * i);
    for (int i = 0; i < 64; i += 8) {
        if (i && i % 16 == 0)
            next_words(words);
        ROUND(a, b, c, d, e, f, g, h, i);
        ROUND(h, a, b, c, d, e, f, g, i + 1);
        ROUND(g, h, a, b, c, d, e, f, i + 2);
        ROUND(f, g, h, a, b, c, d, e, i + 3);
        ROUND(e, f, g, h, a, b, c, d, i + 4);
        ROUND(d, e, f, g, h, a, b, c, i + 5);
        ROUND(c, d, e, f, g, h, a, b, i + 6);
        ROUND(b, c, d, e, f, g, h, a, i + 7);
    }
    const uint32_t now[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
        state[i] += now[i];
}

#ifdef ORTHANT_HAVE_X86
/* The processor's own instructions: four rounds are two of them, on the state as ABEF and CDGH. */
__attribute__((target("sha,sse4.1"))) static void compress_x86(uint32_t state[8],
                                                               const unsigned char *bytes,
                                                               size_t blocks)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xb1);
    __m128i high =
        _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    for (; blocks > 0; blocks--, bytes += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i words[4];
        for (int i = 0; i < 4; i++)
            words[i] = _mm_shuffle_epi8(
                _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i)), swap);
        for (int i = 0; i < 16; i++) {
            const __m128i sum = _mm_add_epi32(
                words[0], _mm_loadu_si128((const __m128i *)(const void *)(constants + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            const __m128i partly = _mm_add_epi32(_mm_sha256msg1_epu32(words[0], words[1]),
                                                 _mm_alignr_epi8(words[3], words[2], 4));
            words[0] = words[1];
            words[1] = words[2];
            words[2] = words[3];
            words[3] = _mm_sha256msg2_epu32(partly, words[2]);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);
    high = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

/* CPUID, leaf 7: bit 29 of EBX. */
static bool has_sha(void)
{
    unsigned a, b, c, d;
    return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           (b >> 29 & 1);
}
#endif

static void compress(sha256 *hash, const unsigned char *bytes, size_t blocks)
{
#ifdef ORTHANT_HAVE_X86
    if (!hash->portable && has_sha()) {
        compress_x86(hash->state, bytes, blocks);
        return;
    }
#endif
    for (; blocks > 0; blocks--, bytes += 64)
        compress_plain(hash->state, bytes);
}

void sha256_begin(sha256 *hash)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->bytes = 0;
    hash->portable = false;
}

void sha256_add(sha256 *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    while (size > 0) {
        const size_t whole = hash->bytes % 64 ? 0 : size / 64;
        if (whole) {
            compress(hash, bytes, whole);
            hash->bytes += 64 * whole;
            bytes += 64 * whole;
            size -= 64 * whole;
            continue;
        }
        const size_t used = (size_t)(hash->bytes % 64);
        const size_t taken = size < 64 - used ? size : 64 - used;
        memcpy(hash->block + used, bytes, taken);
        hash->bytes += taken;
        bytes += taken;
        size -= taken;
        if (used + taken == 64)
            compress(hash, hash->block, 1);
    }
}

void sha256_end(sha256 *hash, char digest[65])
{
    static const char digits[] = "0123456789abcdef";
    static const unsigned char padding[64] = {0x80};
    const uint64_t bits = hash->bytes * 8;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(hash, padding, (size_t)((hash->bytes % 64 < 56 ? 56 : 120) - hash->bytes % 64));
    sha256_add(hash, length, sizeof length);
    for (int i = 0; i < 64; i++)
        digest[i] = digits[hash->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    digest[64] = '\0';
}
