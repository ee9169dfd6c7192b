/* What all kinds of segmentation share. */
#include "vision/segment.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

orthant_status segment_check_size(orthant_context *ctx, const char *name, int height, int width)
{
    if ((int64_t)height * width > SEGMENT_MOST_PIXELS)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s has %d x %d pixels, more than the %" PRId64
                    " that are segmented at once; make it smaller first",
                    name, width, height, SEGMENT_MOST_PIXELS);
    return ORTHANT_OK;
}

void segmentation_free(segmentation *s)
{
    if (!s)
        return;
    memory_free(s->ctx, s->labels);
    memory_free(s->ctx, s->node_of);
    memory_free(s->ctx, s->position);
    for (int i = 0; i < s->snapshot_count; i++)
        memory_free(s->ctx, s->snapshots[i].labels);
    orthant_graph_free(s->graph);
    *s = (segmentation){.ctx = s->ctx};
}

orthant_status segment_set_parameters(orthant_context *ctx, const char *const *parameters,
                                      int count, orthant_model *model)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < count && !status; i++) {
        const char *equals = strchr(parameters[i], '=');
        char name[64];
        if (!equals || equals - parameters[i] >= (ptrdiff_t)sizeof name)
            return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                        "parameter '%s': expected a name, an equals sign and a value",
                        parameters[i]);
        snprintf(name, sizeof name, "%.*s", (int)(equals - parameters[i]), parameters[i]);
        status = orthant_model_set(model, name, equals + 1);
    }
    return status;
}
