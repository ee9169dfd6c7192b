/** @file
 * Devices: accelerators on which the iterations of a fit run.
 *
 * A device comes from a plug-in: "cuda", for NVIDIA's GPUs, is the shared object
 * liborthant-cuda.so, which lies beside the library or in the folder that the environment's
 * ORTHANT_PLUGINS names, and is built where the CUDA toolkit is. Nothing else of the library needs
 * it.
 *
 *     orthant_context_set_device(context, "cuda");
 *     orthant_fit(model, X, &result);
 *
 * A fit whose method, loss, solver, terms or data the device cannot take is refused before
 * anything runs; orthant_method_info says which methods can run on one. Exact neighbours (graphs,
 * similarities) and the nearest centres of k-means are found there too where that takes the CPU
 * long, and are the same to the last bit; whatever the device cannot take of them the CPU does.
 * Everything else (starts, transform, scores) runs on the CPU, whatever the device. */
#ifndef ORTHANT_DEVICE_H
#define ORTHANT_DEVICE_H

#include "context.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is known of a device. */
typedef struct orthant_device_info {
    size_t size;         /**< set it to sizeof(orthant_device_info) */
    char name[128];      /**< in its maker's words */
    int64_t memory;      /**< bytes that it has */
    int64_t free_memory; /**< bytes of these that are free now */
    int multiprocessors; /**< how many */
    int major;           /**< of its compute capability */
    int minor;           /**< of its compute capability */
} orthant_device_info;

/** Where the context's fits run from now on: "cpu" (the default), "cuda" or "cuda:N" for the
 * device with that number, from 0.
 * @return ORTHANT_ERROR_ARGUMENT for a device that is not there, ORTHANT_ERROR_UNSUPPORTED where
 * there is no plug-in, no driver or no device at all; the message says what is missing. The context
 * then keeps what it had. */
ORTHANT_API orthant_status orthant_context_set_device(orthant_context *context, const char *device);
/** Where the context's fits run: "cpu", or "cuda:0". */
ORTHANT_API const char *orthant_context_device(const orthant_context *context);

/** Whether products of a fit in single precision on a device may round their factors to fewer bits
 * (TF32: 11 of 24), where that is quicker; false by default. The CPU never does. */
ORTHANT_API void orthant_context_set_product_rounding(orthant_context *context, bool rounds);
/** Whether products may round their factors. */
ORTHANT_API bool orthant_context_product_rounding(const orthant_context *context);

/** The most bytes of a device's memory that a fit may take, so that data which would fit are
 * brought there strip by strip; 0 (the default): all that is free. */
ORTHANT_API void orthant_context_set_device_memory_limit(orthant_context *context, size_t bytes);
/** The limit in bytes; 0: all that is free. */
ORTHANT_API size_t orthant_context_device_memory_limit(const orthant_context *context);

/** Says that the entries of a dense matrix lie in a device's memory too, so that fits on that
 * device read them where they are and bring nothing there; everything else reads the matrix's own.
 * Nothing is copied or compared: both must hold the same numbers, in the same precision. Scaling
 * the matrix forgets them. A matrix read by several threads is not to be told at the same time.
 * @param device as orthant_context_device() names it: "cuda:0".
 * @param values of the device's memory, which stay as they are until the matrix is freed; NULL:
 * there are none any more.
 * @param stride elements from one row to the next, at least as many as there are columns.
 * @return ORTHANT_ERROR_ARGUMENT for a sparse matrix, one whose entries stay in a file, a stride
 * that is too small or another name. */
ORTHANT_API orthant_status orthant_matrix_set_device_copy(orthant_matrix *matrix,
                                                          const char *device, const void *values,
                                                          int64_t stride);

/** How many devices of a kind ("cuda") there are.
 * @return ORTHANT_ERROR_UNSUPPORTED where there is none, and the message says why. */
ORTHANT_API orthant_status orthant_device_count(orthant_context *context, const char *kind,
                                                int *count);
/** What is known of the device of a kind with this number, from 0. */
ORTHANT_API orthant_status orthant_device_describe(orthant_context *context, const char *kind,
                                                   int number, orthant_device_info *info);

#ifdef __cplusplus
}
#endif
#endif
