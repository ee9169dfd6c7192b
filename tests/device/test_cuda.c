/* The plug-in for NVIDIA's GPUs against the host: every verb, whole fits, checkpoints and the
 * golden cases, small and large. By itself, from the source folder:
 *
 *     ORTHANT_PLUGINS=build build/tests/test_device_cuda ['golden*']
 *
 * Skipped, saying why, where there is no plug-in or no GPU. */
#include "expect.h"

#include <stdlib.h>

#include "device_case.h"

int main(int argc, char **argv)
{
    const char *binary = getenv("ORTHANT_BINARY");
    setenv("ORTHANT_PLUGINS", binary ? binary : "build", 0);
    if (argc > 1) /* those of the name alone */
        cmocka_set_test_filter(argv[1]);
    return device_is_there("cuda") ? device_compare("cuda", true) : 77;
}
