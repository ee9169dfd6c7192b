/* Label images: any bytes give a result or an error. */
#include <stdlib.h>

#include "data/label_image.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    label_images found = {0};
    if (fuzz_is_hdf5(data, size) && fuzz_choice(data, size) % 16)
        return 0;
    const orthant_status status =
        label_images_read(fuzz_context(), fuzz_file("input.csv", data, size), &found);
    fuzz_check(status, status ? NULL : found.image);
    for (int64_t i = 0; !status && i < found.count; i++) {
        const label_image *of = &found.image[i];
        for (int64_t p = 0; p < of->height * of->width; p++)
            if (of->labels[p] < 0 || of->labels[p] >= of->regions)
                abort();
    }
    label_images_free(&found);
    fuzz_check_freed();
    return 0;
}
