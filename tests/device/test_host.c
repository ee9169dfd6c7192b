/* What runs on a device, with one that is made of plain loops (host_device.c): the same comparisons
 * that test_cuda.c makes with a GPU. */
#include <stdio.h>
#include <stdlib.h>

#include "device_case.h"

int main(void)
{
    char folder[4096];
    const char *binary = getenv("ORTHANT_BINARY");
    snprintf(folder, sizeof folder, "%s/tests/plugins", binary ? binary : "build");
    setenv("ORTHANT_PLUGINS", folder, 1);
    return device_is_there("hostdevice") ? device_compare("hostdevice", false) : 1;
}
