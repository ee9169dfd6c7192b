/* The public door to k-means: labels of points. */
#include "cluster/kmeans.h"
#include "data/labels.h"
#include "data/matrix.h"

#define ITERATIONS 300

orthant_status orthant_labels_kmeans(orthant_context *context, const orthant_matrix *points,
                                     int64_t clusters, int restarts, uint64_t seed,
                                     orthant_labels **labels, double *inertia)
{
    kmeans_outcome outcome;
    if (labels)
        *labels = NULL;
    const orthant_status refused = entry_check(context, points && labels, __func__);
    if (refused)
        return refused;
    orthant_status status =
        kmeans_run(context, points, clusters, restarts, ITERATIONS, seed, NULL, &outcome);
    if (status != ORTHANT_OK)
        return status;
    status = orthant_labels_create(context, points->rows, outcome.label, labels);
    if (inertia)
        *inertia = outcome.inertia;
    kmeans_free(context, &outcome);
    return status;
}
