/* How datasets are packed, and where their values lie: what is read, and why the rest is not. Here
 * and in a confined child process. */
#include "fixture.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "data/read.h"

#define UNKNOWN_FILTER 305 /* the HDF Group gives 256 to 511 to whoever tries one */

static const char *fixture(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/data/fixtures/%s", name);
    return fixture_path(path);
}

/* 10 i + j at (i, j) of rows i < 6, columns j < 4, and the same again where there are more. */
static void check_matrix(orthant_context *ctx, const char *path, int64_t rows, int64_t columns)
{
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &matrix, &truth));
    assert_int_equal(matrix->rows, rows);
    assert_int_equal(matrix->columns, columns);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            assert_true(orthant_matrix_get(matrix, i, j) ==
                        10.0 * (double)(i % 6) + (double)(j % 4));
    if (rows == 6) {
        assert_non_null(truth);
        for (int64_t i = 0; i < rows; i++)
            assert_int_equal(orthant_labels_values(truth)[i], 1 + i / 2);
    }
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
}

static void test_lzf(void **state)
{
    check_matrix(*state, fixture("lzf.h5"), 6, 4);
    check_matrix(*state, fixture("lzf.mat"), 300, 20);
}

/* Bytes of its chunks are changed: refused, or numbers, never anything else. */
static void test_lzf_damaged(void **state)
{
    orthant_context *ctx = *state;
    size_t size;
    unsigned char *bytes = files_read(fixture("lzf.mat"), &size);
    int refused = 0;
    for (size_t at = size - 600; at < size; at += 13) {
        orthant_matrix *matrix = NULL;
        const unsigned char kept = bytes[at];
        bytes[at] = (unsigned char)~kept;
        files_write("damaged.mat", bytes, size);
        bytes[at] = kept;
        const orthant_status status =
            orthant_matrix_read(ctx, files_path("damaged.mat"), NULL, &matrix, NULL);
        if (status != ORTHANT_OK)
            refused++;
        assert_int_equal(matrix == NULL, status != ORTHANT_OK);
        orthant_matrix_free(matrix);
    }
    free(bytes);
    assert_true(refused > 0);
}

/* Version 7.3 as h5py writes it: without a class, of one dimension, or with a class that has no 0
 * at its end; and without MATLAB's header, as a plain HDF5 file. */
static void test_h5py(void **state)
{
    check_matrix(*state, fixture("h5py.mat"), 6, 4);
    check_matrix(*state, fixture("h5py_class.mat"), 6, 4);
    check_matrix(*state, fixture("h5py_plain.mat"), 6, 4);
}

static size_t pass(unsigned flags, size_t values, const unsigned *value, size_t bytes,
                   size_t *allocated, void **chunk)
{
    (void)flags;
    (void)values;
    (void)value;
    (void)allocated;
    (void)chunk;
    return bytes;
}

static void write_dataset(const char *path, hid_t how)
{
    const hsize_t size[2] = {6, 4};
    double values[24] = {0};
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(2, size, NULL);
    const hid_t dataset =
        H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fclose(file);
}

static void test_unknown_filter(void **state)
{
    orthant_context *ctx = *state;
    const H5Z_class2_t filter = {.version = H5Z_CLASS_T_VERS,
                                 .id = UNKNOWN_FILTER,
                                 .encoder_present = 1,
                                 .decoder_present = 1,
                                 .name = "tried",
                                 .filter = pass};
    const hsize_t chunk[2] = {3, 4};
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    orthant_matrix *matrix = NULL;
    assert_true(H5Zregister(&filter) >= 0);
    H5Pset_chunk(how, 2, chunk);
    assert_true(H5Pset_filter(how, UNKNOWN_FILTER, 0, 0, NULL) >= 0);
    write_dataset(files_path("filter.h5"), how);
    H5Pclose(how);
    assert_true(H5Zunregister(UNKNOWN_FILTER) >= 0);
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED,
                   "filter.h5: '/x' is packed by HDF5's filter 305 (tried), which is not known",
                   orthant_matrix_read(ctx, files_path("filter.h5"), NULL, &matrix, NULL));
    assert_null(matrix);
}

static void test_values_elsewhere(void **state)
{
    orthant_context *ctx = *state;
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    orthant_matrix *matrix = NULL;
    assert_true(H5Pset_external(how, files_path("secret"), 0, 6 * 4 * 8) >= 0);
    write_dataset(files_path("elsewhere.h5"), how);
    H5Pclose(how);
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "elsewhere.h5: '/x' has its values in other",
                   orthant_matrix_read(ctx, files_path("elsewhere.h5"), NULL, &matrix, NULL));
    assert_null(matrix);
}

/* 2 kB of zeros, packed, that stand for 800 MB. */
static void test_bomb(void **state)
{
    orthant_context *ctx = *state;
    const hsize_t size[2] = {100000, 1000}, chunk[2] = {1000, 1000};
    orthant_matrix *matrix = NULL;
    const hid_t file = H5Fcreate(files_path("bomb.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(2, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 2, chunk);
    H5Pset_deflate(how, 9);
    const hid_t dataset =
        H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    char *chunks = memory_new(ctx, 300, 1000, "bytes");
    assert_non_null(chunks); /* makes the file long enough for what it promises */
    const hsize_t length = 300000;
    const hid_t line = H5Screate_simple(1, &length, NULL);
    const hid_t filling =
        H5Dcreate2(file, "z", H5T_NATIVE_CHAR, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(filling, H5T_NATIVE_CHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, chunks) >= 0);
    memory_free(ctx, chunks);
    H5Dclose(filling);
    H5Sclose(line);
    H5Dclose(dataset);
    H5Pclose(how);
    H5Sclose(space);
    H5Fclose(file);
    orthant_context_set_memory_limit(ctx, (size_t)100 << 20);
    expect_failure(ctx, ORTHANT_ERROR_MEMORY, "the memory limit is 104857600 bytes",
                   orthant_matrix_read(ctx, files_path("bomb.h5"), NULL, &matrix, NULL));
    assert_non_null(strstr(orthant_message(ctx), "bomb.h5: out of memory: 800000"));
    assert_null(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_lzf),
                                       confined_test(test_lzf),
                                       fixture_test(test_lzf_damaged),
                                       confined_test(test_lzf_damaged),
                                       fixture_test(test_h5py),
                                       confined_test(test_h5py),
                                       fixture_test(test_unknown_filter),
                                       confined_test(test_unknown_filter),
                                       fixture_test(test_values_elsewhere),
                                       confined_test(test_values_elsewhere),
                                       fixture_test(test_bomb),
                                       confined_test(test_bomb)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
