/* Builds without VLFeat. */
#include "vision/sift.h"

orthant_status sift_extract(const picture_list *list, sift_set *out)
{
    *out = (sift_set){.ctx = list->ctx};
    return fail(list->ctx, ORTHANT_ERROR_UNSUPPORTED,
                "SIFT descriptors: this build of Orthant has no VLFeat; build it with "
                "-DORTHANT_VISION=ON");
}

void sift_free(sift_set *set)
{
    (void)set;
}
