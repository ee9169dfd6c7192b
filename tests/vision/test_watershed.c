/* What every flooding must give: a connected region for each minimum, and lines between regions. */
#include "fixture.h"

#include <stdlib.h>

#include "core/random.h"
#include "vision/grid.h"
#include "vision/lines.h"
#include "vision/watershed.h"

enum { HEIGHT = 61, WIDTH = 47, PIXELS = HEIGHT * WIDTH };

/* 8-connected pieces of pixels that agree in `value`, numbered in piece[]; -1 where not wanted. */
static int64_t count_pieces(const grid *g, const float *relief, const int32_t *region,
                            int32_t *piece)
{
    static int64_t stack[PIXELS];
    int64_t pieces = 0;
    for (int64_t p = 0; p < g->pixels; p++)
        piece[p] = -1;
    for (int64_t first = 0; first < g->pixels; first++) {
        int64_t count = 1;
        if (piece[first] >= 0 || (region && region[first] < 0))
            continue;
        stack[0] = first;
        piece[first] = (int32_t)pieces;
        while (count) {
            int64_t near[8];
            const int64_t p = stack[--count];
            const int neighbours = grid_neighbours(g, p, near);
            for (int j = 0; j < neighbours; j++)
                if (piece[near[j]] < 0 && (region ? region[near[j]] == region[first]
                                                  : relief[near[j]] == relief[first])) {
                    piece[near[j]] = (int32_t)pieces;
                    stack[count++] = near[j];
                }
        }
        pieces++;
    }
    return pieces;
}

/* Plateaus without a lower neighbour. */
static int64_t count_minima(const grid *g, const float *relief)
{
    static int32_t plateau[PIXELS];
    static bool lowest[PIXELS];
    int64_t minima = 0;
    const int64_t plateaus = count_pieces(g, relief, NULL, plateau);
    for (int64_t i = 0; i < plateaus; i++)
        lowest[i] = true;
    for (int64_t p = 0; p < g->pixels; p++) {
        int64_t near[8];
        const int neighbours = grid_neighbours(g, p, near);
        for (int j = 0; j < neighbours; j++)
            if (relief[near[j]] < relief[p])
                lowest[plateau[p]] = false;
    }
    for (int64_t i = 0; i < plateaus; i++)
        minima += lowest[i];
    return minima;
}

static int regions_around(const grid *g, const int32_t *region, int64_t pixel)
{
    int64_t near[8];
    int different = 0;
    const int neighbours = grid_neighbours(g, pixel, near);
    for (int i = 0; i < neighbours; i++) {
        bool again = region[near[i]] < 0;
        for (int j = 0; j < i; j++)
            again = again || region[near[j]] == region[near[i]];
        different += !again;
    }
    return different;
}

static void check_flooding(orthant_context *ctx, const float *relief)
{
    static int32_t region[PIXELS], piece[PIXELS];
    const grid g = grid_of(HEIGHT, WIDTH);
    int64_t regions = 0, unreached = 0;
    expect_ok(ctx, watershed_flood(ctx, relief, HEIGHT, WIDTH, region, &regions));
    assert_int_equal(regions, count_minima(&g, relief));
    assert_int_equal(count_pieces(&g, NULL, region, piece), regions);
    for (int64_t p = 0; p < PIXELS; p++) {
        assert_in_range(region[p] + 1, 0, regions);
        if (region[p] < 0) {
            const int around = regions_around(&g, region, p);
            assert_true(around >= 2 || around == 0);
            unreached += around == 0;
        }
    }
    /* A pixel that only lines surround is rare. */
    assert_true(unreached <= PIXELS / 200);
}

static void floods_noise_and_plateaus(void **state)
{
    static float relief[PIXELS];
    static const uint64_t levels[] = {0, 3, 8, 40};
    for (uint64_t seed = 0; seed < 5; seed++)
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            for (int p = 0; p < PIXELS; p++)
                relief[p] = levels[l]
                                ? (float)random_below(seed, RANDOM_TEST, (uint64_t)p, l, levels[l])
                                : (float)random_uniform(seed, RANDOM_TEST, (uint64_t)p, l);
            check_flooding(*state, relief);
        }
}

/* Two basins with a ridge: the line is the ridge. A plateau between two basins splits in its
 * middle. */
static void lines_lie_where_they_should(void **state)
{
    const float ridge[15] = {0, 1, 5, 1, 0, 0, 1, 5, 1, 0, 0, 1, 5, 1, 0};
    const float plateau[21] = {0, 4, 4, 4, 4, 4, 0, 0, 4, 4, 4, 4, 4, 0, 0, 4, 4, 4, 4, 4, 0};
    int32_t region[21];
    int64_t regions;
    expect_ok(*state, watershed_flood(*state, ridge, 3, 5, region, &regions));
    assert_int_equal(regions, 2);
    for (int p = 0; p < 15; p++)
        assert_int_equal(region[p], p % 5 < 2 ? 0 : p % 5 == 2 ? -1 : 1);
    expect_ok(*state, watershed_flood(*state, plateau, 3, 7, region, &regions));
    assert_int_equal(regions, 2);
    for (int p = 0; p < 21; p++)
        assert_int_equal(region[p], p % 7 < 3 ? 0 : p % 7 == 3 ? -1 : 1);
}

static void a_flat_relief_is_one_region(void **state)
{
    static float relief[PIXELS];
    int32_t region[PIXELS];
    int64_t regions;
    memset(relief, 0, sizeof relief);
    expect_ok(*state, watershed_flood(*state, relief, HEIGHT, WIDTH, region, &regions));
    assert_int_equal(regions, 1);
    for (int p = 0; p < PIXELS; p++)
        assert_int_equal(region[p], 0);
    expect_ok(*state, watershed_flood(*state, relief, 1, 1, region, &regions));
    assert_int_equal(regions, 1);
}

static void line_pixels_take_the_majority(void **state)
{
    /* The pixel in the middle sees label 2 three times, 7 three times: the lower one wins. On the
     * edge the next pixel inwards decides. */
    const int32_t region[25] = {0, 0, -1, 1, 1,  0, 0, -1, 1, 1,  0, 0, -1,
                                1, 1, 0,  0, -1, 1, 1, 0,  0, -1, 1, 1};
    const int32_t label[2] = {7, 2};
    int32_t labels[25];
    expect_ok(*state, lines_fill(*state, region, 5, 5, label, labels));
    for (int p = 0; p < 25; p++)
        assert_int_equal(labels[p], p % 5 < 2 ? 7 : 2);
    /* Lines three pixels wide: the middle one waits for the second pass. */
    const int32_t wide[15] = {0, -1, -1, -1, 1, 0, -1, -1, -1, 1, 0, -1, -1, -1, 1};
    expect_ok(*state, lines_fill(*state, wide, 3, 5, label, labels));
    for (int p = 0; p < 15; p++)
        assert_int_equal(labels[p], p % 5 < 2 ? 7 : 2);
    /* Nine wide: from both sides inwards, in as many passes as that takes; the middle column sees
     * both labels three times. */
    int32_t band[7 * 11], filled[7 * 11];
    for (int p = 0; p < 7 * 11; p++)
        band[p] = p % 11 == 0 ? 0 : p % 11 == 10 ? 1 : -1;
    expect_ok(*state, lines_fill(*state, band, 7, 11, label, filled));
    for (int p = 0; p < 7 * 11; p++)
        assert_int_equal(filled[p], p % 11 < 5 ? 7 : 2);
    /* One row is all edge. */
    const int32_t row[3] = {0, -1, 0};
    expect_ok(*state, lines_fill(*state, row, 1, 3, label, labels));
    assert_int_equal(labels[1], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(floods_noise_and_plateaus),
        fixture_test(lines_lie_where_they_should),
        fixture_test(a_flat_relief_is_one_region),
        fixture_test(line_pixels_take_the_majority),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
