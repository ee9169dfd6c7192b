/* PLY point clouds: any bytes give a result or an error. */
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_cloud("input.ply", data, size);
    return 0;
}
