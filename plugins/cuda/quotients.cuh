/* The passes over quotients that are compiled. */
#ifndef CUDA_QUOTIENTS_CUH
#define CUDA_QUOTIENTS_CUH

#include <stdint.h>

/* Rows of one factor meet all rows of the other, its keys, in steps of KEYS keys. The steps of all
 * blocks of rows lie behind each other, and each block of threads takes `share` of them: runs, a
 * block of rows or a part of it. The runs of a row are added up in their order. */
#define QUOTIENT_KEYS 16

struct quotient_plan {
    int64_t steps, share; /* of a block of rows, of a block of threads */

    __host__ __device__ int64_t first_run(int64_t block) const
    {
        return block * steps / share;
    }
    int64_t runs(int64_t block) const
    {
        return ((block + 1) * steps - 1) / share - first_run(block) + 1;
    }
};

struct quotient_arguments {
    const float *X;
    int64_t x_stride;
    int samples, features;
    const float *rows;  /* their factor, rows of KP numbers */
    const float2 *keys; /* the other, split, rows of LDK */
    float *runs;        /* sums of each run, `run_size` numbers apart */
    int64_t run_size;
    double *divergence; /* of each block of threads: sum of x log(x / y) */
    quotient_plan plan;
};

/* A compiled pair of passes: over samples with the features as keys, and the other way round. */
struct quotient_side {
    int rows, threads, bytes;
    const void *exact, *rounded;
};

struct quotient_kind {
    int columns, key_stride; /* KP; LDK */
    quotient_side numerators, sums;
};

const quotient_kind *quotient_kinds(int *count);

#endif
