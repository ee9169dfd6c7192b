/** @file
 * What a program does once at its begin, and the texts that the library makes. */
#ifndef ORTHANT_PROGRAM_H
#define ORTHANT_PROGRAM_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** For a program that leaves BLAS and HDF5 to Orthant, at its begin, before any other thread and
 * any other call: ends the threads that OpenBLAS started when it was loaded, which would spin for a
 * tenth of a second (the library brings its own), and keeps HDF5 from writing to standard error at
 * exit about damaged files. Not for a binding: other code of the process may use both.
 * @return ORTHANT_ERROR_MEMORY where the limits on address space leave OpenBLAS's threads no
 * buffers, so that they would wait for ever: such a program has to begin again with
 * OPENBLAS_NUM_THREADS=1 in its environment. There is no message, as there is no context. */
ORTHANT_API orthant_status orthant_program_begin(void);

/** Frees a text that came back through a `char **` of the library; NULL is fine.
 * @param context the one that made it. */
ORTHANT_API void orthant_text_free(orthant_context *context, char *text);

#ifdef __cplusplus
}
#endif
#endif
