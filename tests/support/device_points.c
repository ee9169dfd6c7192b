/* Neighbours and k-means on a device: the host's, to the last bit. */
#include "device_points.h"

#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/kmeans.h"
#include "core/device_search.h"
#include "core/random.h"
#include "data/matrix.h"
#include "graph/neighbours.h"
#include "orthant/device.h"

typedef enum kind_of_points {
    UNIFORM,    /* between 0 and 1 */
    WHOLE,      /* small whole numbers: many ties */
    DUPLICATES, /* copies of a few */
    AWAY        /* near each other and far from zero: rounding hides who is near */
} kind_of_points;

typedef struct points_case {
    int64_t n, m, count; /* count: neighbours, or clusters */
    kind_of_points kind;
    bool single;
} points_case;

static double entry_of(const points_case *c, int64_t i, int64_t l)
{
    const uint64_t row = (uint64_t)(c->kind == DUPLICATES ? i % 50 : i);
    const double value = random_uniform(7, RANDOM_TEST, row, (uint64_t)l);
    return c->kind == WHOLE ? floor(4 * value) : c->kind == AWAY ? 1000 + value : value;
}

static orthant_matrix *points_of(orthant_context *ctx, const points_case *c)
{
    orthant_matrix *points = NULL;
    orthant_context_set_precision(ctx, c->single ? ORTHANT_SINGLE : ORTHANT_DOUBLE);
    expect_ok(ctx, orthant_matrix_create(ctx, c->n, c->m, NULL, &points));
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t l = 0; l < c->m; l++)
            matrix_set_value(points, i * points->stride + l, entry_of(c, i, l));
    return points;
}

static void check_neighbours(orthant_context *ctx, const char *kind, const points_case *c)
{
    const search_clock no_limit = {0};
    const size_t entries = (size_t)(c->n * c->count);
    int32_t *here = malloc(entries * sizeof *here), *there = malloc(entries * sizeof *there);
    orthant_matrix *points = points_of(ctx, c);
    assert_non_null(here);
    assert_non_null(there);
    expect_ok(ctx, orthant_context_set_device(ctx, "cpu"));
    expect_ok(ctx, neighbours_find(ctx, points, c->count, ORTHANT_SEARCH_EXACT, &no_limit, here));
    expect_ok(ctx, orthant_context_set_device(ctx, kind));
    assert_non_null(ctx->device_search);
    memset(there, 255, entries * sizeof *there);
    expect_ok(ctx, neighbours_find(ctx, points, c->count, ORTHANT_SEARCH_EXACT, &no_limit, there));
    for (size_t e = 0; e < entries; e++)
        if (here[e] != there[e])
            fail_msg("%d x %d, kind %d: neighbour %d of sample %d is %d, on the device %d",
                     (int)c->n, (int)c->m, (int)c->kind, (int)(e % (size_t)c->count),
                     (int)(e / (size_t)c->count), here[e], there[e]);
    orthant_matrix_free(points);
    free(here);
    free(there);
}

void device_check_neighbours(const char *kind, bool large)
{
    static const points_case cases[] = {
        {1500, 70, 5, UNIFORM, true},    {1200, 33, 1, UNIFORM, false}, {1100, 130, 7, WHOLE, true},
        {1000, 64, 9, DUPLICATES, true}, {1001, 37, 60, AWAY, true},    {1003, 65, 5, AWAY, false},
        {9000, 784, 5, UNIFORM, true},   {20000, 50, 20, WHOLE, false}};
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases - (large ? 0 : 2); i++)
        check_neighbours(ctx, kind, &cases[i]);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}

static void check_kmeans(orthant_context *ctx, const char *kind, const points_case *c)
{
    orthant_matrix *points = points_of(ctx, c);
    kmeans_outcome here, there;
    expect_ok(ctx, orthant_context_set_device(ctx, "cpu"));
    expect_ok(ctx, kmeans_run(ctx, points, c->count, 2, 12, 3, NULL, &here));
    expect_ok(ctx, orthant_context_set_device(ctx, kind));
    expect_ok(ctx, kmeans_run(ctx, points, c->count, 2, 12, 3, NULL, &there));
    assert_int_equal(here.iterations, there.iterations);
    assert_memory_equal(here.label, there.label, (size_t)c->n * sizeof *here.label);
    assert_memory_equal(here.centres, there.centres,
                        (size_t)(c->count * c->m) * sizeof *here.centres);
    assert_true(here.inertia == there.inertia);
    kmeans_free(ctx, &here);
    kmeans_free(ctx, &there);
    orthant_matrix_free(points);
}

void device_check_kmeans(const char *kind, bool large)
{
    static const points_case cases[] = {{3000, 113, 100, UNIFORM, true},
                                        {3000, 114, 100, WHOLE, false},
                                        {4000, 64, 132, DUPLICATES, true},
                                        {3000, 120, 99, AWAY, true},
                                        {30000, 784, 50, UNIFORM, true}};
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases - (large ? 0 : 1); i++)
        check_kmeans(ctx, kind, &cases[i]);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
}
