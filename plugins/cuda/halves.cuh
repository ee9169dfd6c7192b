/* Numbers of single precision as sums of two of half precision, x 2^e = high + low. */
#ifndef CUDA_HALVES_CUH
#define CUDA_HALVES_CUH

#include <cuda_fp16.h>
#include <stdint.h>

/* Of two halves each. */
struct split_pair {
    uint32_t high, low;
};

__device__ inline split_pair split_halves(float x, float y)
{
    const __half2 high = __floats2half2_rn(x, y);
    const float2 back = __half22float2(high);
    const __half2 low = __floats2half2_rn(x - back.x, y - back.y);
    return {*(const uint32_t *)&high, *(const uint32_t *)&low};
}

/* The power of two that brings `most` just below 2^15, and its inverse. */
__device__ inline float2 power_for(float most)
{
    const uint32_t field = min(268u - (__float_as_uint(most) >> 23), 253u);
    return make_float2(__uint_as_float(field << 23), __uint_as_float((254 - field) << 23));
}

struct split_eight {
    uint4 high, low;
};

__device__ inline split_eight split_row(const float (&v)[8], const float (&power)[8])
{
    split_pair s[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        s[i] = split_halves(v[2 * i] * power[2 * i], v[2 * i + 1] * power[2 * i + 1]);
    return {make_uint4(s[0].high, s[1].high, s[2].high, s[3].high),
            make_uint4(s[0].low, s[1].low, s[2].low, s[3].low)};
}

#endif
