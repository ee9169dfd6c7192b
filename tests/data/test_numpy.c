/* .npy and .npz as NumPy itself wrote them (fixtures/make_numpy.py), and what lies or is damaged.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/matrix.h"

static const char *numpy(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "tests/data/fixtures/%s", name);
    return fixture_path(path);
}

/* Reads a table whose entry (i, j) is i * columns + j + offset. */
static orthant_matrix *read_counting(orthant_context *ctx, const char *path, const char *variable,
                                     int64_t rows, int64_t columns, double offset)
{
    const orthant_read_options options = {.size = sizeof options, .variable = variable};
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &matrix, NULL));
    assert_int_equal(orthant_matrix_rows(matrix), rows);
    assert_int_equal(orthant_matrix_columns(matrix), columns);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            assert_true(orthant_matrix_get(matrix, i, j) == (double)(i * columns + j) + offset);
    return matrix;
}

static void refuse(orthant_context *ctx, const char *path, const char *variable,
                   orthant_status status, const char *words)
{
    for (int map = 0; map < 2; map++) {
        const orthant_read_options options = {
            .size = sizeof options, .variable = variable, .map = map};
        orthant_matrix *matrix = (orthant_matrix *)&matrix;
        expect_failure(ctx, status, words, orthant_matrix_read(ctx, path, &options, &matrix, NULL));
        assert_null(matrix);
    }
}

static void test_every_type_and_byte_order(void **state)
{
    orthant_context *ctx = *state;
    static const char *const types[] = {"u1", "u2", "u4", "u8", "i1", "i2",
                                        "i4", "i8", "f2", "f4", "f8"};
    orthant_matrix *matrix = NULL;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int big = 0; big < 2; big++) {
            char name[8];
            snprintf(name, sizeof name, "%c%s", big ? 'b' : 'l', types[t]);
            orthant_matrix_free(
                read_counting(ctx, numpy("types.npz"), name, 3, 4, types[t][0] == 'u' ? 0 : -5));
        }
    const orthant_read_options truth_values = {.size = sizeof truth_values, .variable = "b1"};
    expect_ok(ctx, orthant_matrix_read(ctx, numpy("types.npz"), &truth_values, &matrix, NULL));
    assert_true(orthant_matrix_get(matrix, 0, 0) == 0 && orthant_matrix_get(matrix, 0, 1) == 1);
    orthant_matrix_free(matrix);
    refuse(ctx, numpy("types.npz"), "c16", ORTHANT_ERROR_FORMAT,
           "entries of type '<c16', expected whole numbers");
    refuse(ctx, numpy("types.npz"), "text", ORTHANT_ERROR_FORMAT, "holds texts, expected numbers");
}

static void test_orders_versions_and_shapes(void **state)
{
    orthant_context *ctx = *state;
    static const char *const tables[] = {"fortran.npy", "version2.npy", "version3.npy"};
    for (int i = 0; i < 3; i++)
        orthant_matrix_free(read_counting(ctx, numpy(tables[i]), NULL, 3, 4, 0));
    orthant_matrix_free(read_counting(ctx, numpy("vector.npy"), NULL, 5, 1, 0));
    static const char *const cubes[] = {"cube.npy", "cube_fortran.npy"};
    for (int i = 0; i < 2; i++) {
        orthant_matrix *matrix = read_counting(ctx, numpy(cubes[i]), NULL, 2, 12, 0);
        const orthant_picture_shape shape = orthant_matrix_picture(matrix);
        assert_true(shape.height == 3 && shape.width == 4 && shape.channels == 1 &&
                    !shape.column_major);
        orthant_matrix_free(matrix);
    }
    orthant_matrix *colour = read_counting(ctx, numpy("colour.npy"), NULL, 1, 36, 0);
    assert_int_equal(orthant_matrix_picture(colour).channels, 3);
    orthant_matrix_free(colour);
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    orthant_matrix *single = read_counting(ctx, numpy("fortran.npy"), NULL, 3, 4, 0);
    assert_int_equal(orthant_matrix_precision(single), ORTHANT_SINGLE);
    orthant_matrix_free(single);
    refuse(ctx, numpy("objects.npy"), NULL, ORTHANT_ERROR_FORMAT, "describes records");
    refuse(ctx, numpy("vector.npy"), "X", ORTHANT_ERROR_ARGUMENT,
           "only .mat, .npz and HDF5 files have variables");
}

static const char *write_npy_file(const char *name, const char *header, size_t data_bytes)
{
    unsigned char bytes[512] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    const size_t length = strlen(header);
    bytes[8] = (unsigned char)length;
    memcpy(bytes + 10, header, length);
    return files_write(name, bytes, 10 + length + data_bytes);
}

static void test_headers_that_lie(void **state)
{
    orthant_context *ctx = *state;
    static const struct {
        const char *header;
        size_t data;
        const char *words;
    } cases[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000), }", 16,
         "promises 1000000000 x 1000 entries of 8 bytes: found 16 bytes of data, expected "
         "8000000000000"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", 16,
         "found 16 bytes of data, expected 8"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000, 4000000000), }", 16,
         "more entries than there can be"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 1), }", 16,
         "a dimension that does not fit"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 4), }", 16, "no 'shape'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", 8,
         "more than 8 dimensions"},
        {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 1), }", 16, "no 'fortran_order'"},
        {"{'descr': '<f3', 'fortran_order': False, 'shape': (2, 1), }", 6, "entries of type '<f3'"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 1), }", 16, "entries of type '|O'"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2, 1), }", 16, "entries of type ''"},
        {"{'descr': '<f8, 'fortran_order'", 16, "NumPy header"},
        {"nonsense", 16, "NumPy header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4), }", 0,
         "0 samples with 4 features"},
        /* a dimension of 0 does not hide what overflows beside it */
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (4611686018427387904, 0), }", 0,
         "more entries than there can be"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 0, 4000000000, 4000000000), }", 0,
         "more entries than there can be"},
        {"{'descr': '|u1', 'fortran_order': True, 'shape': (0, 4294967296, 4294967296), }", 0,
         "more entries than there can be"},
        {"{'descr': '|u1', 'fortran_order': True, 'shape': (0, 4294967296, 2147483647), }", 0,
         "0 samples with 9223372032559808512 features"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4, 0), }", 0,
         "4 samples with 0 features"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = write_npy_file("lie.npy", cases[i].header, cases[i].data);
        const bool empty = strstr(cases[i].words, "samples") != NULL;
        refuse(ctx, path, NULL, empty ? ORTHANT_ERROR_DATA : ORTHANT_ERROR_FORMAT, cases[i].words);
    }
    assert_true(orthant_context_peak_memory(ctx) < 1 << 20);
    refuse(ctx, files_write_text("text.npy", "this is no array"), NULL, ORTHANT_ERROR_FORMAT,
           "not a NumPy array");
    refuse(ctx, files_write("version.npy", "\x93NUMPY\x09\x00\x10\x00", 10), NULL,
           ORTHANT_ERROR_FORMAT, "version 9");
    refuse(ctx, files_write("long.npy", "\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12), NULL,
           ORTHANT_ERROR_FORMAT, "header of 2147483647 bytes");
    refuse(ctx, files_write("short.npy", "\x93NUMPY\x01\x00\xff\x00{", 11), NULL,
           ORTHANT_ERROR_FORMAT, "cut off");
}

/* Entries 1, 2, ... taken where they lie: changed for the reader, not in the file. */
static void test_taken_where_it_lies(void **state)
{
    orthant_context *ctx = *state;
    const orthant_read_options options = {.size = sizeof options, .truth = "none", .map = true};
    orthant_matrix *matrix = NULL, *mapped = NULL;
    size_t before, after;
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++) {
        orthant_context_set_precision(ctx, (orthant_precision)precision);
        double values[40 * 30];
        for (int i = 0; i < 40 * 30; i++)
            values[i] = i + 1;
        expect_ok(ctx, orthant_matrix_create(ctx, 40, 30, values, &matrix));
        const char *path = files_path("lies.npy");
        expect_ok(ctx, orthant_matrix_write(ctx, matrix, path));
        orthant_matrix_free(matrix);
        unsigned char *old = files_read(path, &before);
        expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &mapped, NULL));
        assert_non_null(mapped->mapping);
        for (int64_t i = 0; i < 40 * 30; i++)
            assert_true(orthant_matrix_get(mapped, i / 30, i % 30) == (double)(i + 1));
        expect_ok(ctx, orthant_matrix_scale(mapped, ORTHANT_SCALE_MAX));
        assert_true(orthant_matrix_get(mapped, 39, 29) == 1);
        orthant_matrix_free(mapped);
        unsigned char *now = files_read(path, &after);
        assert_true(before == after && memcmp(old, now, before) == 0);
        free(old);
        free(now);
        /* of another precision than the context's: read */
        orthant_context_set_precision(ctx, precision == ORTHANT_SINGLE ? ORTHANT_DOUBLE
                                                                       : ORTHANT_SINGLE);
        expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &mapped, NULL));
        assert_null(mapped->mapping);
        assert_true(orthant_matrix_get(mapped, 39, 29) == 1200);
        orthant_matrix_free(mapped);
    }
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    expect_ok(ctx, orthant_matrix_read(ctx, numpy("fortran.npy"), &options, &mapped, NULL));
    assert_null(mapped->mapping);
    orthant_matrix_free(mapped);
}

/* Some machines let nobody have so much. */
static bool can_map(int64_t bytes)
{
    void *mapped = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mapped != MAP_FAILED && munmap(mapped, (size_t)bytes) == 0;
}

/* A file with holes, of more bytes than there is memory. */
static void test_larger_than_memory(void **state)
{
    orthant_context *ctx = *state;
    const orthant_read_options options = {.size = sizeof options, .truth = "none", .map = true};
    const int64_t columns = 1 << 20,
                  rows = 4 * (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 8 / columns,
                  bytes = 128 + rows * columns * 8;
    char header[129];
    orthant_matrix *mapped = NULL;
    const int text = snprintf(header, sizeof header,
                              "\x93NUMPY\x01%cv%c{'descr': '<f8', 'fortran_order': False, "
                              "'shape': (%lld, %lld)}",
                              0, 0, (long long)rows, (long long)columns);
    memset(header + text, ' ', sizeof header - (size_t)text);
    const char *path = files_write("holes.npy", header, 128);
    if (!can_map(bytes) || truncate(path, bytes))
        skip();
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &mapped, NULL));
    assert_non_null(mapped->mapping);
    assert_true(orthant_matrix_get(mapped, rows - 1, columns - 1) == 0);
    orthant_matrix_free(mapped);
    unlink(path);
}

static void test_archives(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, numpy("labelled.npz"), NULL, &matrix, &truth));
    assert_int_equal(orthant_matrix_rows(matrix), 6);
    assert_true(orthant_matrix_get(matrix, 5, 2) == 17 / 4.0);
    assert_int_equal(orthant_labels_count(truth), 6);
    assert_int_equal(orthant_labels_values(truth)[4], 3);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);

    const orthant_read_options none = {.size = sizeof none, .truth = "none"};
    expect_ok(ctx, orthant_matrix_read(ctx, numpy("labelled.npz"), &none, &matrix, &truth));
    assert_null(truth);
    orthant_matrix_free(matrix);

    expect_ok(ctx, orthant_matrix_read(ctx, numpy("regression.npz"), NULL, &matrix, &truth));
    assert_null(truth);
    orthant_matrix_free(matrix);

    expect_ok(ctx, orthant_matrix_read(ctx, numpy("positional.npz"), NULL, &matrix, &truth));
    assert_true(orthant_matrix_get(matrix, 0, 0) == 0);
    orthant_matrix_free(matrix);

    refuse(ctx, numpy("two.npz"), NULL, ORTHANT_ERROR_ARGUMENT,
           "it holds 'first' (6 x 3), 'second' (6 x 3), 'note' (3). Choose one with variable = "
           "'NAME'");
    refuse(ctx, numpy("two.npz"), "third", ORTHANT_ERROR_ARGUMENT,
           "no variable 'third'; it holds 'first' (6 x 3)");
    const orthant_read_options wrong = {.size = sizeof wrong, .truth = "gnd"},
                               asked = {.size = sizeof asked, .truth = "y"},
                               whole = {.size = sizeof whole, .variable = "first", .truth = "note"};
    expect_failure(ctx, ORTHANT_ERROR_IO,
                   "truth 'gnd' is neither a variable in it nor a label file",
                   orthant_matrix_read(ctx, numpy("labelled.npz"), &wrong, &matrix, &truth));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "label 2 is 0.75",
                   orthant_matrix_read(ctx, numpy("regression.npz"), &asked, &matrix, &truth));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "two.npz; do samples stand in columns? Then give transpose = 'yes'",
                   orthant_matrix_read(ctx, numpy("two.npz"), &whole, &matrix, &truth));
    assert_null(matrix);
    assert_null(truth);
}

static void test_sparse_archives(void **state)
{
    orthant_context *ctx = *state;
    static const char *const names[] = {"csr.npz", "csc.npz"};
    static const double expected[] = {0, 2.5, 0, 0, 0, 0, 0, 0, 1, 0, 0, 4};
    double values[12];
    for (int i = 0; i < 2; i++) {
        orthant_matrix *matrix = NULL;
        expect_ok(ctx, orthant_matrix_read(ctx, numpy(names[i]), NULL, &matrix, NULL));
        assert_true(orthant_matrix_is_sparse(matrix));
        assert_int_equal(orthant_matrix_nonzeros(matrix), 3);
        orthant_matrix_copy_values(matrix, values);
        assert_memory_equal(values, expected, sizeof expected);
        orthant_matrix_free(matrix);
    }
    refuse(ctx, numpy("coo.npz"), NULL, ORTHANT_ERROR_UNSUPPORTED,
           "format 'coo', expected csr or csc");
}

static void test_damaged_archives(void **state)
{
    orthant_context *ctx = *state;
    size_t size;
    unsigned char *bytes = files_read(numpy("labelled.npz"), &size);
    /* A changed entry: the sum of the bytes no longer fits. The array's header takes 128 bytes
     * behind the local header. */
    bytes[200] ^= 1;
    refuse(ctx, files_write("flipped.npz", bytes, size), NULL, ORTHANT_ERROR_FORMAT,
           "flipped.npz:X: damaged: the checksum is");
    bytes[200] ^= 1;
    refuse(ctx, files_write("half.npz", bytes, size / 2), NULL, ORTHANT_ERROR_FORMAT,
           "no end record found");
    /* The end record says where the directory lies; 0xffff members stand for zip64. */
    unsigned char *end = bytes + size - 22;
    end[10] = end[11] = 0xff;
    refuse(ctx, files_write("zip64.npz", bytes, size), NULL, ORTHANT_ERROR_UNSUPPORTED,
           "a zip64 archive");
    end[10] = 2;
    end[11] = 0;
    end[19] = 0x70;
    refuse(ctx, files_write("far.npz", bytes, size), NULL, ORTHANT_ERROR_FORMAT,
           "directory is damaged");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_every_type_and_byte_order), fixture_test(test_orders_versions_and_shapes),
        fixture_test(test_headers_that_lie),          fixture_test(test_taken_where_it_lies),
        fixture_test(test_larger_than_memory),        fixture_test(test_archives),
        fixture_test(test_sparse_archives),           fixture_test(test_damaged_archives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
