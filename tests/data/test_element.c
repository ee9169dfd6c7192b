/* Numbers as files hold them, many at once: each is what it is alone. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "data/element.h"

static const element types[] = {{'u', 1, false}, {'i', 1, true},  {'u', 2, false}, {'i', 2, true},
                                {'u', 4, true},  {'i', 4, false}, {'u', 8, false}, {'i', 8, true},
                                {'i', 8, false}, {'f', 2, false}, {'f', 2, true},  {'f', 4, false},
                                {'f', 4, true},  {'f', 8, false}, {'f', 8, true},  {'b', 1, false},
                                {'u', 2, true},  {'i', 2, false}, {'u', 4, false}, {'i', 4, true},
                                {'u', 8, true}};
#define TYPES (sizeof types / sizeof *types)

static double value_of(element type, const char *bytes)
{
    return element_value(type, (const unsigned char *)bytes);
}

static void test_values(void **state)
{
    (void)state;
    assert_true(value_of((element){'u', 1, false}, "\xff") == 255);
    assert_true(value_of((element){'i', 1, false}, "\xff") == -1);
    assert_true(value_of((element){'i', 1, false}, "\x80") == -128);
    assert_true(value_of((element){'i', 1, false}, "\x7f") == 127);
    assert_true(value_of((element){'b', 1, false}, "\2") == 1);
    assert_true(value_of((element){'b', 1, false}, "\0") == 0);
    assert_true(value_of((element){'u', 2, false}, "\1\2") == 513);
    assert_true(value_of((element){'u', 2, true}, "\1\2") == 258);
    assert_true(value_of((element){'i', 2, true}, "\x80\0") == -32768);
    assert_true(value_of((element){'u', 4, true}, "\xff\xff\xff\xfe") == 4294967294.0);
    assert_true(value_of((element){'i', 4, true}, "\xff\xff\xff\xfe") == -2);
    assert_true(value_of((element){'u', 8, false}, "\0\0\0\0\0\0\0\x80") == 0x1p63);
    assert_true(value_of((element){'i', 8, false}, "\0\0\0\0\0\0\0\x80") == -0x1p63);
    assert_true(value_of((element){'i', 8, true}, "\xff\xff\xff\xff\xff\xff\xff\xf6") == -10);
    assert_true(value_of((element){'f', 4, true}, "\xc0\x20\0\0") == -2.5);
    assert_true(value_of((element){'f', 8, true}, "\x3f\xf8\0\0\0\0\0\0") == 1.5);
    /* Halves: 1, the largest, the least normal and the least of all, both signs, and no numbers. */
    assert_true(value_of((element){'f', 2, true}, "\x3c\0") == 1);
    assert_true(value_of((element){'f', 2, true}, "\xc0\1") == -2 - 0x1p-9);
    assert_true(value_of((element){'f', 2, true}, "\x7b\xff") == 65504);
    assert_true(value_of((element){'f', 2, true}, "\4\0") == 0x1p-14);
    assert_true(value_of((element){'f', 2, true}, "\x80\1") == -0x1p-24);
    assert_true(value_of((element){'f', 2, true}, "\3\xff") == 1023 * 0x1p-24);
    assert_true(value_of((element){'f', 2, true}, "\x7c\0") == HUGE_VAL);
    assert_true(value_of((element){'f', 2, true}, "\xfc\0") == -HUGE_VAL);
    assert_true(isnan(value_of((element){'f', 2, true}, "\x7c\1")));
}

/* Bytes of which every type makes finite numbers. */
static void fill(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(i * 37 % 101 + (i % 3 == 1 ? 128 : 0));
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void test_converted(void **state)
{
    enum { most = 50 };
    unsigned char bytes[8 * most + 1];
    double wide[most + 1];
    float narrow[most + 1];
    (void)state;
    fill(bytes, sizeof bytes);
    for (size_t t = 0; t < TYPES; t++)
        for (int64_t count = 0; count <= most; count++) {
            for (int64_t i = 0; i <= most; i++) {
                wide[i] = -7;
                narrow[i] = -7;
            }
            /* at an address that is not aligned */
            element_convert(types[t], bytes + 1, count, ORTHANT_DOUBLE, wide);
            element_convert(types[t], bytes + 1, count, ORTHANT_SINGLE, narrow);
            for (int64_t i = 0; i < count; i++) {
                const double expected = element_value(types[t], bytes + 1 + i * types[t].size);
                assert_true(same(wide[i], expected));
                assert_true(same((double)narrow[i], (double)(float)expected));
            }
            assert_true(wide[count] == -7 && narrow[count] == -7);
        }
}

/* Columns of a file to columns 2 and on of a matrix that has more of them; tiles are 64 x 16. */
static void test_placed(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t heights[] = {1, 63, 64, 65, 130}, widths[] = {1, 15, 16, 17, 33};
    unsigned char *bytes = malloc(130 * 33 * 8);
    fill(bytes, 130 * 33 * 8);
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++)
        for (int h = 0; h < 5; h++)
            for (int w = 0; w < 5; w++) {
                const element type = types[(h * 5 + w) % (int)TYPES];
                const int64_t rows = heights[h], width = widths[w];
                orthant_matrix *matrix = NULL;
                expect_ok(ctx, matrix_new_dense(ctx, (orthant_precision)precision, rows, width + 5,
                                                &matrix));
                element_place_columns(type, bytes, 2, width, matrix);
                for (int64_t i = 0; i < rows; i++)
                    for (int64_t j = 0; j < width + 5; j++) {
                        double expected = 0;
                        if (j >= 2 && j < width + 2)
                            expected =
                                element_value(type, bytes + ((j - 2) * rows + i) * type.size);
                        if (precision == ORTHANT_SINGLE)
                            expected = (double)(float)expected;
                        assert_true(same(orthant_matrix_get(matrix, i, j), expected));
                    }
                orthant_matrix_free(matrix);
            }
    free(bytes);
}

static void test_lossless(void **state)
{
    (void)state;
    for (size_t t = 0; t < TYPES; t++) {
        assert_true(element_is_lossless(types[t], ORTHANT_DOUBLE));
        assert_int_equal(element_is_lossless(types[t], ORTHANT_SINGLE),
                         !(types[t].kind == 'f' && types[t].size == 8));
    }
}

/* 3-D and 4-D arrays in Fortran's order, larger than what is read at once, and the pictures that
 * their shapes are. */
static void test_fortran_order(void **state)
{
    orthant_context *ctx = *state;
    const element_shape shapes[] = {
        {.dimensions = 3, .extent = {7, 130, 90}, .first_fastest = true},
        {.dimensions = 4, .extent = {5, 60, 70, 4}, .first_fastest = true},
        {.dimensions = 4, .extent = {5, 60, 70, 2}, .first_fastest = true},
        {.dimensions = 2, .extent = {300, 290}, .first_fastest = true}};
    for (size_t s = 0; s < 4; s++) {
        const element_shape *shape = &shapes[s];
        int64_t count = 1;
        orthant_matrix *matrix = NULL;
        stream in;
        for (int d = 0; d < shape->dimensions; d++)
            count *= shape->extent[d];
        unsigned char *bytes = malloc((size_t)count);
        for (int64_t i = 0; i < count; i++)
            bytes[i] = (unsigned char)(i % 251);
        expect_ok(ctx, stream_open(ctx, files_write("cube", bytes, (size_t)count), &in));
        expect_ok(
            ctx, element_read_array(&in, (element){'u', 1, false}, shape, ORTHANT_SINGLE, &matrix));
        stream_close(&in);
        assert_int_equal(matrix->rows, shape->extent[0]);
        assert_true(matrix->lossless);
        for (int64_t e = 0; e < count; e++) {
            int64_t rest = e, at = 0;
            int64_t index[4] = {0};
            for (int d = 0; d < shape->dimensions; d++) {
                index[d] = rest % shape->extent[d];
                rest /= shape->extent[d];
            }
            for (int d = 0; d < shape->dimensions; d++)
                at = at * shape->extent[d] + index[d];
            if (matrix_value(matrix, at) != (double)(e % 251))
                fail_msg("shape %d: entry %lld", (int)s, (long long)e);
        }
        const orthant_picture_shape picture = orthant_matrix_picture(matrix);
        assert_int_equal(picture.height, s == 0 ? 130 : s == 1 ? 60 : 0);
        assert_int_equal(picture.width, s == 0 ? 90 : s == 1 ? 70 : 0);
        assert_int_equal(picture.channels, s == 0 ? 1 : s == 1 ? 4 : 0);
        orthant_matrix_free(matrix);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_values),   fixture_test(test_converted),     fixture_test(test_placed),
        fixture_test(test_lossless), fixture_test(test_fortran_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
