/* How alike the nodes are by colour, normals, ... */
#include "vision/likeness_count.h"

#include <inttypes.h>
#include <math.h>

#include "cluster/kmeans.h"
#include "core/memory.h"
#include "core/text.h"
#include "vision/subspace.h"

#define PALETTE 32
#define TAIL_SHARE 0.05
#define MOST_SEGMENTS 16
#define SEED 1

/* A row per node; large ones count more, as their pixels do. */
static orthant_status likeness(orthant_context *ctx, const likeness_request *r,
                               const double *palette, int64_t count, orthant_matrix **table)
{
    const orthant_matrix *features = r->features;
    const int64_t n = features->rows, m = features->columns;
    const orthant_status status = matrix_new_dense(ctx, ORTHANT_SINGLE, n, count, table);
    for (int64_t i = 0; i < n && !status; i++)
        for (int64_t j = 0; j < count; j++) {
            double square = 0.0;
            for (int64_t c = 0; c < m; c++) {
                const double d =
                    matrix_value(features, i * features->stride + c) - palette[m * j + c];
                square += d * d;
            }
            matrix_set_value(*table, i * (*table)->stride + j,
                             sqrt(r->size ? (double)r->size[i] : 1.0) *
                                 exp(-0.5 * square / (r->width * r->width)));
        }
    return status;
}

static void tell(const subspace *s, int64_t segments, const char *of, char *evidence, size_t size)
{
    if (s->features < 2) {
        text_append(evidence, size, "there is one node");
        return;
    }
    text_append(evidence, size, "energy left after 1, 2, ... directions of %s:", of);
    for (int64_t i = 1; i <= segments + 1 && i < s->features; i++)
        text_append(evidence, size, " %.3f", subspace_tail(s, i));
    text_append(evidence, size, "; below %.2f after %" PRId64, TAIL_SHARE, segments);
}

orthant_status likeness_count(orthant_context *ctx, const likeness_request *request,
                              int64_t *segments, char *evidence, size_t size)
{
    orthant_matrix *table = NULL;
    kmeans_outcome palette = {0};
    subspace directions = {0};
    const int64_t n = request->features->rows;
    const int64_t count = n < PALETTE ? n : PALETTE, most = n < MOST_SEGMENTS ? n : MOST_SEGMENTS;
    evidence[0] = '\0';
    orthant_status status = kmeans_run(ctx, request->features, count, 1, 50, SEED, NULL, &palette);
    if (!status)
        status = likeness(ctx, request, palette.centres, count, &table);
    if (!status)
        status = subspace_create(ctx, table, &directions);
    if (!status) {
        *segments = most < 2 ? most : 2;
        while (*segments < most && *segments < count &&
               subspace_tail(&directions, *segments) > TAIL_SHARE)
            (*segments)++;
        tell(&directions, *segments, request->of, evidence, size);
        subspace_free(&directions);
    }
    kmeans_free(ctx, &palette);
    orthant_matrix_free(table);
    return status;
}
