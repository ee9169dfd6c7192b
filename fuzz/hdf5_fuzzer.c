/* HDF5 files: any bytes give a result or an error. */
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_matrix("input.h5", data, size);
    return 0;
}
