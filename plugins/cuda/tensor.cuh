/* Products of single precision on the tensor cores: each number is split into two of TF32's ten
 * bits, x = high + low, and high*high + high*low + low*high is summed in single precision. What is
 * dropped, low*low and what low has beyond its ten bits, is about 2^-21 of a product. */
#ifndef CUDA_TENSOR_CUH
#define CUDA_TENSOR_CUH

#include <stdint.h>

struct split_number {
    uint32_t high, low;
};

__device__ inline split_number split(float x)
{
    const uint32_t high = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
    return {high, __float_as_uint(x - __uint_as_float(high))};
}

/* c += a b, a 16 x 8 and b 8 x 8. With g = lane / 4 and t = lane % 4 a lane holds
 *
 *     a: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)
 *     b: (t, g), (t + 4, g)
 *     c: (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1)
 *
 * The inner index may be permuted, as long as a and b agree. */
__device__ inline void multiply_tile(float c[4], const uint32_t a[4], const uint32_t b[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* The operands of a tile, split. */
struct tile_rows {
    uint32_t high[4], low[4];
};

struct tile_columns {
    uint32_t high[2], low[2];
};

__device__ inline tile_rows split_rows(float a0, float a1, float a2, float a3)
{
    const split_number s0 = split(a0), s1 = split(a1), s2 = split(a2), s3 = split(a3);
    return {{s0.high, s1.high, s2.high, s3.high}, {s0.low, s1.low, s2.low, s3.low}};
}

__device__ inline tile_columns split_columns(float b0, float b1)
{
    const split_number s0 = split(b0), s1 = split(b1);
    return {{s0.high, s1.high}, {s0.low, s1.low}};
}

/* The small products first. EXACT: as above; or with the high parts alone. */
template <bool EXACT>
__device__ inline void multiply_split(float c[4], const tile_rows &a, const tile_columns &b)
{
    if (EXACT) {
        multiply_tile(c, a.low, b.high);
        multiply_tile(c, a.high, b.low);
    }
    multiply_tile(c, a.high, b.high);
}

/* Four matrices of 8 rows and 16 bytes: the rows of a tile of 16 x 8 numbers in shared memory, at
 * the address that this lane gives: row lane % 16, and 4 columns on for the upper half. */
__device__ inline void load_rows(float a[4], const float *row)
{
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(row);
    uint32_t r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address));
    for (int i = 0; i < 4; i++)
        a[i] = __uint_as_float(r[i]);
}

#endif
