/* Superpixels: what they promise, beside VLFeat's on one picture, and in odd shapes. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <vl/slic.h>

#include "core/memory.h"
#include "core/random.h"
#include "vision/regions.h"
#include "vision/slic.h"

enum { HEIGHT = 97, WIDTH = 131, PIXELS = HEIGHT * WIDTH, COUNT = 120, STEP = 10 };

static int true_side(int p)
{
    const double y = p / WIDTH - 50, x = p % WIDTH - 60;
    return y * y + 0.5 * x * x < 900 ? 1 : 0;
}

/* An ellipse on a ground that darkens from left to right, with noise. */
static float *scene(void)
{
    float *planes = malloc(3 * PIXELS * sizeof *planes);
    assert_non_null(planes);
    for (int p = 0; p < PIXELS; p++)
        for (int c = 0; c < 3; c++)
            planes[c * PIXELS + p] =
                (c == 0 ? 60.0f - 0.1f * (float)(p % WIDTH) : 5.0f) + 25.0f * (float)true_side(p) +
                6.0f * (float)random_uniform(3, RANDOM_TEST, (uint64_t)p, (uint64_t)c);
    return planes;
}

/* Sum over the pixels of the squared distance in colour and place from their region's mean, what
 * both programs lower. */
static double cost_of(const float *planes, const int32_t *region_of, int64_t regions)
{
    double(*sum)[6] = calloc((size_t)regions, sizeof *sum), cost = 0.0;
    assert_non_null(sum);
    for (int pass = 0; pass < 2; pass++)
        for (int p = 0; p < PIXELS; p++) {
            double *s = sum[region_of[p]];
            const double at[5] = {(double)planes[p], (double)planes[PIXELS + p],
                                  (double)planes[2 * PIXELS + p], p / WIDTH, p % WIDTH};
            for (int j = 0; j < 5; j++)
                if (pass == 0)
                    s[j] += at[j];
                else
                    cost += pow(at[j] - s[j] / s[5], 2) * (j < 3 ? 1.0 : 100.0 / (STEP * STEP));
            s[5] += pass == 0;
        }
    free(sum);
    return cost;
}

static void check_regions(orthant_context *ctx, const int32_t *region_of, int height, int width,
                          int64_t regions, int64_t smallest)
{
    int64_t pieces = 0, *size = NULL, small = 0;
    int32_t *piece = malloc((size_t)height * (size_t)width * sizeof *piece);
    assert_non_null(piece);
    expect_ok(ctx, regions_components(ctx, region_of, height, width, piece, &pieces, &size));
    assert_int_equal(pieces, regions);
    for (int64_t i = 0; i < pieces; i++)
        small += size[i] < smallest;
    assert_in_range(small, 0, 1); /* the first has no other before it that it could join */
    memory_free(ctx, size);
    free(piece);
}

static void regions_are_whole_and_near_vlfeats(void **state)
{
    orthant_context *ctx = *state;
    float *planes = scene();
    int32_t region_of[PIXELS], other[PIXELS];
    vl_uint32 label[PIXELS];
    int64_t regions = 0, mixed = 0;
    expect_ok(ctx, slic_segment(ctx, planes, HEIGHT, WIDTH, COUNT, region_of, &regions));
    assert_in_range(regions, 100, 150);
    check_regions(ctx, region_of, HEIGHT, WIDTH, regions, STEP * STEP / 4);

    vl_slic_segment(label, planes, WIDTH, HEIGHT, 3, STEP, 100.0f, STEP * STEP / 4);
    for (int p = 0; p < PIXELS; p++)
        other[p] = (int32_t)label[p];
    const double ours = cost_of(planes, region_of, regions), theirs = cost_of(planes, other, 1000);
    if (ours > 1.03 * theirs)
        fail_msg("cost %g, VLFeat's %g", ours, theirs);

    int64_t(*sides)[2] = calloc((size_t)regions, sizeof *sides);
    assert_non_null(sides);
    for (int p = 0; p < PIXELS; p++)
        sides[region_of[p]][true_side(p)]++;
    for (int64_t r = 0; r < regions; r++)
        mixed += sides[r][0] < sides[r][1] ? sides[r][0] : sides[r][1];
    assert_in_range(mixed, 0, PIXELS / 200);
    free(sides);
    free(planes);
}

static void threads_change_nothing(void **state)
{
    float *planes = scene();
    int32_t first[PIXELS], again[PIXELS];
    int64_t regions = 0, other = 0;
    expect_ok(*state, orthant_context_set_threads(*state, 1));
    expect_ok(*state, slic_segment(*state, planes, HEIGHT, WIDTH, COUNT, first, &regions));
    for (int threads = 2; threads <= 5; threads++) {
        expect_ok(*state, orthant_context_set_threads(*state, threads));
        expect_ok(*state, slic_segment(*state, planes, HEIGHT, WIDTH, COUNT, again, &other));
        assert_int_equal(regions, other);
        assert_memory_equal(first, again, sizeof first);
    }
    free(planes);
}

static void odd_shapes_work(void **state)
{
    static const struct {
        int height, width;
        int64_t count;
    } shapes[] = {{1, 1, 1},   {1, 1, 600}, {1, 97, 10},  {97, 1, 10},  {2, 3, 1000000000},
                  {30, 41, 1}, {30, 41, 2}, {96, 129, 3}, {64, 64, 64}, {5, 131, 400}};
    float *planes = scene();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int height = shapes[i].height, width = shapes[i].width;
        const double pixels = (double)height * width;
        const int64_t step = llround(sqrt(pixels / (double)shapes[i].count));
        int32_t region_of[PIXELS];
        int64_t regions = 0;
        expect_ok(*state, slic_segment(*state, planes, height, width, shapes[i].count, region_of,
                                       &regions));
        assert_in_range(regions, 1, height * width);
        check_regions(*state, region_of, height, width, regions, step * step / 4);
    }
    free(planes);
}

/* Nothing but places decides: regions are the squares of the grid. */
static void one_colour_gives_squares(void **state)
{
    float *planes = calloc(3 * PIXELS, sizeof *planes);
    int32_t region_of[PIXELS];
    int64_t regions = 0;
    assert_non_null(planes);
    expect_ok(*state, slic_segment(*state, planes, 80, 100, 80, region_of, &regions));
    assert_int_equal(regions, 80);
    for (int p = 0; p < 80 * 100; p++) {
        const int y = p / 100, x = p % 100;
        if (y % 10 > 1 && y % 10 < 8 && x % 10 > 1 && x % 10 < 8)
            assert_int_equal(region_of[p], region_of[y / 10 * 1000 + 200 + x / 10 * 10 + 2]);
    }
    free(planes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(regions_are_whole_and_near_vlfeats),
        fixture_test(threads_change_nothing),
        fixture_test(odd_shapes_work),
        fixture_test(one_colour_gives_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
