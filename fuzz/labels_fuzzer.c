/* Files of labels: any bytes give a result or an error. */
#include <stdlib.h>

#include "input.h"
#include "orthant/labels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    orthant_labels *labels = NULL;
    if (fuzz_is_hdf5(data, size) && fuzz_choice(data, size) % 16)
        return 0;
    const orthant_status status =
        orthant_labels_read(fuzz_context(), fuzz_file("input.csv", data, size), &labels);
    fuzz_check(status, labels);
    if (labels && (orthant_labels_classes(labels) < 0 ||
                   orthant_labels_classes(labels) > orthant_labels_count(labels)))
        abort();
    orthant_labels_free(labels);
    fuzz_check_freed();
    return 0;
}
