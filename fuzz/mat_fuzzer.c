/* MATLAB files: any bytes give a result or an error. */
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Of version 7.3, which is HDF5, a few: the target hdf5 has the others. */
    if (!fuzz_is_hdf5(data, size) || fuzz_choice(data, size) % 16 == 0)
        fuzz_matrix("input.mat", data, size);
    return 0;
}
