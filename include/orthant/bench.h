/** @file
 * Speed on standard shapes, beside the limits of the machine measured in the same run: the peak of
 * multiply-adds that never leave the registers, one read of X, and the bare products of an update
 * by the BLAS. */
#ifndef ORTHANT_BENCH_H
#define ORTHANT_BENCH_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is measured. */
typedef struct orthant_bench_options {
    size_t size;      /**< set it to sizeof(orthant_bench_options) */
    bool quick;       /**< fewer digits and rounds, no large similarity */
    const char *data; /**< a folder with the research sets; NULL: all data are generated */
} orthant_bench_options;

/** One method with one solver on one shape. Further fields will be added at the end. */
typedef struct orthant_bench_row {
    size_t size;        /**< of what is filled */
    const char *shape;  /**< its name */
    bool generated;     /**< the data are no real ones */
    int64_t samples;    /**< n */
    int64_t features;   /**< m */
    int64_t stored;     /**< entries of X that are kept in memory */
    int64_t rank;       /**< k */
    double read_ms;     /**< one read of X */
    double blas_ms;     /**< the products of one update by the BLAS; NaN where X is sparse */
    const char *method; /**< its name */
    const char *solver; /**< "": the method has one alone */
    double ms;          /**< per iteration on all threads */
    double alone_ms;    /**< per iteration on one */
    double flops;       /**< of its products with X */
    double quality;     /**< the objective that the first solver ends with ... */
    int64_t quality_iterations; /**< ... after so many iterations */
    double quality_s;           /**< seconds to that objective; NaN where it was not reached */
} orthant_bench_row;

/** Called with each row as soon as it is measured; the row is the library's, for the call alone. */
typedef void (*orthant_bench_function)(void *user, const orthant_bench_row *row);

/** Measures everything, for minutes (quick: seconds), on the context's threads; nothing else should
 * run on the machine.
 * @param options NULL: all of it, on generated data
 * @return ORTHANT_STOPPED where the progress callback asked for it. */
ORTHANT_API orthant_status orthant_bench_run(orthant_context *context,
                                             const orthant_bench_options *options,
                                             orthant_bench_function listener, void *user);

/** GFLOP/s of multiply-adds in single precision that never leave the registers, all threads; the
 * best of `rounds`, a few milliseconds each. NaN of a NULL context. */
ORTHANT_API double orthant_bench_peak(orthant_context *context, int rounds);

#ifdef __cplusplus
}
#endif
#endif
