/* The BLAS, for what is too large or too rare for kernels of our own. */
#include "orthant/context.h"

extern char *openblas_get_config(void);

const char *orthant_blas_description(void)
{
    return openblas_get_config();
}
