/* Small files that unpack to much: refused by the memory limit with both numbers, before anything
 * of that size is allocated. */
#include "fixture.h"

#include <matio.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "core/memory.h"
#include "data/matrix.h"

#define LIMIT (4 << 20)

static void expect_refused(orthant_context *ctx, const char *path, const char *what)
{
    orthant_matrix *matrix = NULL;
    orthant_context_set_memory_limit(ctx, LIMIT);
    orthant_context_reset_peak_memory(ctx);
    expect_failure(ctx, ORTHANT_ERROR_MEMORY, what,
                   orthant_matrix_read(ctx, path, NULL, &matrix, NULL));
    assert_null(matrix);
    assert_non_null(strstr(orthant_message(ctx), "the memory limit is 4194304 bytes"));
    assert_int_equal(strncmp(orthant_message(ctx), path, strlen(path)), 0);
    assert_true(orthant_context_peak_memory(ctx) <= LIMIT);
}

/* 1,000 x 2,000 doubles, all 7. */
static double *sevens(void)
{
    double *values = malloc(2000000 * sizeof *values);
    for (int i = 0; i < 2000000; i++)
        values[i] = 7;
    return values;
}

static void test_packed_mat(void **state)
{
    double *values = sevens();
    size_t sizes[2] = {1000, 2000};
    const char *path = files_path("packed.mat");
    mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    matvar_t *variable = Mat_VarCreate("fea", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, sizes, values, 0);
    assert_int_equal(Mat_VarWrite(mat, variable, MAT_COMPRESSION_ZLIB), 0);
    Mat_VarFree(variable);
    Mat_Close(mat);
    expect_refused(*state, path, "16000048 bytes for a compressed variable");
    orthant_matrix *matrix = NULL;
    orthant_context_set_memory_limit(*state, 100 << 20);
    expect_ok(*state, orthant_matrix_read(*state, path, NULL, &matrix, NULL));
    assert_true(matrix_value(matrix, 0) == 7);
    orthant_matrix_free(matrix);
    free(values);
}

static const char *write_gzip(const char *name, const char *head, size_t head_bytes,
                              const void *body, size_t body_bytes)
{
    const char *path = files_path(name);
    gzFile file = gzopen(path, "wb");
    assert_int_equal(gzwrite(file, head, (unsigned)head_bytes), head_bytes);
    assert_int_equal(gzwrite(file, body, (unsigned)body_bytes), body_bytes);
    gzclose(file);
    return path;
}

static void test_packed_npy(void **state)
{
    double *values = sevens();
    char head[129];
    memcpy(head, "\x93NUMPY\1\0\x76\0", 10);
    snprintf(head + 10, sizeof head - 10, "%-117s\n",
             "{'descr': '<f8', 'fortran_order': False, 'shape': (1000, 2000), }");
    expect_refused(*state, write_gzip("packed.npy.gz", head, 128, values, 16000000),
                   "bytes for a matrix's entries");
    free(values);
}

static void test_packed_text(void **state)
{
    char *text = malloc(12000000);
    for (int i = 0; i < 12000000; i += 4) /* rows of a hundred */
        memcpy(text + i, i % 400 == 396 ? "17 \n" : "17, ", 4);
    expect_refused(*state, write_gzip("packed.csv.gz", text, 0, text, 12000000), "out of memory");
    free(text);
}

static void test_packed_idx(void **state)
{
    unsigned char *bytes = malloc(6000000);
    memset(bytes, 9, 6000000);
    const char head[] = {0, 0, 8, 2, 0, 0, 0x17, 0x70, 0, 0, 3, (char)0xe8}; /* 6000 x 1000 */
    expect_refused(*state, write_gzip("packed-idx2-ubyte.gz", head, 12, bytes, 6000000),
                   "bytes for a matrix's entries");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_packed_mat), fixture_test(test_packed_npy),
                                       fixture_test(test_packed_text),
                                       fixture_test(test_packed_idx)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
