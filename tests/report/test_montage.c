/* The tiles of a montage: where each pixel goes, in both orders of pixels, grey and in colour. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "data/image.h"
#include "report/montage.h"

#include "fixture.h"

/* A basis of `parts` columns; entry i of column p is (p + 1) i. */
static orthant_matrix *basis_of(orthant_context *ctx, int64_t size, int64_t parts)
{
    double values[512];
    orthant_matrix *basis = NULL;
    assert_true(size * parts <= 512);
    for (int64_t i = 0; i < size; i++)
        for (int64_t p = 0; p < parts; p++)
            values[i * parts + p] = (double)((p + 1) * i);
    expect_ok(ctx, orthant_matrix_create(ctx, size, parts, values, &basis));
    return basis;
}

static image decoded(orthant_context *ctx, const montage *made, int channels)
{
    image found = {0};
    const char *path = files_write("montage.png", made->png, made->bytes);
    expect_ok(ctx, image_read(ctx, path, channels, &found));
    assert_int_equal(found.height, made->height);
    assert_int_equal(found.width, made->width);
    return found;
}

static void test_tiles_lie_in_rows_of_ten(void **state)
{
    orthant_context *ctx = *state;
    montage made;
    orthant_matrix *basis = basis_of(ctx, 6, 12);
    expect_ok(ctx, montage_make(ctx, basis, (orthant_picture_shape){2, 3, 1, false}, &made));
    assert_int_equal(made.width, 10 * 4 + 1);
    assert_int_equal(made.height, 2 * 3 + 1);
    assert_int_equal(made.shown, 12);
    image found = decoded(ctx, &made, 1);
    /* Every part is scaled to its own largest entry, so all tiles are alike: i * 255 / 5. */
    for (int p = 0; p < 12; p++)
        for (int i = 0; i < 6; i++) {
            const int row = 1 + p / 10 * 3 + i / 3, column = 1 + p % 10 * 4 + i % 3;
            assert_int_equal(found.pixels[row * found.width + column], i * 51);
        }
    /* Gaps and the places of missing tiles. */
    assert_int_equal(found.pixels[0], 128);
    assert_int_equal(found.pixels[4 * found.width + 4 * 5 + 1], 128);
    image_free(ctx, &found);
    memory_free(ctx, made.png);
    orthant_matrix_free(basis);
}

static void test_column_by_column(void **state)
{
    orthant_context *ctx = *state;
    montage made;
    orthant_matrix *basis = basis_of(ctx, 6, 1);
    expect_ok(ctx, montage_make(ctx, basis, (orthant_picture_shape){2, 3, 1, true}, &made));
    image found = decoded(ctx, &made, 1);
    for (int i = 0; i < 6; i++)
        assert_int_equal(found.pixels[(1 + i % 2) * found.width + 1 + i / 2], i * 51);
    image_free(ctx, &found);
    memory_free(ctx, made.png);
    orthant_matrix_free(basis);
}

static void test_colours(void **state)
{
    orthant_context *ctx = *state;
    montage made;
    orthant_matrix *basis = basis_of(ctx, 6, 1);
    expect_ok(ctx, montage_make(ctx, basis, (orthant_picture_shape){1, 2, 3, false}, &made));
    image found = decoded(ctx, &made, 3);
    for (int i = 0; i < 6; i++)
        assert_int_equal(found.pixels[(found.width + 1) * 3 + i], i * 51);
    image_free(ctx, &found);
    memory_free(ctx, made.png);
    orthant_matrix_free(basis);
}

static void test_wrong_shape_gives_nothing(void **state)
{
    orthant_context *ctx = *state;
    montage made;
    orthant_matrix *basis = basis_of(ctx, 6, 2);
    expect_ok(ctx, montage_make(ctx, basis, (orthant_picture_shape){2, 2, 1, false}, &made));
    assert_null(made.png);
    expect_ok(ctx, montage_make(ctx, basis, (orthant_picture_shape){0}, &made));
    assert_null(made.png);
    orthant_matrix_free(basis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_tiles_lie_in_rows_of_ten),
        fixture_test(test_column_by_column),
        fixture_test(test_colours),
        fixture_test(test_wrong_shape_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
