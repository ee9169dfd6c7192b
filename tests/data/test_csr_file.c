/* The container of sparse matrices: what is written comes back; damage is told. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "data/csr_file.h"
#include "data/matrix.h"

static const int64_t starts[] = {0, 2, 2, 5, 6};
static const int64_t columns[] = {0, 3, 1, 2, 4, 0};
static const double values[] = {1.5, -2, 3, 0.1, 1e300, 7};

static orthant_matrix *make(orthant_context *ctx)
{
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_create_csr(ctx, 4, 5, starts, columns, values, &matrix));
    return matrix;
}

static void test_round_trip(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = make(ctx), *found = NULL;
    const char *path = files_path("a.csr");
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, path));
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &found, NULL));
    assert_true(found->sparse && found->rows == 4 && found->columns == 5);
    assert_memory_equal(found->row_start, matrix->row_start, 5 * sizeof *found->row_start);
    assert_memory_equal(found->column, matrix->column, 6 * sizeof *found->column);
    assert_memory_equal(found->values, matrix->values, 6 * sizeof(double));
    orthant_matrix_free(found);
    /* 1e300 is more than single precision has. */
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    expect_failure(ctx, ORTHANT_ERROR_DATA, "entry (3, 5) is 1e+300",
                   orthant_matrix_read(ctx, path, NULL, &found, NULL));
    matrix_set_value(matrix, 4, 5);
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, path));
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &found, NULL));
    assert_true(orthant_matrix_get(found, 2, 2) == (double)0.1f);
    orthant_matrix_free(found);
    orthant_matrix_free(matrix);
}

/* Wherever in a row of any length a column is wrong. */
static void test_columns(void **state)
{
    enum { LONGEST = 70 };
    const csr_header header = {.columns = 2 * LONGEST};
    (void)state;
    for (int64_t count = 0; count <= LONGEST; count++) {
        int32_t row[LONGEST] = {0};
        for (int64_t p = 0; p < count; p++)
            row[p] = (int32_t)(2 * p + 1);
        assert_int_equal(csr_bad_column(&header, row, count), -1);
        for (int64_t p = 0; p < count; p++) {
            row[p] = p > 0 ? row[p - 1] : -1;
            assert_int_equal(csr_bad_column(&header, row, count), p);
            row[p] = 2 * LONGEST;
            assert_int_equal(csr_bad_column(&header, row, count), p);
            row[p] = (int32_t)(2 * p + 1);
        }
    }
}

/* Every byte in turn is another: all but those between the sections are noticed. */
static void test_damage(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *matrix = make(ctx), *found = NULL;
    size_t size;
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, files_path("b.csr")));
    unsigned char *bytes = files_read(files_path("b.csr"), &size);
    int unnoticed = 0;
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 1;
        const char *path = files_write("c.csr", bytes, size);
        if (!orthant_matrix_read(ctx, path, NULL, &found, NULL)) {
            unnoticed++;
            assert_true((i >= 72 && i < 128) || (i >= 128 + 24 && i < 192) ||
                        (i >= 192 + 48 && i < 256));
            orthant_matrix_free(found);
        }
        bytes[i] ^= 1;
    }
    assert_int_equal(unnoticed, 56 + 40 + 16);
    for (size_t length = 0; length < size; length += 7)
        assert_true(orthant_matrix_read(ctx, files_write("d.csr", bytes, length), NULL, &found,
                                        NULL) != ORTHANT_OK);
    free(bytes);
    orthant_matrix_free(matrix);
}

/* A file made with intent: its checksums are right, its numbers are not. */
static void refuse(orthant_context *ctx, csr_header header, const int32_t *column,
                   const int64_t *start, const char *words)
{
    unsigned char *bytes = calloc(1, 4096);
    size_t size = 128;
    if (csr_measure(&header) && header.begin[CSR_STARTS] + header.length[CSR_STARTS] <= 4096) {
        size = (size_t)(header.begin[CSR_STARTS] + header.length[CSR_STARTS]);
        memcpy(bytes + header.begin[CSR_COLUMNS], column, (size_t)header.length[CSR_COLUMNS]);
        memcpy(bytes + header.begin[CSR_STARTS], start, (size_t)header.length[CSR_STARTS]);
        for (int s = 0; s < CSR_SECTIONS; s++)
            header.checksum[s] =
                checksum_bytes(bytes + header.begin[s], (size_t)header.length[s], 0);
    }
    csr_pack(&header, bytes);
    orthant_matrix *found = NULL;
    const char *path = files_write("hostile.csr", bytes, size);
    const orthant_status status = orthant_matrix_read(ctx, path, NULL, &found, NULL);
    if (status == ORTHANT_OK || !strstr(orthant_message(ctx), words))
        fail_msg("'%s' lacks '%s'", orthant_message(ctx), words);
    free(bytes);
}

static void test_hostile(void **state)
{
    orthant_context *ctx = *state;
    const csr_header right = {.rows = 2, .columns = 3, .stored = 2, .precision = ORTHANT_DOUBLE};
    const int32_t column[2] = {0, 2};
    const int64_t start[3] = {0, 1, 2};
    csr_header wrong = right;
    wrong.rows = INT64_MAX - 1;
    refuse(ctx, wrong, column, start, "cannot be");
    wrong.rows = -1;
    refuse(ctx, wrong, column, start, "cannot be");
    wrong = right;
    wrong.stored = INT64_MAX / 2;
    refuse(ctx, wrong, column, start, "cannot be");
    wrong.stored = INT64_C(1) << 40;
    refuse(ctx, wrong, column, start, "found 128 bytes, expected");
    wrong = right;
    wrong.columns = INT64_C(1) << 31;
    refuse(ctx, wrong, column, start, "columns are supported");
    refuse(ctx, right, (int32_t[]){0, 3}, start, "row 2 has an entry in column 4");
    refuse(ctx, right, (int32_t[]){-1, 0}, start, "row 1 has an entry in column 0");
    refuse(ctx, right, (int32_t[]){2, 2}, (int64_t[]){0, 2, 2}, "row 1 has an entry in column 3");
    refuse(ctx, right, column, (int64_t[]){0, 2, 1}, "row 3 begins at entry 1");
    refuse(ctx, right, column, (int64_t[]){1, 1, 2}, "row 1 begins at entry 1");
    refuse(ctx, right, column, (int64_t[]){0, -5, 2}, "row 2 begins at entry -5");
    refuse(ctx, right, column, (int64_t[]){0, 3, 2}, "row 2 begins at entry 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_round_trip), fixture_test(test_damage),
                                       fixture_test(test_hostile), fixture_test(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
