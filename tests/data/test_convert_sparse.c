/* Sparse matrices of HDF5 and of MATLAB's files of version 7.3, several times larger than the
 * memory that converts them: what the readers of whole files give. And what is wrong with their
 * parts. */
#include "fixture.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/matrix.h"

#define OUTER 5000
#define INNER 700
#define CHUNK 7000
#define MEMORY (3 << 20) /* the readers of whole files take more than 9 MB */

/* As a file holds it: rows, or MATLAB's columns, and what stands in them. */
typedef struct vectors {
    int64_t start[OUTER + 1], *index, stored;
    double *value;
} vectors;

static vectors *make_vectors(void)
{
    vectors *v = calloc(1, sizeof *v);
    uint64_t state = 1;
    v->index = calloc((size_t)OUTER * 100, sizeof *v->index);
    v->value = calloc((size_t)OUTER * 100, sizeof *v->value);
    for (int64_t i = 0; i < OUTER; i++) {
        /* some rows are empty, one is full */
        const int64_t each = i == 77 ? 1 : i % 50 == 3 ? INNER : 8 + i % 9;
        for (int64_t j = i % each; j < INNER && v->stored < (int64_t)OUTER * 100; j += each) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            v->index[v->stored] = j;
            v->value[v->stored++] = (double)(state >> 40) / 3;
        }
        v->start[i + 1] = v->stored;
    }
    return v;
}

static void free_vectors(vectors *v)
{
    free(v->index);
    free(v->value);
    free(v);
}

static void write_vector(hid_t group, const char *name, hid_t stored, hid_t given, int64_t count,
                         const void *values)
{
    const hsize_t size = (hsize_t)count, chunk = size < CHUNK ? size : CHUNK;
    const hid_t space = H5Screate_simple(1, &size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 1, &chunk);
    H5Pset_deflate(how, 1);
    const hid_t set = H5Dcreate2(group, name, stored, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(how);
    H5Sclose(space);
}

static void write_attribute(hid_t group, const char *name, hid_t type, hsize_t count,
                            const void *values)
{
    const hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    const hid_t made = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(made >= 0 && H5Awrite(made, type, values) >= 0);
    H5Aclose(made);
    H5Sclose(space);
}

/* As AnnData does. */
static void write_scipy(const char *path, const vectors *v, bool by_columns)
{
    const int64_t shape[2] = {by_columns ? INNER : OUTER, by_columns ? OUTER : INNER};
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "X", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 11);
    write_vector(group, "data", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, v->stored, v->value);
    write_vector(group, "indices", H5T_NATIVE_INT32, H5T_NATIVE_INT64, v->stored, v->index);
    write_vector(group, "indptr", H5T_NATIVE_INT64, H5T_NATIVE_INT64, OUTER + 1, v->start);
    write_attribute(group, "shape", H5T_NATIVE_INT64, 2, shape);
    write_attribute(group, "encoding-type", text, 0, by_columns ? "csc_matrix" : "csr_matrix");
    H5Tclose(text);
    H5Gclose(group);
    H5Fclose(file);
}

/* As MATLAB does, with a vector of labels, which is the only matrix that is a dataset by itself. */
static void write_matlab(const char *path, const vectors *v)
{
    static char head[512] = "MATLAB 7.3 MAT-file";
    const uint64_t rows = INNER;
    const hsize_t size[2] = {1, INNER};
    double label[INNER];
    const hid_t how = H5Pcreate(H5P_FILE_CREATE), text = H5Tcopy(H5T_C_S1);
    H5Pset_userblock(how, sizeof head);
    H5Tset_size(text, 6);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, how, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "X", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    write_vector(group, "data", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, v->stored, v->value);
    write_vector(group, "ir", H5T_NATIVE_UINT64, H5T_NATIVE_INT64, v->stored, v->index);
    write_vector(group, "jc", H5T_NATIVE_UINT64, H5T_NATIVE_INT64, OUTER + 1, v->start);
    write_attribute(group, "MATLAB_class", text, 0, "double");
    write_attribute(group, "MATLAB_sparse", H5T_NATIVE_UINT64, 0, &rows);
    for (int i = 0; i < INNER; i++)
        label[i] = i % 7;
    const hid_t space = H5Screate_simple(2, size, NULL);
    const hid_t set =
        H5Dcreate2(file, "gnd", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, label);
    write_attribute(set, "MATLAB_class", text, 0, "double");
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(text);
    H5Gclose(group);
    H5Fclose(file);
    H5Pclose(how);
    memset(head + strlen(head), ' ', 116 - strlen(head));
    memcpy(head + 124, "\0\2IM", 4);
    FILE *front = fopen(path, "r+b");
    assert_non_null(front);
    assert_int_equal(fwrite(head, 1, sizeof head, front), sizeof head);
    fclose(front);
}

static orthant_status convert(orthant_context *ctx, const char *from, bool transposed,
                              const char *to)
{
    const orthant_read_options options = {.size = sizeof options, .transpose = transposed};
    const size_t limit = orthant_context_memory_limit(ctx);
    orthant_context_set_memory_limit(ctx, orthant_context_memory(ctx) + MEMORY);
    const orthant_status status = orthant_convert(ctx, from, &options, to);
    orthant_context_set_memory_limit(ctx, limit);
    return status;
}

/* The bytes that a file read whole would give. */
static void expect_same(orthant_context *ctx, const char *from, bool transposed)
{
    const orthant_read_options options = {
        .size = sizeof options, .truth = "none", .transpose = transposed};
    const char *to = files_path("out.csr");
    orthant_matrix *whole = NULL, *found = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, from, &options, &whole, NULL));
    expect_ok(ctx, convert(ctx, from, transposed, to));
    expect_ok(ctx, orthant_matrix_read(ctx, to, NULL, &found, NULL));
    assert_true(whole->sparse && found->sparse);
    assert_int_equal(found->rows, whole->rows);
    assert_int_equal(found->columns, whole->columns);
    assert_memory_equal(found->row_start, whole->row_start,
                        (size_t)(whole->rows + 1) * sizeof *whole->row_start);
    const size_t stored = (size_t)whole->row_start[whole->rows];
    assert_memory_equal(found->column, whole->column, stored * sizeof *whole->column);
    assert_memory_equal(found->values, whole->values, stored * precision_size(whole->precision));
    orthant_matrix_free(whole);
    orthant_matrix_free(found);
    remove(to);
}

static void test_scipy(void **state)
{
    vectors *v = make_vectors();
    for (int i = 0; i < 4; i++) {
        write_scipy(files_path("sparse.h5"), v, i % 2);
        expect_same(*state, files_path("sparse.h5"), i / 2);
    }
    free_vectors(v);
}

/* MATLAB writes columns; the labels go with them. */
static void test_matlab(void **state)
{
    orthant_context *ctx = *state;
    orthant_labels *labels = NULL;
    vectors *v = make_vectors();
    write_matlab(files_path("sparse.mat"), v);
    expect_same(ctx, files_path("sparse.mat"), false);
    expect_ok(ctx, orthant_labels_read(ctx, files_path("out.labels.csv"), &labels));
    assert_int_equal(orthant_labels_count(labels), INNER);
    assert_int_equal(orthant_labels_values(labels)[8], 1);
    orthant_labels_free(labels);
    remove(files_path("out.labels.csv"));
    free_vectors(v);
}

/* Sorted, and what stands at one place added up: of MATLAB's refused. */
static void test_disorder(void **state)
{
    orthant_context *ctx = *state;
    vectors *v = make_vectors();
    const int64_t at = v->start[4000], first = v->index[at];
    v->index[at] = v->index[at + 1];
    v->index[at + 2] = first;
    write_scipy(files_path("sparse.h5"), v, false);
    expect_same(ctx, files_path("sparse.h5"), false);
    write_matlab(files_path("sparse.mat"), v);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "twice",
                   convert(ctx, files_path("sparse.mat"), false, files_path("out.csr")));
    free_vectors(v);
}

static void refuse(orthant_context *ctx, const vectors *v, const char *message)
{
    FILE *made;
    write_scipy(files_path("sparse.h5"), v, false);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, message,
                   convert(ctx, files_path("sparse.h5"), false, files_path("out.csr")));
    write_matlab(files_path("sparse.mat"), v);
    assert_int_equal(convert(ctx, files_path("sparse.mat"), false, files_path("out.csr")),
                     ORTHANT_ERROR_FORMAT);
    made = fopen(files_path("out.csr"), "rb");
    assert_null(made);
}

/* Far behind the first rows. */
static void test_damaged(void **state)
{
    orthant_context *ctx = *state;
    vectors *v = make_vectors();
    const int64_t last = v->stored - 1, kept = v->index[last], start = v->start[4900];
    v->index[last] = INNER;
    refuse(ctx, v, "'indices' holds 700, expected 0 to 699");
    v->index[last] = -1; /* MATLAB's have no sign */
    write_scipy(files_path("sparse.h5"), v, false);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "'indices' holds -1",
                   convert(ctx, files_path("sparse.h5"), false, files_path("out.csr")));
    v->index[last] = kept;
    v->start[4900] = INT64_MAX;
    refuse(ctx, v, "'indptr' is damaged at 4901");
    v->start[4900] = v->start[4899] - 1;
    refuse(ctx, v, "'indptr' is damaged at 4901");
    v->start[4900] = start;
    v->start[0] = 1;
    refuse(ctx, v, "'indptr' is damaged at 1");
    v->start[0] = 0;
    v->start[OUTER]--;
    write_scipy(files_path("sparse.h5"), v, false);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "'indptr' is damaged at 5001",
                   convert(ctx, files_path("sparse.h5"), false, files_path("out.csr")));
    v->start[OUTER] = INT64_MAX;
    refuse(ctx, v, "'indptr' is damaged at 5001");
    free_vectors(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_scipy), fixture_test(test_matlab),
                                       fixture_test(test_disorder), fixture_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
