/* What the BLAS does besides linear algebra. */
#ifndef KERNEL_BLAS_H
#define KERNEL_BLAS_H

#include "core/context.h"

/* OpenBLAS starts its threads when it is loaded, and each spins for a tenth of a second before it
 * sleeps: more than many commands take. This ends them; the first product that is worth it starts
 * them again. For programs at their begin: nothing may be inside the BLAS. */
void blas_end_idle_threads(void);

/* Whether each of OpenBLAS's threads can have its buffer under the limits on address space. Where
 * not, they wait for it for ever, and so do blas_end_idle_threads and the end of the program: such
 * a process has to begin again with OPENBLAS_NUM_THREADS=1. */
bool blas_threads_fit(void);

/* Before LAPACK is called: fails where the limits on address space leave the BLAS no buffer, as it
 * would ask for one for ever. */
orthant_status blas_check_memory(orthant_context *ctx);

#endif
