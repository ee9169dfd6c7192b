#include "passes.cuh"

#include "frobenius_pass.cuh"

/* New rows of W where there is an exponent, and each block's share of W'W. */
template <int KP>
__global__ void __launch_bounds__(256) basis_step(float *W, const float *A, const float *B,
                                                  int features, int rows_each, double exponent,
                                                  float *grams)
{
    constexpr int ROWS = 16;
    extern __shared__ float shared[];
    float *square = shared, *rows = square + KP * KP; /* B; W */
    constexpr int EACH = (KP * KP + 255) / 256;
    float gram[EACH] = {};
    follow_launch();
    for (int i = threadIdx.x; i < KP * KP; i += 256)
        square[i] = B[i];
    const int first = blockIdx.x * rows_each, end = min(features, first + rows_each);
    for (int begin = first; begin < end; begin += ROWS) {
        const int count = min(ROWS, end - begin);
        __syncthreads();
        for (int i = threadIdx.x; i < ROWS * KP; i += 256)
            rows[i] = i < count * KP ? W[(int64_t)begin * KP + i] : 0;
        __syncthreads();
        float value[(ROWS * KP + 255) / 256];
#pragma unroll
        for (int e = 0; e < (ROWS * KP + 255) / 256; e++) {
            const int i = e * 256 + threadIdx.x, row = i / KP, column = i % KP;
            if (i >= count * KP)
                continue;
            float below = 0;
#pragma unroll 8
            for (int l = 0; l < KP; l++)
                below += rows[row * KP + l] * square[l * KP + column];
            value[e] = updated(rows[i], A[(int64_t)begin * KP + i], below, exponent);
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < (ROWS * KP + 255) / 256; e++) {
            const int i = e * 256 + threadIdx.x;
            if (i < count * KP)
                W[(int64_t)begin * KP + i] = rows[i] = value[e];
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int i = e * 256 + threadIdx.x, row = i / KP, column = i % KP;
            if (i < KP * KP)
                for (int l = 0; l < ROWS; l++)
                    gram[e] += rows[l * KP + row] * rows[l * KP + column];
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int i = e * 256 + threadIdx.x;
        if (i < KP * KP)
            grams[(int64_t)blockIdx.x * KP * KP + i] = gram[e];
    }
}

template <int KP, int WARPS, int TM, int RT, int STAGES> constexpr pass_kind make_pass_kind()
{
    using shape = pass_shape<KP, WARPS, TM, RT, STAGES>;
    static_assert(shape::BYTES <= 232448, "more shared memory than a block may have");
    return {KP,
            shape::THREADS,
            shape::P,
            shape::BYTES,
            (const void *)frobenius_pass<KP, WARPS, TM, RT, STAGES, true>,
            (const void *)frobenius_pass<KP, WARPS, TM, RT, STAGES, false>,
            (const void *)basis_step<KP>};
}

const pass_kind *pass_kinds(int *count)
{
    static const pass_kind kinds[] = {
        make_pass_kind<16, 7, 7, 1, 3>(), make_pass_kind<32, 8, 4, 1, 3>(),
        make_pass_kind<40, 8, 2, 1, 3>(), make_pass_kind<64, 8, 2, 1, 3>()};
    *count = (int)(sizeof kinds / sizeof *kinds);
    return kinds;
}
