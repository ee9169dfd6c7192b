/* Data that lie in HDF5 and .csr files: rows as the readers give them, and the bits of a fit in
 * memory. */
#include "fixture.h"

#include <stdlib.h>

#include "data/matrix.h"
#include "data/row_file.h"
#include "problem.h"

static orthant_matrix *open_file(orthant_context *ctx, const char *path, bool streamed)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    options.stream = streamed;
    options.truth = "none";
    expect_ok_or_left_out(ctx, orthant_matrix_read(ctx, path, &options, &matrix, NULL));
    assert_true(orthant_matrix_is_streamed(matrix) == streamed);
    return matrix;
}

/* By several methods, on one and more threads. */
static void expect_same(orthant_context *ctx, const char *path)
{
    static const char *const methods[] = {"nmf", "nmf-kl", "nnsc"};
    orthant_matrix *here = open_file(ctx, path, false), *there = open_file(ctx, path, true);
    test_problem p = {.ctx = ctx, .X = here};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        orthant_model *model = NULL;
        orthant_result *expected = NULL, *found = NULL;
        expect_ok(ctx, orthant_model_create(ctx, methods[i], 3, &model));
        expect_ok(ctx, orthant_model_set(model, "iterations", "5"));
        expected = problem_fit(&p, model);
        for (int threads = 1; threads <= 3; threads++) {
            expect_ok(ctx, orthant_context_set_threads(ctx, threads));
            const orthant_status status = orthant_fit(model, there, &found);
            if (status)
                fail_msg("%s, %s: %s", path, methods[i], orthant_message(ctx));
            if (!factors_identical(expected, found))
                fail_msg("%s, %s, %d threads: other factors from the file", path, methods[i],
                         threads);
            orthant_result_free(found);
        }
        orthant_result_free(expected);
        orthant_model_free(model);
    }
    assert_true(orthant_matrix_nonzeros(there) == orthant_matrix_nonzeros(here));
    orthant_matrix_free(here);
    orthant_matrix_free(there);
}

static void test_sparse(void **state)
{
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++) {
        test_problem p;
        (void)state;
        problem_make(&p, (problem_shape){.samples = 700,
                                         .features = 90,
                                         .precision = (orthant_precision)precision,
                                         .sparse = true,
                                         .density = 0.1});
        expect_ok(p.ctx, orthant_matrix_write(p.ctx, p.X, files_path("x.csr")));
        expect_same(p.ctx, files_path("x.csr"));
        /* in another precision than the file's */
        orthant_context_set_precision(p.ctx, precision == ORTHANT_SINGLE ? ORTHANT_DOUBLE
                                                                         : ORTHANT_SINGLE);
        expect_same(p.ctx, files_path("x.csr"));
        problem_free(&p);
    }
}

/* One behind the other, and in chunks that a pass must not unpack for every strip. */
static void compare_hdf5(bool confined)
{
    test_problem p;
    const orthant_read_options options = {.size = sizeof options, .truth = "none"};
    problem_make(&p, (problem_shape){.samples = 3000, .features = 40, .precision = ORTHANT_SINGLE});
    orthant_context_set_confined(p.ctx, confined);
    expect_ok_or_left_out(p.ctx, orthant_matrix_write(p.ctx, p.X, files_path("plain.h5")));
    expect_same(p.ctx, files_path("plain.h5"));
    expect_ok(p.ctx, orthant_matrix_write(p.ctx, p.X, files_path("x.csv")));
    expect_ok(p.ctx,
              orthant_convert(p.ctx, files_path("x.csv"), &options, files_path("chunks.h5")));
    expect_same(p.ctx, files_path("chunks.h5"));
    expect_same(p.ctx, fixture_path("tests/data/fixtures/packed.h5"));
    problem_free(&p);
}

static void test_hdf5(void **state)
{
    (void)state;
    compare_hdf5(false);
}

static void test_hdf5_confined(void **state)
{
    (void)state;
    compare_hdf5(true);
}

/* Any rows in any order, from inside of kept chunks and across them. */
static void test_rows_in_any_order(void **state)
{
    orthant_context *ctx = *state;
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    const char *path = fixture_path("tests/data/fixtures/packed.h5");
    orthant_matrix *here = open_file(ctx, path, false), *there = open_file(ctx, path, true);
    row_failure failure;
    double *rows = calloc((size_t)(here->rows * here->columns), sizeof *rows);
    for (int64_t first = here->rows - 1; first >= 0; first -= 7) {
        const int64_t count = here->rows - first < 13 ? here->rows - first : 13;
        assert_true(
            row_file_read(there->file, first, count, (row_target){.values = rows}, &failure));
        assert_memory_equal(rows, (double *)here->values + first * here->columns,
                            (size_t)(count * here->columns) * sizeof *rows);
    }
    free(rows);
    orthant_matrix_free(here);
    orthant_matrix_free(there);
}

/* Sections whose checksum cannot be looked at row by row are checked by what they say. */
static void test_damaged(void **state)
{
    orthant_context *ctx = *state;
    const int64_t starts[] = {0, 1, 2}, columns[] = {0, 1};
    const double values[] = {1, 2};
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    size_t size;
    options.stream = true;
    expect_ok(ctx, orthant_matrix_create_csr(ctx, 2, 2, starts, columns, values, &matrix));
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, files_path("good.csr")));
    orthant_matrix_free(matrix);
    unsigned char *bytes = files_read(files_path("good.csr"), &size);
    bytes[128 + 4] = 9; /* the second column */
    const char *path = files_write("bad.csr", bytes, size);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "row 2 has columns that do not rise within 1 to 2",
                   orthant_matrix_read(ctx, path, &options, &matrix, NULL));
    bytes[128 + 4] = 1;
    bytes[size - 8] = 3; /* where the last row ends */
    path = files_write("bad.csr", bytes, size);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "checksum of its row starts",
                   orthant_matrix_read(ctx, path, &options, &matrix, NULL));
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sparse), cmocka_unit_test(test_hdf5),
                                       cmocka_unit_test(test_hdf5_confined),
                                       fixture_test(test_rows_in_any_order),
                                       fixture_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
