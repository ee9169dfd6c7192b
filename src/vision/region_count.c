#include "vision/region_count.h"

#include <inttypes.h>
#include <math.h>

#include "core/memory.h"
#include "core/text.h"
#include "method/kmeans.h"
#include "vision/subspace.h"

#define PALETTE 32
#define LIKENESS_WIDTH 15.0 /* Lab */
#define TAIL_SHARE 0.05
#define MOST_SEGMENTS 16
#define SEED 1

static orthant_status colours_of_regions(const superpixels *set, orthant_matrix **colours)
{
    const orthant_status status =
        matrix_new_dense(set->ctx, ORTHANT_SINGLE, set->count, 3, colours);
    for (int64_t r = 0; r < set->count && !status; r++)
        for (int c = 0; c < 3; c++)
            matrix_set_value(*colours, r * (*colours)->stride + c, set->lab[3 * r + c]);
    return status;
}

/* A row a region; large regions count more, as their pixels do. */
static orthant_status likeness(const superpixels *set, const double *palette, int64_t count,
                               orthant_matrix **table)
{
    const orthant_status status =
        matrix_new_dense(set->ctx, ORTHANT_SINGLE, set->count, count, table);
    for (int64_t r = 0; r < set->count && !status; r++)
        for (int64_t j = 0; j < count; j++) {
            double square = 0.0;
            for (int c = 0; c < 3; c++) {
                const double d = set->lab[3 * r + c] - palette[3 * j + c];
                square += d * d;
            }
            matrix_set_value(*table, r * (*table)->stride + j,
                             sqrt((double)set->size[r]) *
                                 exp(-0.5 * square / (LIKENESS_WIDTH * LIKENESS_WIDTH)));
        }
    return status;
}

static void tell(const subspace *s, int64_t segments, char *evidence, size_t size)
{
    if (s->features < 2) {
        text_append(evidence, size, "the picture is one region");
        return;
    }
    text_append(evidence, size, "energy left after 1, 2, ... directions of colour:");
    for (int64_t i = 1; i <= segments + 1 && i < s->features; i++)
        text_append(evidence, size, " %.3f", subspace_tail(s, i));
    text_append(evidence, size, "; below %.2f after %" PRId64, TAIL_SHARE, segments);
}

orthant_status region_count(const superpixels *set, int64_t *segments, char *evidence, size_t size)
{
    orthant_matrix *colours = NULL, *table = NULL;
    kmeans_outcome palette = {0};
    subspace directions = {0};
    const int64_t count = set->count < PALETTE ? set->count : PALETTE;
    const int64_t most = set->count < MOST_SEGMENTS ? set->count : MOST_SEGMENTS;
    evidence[0] = '\0';
    orthant_status status = colours_of_regions(set, &colours);
    if (!status)
        status = kmeans_run(set->ctx, colours, count, 1, 50, SEED, NULL, &palette);
    if (!status)
        status = likeness(set, palette.centres, count, &table);
    if (!status)
        status = subspace_create(set->ctx, table, &directions);
    if (!status) {
        *segments = most < 2 ? most : 2;
        while (*segments < most && *segments < count &&
               subspace_tail(&directions, *segments) > TAIL_SHARE)
            (*segments)++;
        tell(&directions, *segments, evidence, size);
        subspace_free(&directions);
    }
    kmeans_free(set->ctx, &palette);
    orthant_matrix_free(table);
    orthant_matrix_free(colours);
    return status;
}
