#include "vision/segment.h"

#include "core/memory.h"

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
