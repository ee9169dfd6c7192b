/* What the BLAS does besides linear algebra. */
#ifndef KERNEL_BLAS_H
#define KERNEL_BLAS_H

#include "core/context.h"

/* Around every call of LAPACK or of the BLAS: in between OpenBLAS works in the calling
 * thread alone, and after the last of all such calls it has as many threads as before the first.
 * How it sums depends on the number of its threads: with more than one, the machine or the program
 * that uses us would decide the bits, and two pools of threads would fight for the processors. May
 * be called from several threads at once. */
void blas_enter(void);
void blas_leave(void);

/* One thread for good. OpenBLAS starts its threads when it is loaded, and each spins for a tenth of
 * a second before it sleeps: more than many commands take. This ends them, and nothing starts them
 * again. For programs at their begin: nothing may be inside the BLAS. */
void blas_end_threads(void);

/* For comparisons with the BLAS: how many threads it has outside of blas_enter and blas_leave.
 * Returns how many it had. */
int blas_set_threads(int threads);

/* Whether each of OpenBLAS's threads can have its buffer under the limits on address space. Where
 * not, they wait for it for ever, and so do blas_end_threads and the end of the program: such
 * a process has to begin again with OPENBLAS_NUM_THREADS=1. */
bool blas_threads_fit(void);

/* Before LAPACK is called: fails where the limits on address space leave the BLAS no buffer, as it
 * would ask for one for ever. */
orthant_status blas_check_memory(orthant_context *ctx);

#endif
