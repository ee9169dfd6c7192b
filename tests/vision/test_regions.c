/* Components, what is dropped and filled, and merges beside sums worked by hand. */
#include "fixture.h"

#include <math.h>

#include "core/memory.h"
#include "core/random.h"
#include "vision/als.h"
#include "vision/regions.h"

static void test_components(void **state)
{
    /* 1 touches 1 at a corner only; -1 is in no component. */
    const int32_t labels[] = {1, 0, 0, 2, 0, 1, 0, -1, 1, 1, 3, 3};
    const int32_t expected[] = {0, 1, 1, 2, 3, 4, 1, -1, 4, 4, 5, 5};
    int32_t component[12];
    int64_t count = 0, *size = NULL;
    expect_ok(*state, regions_components(*state, labels, 3, 4, component, &count, &size));
    assert_int_equal(count, 6);
    assert_memory_equal(component, expected, sizeof expected);
    const int64_t sizes[] = {1, 3, 1, 1, 3, 2};
    assert_memory_equal(size, sizes, sizeof sizes);
    memory_free(*state, size);
}

static void test_fill(void **state)
{
    int32_t labels[] = {5, -1, -1, -1, 6, -1, -1, -1, -1, -1};
    const int32_t filled[] = {5, 5, 5, 6, 6, 5, 5, 5, 6, 6};
    expect_ok(*state, regions_fill(*state, labels, 2, 5));
    assert_memory_equal(labels, filled, sizeof filled);
    int32_t none[] = {-1, -1};
    expect_ok(*state, regions_fill(*state, none, 1, 2));
    assert_int_equal(none[0], -1);
}

static void test_drop(void **state)
{
    int32_t labels[] = {0, 0, 0, 1, 1, 1, 0, 2, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0};
    const int32_t kept[] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0};
    const int32_t largest[] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1};
    expect_ok(*state, regions_drop_small(*state, labels, 3, 6, 2));
    assert_memory_equal(labels, kept, sizeof kept);
    expect_ok(*state, regions_keep_largest(*state, labels, 3, 6));
    assert_memory_equal(labels, largest, sizeof largest);
    /* All are small: the largest stays. */
    int32_t small[] = {3, 4, 4};
    expect_ok(*state, regions_drop_small(*state, small, 1, 3, 100));
    assert_int_equal(small[0], 4);
}

/* Four regions in a row with one feature: 0 | 10 | 1 | 10.5, sizes 2, 1, 1, 2. */
static void check_merges(orthant_context *ctx, bool adjacent)
{
    const int32_t component[] = {0, 0, 1, 2, 3, 3};
    const float feature[] = {0, 0, 10, 1, 10.5f, 10.5f};
    region_merge merges[3];
    int32_t label_of[4];
    orthant_matrix *features = NULL;
    expect_ok(ctx, matrix_new_factor(ctx, ORTHANT_SINGLE, 6, 1, &features));
    for (int i = 0; i < 6; i++)
        ((float *)features->values)[i * features->stride] = feature[i];
    expect_ok(ctx, regions_merge(ctx, component, 4, 1, 6, features, adjacent, merges));
    expect_ok(ctx, regions_cut(ctx, merges, 4, 2, label_of));
    if (adjacent) {
        /* {1,2}: 81/2; then {1,2} (mean 5.5) with 3: 25; with 0: 30.25. */
        assert_true(fabs(merges[0].cost - 40.5) < 1e-9 && fabs(merges[1].cost - 25.0) < 1e-9);
        assert_true(label_of[0] == 0 && label_of[1] == 1 && label_of[2] == 1 && label_of[3] == 1);
    } else {
        assert_true(fabs(merges[0].cost - 0.25 * 2.0 / 3.0) < 1e-9);
        assert_true(fabs(merges[1].cost - 2.0 / 3.0) < 1e-9);
        assert_true(label_of[0] == 0 && label_of[1] == 1 && label_of[2] == 0 && label_of[3] == 1);
    }
    orthant_matrix_free(features);
}

static void test_merge(void **state)
{
    check_merges(*state, true);
    check_merges(*state, false);
}

/* Exact data are found again, and the objective is that of the dense formula. */
static void test_als(void **state)
{
    enum { ROWS = 2500, COLUMNS = 12, PARTS = 3 };
    orthant_context *ctx = *state;
    double basis[PARTS * COLUMNS], start[PARTS * COLUMNS], squares = 0.0;
    orthant_matrix *y = NULL;
    als_outcome found;
    expect_ok(ctx, matrix_new_factor(ctx, ORTHANT_SINGLE, ROWS, COLUMNS, &y));
    for (int i = 0; i < PARTS * COLUMNS; i++) {
        basis[i] = i % COLUMNS / 4 == i / COLUMNS ? 1.0 : 0.0;
        start[i] = basis[i] + 0.2 * random_uniform(1, RANDOM_TEST, 0, (uint64_t)i) - 0.1;
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const double value = basis[(i % PARTS) * COLUMNS + j];
            ((float *)y->values)[i * y->stride + j] = (float)value;
            squares += value * value;
        }
    expect_ok(ctx, als_run(ctx, y, PARTS, start, 100, (als_ridges){0.1, 0.1}, &found));
    assert_in_range(found.iterations, 1, 20);
    assert_true(found.objective < 0.1 * squares);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < PARTS; k++)
            assert_true(k == i % PARTS || orthant_matrix_get(found.weights, i, k) <
                                              orthant_matrix_get(found.weights, i, i % PARTS));
    orthant_matrix_free(found.weights);
    orthant_matrix_free(y);
}

/* Two labels side by side and one in a corner that holds no window: only windows inside a label
 * count, but for the label that has none. Windows are clipped at the picture's edge. */
static void test_inside(void **state)
{
    enum { HEIGHT = 7, WIDTH = 12 };
    int32_t labels[HEIGHT * WIDTH], found[HEIGHT * WIDTH];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            labels[y * WIDTH + x] = y == 6 && x == 11 ? 2 : x < 6 ? 0 : 1;
    const lattice every = lattice_create(HEIGHT, WIDTH, 1);
    expect_ok(*state, regions_inside(*state, labels, HEIGHT, WIDTH, &every, 2, 3, found));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const int at = y * WIDTH + x;
            const bool inside = x < 4 || (x > 7 && (y < 4 || x < 9));
            if (found[at] != (inside || labels[at] == 2 ? labels[at] : -1))
                fail_msg("row %d, column %d: %d", y, x, (int)found[at]);
        }
    const lattice third = lattice_create(HEIGHT, WIDTH, 3);
    expect_ok(*state, regions_inside(*state, labels, HEIGHT, WIDTH, &third, 0, 3, found));
    for (int i = 0; i < lattice_nodes(&third); i++)
        assert_int_equal(found[i], i % third.columns < 2 ? 0 : 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_components), fixture_test(test_fill),
                                       fixture_test(test_drop),       fixture_test(test_merge),
                                       fixture_test(test_inside),     fixture_test(test_als)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
