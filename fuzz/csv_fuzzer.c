/* CSV tables: any bytes give a result or an error. */
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!fuzz_is_hdf5(data, size))
        fuzz_matrix("input.csv", data, size);
    return 0;
}
