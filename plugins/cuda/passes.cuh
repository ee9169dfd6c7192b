/* The fused passes that are compiled. */
#ifndef CUDA_PASSES_CUH
#define CUDA_PASSES_CUH

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
};

/* A compiled pass. */
struct pass_kind {
    int columns, threads, panel, bytes; /* KP; P */
    const void *exact, *rounded, *basis;
};

const pass_kind *pass_kinds(int *count);

#endif
