/* MATLAB files: versions, types, sparse ones, labels, truncated and flipped bytes. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/labels.h"
#include "data/read.h"

/* The fixtures hold 10 i + j at (i, j), 6 x 4, with labels 1 1 2 2 3 3; sparse ones hold 10 i + j +
 * 1 where i + j is a multiple of 3. */

static const char *fixture(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/data/fixtures/%s", name);
    return fixture_path(path);
}

static void check_values(const orthant_matrix *matrix, double plus)
{
    assert_int_equal(matrix->rows, 6);
    assert_int_equal(matrix->columns, 4);
    for (int64_t i = 0; i < 6; i++)
        for (int64_t j = 0; j < 4; j++)
            assert_true(orthant_matrix_get(matrix, i, j) == 10.0 * (double)i + (double)j + plus);
}

static void check_sparse(const orthant_matrix *matrix, bool ones)
{
    assert_true(matrix->sparse);
    assert_int_equal(matrix->rows, 6);
    assert_int_equal(matrix->columns, 4);
    assert_int_equal(matrix->row_start[6], 8);
    for (int64_t i = 0; i < 6; i++) {
        for (int64_t p = matrix->row_start[i] + 1; p < matrix->row_start[i + 1]; p++)
            assert_true(matrix->column[p] > matrix->column[p - 1]);
        for (int64_t j = 0; j < 4; j++) {
            const double stored = ones ? 1 : 10.0 * (double)i + (double)j + 1;
            assert_true(orthant_matrix_get(matrix, i, j) == ((i + j) % 3 == 0 ? stored : 0));
        }
    }
}

static void check_labels(const orthant_labels *labels)
{
    assert_non_null(labels);
    assert_int_equal(labels->count, 6);
    for (int64_t i = 0; i < 6; i++)
        assert_int_equal(labels->values[i], 1 + i / 2);
}

static void test_versions(void **state)
{
    static const struct {
        const char *name;
        double plus;
    } cases[] = {{"plain.mat", 0},
                 {"packed.mat", 0.5},
                 {"version4.mat", 0},
                 {"only.mat", 0},
                 {"version73.mat", 0}};
    orthant_context *ctx = *state;
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int precision = 0; precision < 2; precision++) {
            orthant_matrix *matrix = NULL;
            orthant_labels *truth = NULL;
            orthant_context_set_precision(ctx, (orthant_precision)precision);
            expect_ok(ctx, read_mat(ctx, fixture(cases[i].name), &options, &matrix, &truth));
            assert_int_equal(matrix->precision, precision);
            assert_false(matrix->sparse);
            check_values(matrix, cases[i].plus);
            check_labels(truth);
            assert_int_equal(orthant_matrix_picture(matrix).height, 0);
            orthant_matrix_free(matrix);
            orthant_labels_free(truth);
        }
}

static void test_types(void **state)
{
    static const char *const names[] = {"int8",   "uint8", "int16",  "uint16", "int32",
                                        "uint32", "int64", "uint64", "single", "double"};
    orthant_context *ctx = *state;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        options.variable = names[i];
        expect_ok(ctx, read_mat(ctx, fixture("types.mat"), &options, &matrix, &truth));
        check_values(matrix, 1);
        assert_null(truth);
        orthant_matrix_free(matrix);
    }
    options.variable = "logical";
    expect_ok(ctx, read_mat(ctx, fixture("types.mat"), &options, &matrix, &truth));
    for (int64_t j = 0; j < 4; j++)
        assert_true(orthant_matrix_get(matrix, 2, j) == (double)(j % 2));
    orthant_matrix_free(matrix);
}

static void test_sparse(void **state)
{
    static const char *const names[] = {"sparse.mat", "sparse_plain.mat", "sparse_version4.mat",
                                        "sparse_logical.mat"};
    orthant_context *ctx = *state;
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    for (int i = 0; i < 4; i++) {
        orthant_matrix *matrix = NULL;
        orthant_labels *truth = NULL;
        expect_ok(ctx, read_mat(ctx, fixture(names[i]), &options, &matrix, &truth));
        check_sparse(matrix, i == 3);
        assert_int_equal(truth != NULL, i < 2);
        orthant_matrix_free(matrix);
        orthant_labels_free(truth);
    }
}

static void test_names(void **state)
{
    orthant_context *ctx = *state;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "unnamed.mat: no variable 'fea'; it holds 'A' (6 x 4), 'B' (6 x 4) and 'y' (6 x "
                   "1). Try variable = 'A' truth = 'y'.",
                   read_mat(ctx, fixture("unnamed.mat"), &options, &matrix, &truth));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT,
                   "Try variable = 'Xt' truth = 'Lt' transpose = 'yes'.",
                   read_mat(ctx, fixture("columns.mat"), &options, &matrix, &truth));
    options.variable = "C";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no variable 'C'; it holds 'A' (6 x 4)",
                   read_mat(ctx, fixture("unnamed.mat"), &options, &matrix, &truth));
    assert_null(matrix);
    assert_null(truth);
    options.variable = "B";
    expect_ok(ctx, read_mat(ctx, fixture("unnamed.mat"), &options, &matrix, &truth));
    check_values(matrix, 1);
    check_labels(truth);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
}

static void test_truth(void **state)
{
    orthant_context *ctx = *state;
    orthant_read_options options = {.size = sizeof options, .variable = "Xt", .transpose = true};
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_ok(ctx, read_mat(ctx, fixture("columns.mat"), &options, &matrix, &truth));
    assert_int_equal(matrix->rows, 4); /* as the file has it: the dispatcher transposes */
    assert_int_equal(truth->count, 6);
    assert_int_equal(truth->values[1], 1);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    options.truth = "Ls";
    expect_failure(ctx, ORTHANT_ERROR_DATA, "'Ls' has 3 labels, 'Xt' 6 samples",
                   read_mat(ctx, fixture("columns.mat"), &options, &matrix, &truth));
    options.transpose = false;
    options.truth = "Lt";
    expect_failure(ctx, ORTHANT_ERROR_DATA, "Try transpose = 'yes'",
                   read_mat(ctx, fixture("columns.mat"), &options, &matrix, &truth));
    static const char *const elsewhere[] = {"none", "labels.csv"};
    for (int i = 0; i < 2; i++) {
        options =
            (orthant_read_options){.size = sizeof(orthant_read_options), .truth = elsewhere[i]};
        expect_ok(ctx, read_mat(ctx, fixture("plain.mat"), &options, &matrix, &truth));
        assert_null(truth);
        orthant_matrix_free(matrix);
    }
    options = (orthant_read_options){.size = sizeof(orthant_read_options), .truth = "gnd"};
    expect_failure(ctx, ORTHANT_ERROR_DATA, "entry 1 of 'gnd' is 1.5; labels are whole numbers",
                   read_mat(ctx, fixture("odd.mat"), &options, &matrix, &truth));
    options.truth = NULL; /* found by itself, halves are not taken for labels */
    expect_ok(ctx, read_mat(ctx, fixture("odd.mat"), &options, &matrix, &truth));
    assert_null(truth);
    orthant_matrix_free(matrix);
}

static void test_refused(void **state)
{
    static const char *const cases[][2] = {
        {"z", "'z' is of class complex"},          {"cell", "'cell' is of class cell"},
        {"record", "'record' is of class struct"}, {"text", "'text' is of class text"},
        {"cube", "'cube' has 3 dimensions"},       {"empty", "'empty' is 0 x 4"}};
    orthant_context *ctx = *state;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        options.variable = cases[i][0];
        expect_failure(ctx, ORTHANT_ERROR_DATA, cases[i][1],
                       read_mat(ctx, fixture("odd.mat"), &options, &matrix, &truth));
        assert_null(matrix);
    }
    options.variable = NULL;
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such file",
                   read_mat(ctx, files_path("nothing.mat"), &options, &matrix, &truth));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "not a MATLAB file",
                   read_mat(ctx, files_write_text("text.mat", "These are only words, no numbers."),
                            &options, &matrix, &truth));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "empty",
                   read_mat(ctx, files_write_text("empty.mat", ""), &options, &matrix, &truth));
}

static void test_label_files(void **state)
{
    orthant_context *ctx = *state;
    orthant_labels *labels = NULL;
    expect_ok(ctx, labels_read_mat(ctx, fixture("packed.mat"), NULL, &labels));
    check_labels(labels);
    orthant_labels_free(labels);
    expect_ok(ctx, labels_read_mat(ctx, fixture("only.mat"), NULL, &labels));
    check_labels(labels);
    orthant_labels_free(labels);
    expect_ok(ctx, labels_read_mat(ctx, fixture("columns.mat"), "Ls", &labels));
    assert_int_equal(labels->count, 3);
    orthant_labels_free(labels);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no variable 'gnd'; it holds 'Xt' (4 x 6)",
                   labels_read_mat(ctx, fixture("columns.mat"), NULL, &labels));
    expect_failure(ctx, ORTHANT_ERROR_DATA, "'fea' cannot be labels",
                   labels_read_mat(ctx, fixture("plain.mat"), "fea", &labels));
    assert_null(labels);
}

static void test_picture(void **state)
{
    orthant_context *ctx = *state;
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    expect_ok(ctx, read_mat(ctx, fixture("picture.mat"), &options, &matrix, &truth));
    const orthant_picture_shape shape = orthant_matrix_picture(matrix);
    assert_int_equal(shape.height, 8);
    assert_int_equal(shape.width, 8);
    assert_int_equal(shape.channels, 1);
    assert_true(shape.column_major);
    orthant_matrix_free(matrix);
}

/* ---- damaged files ------------------------------------------------------------------------ */

static const char *const damaged[] = {"plain.mat",        "packed.mat",   "sparse.mat",
                                      "sparse_plain.mat", "version4.mat", "sparse_version4.mat",
                                      "version73.mat",    "types.mat",    "odd.mat"};

/* A file with this content is read or refused with a message; nothing else happens. */
static orthant_status try_bytes(orthant_context *ctx, const unsigned char *bytes, size_t size)
{
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    const char *path = files_write("damaged.mat", bytes, size);
    const orthant_status status = read_mat(ctx, path, &options, &matrix, &truth);
    if (status != ORTHANT_OK) {
        assert_null(matrix);
        assert_null(truth);
        assert_true(orthant_message(ctx)[0] != '\0');
        assert_null(strchr(orthant_message(ctx), '\n'));
    }
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    assert_int_equal(orthant_context_memory(ctx), 0);
    return status;
}

static void test_truncated(void **state)
{
    orthant_context *ctx = *state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        size_t size;
        unsigned char *bytes = files_read(fixture(damaged[i]), &size);
        int accepted = 0;
        for (size_t length = 0; length < size; length += 7)
            accepted += try_bytes(ctx, bytes, length) == ORTHANT_OK;
        /* A cut that falls between two variables leaves a whole file behind. */
        assert_in_range(accepted, 0, 1);
        free(bytes);
    }
}

/* Not of version 7.3: the HDF5 library itself is not proof against every damage of its structures.
 */
static void test_flipped(void **state)
{
    orthant_context *ctx = *state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        size_t size;
        if (strcmp(damaged[i], "version73.mat") == 0)
            continue;
        unsigned char *bytes = files_read(fixture(damaged[i]), &size);
        static const unsigned char flips[] = {0x01, 0x80, 0xff};
        for (size_t at = 0; at < size; at++)
            for (size_t flip = 0; flip < sizeof flips; flip++) {
                bytes[at] ^= flips[flip];
                try_bytes(ctx, bytes, size);
                bytes[at] ^= flips[flip];
            }
        free(bytes);
    }
}

/* Sizes that would take gigabytes are refused before anything is allocated for them. */
static void test_lies(void **state)
{
    orthant_context *ctx = *state;
    size_t size;
    unsigned char *bytes = files_read(fixture("plain.mat"), &size);
    /* 128 header, 8 tag, 16 flags, 8 tag of the dimensions: the number of rows. */
    const int32_t rows = 0x7fffffff;
    memcpy(bytes + 160, &rows, sizeof rows);
    orthant_context_reset_peak_memory(ctx);
    assert_int_equal(try_bytes(ctx, bytes, size), ORTHANT_ERROR_FORMAT);
    assert_non_null(strstr(orthant_message(ctx), "shape that does not agree with its values"));
    assert_true(orthant_context_peak_memory(ctx) < 1 << 20);
    free(bytes);
    bytes = files_read(fixture("plain.mat"), &size);
    bytes[144] = 17;   /* an opaque object */
    bytes[159] = 0x80; /* whose first part has two gigabytes */
    assert_int_equal(try_bytes(ctx, bytes, size), ORTHANT_ERROR_FORMAT);
    free(bytes);
    bytes = files_read(fixture("packed.mat"), &size);
    bytes[size - 1] ^= 1; /* the checksum of the compressed bytes */
    assert_int_equal(try_bytes(ctx, bytes, size), ORTHANT_ERROR_FORMAT);
    assert_non_null(strstr(orthant_message(ctx), "do not inflate"));
    bytes[size - 1] ^= 1;
    /* The last compressed variable ends in the middle, and its tag agrees with that. */
    size_t last = 128, next = last;
    uint32_t packed = 0;
    while (next < size) {
        last = next;
        memcpy(&packed, bytes + last + 4, sizeof packed);
        next = last + 8 + packed;
    }
    assert_int_equal(next, size);
    packed -= 16;
    memcpy(bytes + last + 4, &packed, sizeof packed);
    assert_int_equal(try_bytes(ctx, bytes, size - 16), ORTHANT_ERROR_FORMAT);
    assert_non_null(strstr(orthant_message(ctx), "holds less than it says"));
    free(bytes);
}

/* ---- the research sets -------------------------------------------------------------------- */

static void test_research(void **state)
{
    static const struct {
        const char *path, *variable;
        int64_t rows, columns, classes;
        int side;
        double sum;
    } cases[] = {{"ORL/ORL_32x32.mat", NULL, 400, 1024, 40, 32, 54429100},
                 {"ORL/ORL_64x64.mat", NULL, 400, 4096, 40, 64, 216898402},
                 {"Yale/Yale_32x32.mat", NULL, 165, 1024, 15, 32, 16640447},
                 {"COIL20/COIL20_32x32.mat", NULL, 1440, 1024, 20, 32, 444661.9928921568},
                 {"USPS/usps_9298.mat", "Xt", 256, 7291, 10, 16, 949974.283},
                 {"Reuters21578/Reuters21578.mat", NULL, 8293, 18933, 65, 0, 560940}};
    orthant_context *ctx = *state;
    const char *folder = getenv("ORTHANT_DATA");
    if (!folder) {
        print_message("skipped: the research data are not here; ORTHANT_DATA names their folder\n");
        skip();
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const orthant_read_options options = {.size = sizeof options,
                                              .variable = cases[i].variable,
                                              .transpose = cases[i].variable != NULL};
        orthant_matrix *matrix = NULL;
        orthant_labels *truth = NULL;
        char path[512];
        double sum = 0;
        snprintf(path, sizeof path, "%s/%s", folder, cases[i].path);
        expect_ok(ctx, read_mat(ctx, path, &options, &matrix, &truth));
        assert_int_equal(matrix->rows, cases[i].rows);
        assert_int_equal(matrix->columns, cases[i].columns);
        assert_int_equal(orthant_labels_classes(truth), cases[i].classes);
        assert_int_equal(orthant_matrix_picture(matrix).height, cases[i].side);
        const int64_t entries =
            matrix->sparse ? matrix->row_start[matrix->rows] : matrix->rows * matrix->columns;
        for (int64_t p = 0; p < entries; p++)
            sum += matrix_value(matrix, p);
        assert_true(sum > cases[i].sum * (1 - 1e-9) && sum < cases[i].sum * (1 + 1e-9));
        orthant_matrix_free(matrix);
        orthant_labels_free(truth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_versions),     fixture_test(test_types),    fixture_test(test_sparse),
        fixture_test(test_names),        fixture_test(test_truth),    fixture_test(test_refused),
        fixture_test(test_label_files),  fixture_test(test_picture),  fixture_test(test_truncated),
        fixture_test(test_flipped),      fixture_test(test_lies),     fixture_test(test_research),
        confined_test(test_versions),    confined_test(test_types),   confined_test(test_sparse),
        confined_test(test_names),       confined_test(test_truth),   confined_test(test_refused),
        confined_test(test_label_files), confined_test(test_research)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
