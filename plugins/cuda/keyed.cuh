/* What passes over X by keys have in common (split_pass.cuh, quotient_pass.cuh). */
#ifndef CUDA_KEYED_CUH
#define CUDA_KEYED_CUH

#include <stdint.h>

#define TILE 64          /* samples, and features, of a tile of X; keys of a step */
#define TILE_THREADS 256 /* that make a tile */

/* Rows of one factor meet all rows of the other, its keys, in steps. The steps of all
 * blocks of rows lie behind each other, and each block of threads takes `share` of them: runs, a
 * block of rows or a part of it. The runs of a row are added up in their order. */
struct keyed_plan {
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

/* Sums of the rows of a factor, as runs that are to be added up. */
struct run_list {
    const float *runs;
    int64_t run_size;
    const int *counts; /* of each block of rows; NULL: one */
    int rows;          /* of a block */

    __device__ float sum(int row, int64_t at) const
    {
        float total = runs[at];
        for (int i = 1, count = counts ? counts[row / rows] : 1; i < count; i++)
            total += runs[i * run_size + at];
        return total;
    }
};

/* A compiled pass. */
struct keyed_side {
    int rows, threads, bytes;
    const void *pass;
};

/* A pair: over the samples with the features as keys, and the other way round. */
struct keyed_kind {
    int columns; /* KP */
    keyed_side over_samples, over_features;
};

#endif
