/* The fused passes that are compiled. */
#ifndef CUDA_PASSES_CUH
#define CUDA_PASSES_CUH

#include <cuda_runtime.h>
#include <stdint.h>

struct pass_arguments {
    const float *X;
    int64_t x_stride;
    int samples, features;
    const float *W, *G; /* rows of KP numbers */
    const float *from;
    float *to;
    float *sums; /* of each cluster: A, features x KP, then B, KP x KP */
    double exponent;
    int panel;            /* features of a block (half_pass.cuh) */
    const float2 *powers; /* of 16 samples each (half_pass.cuh) */
};

/* A compiled pass: frobenius_pass.cuh, or, where it has a number of blocks, half_pass.cuh. */
struct pass_kind {
    int columns, threads, panel; /* KP; features of a block, or their most */
    int blocks;                  /* of a cluster; 0: as many as the features need */
    int (*bytes)(int panel);     /* of shared memory */
    const void *exact, *rounded, *basis; /* rounded: NULL where there is none */
};

const pass_kind *pass_kinds(int *count);

/* powers[i] for the samples from 16 i on. */
void make_powers(float2 *powers, const float *X, int64_t stride, int samples, int features,
                 cudaStream_t stream);

#endif
