/* Products of groups of four warps on Hopper's tensor cores, in half precision and asynchronous:
 * c (+)= a b, a 64 x 16 and b 16 x N, both in shared memory, in blocks of 8 x 8 halves, a row of a
 * block being 16 bytes that lie behind those of the row before. A lane of warp w holds of c what
 * tensor.cuh says, of the rows 16 w to 16 w + 15 and of all N / 8 tiles. */
#ifndef CUDA_HALF_GROUP_CUH
#define CUDA_HALF_GROUP_CUH

#include <stdint.h>

#define BLOCK_BYTES 128 /* 8 x 8 halves */

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

/* Blocks are `inner` bytes apart along the inner index, `outer` bytes along the other one. */
__device__ inline uint64_t describe_blocks(const void *at, int inner, int outer)
{
    const uint64_t address = (uint64_t)__cvta_generic_to_shared(at);
    return (address & 0x3ffff) >> 4 | (uint64_t)(inner >> 4) << 16 | (uint64_t)(outer >> 4) << 32;
}

/* TRANSPOSED: a row of a block of a has neighbouring rows of a in the place of inner indices; b's
 * blocks are always so. */
template <int N> struct half_group;

template <> struct half_group<16> {
    template <bool TRANSPOSED>
    static __device__ inline void multiply(float (&c)[8], uint64_t a, uint64_t b, bool adds)
    {
        asm volatile("{\n"
                     ".reg .pred adds;\n"
                     "setp.ne.b32 adds, %10, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7"
                     "}, %8, %9, adds, 1, 1, %11, 1;\n"
                     "}\n"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
                       "+f"(c[6]), "+f"(c[7])
                     : "l"(a), "l"(b), "r"((int)adds), "n"(TRANSPOSED));
    }
};

template <> struct half_group<32> {
    template <bool TRANSPOSED>
    static __device__ inline void multiply(float (&c)[16], uint64_t a, uint64_t b, bool adds)
    {
        asm volatile("{\n"
                     ".reg .pred adds;\n"
                     "setp.ne.b32 adds, %18, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
                     "%12, %13, %14, %15"
                     "}, %16, %17, adds, 1, 1, %19, 1;\n"
                     "}\n"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
                       "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
                       "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15])
                     : "l"(a), "l"(b), "r"((int)adds), "n"(TRANSPOSED));
    }
};

template <> struct half_group<56> {
    template <bool TRANSPOSED>
    static __device__ inline void multiply(float (&c)[28], uint64_t a, uint64_t b, bool adds)
    {
        asm volatile("{\n"
                     ".reg .pred adds;\n"
                     "setp.ne.b32 adds, %30, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n56k16.f32.f16.f16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
                     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
                     "%24, %25, %26, %27"
                     "}, %28, %29, adds, 1, 1, %31, 1;\n"
                     "}\n"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
                       "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
                       "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]),
                       "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
                       "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27])
                     : "l"(a), "l"(b), "r"((int)adds), "n"(TRANSPOSED));
    }
};

template <> struct half_group<64> {
    template <bool TRANSPOSED>
    static __device__ inline void multiply(float (&c)[32], uint64_t a, uint64_t b, bool adds)
    {
        asm volatile("{\n"
                     ".reg .pred adds;\n"
                     "setp.ne.b32 adds, %34, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
                     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
                     "%24, %25, %26, %27, %28, %29, %30, %31"
                     "}, %32, %33, adds, 1, 1, %35, 1;\n"
                     "}\n"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
                       "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
                       "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]),
                       "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
                       "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),
                       "+f"(c[30]), "+f"(c[31])
                     : "l"(a), "l"(b), "r"((int)adds), "n"(TRANSPOSED));
    }
};

template <> struct half_group<128> {
    template <bool TRANSPOSED>
    static __device__ inline void multiply(float (&c)[64], uint64_t a, uint64_t b, bool adds)
    {
        asm volatile("{\n"
                     ".reg .pred adds;\n"
                     "setp.ne.b32 adds, %66, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
                     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
                     "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
                     "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
                     "%60, %61, %62, %63"
                     "}, %64, %65, adds, 1, 1, %67, 1;\n"
                     "}\n"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
                       "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
                       "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]),
                       "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
                       "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),
                       "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]),
                       "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]),
                       "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
                       "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]),
                       "+f"(c[54]), "+f"(c[55]), "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]),
                       "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
                     : "l"(a), "l"(b), "r"((int)adds), "n"(TRANSPOSED));
    }
};

/* The same with a in registers, where a lane of warp w holds, with g = lane / 4 and t = lane % 4,
 * of the rows 16 w + g and 16 w + g + 8 the inner indices 2t and 2t + 1, then 2t + 8 and 2t + 9:
 *
 *     a: (g, 2t ..), (g + 8, 2t ..), (g, 2t + 8 ..), (g + 8, 2t + 8 ..)
 *
 * TRANSPOSED: a row of a block of b has neighbouring columns in the place of inner indices. */
template <int N> struct half_rows;

template <> struct half_rows<16> {
    template <bool TRANSPOSED>
    static __device__ inline void multiply(float (&c)[8], const uint32_t (&a)[4], uint64_t b,
                                           bool adds)
    {
        asm volatile("{\n"
                     ".reg .pred adds;\n"
                     "setp.ne.b32 adds, %13, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7"
                     "}, {%8, %9, %10, %11}, %12, adds, 1, 1, %14;\n"
                     "}\n"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
                       "+f"(c[6]), "+f"(c[7])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)adds),
                       "n"(TRANSPOSED));
    }
};

template <> struct half_rows<32> {
    template <bool TRANSPOSED>
    static __device__ inline void multiply(float (&c)[16], const uint32_t (&a)[4], uint64_t b,
                                           bool adds)
    {
        asm volatile("{\n"
                     ".reg .pred adds;\n"
                     "setp.ne.b32 adds, %21, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15"
                     "}, {%16, %17, %18, %19}, %20, adds, 1, 1, %22;\n"
                     "}\n"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
                       "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
                       "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)adds),
                       "n"(TRANSPOSED));
    }
};

template <> struct half_rows<64> {
    template <bool TRANSPOSED>
    static __device__ inline void multiply(float (&c)[32], const uint32_t (&a)[4], uint64_t b,
                                           bool adds)
    {
        asm volatile("{\n"
                     ".reg .pred adds;\n"
                     "setp.ne.b32 adds, %37, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
                     "%26, %27, %28, %29, %30, %31"
                     "}, {%32, %33, %34, %35}, %36, adds, 1, 1, %38;\n"
                     "}\n"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
                       "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),
                       "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]),
                       "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
                       "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),
                       "+f"(c[30]), "+f"(c[31])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)adds),
                       "n"(TRANSPOSED));
    }
};

#endif
