/* Philox 4x32-10 and the uniform, integer and normal draws made from it. */
#include "core/random.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide_product;

/* Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011). The stream takes the top byte
 * of the column's word: 2^56 columns are enough. */
static void draw(uint64_t seed, random_stream stream, uint64_t row, uint64_t column,
                 uint64_t words[2])
{
    const uint64_t tagged = column ^ ((uint64_t)stream << 56);
    uint32_t counter0 = (uint32_t)row, counter1 = (uint32_t)(row >> 32);
    uint32_t counter2 = (uint32_t)tagged, counter3 = (uint32_t)(tagged >> 32);
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t product0 = (uint64_t)0xD2511F53u * counter0;
        const uint64_t product1 = (uint64_t)0xCD9E8D57u * counter2;
        counter0 = (uint32_t)(product1 >> 32) ^ counter1 ^ key0;
        counter1 = (uint32_t)product1;
        counter2 = (uint32_t)(product0 >> 32) ^ counter3 ^ key1;
        counter3 = (uint32_t)product0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    words[0] = ((uint64_t)counter1 << 32) | counter0;
    words[1] = ((uint64_t)counter3 << 32) | counter2;
}

static double to_unit(uint64_t word)
{
    return ((double)(word >> 11) + 0.5) * 0x1p-53;
}

double random_uniform(uint64_t seed, random_stream stream, uint64_t row, uint64_t column)
{
    uint64_t words[2];
    draw(seed, stream, row, column, words);
    return to_unit(words[0]);
}

uint64_t random_below(uint64_t seed, random_stream stream, uint64_t row, uint64_t column,
                      uint64_t bound)
{
    uint64_t words[2];
    draw(seed, stream, row, column, words);
    /* The high half of a 128-bit product; its bias is bound / 2^64. */
    return (uint64_t)(((wide_product)words[0] * bound) >> 64);
}

double random_normal(uint64_t seed, random_stream stream, uint64_t row, uint64_t column)
{
    uint64_t words[2];
    draw(seed, stream, row, column, words);
    return sqrt(-2.0 * log(to_unit(words[0]))) * cos(6.283185307179586 * to_unit(words[1]));
}
