/* Takes samples at even steps and sorts them by cluster. */
#include "report/sample_order.h"

#include <stdlib.h>

#include "core/memory.h"
#include "data/labels.h"

typedef struct placed {
    int64_t sample, cluster;
} placed;

static int by_cluster(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    return x->sample < y->sample ? -1 : x->sample > y->sample;
}

static orthant_status order_samples(const orthant_labels *labels, int64_t most, sample_order *order)
{
    orthant_context *ctx = order->ctx;
    const int64_t all = labels->count;
    const int64_t count = all < most ? all : most;
    int64_t *cluster = memory_new(ctx, all, sizeof *cluster, "clusters of samples");
    placed *place = memory_new(ctx, count, sizeof *place, "places of samples");
    orthant_status status = ORTHANT_ERROR_MEMORY;
    order->sample = memory_new(ctx, count, sizeof *order->sample, "an order of samples");
    order->cluster = memory_new(ctx, count, sizeof *order->cluster, "an order of samples");
    if (cluster && place && order->sample && order->cluster)
        status = labels_to_classes(ctx, labels, cluster, &order->clusters);
    if (!status) {
        for (int64_t i = 0; i < count; i++) {
            /* i * all / count without its overflow */
            const int64_t sample = i * (all / count) + i * (all % count) / count;
            place[i] = (placed){sample, cluster[sample]};
        }
        qsort(place, (size_t)count, sizeof *place, by_cluster);
        for (int64_t i = 0; i < count; i++) {
            order->sample[i] = place[i].sample;
            order->cluster[i] = place[i].cluster;
        }
        order->count = count;
    }
    memory_free(ctx, place);
    memory_free(ctx, cluster);
    return status;
}

orthant_status sample_order_make(orthant_context *ctx, const orthant_labels *labels,
                                 const orthant_matrix *encoding, int64_t most, sample_order *order)
{
    orthant_labels *largest = NULL;
    orthant_status status = ORTHANT_OK;
    *order = (sample_order){.ctx = ctx};
    if (!labels && encoding)
        status = orthant_labels_argmax(ctx, encoding, &largest);
    if (!status && (labels || largest))
        status = order_samples(labels ? labels : largest, most, order);
    orthant_labels_free(largest);
    if (status)
        sample_order_free(order);
    return status;
}

void sample_order_free(sample_order *order)
{
    if (!order->ctx)
        return;
    memory_free(order->ctx, order->sample);
    memory_free(order->ctx, order->cluster);
    *order = (sample_order){0};
}
