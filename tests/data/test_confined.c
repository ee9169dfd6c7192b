/* Files that are read in a confined child process: the same bytes as without, whatever the layout;
 * nothing is left of the child; damage that ends HDF5 is told. */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/child.h"
#include "data/read.h"

static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void expect_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* The file read both ways, in both precisions. */
static void expect_same(orthant_context *ctx, const char *path)
{
    for (int precision = 0; precision < 2; precision++) {
        orthant_matrix *plain = NULL, *confined = NULL;
        orthant_labels *first = NULL, *second = NULL;
        orthant_context_set_precision(ctx, (orthant_precision)precision);
        orthant_context_set_confined(ctx, false);
        expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &plain, &first));
        const size_t held = orthant_context_memory(ctx);
        orthant_context_set_confined(ctx, true);
        expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &confined, &second));
        assert_int_equal(orthant_context_memory(ctx), 2 * held);
        assert_int_equal(plain->rows, confined->rows);
        assert_int_equal(plain->columns, confined->columns);
        assert_int_equal(plain->sparse, confined->sparse);
        assert_int_equal(matrix_bytes(plain), matrix_bytes(confined));
        assert_memory_equal(&plain->picture, &confined->picture, sizeof plain->picture);
        const int64_t stored =
            plain->sparse ? plain->row_start[plain->rows] : plain->rows * plain->stride;
        assert_memory_equal(plain->values, confined->values,
                            (size_t)stored * precision_size(plain->precision));
        if (plain->sparse) {
            assert_memory_equal(plain->row_start, confined->row_start,
                                (size_t)(plain->rows + 1) * sizeof *plain->row_start);
            assert_memory_equal(plain->column, confined->column,
                                (size_t)stored * sizeof *plain->column);
        }
        assert_int_equal(first == NULL, second == NULL);
        if (first)
            assert_memory_equal(orthant_labels_values(first), orthant_labels_values(second),
                                (size_t)orthant_labels_count(first) * sizeof(int64_t));
        orthant_matrix_free(plain);
        orthant_matrix_free(confined);
        orthant_labels_free(first);
        orthant_labels_free(second);
    }
}

static void test_fixtures(void **state)
{
    static const char *const names[] = {"one.h5",     "csr.h5",     "anndata.h5",
                                        "packed.mat", "sparse.mat", "version73.mat",
                                        "lzf.h5",     "h5py.mat",   "sparse_version4.mat"};
    orthant_context *ctx = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "tests/data/fixtures/%s", names[i]);
        expect_same(ctx, fixture_path(path));
    }
    expect_no_child();
}

/* 16-bit numbers; `chunk` 0: not in chunks. */
static void write_layout(const char *path, hsize_t rows, hsize_t columns, const hsize_t chunk[2])
{
    const hsize_t size[2] = {rows, columns};
    uint16_t *values = malloc((size_t)(rows * columns) * sizeof *values);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(2, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    for (hsize_t i = 0; i < rows * columns; i++)
        values[i] = (uint16_t)(i * 7919 + i / 1000);
    if (chunk[0]) {
        H5Pset_chunk(how, 2, chunk);
        H5Pset_deflate(how, 1);
    }
    const hid_t dataset =
        H5Dcreate2(file, "x", H5T_NATIVE_UINT16, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Pclose(how);
    H5Sclose(space);
    H5Fclose(file);
    free(values);
}

/* Rows that are longer than what is sent at once, chunks that are, and all that is not. */
static void test_layouts(void **state)
{
    static const struct {
        hsize_t rows, columns, chunk[2];
    } layouts[] = {{3, 700000, {0, 0}},     {900000, 1, {0, 0}},      {1000, 777, {0, 0}},
                   {3, 700000, {2, 1000}},  {1000, 777, {1000, 100}}, {1000, 777, {17, 50}},
                   {700001, 2, {350000, 1}}};
    orthant_context *ctx = *state;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const char *path = files_path("layout.h5");
        write_layout(path, layouts[i].rows, layouts[i].columns, layouts[i].chunk);
        expect_same(ctx, path);
    }
    expect_no_child();
}

/* Damage that ends the process which reads it, as data, labels, truth. */
static void test_broken(void **state)
{
    static const char *const names[] = {"mat73-h5dread-null.mat", "mat73-group-info.h5"};
    orthant_context *ctx = *state;
    const int files = open_files();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        orthant_matrix *matrix = NULL;
        orthant_labels *labels = NULL;
        snprintf(path, sizeof path, "tests/damaged/%s", names[i]);
        expect_failure(ctx, ORTHANT_ERROR_FORMAT, "damaged: the HDF5 library failed on it",
                       orthant_matrix_read(ctx, fixture_path(path), NULL, &matrix, &labels));
        assert_null(matrix);
        assert_null(labels);
    }
    assert_int_equal(open_files(), files);
    expect_no_child();
}

/* Every 29th byte of a file changed: read or refused with a line that names it. */
static void test_flipped(void **state)
{
    static const char *const names[] = {"one.h5", "version73.mat"};
    orthant_context *ctx = *state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char path[128];
        size_t size;
        snprintf(path, sizeof path, "tests/data/fixtures/%s", names[n]);
        unsigned char *bytes = files_read(fixture_path(path), &size);
        const char *damaged = files_path(n ? "flipped.mat" : "flipped.h5");
        for (size_t at = 0; at < size; at += 29 + size / 100) {
            orthant_matrix *matrix = NULL;
            const unsigned char kept = bytes[at];
            bytes[at] = (unsigned char)(kept ^ 0x5a);
            files_write(n ? "flipped.mat" : "flipped.h5", bytes, size);
            bytes[at] = kept;
            const orthant_status status = orthant_matrix_read(ctx, damaged, NULL, &matrix, NULL);
            assert_int_equal(matrix == NULL, status != ORTHANT_OK);
            if (status != ORTHANT_OK)
                assert_non_null(strstr(orthant_message(ctx), "flipped."));
            orthant_matrix_free(matrix);
        }
        free(bytes);
    }
    expect_no_child();
}

static void *read_often(void *failures)
{
    orthant_context *ctx = NULL;
    if (orthant_context_create(&ctx) != ORTHANT_OK)
        return failures;
    orthant_context_set_confined(ctx, true);
    for (int i = 0; i < 20; i++) {
        char path[256];
        orthant_matrix *matrix = NULL;
        const char *source = getenv("ORTHANT_SOURCE");
        snprintf(path, sizeof path, "%.200s/tests/data/fixtures/%s", source ? source : ".",
                 i % 2 ? "one.h5" : "version73.mat");
        if (orthant_matrix_read(ctx, path, NULL, &matrix, NULL) != ORTHANT_OK ||
            orthant_matrix_rows(matrix) != 6)
            ++*(int *)failures;
        orthant_matrix_free(matrix);
    }
    if (orthant_context_memory(ctx))
        ++*(int *)failures;
    orthant_context_free(ctx);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    int failures[4] = {0};
    const int files = open_files();
    (void)state;
    if (SANITIZED) /* their allocators keep their locks in a fork of several threads */
        skip();
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &failures[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        assert_null(result);
        assert_int_equal(failures[i], 0);
    }
    assert_int_equal(open_files(), files);
    expect_no_child();
}

int main(void)
{
    const struct CMUnitTest tests[] = {confined_test(test_fixtures), confined_test(test_layouts),
                                       confined_test(test_broken), confined_test(test_flipped),
                                       confined_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
