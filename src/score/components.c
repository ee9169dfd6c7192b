/* Connected components in two passes with a forest of pixels (Rosenfeld and Pfaltz 1966). */
#include "score/segmentation.h"

#include "core/memory.h"

/* The root, with the path to it halved. A root is the first pixel of its tree. */
static int32_t root_of(int32_t *parent, int32_t pixel)
{
    while (parent[pixel] != pixel) {
        parent[pixel] = parent[parent[pixel]];
        pixel = parent[pixel];
    }
    return pixel;
}

static void join(int32_t *parent, int32_t a, int32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

orthant_status components_label(orthant_context *ctx, const int32_t *labels, int64_t height,
                                int64_t width, int32_t *component)
{
    const int64_t pixels = height * width;
    int32_t count = 0;
    int32_t *parent = memory_new(ctx, pixels, sizeof *parent, "pieces of regions");
    if (!parent)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < pixels; i++) {
        parent[i] = (int32_t)i;
        if (i % width > 0 && labels[i] == labels[i - 1])
            join(parent, (int32_t)i, (int32_t)(i - 1));
        if (i >= width && labels[i] == labels[i - width])
            join(parent, (int32_t)i, (int32_t)(i - width));
    }
    for (int64_t i = 0; i < pixels; i++) {
        const int32_t root = root_of(parent, (int32_t)i);
        component[i] = root == i ? count++ : component[root];
    }
    memory_free(ctx, parent);
    return ORTHANT_OK;
}
