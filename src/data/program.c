/* What is the program's and no context's. */
#include "orthant/program.h"

#include "core/memory.h"
#include "data/read.h"
#include "kernel/blas.h"

orthant_status orthant_program_begin(void)
{
    hdf5_no_exit_handler();
    if (!blas_threads_fit())
        return ORTHANT_ERROR_MEMORY;
    blas_end_threads();
    return ORTHANT_OK;
}

void orthant_text_free(orthant_context *context, char *text)
{
    if (context && text)
        memory_free(context, text);
}
