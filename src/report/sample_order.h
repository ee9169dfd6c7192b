/* Some of a run's samples, those of a cluster beside each other: how heat maps show them. */
#ifndef REPORT_SAMPLE_ORDER_H
#define REPORT_SAMPLE_ORDER_H

#include "core/context.h"
#include "orthant/labels.h"
#include "orthant/matrix.h"

typedef struct sample_order {
    orthant_context *ctx;
    int64_t count;
    int64_t *sample;  /* in the order shown */
    int64_t *cluster; /* of sample[i], numbered from 0 */
    int64_t clusters;
} sample_order;

/* At most `most` samples, evenly from all, ordered by label and then as they come. Without labels
 * the largest entry of the encoding orders them. */
orthant_status sample_order_make(orthant_context *ctx, const orthant_labels *labels,
                                 const orthant_matrix *encoding, int64_t most, sample_order *order);
void sample_order_free(sample_order *order);

#endif
