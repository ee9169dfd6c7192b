/* The BLAS, for what is too large or too rare for kernels of our own. */
#include "kernel/blas.h"

#include "orthant/context.h"

extern char *openblas_get_config(void);
/* OpenBLAS's build without threads has none to end. */
extern int blas_thread_shutdown_(void) __attribute__((weak));

const char *orthant_blas_description(void)
{
    return openblas_get_config();
}

void blas_end_idle_threads(void)
{
    if (blas_thread_shutdown_)
        blas_thread_shutdown_();
}
