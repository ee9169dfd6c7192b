/* IDX files: all types, images with their labels, damaged ones. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "data/matrix.h"

static const char *pack(const char *name, const void *bytes, size_t size)
{
    const char *path = files_path(name);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)size), (int)size);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

static void refuse(orthant_context *ctx, const char *path, const char *words)
{
    orthant_matrix *matrix = (orthant_matrix *)&matrix;
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, words,
                   orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
    assert_null(matrix);
}

static void test_types(void **state)
{
    orthant_context *ctx = *state;
    static const struct {
        unsigned char bytes[32];
        size_t size;
        double values[2];
    } cases[] = {
        {{0, 0, 0x08, 1, 0, 0, 0, 2, 7, 255}, 10, {7, 255}},
        {{0, 0, 0x09, 1, 0, 0, 0, 2, 7, 255}, 10, {7, -1}},
        {{0, 0, 0x0b, 1, 0, 0, 0, 2, 1, 2, 0xff, 0xfe}, 12, {258, -2}},
        {{0, 0, 0x0c, 1, 0, 0, 0, 2, 0, 1, 0, 2, 0xff, 0xff, 0xff, 0xfd}, 16, {65538, -3}},
        {{0, 0, 0x0d, 1, 0, 0, 0, 2, 0x3f, 0xc0, 0, 0, 0xc0, 0, 0, 0}, 16, {1.5, -2}},
        {{0, 0, 0x0e, 1, 0, 0, 0, 2, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0},
         24,
         {1.5, -2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int packed = 0; packed < 2; packed++) {
            orthant_matrix *matrix = NULL;
            const char *path = packed ? pack("good.gz", cases[i].bytes, cases[i].size)
                                      : files_write("good.idx", cases[i].bytes, cases[i].size);
            expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
            assert_int_equal(orthant_matrix_rows(matrix), 2);
            assert_int_equal(orthant_matrix_columns(matrix), 1);
            assert_true(orthant_matrix_get(matrix, 0, 0) == cases[i].values[0]);
            assert_true(orthant_matrix_get(matrix, 1, 0) == cases[i].values[1]);
            orthant_matrix_free(matrix);
        }
}

static const unsigned char images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2,  0,  0,
                                       0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 5, 3};

static void check_images(orthant_context *ctx, const char *path, bool labelled)
{
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &matrix, &truth));
    const orthant_picture_shape shape = orthant_matrix_picture(matrix);
    assert_true(shape.height == 2 && shape.width == 3 && shape.channels == 1 &&
                !shape.column_major);
    assert_true(orthant_matrix_get(matrix, 1, 5) == 12);
    assert_int_equal(truth != NULL, labelled);
    if (truth)
        assert_int_equal(orthant_labels_values(truth)[0], 5);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
}

static void test_images_find_their_labels(void **state)
{
    orthant_context *ctx = *state;
    check_images(ctx, files_write("a-images-idx3-ubyte", images, sizeof images), false);
    files_write("a-labels-idx1-ubyte", labels, sizeof labels);
    check_images(ctx, files_path("a-images-idx3-ubyte"), true);
    check_images(ctx, pack("a-images-idx3-ubyte.gz", images, sizeof images), true);
    pack("b-labels-idx1-ubyte.gz", labels, sizeof labels);
    check_images(ctx, files_write("b-images-idx3-ubyte", images, sizeof images), true);
    check_images(ctx, files_write("images", images, sizeof images), false);
    files_write("c-images-idx3-ubyte", images, sizeof images);
    files_write("c-labels-idx1-ubyte", "\0\0\x08\x01\0\0\0\x03\1\2\3", 11);
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_failure(
        ctx, ORTHANT_ERROR_DATA, "found 3 labels, expected one for each of the 2 samples",
        orthant_matrix_read(ctx, files_path("c-images-idx3-ubyte"), NULL, &matrix, &truth));
    assert_null(matrix);
    assert_null(truth);
}

static void test_damaged(void **state)
{
    orthant_context *ctx = *state;
    unsigned char bytes[sizeof images];
    memcpy(bytes, images, sizeof images);
    bytes[4] = 0x7f;
    refuse(ctx, files_write("large.idx", bytes, sizeof bytes),
           "promises 2130706434 x 6 entries of 1 bytes: found 12 bytes of data");
    refuse(ctx, pack("large.gz", bytes, sizeof bytes), "promises 2130706434 x 6 entries");
    memcpy(bytes, images, sizeof images);
    bytes[7] = 1;
    refuse(ctx, files_write("small.idx", bytes, sizeof bytes),
           "found 12 bytes of data, expected 6");
    refuse(ctx, pack("small.gz", bytes, sizeof bytes), "more data than the header's 1 x 6 entries");
    bytes[7] = 3;
    refuse(ctx, pack("short.gz", bytes, sizeof bytes),
           "short.gz: found 28 bytes, expected at least 34; the file is cut off");
    refuse(ctx, files_write("kind.idx", "\0\0\x0a\1abcdefgh", 12), "it starts with 00 00 0a");
    refuse(ctx, files_write("kind.idx", "\0\1\x08\1abcdefgh", 12), "it starts with 00 01 08");
    refuse(ctx, files_write("none.idx", "\0\0\x08\0abcdefgh", 12), "0 dimensions");
    /* A dimension of 0 does not hide that the others overflow, in no order of the entries. */
    refuse(ctx, files_write("zero.idx", "\0\0\x0d\4\x14\0\0\0\0\0\0\0\xffmag\xc4\x8c\xff\xb4", 20),
           "the header promises more entries than there can be");
    assert_true(orthant_context_peak_memory(ctx) < 1 << 20);
    size_t size;
    unsigned char *packed = files_read(pack("whole.gz", images, sizeof images), &size);
    refuse(ctx, files_write("cut.gz", packed, size - 9), "the packed data end too early");
    packed[size - 7] ^= 1;
    refuse(ctx, files_write("sum.gz", packed, size), "the packed data are damaged");
    free(packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_types),
                                       fixture_test(test_images_find_their_labels),
                                       fixture_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
