/* Each allocation of each reader and writer made to fail in turn: the status says so, and nothing
 * is left behind. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/labels.h"
#include "data/matrix.h"
#include "data/row_file.h"

typedef struct countdown {
    int left; /* allocations that still succeed */
} countdown;

static void *allocate(void *user, size_t size, size_t alignment)
{
    countdown *c = user;
    return c->left-- > 0 ? aligned_alloc(alignment, size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

typedef orthant_status (*action)(orthant_context *ctx, const char *path);

static void exhaust(action act, const char *path)
{
    countdown c = {0};
    for (int n = 0; n < 1000; n++) {
        orthant_context *ctx = NULL;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, &c));
        c.left = n;
        const orthant_status status = act(ctx, path);
        if (status != ORTHANT_OK && status != ORTHANT_ERROR_MEMORY)
            fail_msg("%s, allocation %d: %s: %s", path, n, orthant_status_name(status),
                     orthant_message(ctx));
        if (status == ORTHANT_ERROR_MEMORY)
            assert_non_null(strstr(orthant_message(ctx), "out of memory"));
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
        if (status == ORTHANT_OK) {
            assert_true(n > 0);
            return;
        }
    }
    fail_msg("%s: never enough memory", path);
}

static orthant_status read_matrix(orthant_context *ctx, const char *path)
{
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    const orthant_read_options options = {
        .size = sizeof options, .transpose = true, .truth = "none"};
    const orthant_status status = orthant_matrix_read(ctx, path, &options, &matrix, &truth);
    assert_int_equal(matrix != NULL, status == ORTHANT_OK);
    orthant_matrix_free(matrix);
    return status;
}

static orthant_status read_labelled(orthant_context *ctx, const char *path)
{
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    const orthant_status status = orthant_matrix_read(ctx, path, NULL, &matrix, &truth);
    assert_int_equal(matrix != NULL, status == ORTHANT_OK);
    assert_int_equal(truth != NULL, status == ORTHANT_OK);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    return status;
}

/* The labels in the column "c" of a table. */
static orthant_status read_column(orthant_context *ctx, const char *path)
{
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    const orthant_read_options options = {.size = sizeof options, .truth = "c"};
    const orthant_status status = orthant_matrix_read(ctx, path, &options, &matrix, &truth);
    assert_int_equal(matrix != NULL, status == ORTHANT_OK);
    assert_int_equal(truth != NULL, status == ORTHANT_OK);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    return status;
}

static orthant_status read_labels(orthant_context *ctx, const char *path)
{
    orthant_labels *labels = NULL, *kept = NULL;
    orthant_status status = orthant_labels_read(ctx, path, &labels);
    assert_int_equal(labels != NULL, status == ORTHANT_OK);
    if (status == ORTHANT_OK) {
        const int64_t classes = orthant_labels_classes(labels);
        assert_true(classes == -1 || classes == 2 || classes == 3);
        status = classes < 0 ? ORTHANT_ERROR_MEMORY : ORTHANT_OK;
    }
    if (status == ORTHANT_OK)
        status = orthant_labels_keep_fraction(ctx, labels, 0.5, 1, &kept);
    assert_int_equal(kept != NULL, status == ORTHANT_OK);
    orthant_labels_free(labels);
    orthant_labels_free(kept);
    return status;
}

static orthant_status scale_and_write(orthant_context *ctx, const char *path)
{
    static const int64_t starts[] = {0, 1, 2}, columns[] = {1, 0};
    static const double values[] = {1, 2};
    orthant_matrix *matrix = NULL;
    orthant_status status = orthant_matrix_create_csr(ctx, 2, 2, starts, columns, values, &matrix);
    if (status == ORTHANT_OK)
        status = orthant_matrix_scale(matrix, ORTHANT_SCALE_TFIDF);
    if (status == ORTHANT_OK)
        status = orthant_matrix_write(ctx, matrix, path);
    orthant_matrix_free(matrix);
    return status;
}

static void test_readers(void **state)
{
    (void)state;
    exhaust(read_matrix, fixture_path("tests/data/fixtures/fortran.npy"));
    exhaust(read_matrix, fixture_path("tests/data/fixtures/csr.npz"));
    exhaust(read_matrix, fixture_path("tests/data/fixtures/csc.npz"));
    exhaust(read_labelled, fixture_path("tests/data/fixtures/labelled.npz"));
    exhaust(read_labelled, fixture_path("data/digits/digits-images-idx3-ubyte.gz"));
    exhaust(read_matrix, files_write_text("a.csv", "a,b\n1,2\n"));
    exhaust(read_matrix,
            files_write_text("a.mtx",
                             "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n"));
    exhaust(read_matrix, files_write_text("c.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                                   "2 3 3\n1 3 1\n1 1 2\n1 2 3\n"));
    exhaust(read_column, files_write_text("b.csv", "a,c\n1,2\n3,1\n"));
    exhaust(read_column, files_write_text("c.csv", "a,c\n1,one\n3,two\n"));
    exhaust(read_matrix,
            files_write_text("b.mtx", "%%MatrixMarket matrix array real general\n1 2\n1\n1\n"));
}

static void test_labels(void **state)
{
    (void)state;
    exhaust(read_labels, files_write_text("l.csv", "1\n2\n1\n"));
    exhaust(read_labels, files_write_text("m.csv", "a\nb\na\n"));
    exhaust(read_labels, fixture_path("tests/data/fixtures/labels.npy"));
}

static void test_writers(void **state)
{
    (void)state;
    const int before = files_count(files_folder());
    static const char *const names[] = {"w.npy", "w.csv", "w.mtx", "w.csr"};
    for (int i = 0; i < 4; i++)
        exhaust(scale_and_write, files_path(names[i]));
    assert_int_equal(files_count(files_folder()), before + 4);
}

static orthant_status convert(orthant_context *ctx, const char *path)
{
    const orthant_read_options options = {
        .size = sizeof options, .transpose = strstr(path, ".t."), .truth = "none"};
    char to[2][512];
    snprintf(to[0], sizeof to[0], "%s/o.npy", files_folder());
    snprintf(to[1], sizeof to[1], "%s/%s", files_folder(),
             strstr(path, "o.csr") ? "o.npy" : "o.csr");
    const orthant_status status = orthant_convert(ctx, path, &options, to[0]);
    return status ? status : orthant_convert(ctx, path, &options, to[1]);
}

static orthant_status read_streamed(orthant_context *ctx, const char *path)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    options.stream = true;
    const orthant_status status = orthant_matrix_read(ctx, path, &options, &matrix, NULL);
    orthant_matrix_free(matrix);
    return status;
}

/* What a pass without memory did not see does not go for zeros. */
static orthant_status square_streamed(orthant_context *ctx, const char *path)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    double squares[64] = {0};
    options.stream = true;
    orthant_status status = orthant_matrix_read(ctx, path, &options, &matrix, NULL);
    if (!status) {
        assert_true(matrix->rows <= 64);
        matrix_row_squares(matrix, squares);
        status = row_file_status(matrix->file);
    }
    if (!status)
        assert_true(squares[matrix->rows - 1] > 0);
    orthant_matrix_free(matrix);
    return status;
}

static void test_streamed(void **state)
{
    static const double values[] = {1, 2, 3, 4, 5, 6};
    orthant_context *ctx = *state;
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 2, values, &matrix));
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, files_path("s.npy")));
    const orthant_status status = orthant_matrix_write(ctx, matrix, files_path("s.h5"));
    orthant_matrix_free(matrix);
    exhaust(square_streamed, files_path("s.npy"));
    expect_ok_or_left_out(ctx, status);
    exhaust(square_streamed, files_path("s.h5"));
}

/* A failure leaves no file under the name, nor another. */
static void test_conversions(void **state)
{
    (void)state;
    static const char entries[] = "%%MatrixMarket matrix coordinate real symmetric\n"
                                  "3 3 3\n2 1 1\n3 1 4\n2 2 5\n";
    static const char *const names[] = {"v.csv", "v.t.csv", "v.mtx", "v.t.mtx"};
    const int before = files_count(files_folder());
    for (int i = 0; i < 4; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s",
                 files_write_text(names[i], i < 2 ? "a,b\n1,2\n3,4\n" : entries));
        exhaust(convert, path);
        /* The names of columns, of features or, transposed, of samples; the next data have others,
         * and names that are not theirs are refused beside what is written. */
        if (i < 2)
            assert_int_equal(remove(files_path(i == 0 ? "o.words.txt" : "o.samples.txt")), 0);
    }
    exhaust(convert, fixture_path("tests/data/fixtures/fortran.npy"));
    exhaust(convert, fixture_path("tests/data/fixtures/labelled.npz"));
    exhaust(convert, files_path("o.csr"));
    exhaust(read_streamed, files_path("o.csr"));
    assert_int_equal(files_count(files_folder()), before + 6); /* the four texts, o.npy and o.csr */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_writers), cmocka_unit_test(test_conversions),
        fixture_test(test_streamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
