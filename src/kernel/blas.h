/* What the BLAS does besides linear algebra. */
#ifndef KERNEL_BLAS_H
#define KERNEL_BLAS_H

/* OpenBLAS starts its threads when it is loaded, and each spins for a tenth of a second before it
 * sleeps: more than many commands take. This ends them; the first product that is worth it starts
 * them again. For programs at their begin: nothing may be inside the BLAS. */
void blas_end_idle_threads(void);

#endif
