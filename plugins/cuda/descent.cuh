/* Coordinate descent by rows, as src/solver/hals.c has it. */
#ifndef CUDA_DESCENT_CUH
#define CUDA_DESCENT_CUH

#include "kernels.cuh"

extern "C" {
#include "engine/device.h"
}

#define DESCENT_MOST_RANK 128
#define DESCENT_PASSES 8
#define DESCENT_ENOUGH 1e-2
#define DESCENT_SHARE 0.7
#define DESCENT_MOST_SHARE 0.9
#define DESCENT_FIRST_ITERATIONS 3

/* Rows of a factor: less `taken` of their numerators, of a Gram matrix, in at most so many passes,
 * then extrapolated by `share`. */
template <typename T> struct descent {
    T *rows;
    const T *numerators;
    T taken;
    const T *gram;
    int64_t count;
    int rank, passes;
    double share;
};

#define DESCENT_ROWS 32 /* a warp's: what stops and extrapolates together */

/* Rows a >= 0 towards the minimum of a G a' - 2 (n - taken) a', several passes, then on in the
 * direction that they came (src/solver/hals.c), for groups of DESCENT_ROWS rows. A lane has a row, in
 * single precision and of up to 64 columns in registers: loops over its columns are unrolled. */
#define DESCENT_IN_REGISTERS 64
template <typename T, int KP>
__global__ void __launch_bounds__(128)
    descend(const descent<T> how)
{
    T *rows = how.rows;
    const T *N = how.numerators, *gram = how.gram, taken = how.taken;
    const int64_t count = how.count;
    const int rank = how.rank, passes = how.passes;
    const double enough = DESCENT_ENOUGH, share = how.share;
    constexpr int UNROLLED = sizeof(T) == 4 && KP <= DESCENT_IN_REGISTERS ? KP : 1;
    __shared__ T held[KP <= DESCENT_IN_REGISTERS ? KP * KP : 1];
    const T *G = KP <= DESCENT_IN_REGISTERS ? held : gram;
    for (int i = threadIdx.x; i < KP * KP && KP <= DESCENT_IN_REGISTERS; i += blockDim.x)
        held[i] = gram[i];
    __syncthreads();
    const int64_t row = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x);
    if (row / DESCENT_ROWS * DESCENT_ROWS >= count)
        return;
    const bool there = row < count;
    T a[KP], start[KP];
#pragma unroll(UNROLLED)
    for (int j = 0; j < KP; j++)
        start[j] = a[j] = there ? rows[row * KP + j] : 0;
    const T *n = N + (there ? row : 0) * KP;
    double first = 0;
    for (int pass = 0; pass < passes; pass++) {
        T change = 0;
#pragma unroll(UNROLLED)
        for (int j = 0; j < KP; j++) {
            T slope = there ? n[j] - taken : 0;
#pragma unroll(UNROLLED)
            for (int l = 0; l < KP; l++)
                slope -= a[l] * G[j * KP + l];
            if (j < rank) {
                const T curvature = G[j * KP + j];
                T value = curvature > 0 ? a[j] + slope / curvature : a[j];
                value = value > 0 ? value : 0;
                change += (value - a[j]) * (value - a[j]);
                a[j] = value;
            }
        }
        const double total = warp_sum(there ? change : (T)0);
        if (pass == 0)
            first = total;
        if (total <= enough * first)
            break;
    }
    if (share > 0) {
        T slope_start = 0, curved_start = 0, slope_change = 0, curved_change = 0;
#pragma unroll(UNROLLED)
        for (int j = 0; j < KP; j++) {
            T curved = 0, back = 0, forth = 0;
#pragma unroll(UNROLLED)
            for (int l = 0; l < KP; l++) {
                const T on = 2 * a[l] - start[l], change = (on > 0 ? on : 0) - a[l];
                curved += a[l] * G[j * KP + l];
                back += (start[l] - a[l]) * G[j * KP + l];
                forth += change * G[j * KP + l];
            }
            const T on = 2 * a[j] - start[j], change = (on > 0 ? on : 0) - a[j],
                    slope = curved - (there ? n[j] - taken : 0);
            slope_start += slope * (start[j] - a[j]);
            curved_start += back * (start[j] - a[j]);
            slope_change += slope * change;
            curved_change += forth * change;
        }
        const double gained = warp_sum(2 * slope_start + curved_start),
                     curvature = warp_sum(curved_change), rise = 2 * warp_sum(slope_change);
        double length = curvature + rise <= gained ? 1 : 0;
        if (length < 1 && gained > 0 && curvature > 0)
            length =
                fmin(1.0, (sqrt(rise * rise + 4 * curvature * gained) - rise) / (2 * curvature));
        if (length > 0)
#pragma unroll(UNROLLED)
            for (int j = 0; j < KP; j++) {
                const T on = 2 * a[j] - start[j], change = (on > 0 ? on : 0) - a[j];
                a[j] += (T)(share * length) * change;
            }
    }
    if (there)
#pragma unroll(UNROLLED)
        for (int j = 0; j < KP; j++)
            rows[row * KP + j] = j < rank ? a[j] : 0;
}

inline int descent_basis_passes(const device_problem &q, const device_step &step)
{
    return q.cautious && step.iteration <= DESCENT_FIRST_ITERATIONS ? 1 : DESCENT_PASSES;
}

inline double descent_share(const device_problem &q, const device_step &step)
{
    const double now = (double)step.iteration, growing = now > 1 ? (now - 1) / (now + 2) : 0;
    if (!q.cautious)
        return DESCENT_SHARE;
    return growing < DESCENT_MOST_SHARE ? growing : DESCENT_MOST_SHARE;
}

template <typename T, int KP>
bool launch_some(const descent<T> &how, int columns, cudaStream_t stream)
{
    if (KP != columns)
        return false;
    descend<T, KP><<<(unsigned)((how.count + 127) / 128), 128, 0, stream>>>(how);
    return true;
}

/* False where it is not compiled for so many columns. */
template <typename T> bool launch_descent(const descent<T> &how, int columns, cudaStream_t stream)
{
    return launch_some<T, 16>(how, columns, stream) || launch_some<T, 32>(how, columns, stream) ||
           launch_some<T, 64>(how, columns, stream) || launch_some<T, 128>(how, columns, stream);
}

#endif
