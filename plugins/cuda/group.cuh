/* Products of groups of four warps on Hopper's tensor cores, asynchronous: c += a b, a 64 x 8 from
 * registers and b 8 x N from shared memory. A lane of warp w holds of a and c what tensor.cuh says, of
 * the rows 16 w to 16 w + 15 and of all N / 8 tiles of c. */
#ifndef CUDA_GROUP_CUH
#define CUDA_GROUP_CUH

#include <stdint.h>

/* b in shared memory lies in blocks of 8 columns by 4 inner indices, 4 neighbouring inner indices
 * behind each other: the blocks of all `columns`, then those of the other 4 inner indices. */
__device__ inline uint64_t describe_columns(const float *b, int columns)
{
    const uint64_t address = (uint64_t)__cvta_generic_to_shared(b);
    return (address & 0x3ffff) >> 4 | (uint64_t)columns << 16 | (uint64_t)8 << 32;
}

/* What was written to registers is there before the next products, which begin; their end; what the
 * products of this group of warps gave. */
__device__ inline void group_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

template <int COUNT> __device__ inline void group_end(float (&c)[COUNT])
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : "+f"(c[i])::"memory");
}

template <int N>
__device__ inline void multiply_group(float (&c)[N / 2], const uint32_t (&a)[4], uint64_t b);

template <>
__device__ inline void multiply_group<16>(float (&c)[8], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7}, "
        "{%8, %9, %10, %11}, %12, 1, 1, 1;\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
          "+f"(c[6]), "+f"(c[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

template <>
__device__ inline void multiply_group<32>(float (&c)[16], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, "
        "%8, %9, %10, %11, %12, %13, %14, %15}, "
        "{%16, %17, %18, %19}, %20, 1, 1, 1;\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
          "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
          "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

template <>
__device__ inline void multiply_group<56>(float (&c)[28], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n56k8.f32.tf32.tf32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, "
        "%8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27}, "
        "{%28, %29, %30, %31}, %32, 1, 1, 1;\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
          "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
          "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]),
          "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
          "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

template <>
__device__ inline void multiply_group<64>(float (&c)[32], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, "
        "%8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, 1, 1, 1;\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
          "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
          "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]),
          "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
          "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),
          "+f"(c[30]), "+f"(c[31])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#endif
