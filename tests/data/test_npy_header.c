/* The header of NumPy's arrays: a Python dictionary in many spellings, and what is none. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/npy.h"

/* Of version 1 or 2; a text of `length` characters, the header in front and spaces behind. */
static const char *write_header(const char *header, int version, size_t length)
{
    unsigned char *bytes = malloc(12 + length);
    const size_t start = version == 1 ? 10 : 12;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[7] = 0;
    for (size_t i = 8; i < start; i++)
        bytes[i] = (unsigned char)(length >> 8 * (i - 8));
    memset(bytes + start, ' ', length);
    memcpy(bytes + start, header, strlen(header));
    const char *path = files_write("h.npy", bytes, start + length);
    free(bytes);
    return path;
}

static orthant_status read_header(orthant_context *ctx, const char *path, npy_header *header)
{
    stream in;
    expect_ok(ctx, stream_open(ctx, path, &in));
    const orthant_status status = npy_read_header(&in, header);
    if (status == ORTHANT_OK)
        assert_int_equal(header->bytes, in.delivered);
    stream_close(&in);
    return status;
}

static void test_spellings(void **state)
{
    orthant_context *ctx = *state;
    static const struct {
        const char *text;
        element type;
        element_shape shape;
    } cases[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }",
         {'f', 8, false},
         {2, {3, 4}, false}},
        {"{\"descr\":\">i2\",\"fortran_order\":True,\"shape\":(3,4,5)}",
         {'i', 2, true},
         {3, {3, 4, 5}, true}},
        {"{ 'shape' : ( 7 , ) ,\t'fortran_order' :False,'descr':'|u1'}",
         {'u', 1, false},
         {1, {7}, false}},
        {"{'descr': '=f4', 'fortran_order': False, 'shape': ()}", {'f', 4, false}, {0, {0}, false}},
        {"{'descr': 'f2', 'fortran_order': False, 'shape': (1,2,3,4,5,6,7,8)}",
         {'f', 2, false},
         {8, {1, 2, 3, 4, 5, 6, 7, 8}, false}},
        {"{'descr': '|b1', 'fortran_order': False, 'shape': (9223372036854775807,)}",
         {'b', 1, false},
         {1, {INT64_MAX}, false}},
        {"{'descr': '|S12', 'fortran_order': False, 'shape': (2,)}",
         {0, 12, false},
         {1, {2}, false}},
        {"{'descr': '<U3', 'fortran_order': False, 'shape': ()}", {0, 3, false}, {0, {0}, false}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int version = 1; version <= 3; version++) {
            npy_header header;
            expect_ok(ctx, read_header(ctx, write_header(cases[c].text, version, 118), &header));
            assert_int_equal(header.type.kind, cases[c].type.kind);
            assert_int_equal(header.type.size, cases[c].type.size);
            assert_int_equal(header.type.big, cases[c].type.big);
            assert_int_equal(header.shape.dimensions, cases[c].shape.dimensions);
            for (int d = 0; d < header.shape.dimensions; d++)
                assert_int_equal(header.shape.extent[d], cases[c].shape.extent[d]);
            assert_int_equal(header.shape.first_fastest, cases[c].shape.first_fastest);
            assert_int_equal(header.bytes, (version == 1 ? 10 : 12) + 118);
        }
}

static void test_refused(void **state)
{
    orthant_context *ctx = *state;
    static const char *const cases[][2] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808,)}",
         "gives a dimension that does not fit"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,2,3,4,5,6,7,8,9)}",
         "gives more than 8 dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 3}", "has no 'shape' that can"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3", "has no 'shape' that can"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape' (3,)}", "has no 'shape' that can"},
        {"{'descr': '<f8', 'fortran_order': False}", "has no 'shape' that can"},
        {"{'descr': '<f8', 'fortran_order': Fals, 'shape': (3,)}", "has no 'fortran_order' that"},
        {"{'descr': '<f8', 'shape': (3,)}", "has no 'fortran_order' that can be understood"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}", "describes records"},
        {"{'descr': '<f8<f8<f8<f8<f8<', 'fortran_order': False, 'shape': (3,)}", "has no 'descr'"},
        {"{'descr': <f8, 'fortran_order': False, 'shape': (3,)}", "has no 'descr' that can"},
        {"{'fortran_order': False, 'shape': (3,)}", "has no 'descr' that can be understood"},
        {"{'descr': '<f1', 'fortran_order': False, 'shape': (3,)}",
         "entries of type '<f1', expected whole numbers of 8 to 64 bits"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (3,)}", "entries of type '<f16'"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}", "entries of type '<c8'"},
        {"{'descr': '<u3', 'fortran_order': False, 'shape': (3,)}", "entries of type '<u3'"},
        {"{'descr': '|S0', 'fortran_order': False, 'shape': (3,)}", "entries of type '|S0'"},
        {"{'descr': '<', 'fortran_order': False, 'shape': (3,)}", "entries of type '<'"},
    };
    npy_header header;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        expect_failure(ctx, ORTHANT_ERROR_FORMAT, cases[c][1],
                       read_header(ctx, write_header(cases[c][0], 1, 118), &header));
}

static void test_lengths_and_versions(void **state)
{
    orthant_context *ctx = *state;
    static const char text[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
    npy_header header;
    expect_ok(ctx, read_header(ctx, write_header(text, 1, 65535), &header));
    expect_ok(ctx, read_header(ctx, write_header(text, 2, 65536), &header));
    assert_int_equal(header.bytes, 65548);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT,
                   "a NumPy header of 65537 bytes, expected at most 65536",
                   read_header(ctx, write_header(text, 2, 65537), &header));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "NumPy format version 0, expected 1, 2 or 3",
                   read_header(ctx, write_header(text, 0, 118), &header));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "NumPy format version 4, expected 1, 2 or 3",
                   read_header(ctx, write_header(text, 4, 118), &header));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "not a NumPy array",
                   read_header(ctx, files_write("s.npy", "\x93NUMPY\1", 7), &header));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "found 9 bytes, expected at least 10",
                   read_header(ctx, files_write("s.npy", "\x93NUMPY\1\0\3", 9), &header));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "found 12 bytes, expected at least 13",
                   read_header(ctx, files_write("s.npy", "\x93NUMPY\1\0\3\0{}", 12), &header));
}

/* Texts are no numbers, a single number is 1 x 1. */
static void test_entries(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    char bytes[136];
    const char *path =
        write_header("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", 1, 118 + 8);
    size_t size;
    unsigned char *held = files_read(path, &size);
    memcpy(bytes, held, sizeof bytes);
    free(held);
    bytes[8] = 118;
    const double value = 2.5;
    memcpy(bytes + 128, &value, sizeof value);
    expect_ok(ctx,
              orthant_matrix_read(ctx, files_write("one.npy", bytes, 136), NULL, &matrix, NULL));
    assert_true(matrix->rows == 1 && matrix->columns == 1 && matrix_value(matrix, 0) == 2.5);
    orthant_matrix_free(matrix);
    path = write_header("{'descr': '|S4', 'fortran_order': False, 'shape': (2,)}", 1, 118);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "h.npy: holds texts, expected numbers",
                   orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_spellings),
        fixture_test(test_refused),
        fixture_test(test_lengths_and_versions),
        fixture_test(test_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
