/* Counter-based random numbers (Philox 4x32-10): a draw depends on its key alone, never on what was
 * drawn before, so threads, ranks and blocks cannot change it. */
#ifndef CORE_RANDOM_H
#define CORE_RANDOM_H

#include <stdint.h>

/* Streams keep independent uses of one seed apart. */
typedef enum random_stream {
    RANDOM_BASIS = 1,
    RANDOM_ENCODING,
    RANDOM_KMEANS,
    RANDOM_LABELLED,
    RANDOM_SUBSPACE,
    RANDOM_TEST,
    RANDOM_DISTRIBUTION,
    RANDOM_RELATION,
    RANDOM_EIGENVECTOR,
    RANDOM_VOCABULARY,
    RANDOM_DRAW,  /* classes of a study */
    RANDOM_STUDY, /* seeds of a study's repeats */
    RANDOM_START, /* seeds of further starts */
    RANDOM_NEIGHBOURS,
    RANDOM_BLOCK_SAMPLES, /* that are held out together */
    RANDOM_BLOCK_FEATURES,
    RANDOM_NOISE,
    RANDOM_PERMUTATION,
    RANDOM_CONSENSUS, /* samples of a consensus matrix */
    RANDOM_SPECKLES,  /* entries that are held out one by one */
    RANDOM_BATCHES,   /* their order in a pass */
    RANDOM_LAYOUT
} random_stream;

/* Uniform on the open interval (0, 1), with 53 bits. */
double random_uniform(uint64_t seed, random_stream stream, uint64_t row, uint64_t column);
/* Uniform on 0, ..., bound - 1 (bound > 0). */
uint64_t random_below(uint64_t seed, random_stream stream, uint64_t row, uint64_t column,
                      uint64_t bound);
/* Standard normal. */
double random_normal(uint64_t seed, random_stream stream, uint64_t row, uint64_t column);

#endif
