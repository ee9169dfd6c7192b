/* Sparse matrices in NumPy's archives, made here byte by byte: what is read, what is refused, and
 * how much memory it takes. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "data/matrix.h"

/* ---- archives --------------------------------------------------------------------------------
 */

typedef struct archive {
    FILE *file;
    unsigned char directory[2048];
    size_t directory_bytes;
    int members;
    bool deflated;
} archive;

static void put(unsigned char *to, uint32_t value, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static size_t deflate_raw(const unsigned char *bytes, size_t size, unsigned char *to,
                          size_t capacity)
{
    z_stream packer = {.next_in = (unsigned char *)(uintptr_t)bytes,
                       .avail_in = (unsigned)size,
                       .next_out = to,
                       .avail_out = (unsigned)capacity};
    assert_int_equal(deflateInit2(&packer, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&packer, Z_FINISH), Z_STREAM_END);
    deflateEnd(&packer);
    return packer.total_out;
}

/* The array "name.npy" of that type and shape ("(3,)"). */
static void put_array(archive *to, const char *name, const char *type, const char *shape,
                      const void *data, size_t bytes)
{
    const size_t size = 128 + bytes, capacity = size + size / 100 + 64;
    unsigned char *plain = calloc(size, 1), *packed = malloc(capacity), header[46] = {0};
    char file_name[32];
    memcpy(plain, "\x93NUMPY\1\0\x76\0", 10);
    memset(plain + 10, ' ', 118);
    const int text = snprintf((char *)plain + 10, 118,
                              "{'descr': '%s', 'fortran_order': False, 'shape': %s}", type, shape);
    plain[10 + text] = ' ';
    if (bytes)
        memcpy(plain + 128, data, bytes);
    const size_t length = to->deflated ? deflate_raw(plain, size, packed, capacity) : size;
    const long offset = ftell(to->file);
    const int name_length = snprintf(file_name, sizeof file_name, "%s.npy", name);
    memcpy(header, "PK\1\2", 4);
    put(header + 10, to->deflated ? 8 : 0, 2);
    put(header + 16, (uint32_t)crc32(crc32(0, NULL, 0), plain, (unsigned)size), 4);
    put(header + 20, (uint32_t)length, 4);
    put(header + 24, (uint32_t)size, 4);
    put(header + 28, (uint32_t)name_length, 2);
    put(header + 42, (uint32_t)offset, 4);
    memcpy(to->directory + to->directory_bytes, header, 46);
    memcpy(to->directory + to->directory_bytes + 46, file_name, (size_t)name_length);
    to->directory_bytes += 46 + (size_t)name_length;
    to->members++;
    unsigned char local[30] = {'P', 'K', 3, 4};
    put(local + 26, (uint32_t)name_length, 2);
    fwrite(local, 30, 1, to->file);
    fwrite(file_name, (size_t)name_length, 1, to->file);
    fwrite(to->deflated ? packed : plain, length, 1, to->file);
    free(plain);
    free(packed);
}

static archive begin(const char *path, bool deflated)
{
    archive made = {.file = fopen(path, "wb"), .deflated = deflated};
    assert_non_null(made.file);
    return made;
}

static void end(archive *made)
{
    unsigned char record[22] = {'P', 'K', 5, 6};
    put(record + 8, (uint32_t)made->members, 2);
    put(record + 10, (uint32_t)made->members, 2);
    put(record + 12, (uint32_t)made->directory_bytes, 4);
    put(record + 16, (uint32_t)ftell(made->file), 4);
    fwrite(made->directory, made->directory_bytes, 1, made->file);
    fwrite(record, sizeof record, 1, made->file);
    fclose(made->file);
}

/* What a small archive holds; counts of -1 leave the array out. */
typedef struct contents {
    const char *format;
    int64_t shape[3];
    int dimensions;
    double start[8];
    int starts;
    double index[8];
    int indices;
    double data[8];
    int stored;
} contents;

static void put_doubles(archive *to, const char *name, const double *values, int count)
{
    char shape[16];
    snprintf(shape, sizeof shape, "(%d,)", count);
    if (count >= 0)
        put_array(to, name, "<f8", shape, values, (size_t)count * sizeof *values);
}

static void put_whole(archive *to, const char *name, const char *type, const double *values,
                      int count)
{
    int64_t eight[8];
    int32_t four[8];
    char shape[16];
    snprintf(shape, sizeof shape, "(%d,)", count);
    for (int i = 0; i < count; i++) {
        eight[i] = (int64_t)values[i];
        four[i] = (int32_t)values[i];
    }
    const bool wide = type[2] == '8';
    put_array(to, name, type, shape, wide ? (const void *)eight : four,
              (size_t)count * (wide ? 8 : 4));
}

/* `type` of the indices: "<i4", "<i8", or "<f8" for what is not whole. */
static const char *write_contents(const char *name, const contents *what, const char *type,
                                  bool deflated)
{
    const char *path = files_path(name);
    archive made = begin(path, deflated);
    char shape[16];
    snprintf(shape, sizeof shape, "(%d,)", what->dimensions);
    if (type[1] == 'f')
        put_doubles(&made, "indices", what->index, what->indices);
    else
        put_whole(&made, "indices", type, what->index, what->indices);
    if (type[1] == 'f')
        put_doubles(&made, "indptr", what->start, what->starts);
    else
        put_whole(&made, "indptr", type, what->start, what->starts);
    put_array(&made, "format", "|S3", "()", what->format, 3);
    put_array(&made, "shape", "<i8", shape, what->shape,
              (size_t)what->dimensions * sizeof *what->shape);
    put_doubles(&made, "data", what->data, what->stored);
    end(&made);
    return path;
}

/* ---- what is read ----------------------------------------------------------------------------
 */

static void check_matrix(orthant_context *ctx, const char *path, int64_t rows, int64_t columns,
                         int64_t stored, const double *expected)
{
    orthant_matrix *matrix = NULL;
    double values[16];
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
    assert_true(matrix->sparse);
    assert_int_equal(matrix->precision, ctx->precision);
    assert_int_equal(matrix->rows, rows);
    assert_int_equal(matrix->columns, columns);
    assert_int_equal(matrix->row_start[rows], stored);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t p = matrix->row_start[i] + 1; p < matrix->row_start[i + 1]; p++)
            assert_true(matrix->column[p - 1] < matrix->column[p]);
    orthant_matrix_copy_values(matrix, values);
    assert_memory_equal(values, expected, (size_t)(rows * columns) * sizeof *values);
    orthant_matrix_free(matrix);
}

static void test_orders(void **state)
{
    orthant_context *ctx = *state;
    static const struct {
        contents what;
        int64_t stored;
        double expected[15];
    } cases[] = {
        /* 3 x 5: in order, with an empty row */
        {{"csr", {3, 5}, 2, {0, 2, 2, 5}, 4, {1, 4, 0, 2, 3}, 5, {1, 2, 3, 4, 5}, 5},
         5,
         {0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4, 5, 0}},
        /* out of order in the last row alone, with the longest row behind a short one */
        {{"csr", {3, 5}, 2, {0, 1, 2, 6}, 4, {3, 0, 4, 1, 3, 0}, 6, {1, 2, 3, 4, 5, 6}, 6},
         6,
         {0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 6, 4, 0, 5, 3}},
        /* duplicates are added up, beside each other and not */
        {{"csr", {3, 5}, 2, {0, 4, 7, 7}, 4, {2, 1, 2, 2, 4, 4, 0}, 7, {1, 2, 3, 4, 5, 6, 7}, 7},
         4,
         {0, 2, 8, 0, 0, 7, 0, 0, 0, 11, 0, 0, 0, 0, 0}},
        /* by columns: 3 x 5 has 5 columns */
        {{"csc", {3, 5}, 2, {0, 1, 1, 3, 5, 5}, 6, {2, 0, 1, 1, 0}, 5, {1, 2, 3, 4, 5}, 5},
         5,
         {0, 0, 2, 5, 0, 0, 0, 3, 4, 0, 1, 0, 0, 0, 0}},
        {{"csc", {3, 5}, 2, {0, 3, 3, 3, 3, 4}, 6, {2, 2, 0, 1}, 4, {1, 2, 3, 4}, 4},
         3,
         {3, 0, 0, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0}},
    };
    static const char *const types[] = {"<i4", "<i8", "<f8"};
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++) {
        orthant_context_set_precision(ctx, (orthant_precision)precision);
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (int type = 0; type < 3; type++)
                for (int deflated = 0; deflated < 2; deflated++)
                    check_matrix(ctx,
                                 write_contents("good.npz", &cases[c].what, types[type], deflated),
                                 3, 5, cases[c].stored, cases[c].expected);
    }
}

static void test_refused(void **state)
{
    orthant_context *ctx = *state;
#define PARTS {0, 1, 2}, 3, {0, 1}, 2, {1, 2}, 2
    static const struct {
        contents what;
        orthant_status status;
        const char *words;
    } cases[] = {
        {{"bsr", {2, 2}, 2, PARTS}, ORTHANT_ERROR_UNSUPPORTED, "format 'bsr', expected csr or csc"},
        {{"csr", {2, 2, 2}, 3, PARTS}, ORTHANT_ERROR_FORMAT, "'shape' does not hold two sizes"},
        {{"csr", {2, -2}, 2, PARTS}, ORTHANT_ERROR_FORMAT, "'shape' does not hold two sizes"},
        {{"csr", {-2, 2}, 2, PARTS}, ORTHANT_ERROR_FORMAT, "'shape' does not hold two sizes"},
        {{"csr", {3, 2}, 2, PARTS},
         ORTHANT_ERROR_FORMAT,
         "found 3 starts, 2 indices and 2 entries, expected 4 starts and as many"},
        {{"csc", {2, 3}, 2, PARTS}, ORTHANT_ERROR_FORMAT, "expected 4 starts and as many"},
        {{"csr", {2, 2}, 2, {0, 1, 2}, 3, {0, 1, 1}, 3, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "found 3 starts, 3 indices and 2 entries"},
        {{"csr", {4000000000, 2}, 2, PARTS},
         ORTHANT_ERROR_FORMAT,
         "'shape' promises 4000000000 rows, but there are 2 entries"},
        {{"csr", {2, 2}, 2, {1, 1, 2}, 3, {0, 1}, 2, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "'indptr' is damaged at 1: found 1, expected to rise from 0 to 2"},
        {{"csr", {2, 2}, 2, {0, 3, 2}, 3, {0, 1}, 2, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "'indptr' is damaged at 2: found 3"},
        {{"csr", {3, 2}, 2, {0, 2, 1, 2}, 4, {0, 1}, 2, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "'indptr' is damaged at 3: found 1"},
        {{"csr", {2, 2}, 2, {0, 1, 1}, 3, {0, 1}, 2, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "'indptr' is damaged at 3: found 1, expected to rise from 0 to 2"},
        {{"csr", {2, 2}, 2, {0, 0.5, 2}, 3, {0, 1}, 2, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "'indptr' is damaged at 2: found 0.5"},
        {{"csr", {2, 2}, 2, {0, 1, 2}, 3, {0, 2}, 2, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "'indices' holds 2 at 2, expected 0 to 1"},
        {{"csr", {2, 3}, 2, {0, 1, 2}, 3, {-1, 2}, 2, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "'indices' holds -1 at 1, expected 0 to 2"},
        {{"csc", {3, 2}, 2, {0, 1, 2}, 3, {2, 3}, 2, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "'indices' holds 3 at 2, expected 0 to 2"},
        {{"csr", {2, 2}, 2, {0, 1, 2}, 3, {0, 0.5}, 2, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "'indices' holds 0.5 at 2"},
        {{"csr", {2, 2}, 2, {0, 1, 2}, 3, {0, 1}, 2, {1, 2}, -1},
         ORTHANT_ERROR_FORMAT,
         "a sparse matrix without 'data'"},
        {{"csr", {2, 2}, 2, {0, 1, 2}, 3, {0, 1}, -1, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "a sparse matrix without 'indices'"},
        {{"csr", {2, 2}, 2, {0, 1, 2}, -1, {0, 1}, 2, {1, 2}, 2},
         ORTHANT_ERROR_FORMAT,
         "a sparse matrix without 'indptr'"},
        {{"csr", {0, 2}, 2, {0}, 1, {0}, 0, {0}, 0},
         ORTHANT_ERROR_DATA,
         "holds 0 samples with 2 features"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        orthant_matrix *matrix = NULL;
        const char *path = write_contents("bad.npz", &cases[c].what, "<f8", c % 2);
        expect_failure(ctx, cases[c].status, cases[c].words,
                       orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
        assert_null(matrix);
    }
    assert_true(orthant_context_peak_memory(ctx) < 2 << 20);
}

/* Arrays that are no vectors of numbers, and more than the archive holds. */
static void test_parts_that_lie(void **state)
{
    orthant_context *ctx = *state;
    static const struct {
        const char *type, *shape, *words;
        size_t bytes;
    } cases[] = {{"<f8", "(2, 1)", "lie.npz:data: expected a vector of numbers", 16},
                 {"<f8", "()", "lie.npz:data: expected a vector of numbers", 8},
                 {"|S8", "(2,)", "lie.npz:data: expected a vector of numbers", 16},
                 {"<f8", "(3,)", "found 16 bytes of data, expected 24", 16},
                 {"<f8", "(1000000000000,)", "found 16 bytes of data, expected 8000000000000", 16}};
    static const int64_t shape[] = {2, 2};
    static const int32_t start[] = {0, 1, 2}, index[] = {0, 1};
    static const double data[] = {1, 2};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        orthant_matrix *matrix = NULL;
        const char *path = files_path("lie.npz");
        archive made = begin(path, false);
        put_array(&made, "indptr", "<i4", "(3,)", start, sizeof start);
        put_array(&made, "indices", "<i4", "(2,)", index, sizeof index);
        put_array(&made, "format", "<U3", "()", "c\0\0\0s\0\0\0r\0\0", 12);
        put_array(&made, "shape", "<i8", "(2,)", shape, sizeof shape);
        put_array(&made, "data", cases[c].type, cases[c].shape, data, cases[c].bytes);
        end(&made);
        expect_failure(ctx, ORTHANT_ERROR_FORMAT, cases[c].words,
                       orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
    }
    assert_true(orthant_context_peak_memory(ctx) < 2 << 20);
}

/* ---- memory ----------------------------------------------------------------------------------
 */

#define ROWS 2000
#define EACH 150
#define STORED (ROWS * EACH)

static const char *write_large(const char *name, const char *format, bool deflated)
{
    static const int64_t shape[2] = {ROWS, ROWS};
    int32_t *start = malloc((ROWS + 1) * sizeof *start), *index = malloc(STORED * sizeof *index);
    double *data = malloc(STORED * sizeof *data);
    char count[16];
    for (int32_t i = 0; i <= ROWS; i++)
        start[i] = i * EACH;
    for (int32_t p = 0; p < STORED; p++) {
        index[p] = p % EACH * 13 + p / EACH % 13;
        data[p] = 1 + p % 97;
    }
    const char *path = files_path(name);
    archive made = begin(path, deflated);
    put_array(&made, "indptr", "<i4", "(2001,)", start, (ROWS + 1) * sizeof *start);
    snprintf(count, sizeof count, "(%d,)", STORED);
    put_array(&made, "indices", "<i4", count, index, STORED * sizeof *index);
    put_array(&made, "format", "|S3", "()", format, 3);
    put_array(&made, "shape", "<i8", "(2,)", shape, sizeof shape);
    put_array(&made, "data", "<f8", count, data, STORED * sizeof *data);
    end(&made);
    free(start);
    free(index);
    free(data);
    return path;
}

/* 12 bytes a stored entry are the matrix itself; by columns there are two of them for a moment. */
static void test_memory(void **state)
{
    orthant_context *ctx = *state;
    for (int by_column = 0; by_column < 2; by_column++)
        for (int deflated = 0; deflated < 2; deflated++) {
            orthant_matrix *matrix = NULL;
            const char *path = write_large("large.npz", by_column ? "csc" : "csr", deflated);
            orthant_context_reset_peak_memory(ctx);
            expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
            for (int64_t p = 0; p < STORED; p += 1009) {
                const int64_t i = p / EACH, j = p % EACH * 13 + i % 13;
                assert_true(orthant_matrix_get(matrix, by_column ? j : i, by_column ? i : j) ==
                            (double)(1 + p % 97));
            }
            orthant_matrix_free(matrix);
            assert_in_range(orthant_context_peak_memory(ctx), 12 * STORED,
                            (by_column ? 24 : 12) * STORED + (1 << 20));
        }
}

/* Zeros take no more than other bytes: nothing can have been lost in single precision. */
static void test_zeros(void **state)
{
    orthant_context *ctx = *state;
    enum { side = 2000, header = 128 };
    unsigned char *bytes = calloc(header + side * side, 1);
    char text[header];
    size_t peak[2];
    const int length =
        snprintf(text, sizeof text, "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d)}",
                 side, side);
    memset(bytes, ' ', header);
    memcpy(bytes, "\x93NUMPY\1\0\x76\0", 10);
    memcpy(bytes + 10, text, (size_t)length);
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    for (int random = 0; random < 2; random++) {
        orthant_matrix *matrix = NULL;
        for (int i = 0; i < side * side; i++)
            bytes[header + i] = (unsigned char)(random ? i * 31 % 251 : 0);
        const char *path = files_write("bytes.npy", bytes, header + side * side);
        for (int transpose = 0; transpose < 2; transpose++) {
            const orthant_read_options options = {.size = sizeof options, .transpose = transpose};
            orthant_context_reset_peak_memory(ctx);
            expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &matrix, NULL));
            assert_int_equal(matrix->rows, side);
            orthant_matrix_free(matrix);
            if (!random)
                peak[transpose] = (size_t)orthant_context_peak_memory(ctx);
            else
                assert_true((size_t)orthant_context_peak_memory(ctx) >= peak[transpose]);
        }
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_orders), fixture_test(test_refused), fixture_test(test_parts_that_lie),
        fixture_test(test_memory), fixture_test(test_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
