/* The passes over X by keys that are compiled (keyed_pass.cuh). */
#ifndef CUDA_KEYED_CUH
#define CUDA_KEYED_CUH

#include <stdint.h>

/* Rows of one factor meet all rows of the other, its keys, in steps. The steps of all
 * blocks of rows lie behind each other, and each block of threads takes `share` of them: runs, a
 * block of rows or a part of it. The runs of a row are added up in their order. */
#define KEYS 32 /* of a step (quotients) */

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

/* The keys, split and in the order in which they are multiplied: */
struct packed_keys {
    float *columns; /* as a product's columns are summed over the keys, */
    float *rows;    /* and over the factor's columns (quotients) */
};

/* Where a key's number lies; its low part is COLUMN_LOW or ROW_LOW numbers behind. */
__host__ __device__ inline int64_t column_at(int64_t key, int column, int columns)
{
    const int inner = (int)(key % 2) * 4 + (int)(key % 8) / 2;
    return key / 8 * 16 * columns + inner / 4 * 4 * columns + column * 4 + inner % 4;
}
#define COLUMN_LOW(columns) ((columns)*8)

__host__ __device__ inline int64_t row_at(int64_t key, int column, int columns)
{
    const int inner = column % 2 * 4 + column % 8 / 2;
    return key / KEYS * 2 * KEYS * columns + column / 8 * 16 * KEYS + inner / 4 * 4 * KEYS +
           key % KEYS * 4 + inner % 4;
}
#define ROW_LOW (KEYS * 8)

struct keyed_arguments {
    const float *X;
    int64_t x_stride;
    int samples, features;
    const float *rows; /* their factor, rows of KP numbers (quotients) */
    packed_keys keys;
    float *runs; /* sums of each run, `run_size` numbers apart */
    int64_t run_size;
    double *divergence; /* of each block of threads: sum of x log(x / y) */
    keyed_plan plan;
};

/* A compiled pass. */
struct keyed_side {
    int rows, threads, bytes;
    int keys; /* of a step */
    const void *pass;
};

/* A pair: over the samples with the features as keys, and the other way round. */
struct keyed_kind {
    int columns; /* KP */
    keyed_side over_samples, over_features;
};

/* Of quotients (keyed_pass.cuh); rounds: with factors rounded to TF32. */
const keyed_kind *quotient_kinds(bool rounds, int *count);

#endif
