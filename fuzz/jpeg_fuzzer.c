/* JPEG pictures: any bytes give a result or an error. */
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_image("input.jpg", data, size);
    return 0;
}
