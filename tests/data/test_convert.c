/* Every kind of file to every kind of output: the same matrix as the reader's, in small blocks. */
#include "fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/matrix.h"

#define FIXTURES "tests/data/fixtures/"

static void expect_same(const orthant_matrix *a, const orthant_matrix *b, const char *what)
{
    if (a->rows != b->rows || a->columns != b->columns)
        fail_msg("%s: %d x %d, expected %d x %d", what, (int)b->rows, (int)b->columns, (int)a->rows,
                 (int)a->columns);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++) {
            const double x = orthant_matrix_get(a, i, j), y = orthant_matrix_get(b, i, j);
            if (memcmp(&x, &y, sizeof x) != 0 && !(x >= 0 && x <= 0 && y >= 0 && y <= 0))
                fail_msg("%s: entry (%d, %d) is %g, expected %g", what, (int)i, (int)j, y, x);
        }
}

/* Names beside what was made, which beside other data are refused. */
static void remove_names(const char *path)
{
    static const char *const endings[] = {"samples.txt", "words.txt"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char beside[600];
        snprintf(beside, sizeof beside, "%.*s%s", (int)(strrchr(path, '.') + 1 - path), path,
                 endings[i]);
        remove(beside);
    }
}

/* To each kind of output, as it stands and transposed, with what memory is given. */
static void convert_all(orthant_context *ctx, const char *from, const char *variable,
                        const char *truth)
{
    static const char *const names[] = {"out.npy", "out.h5", "out.csr"};
    const size_t limit = orthant_context_memory_limit(ctx);
    for (int transposed = 0; transposed < (strcmp(truth, "none") ? 1 : 2); transposed++) {
        const orthant_read_options options = {
            .size = sizeof options, .variable = variable, .truth = truth, .transpose = transposed};
        const orthant_read_options again = {.size = sizeof again, .truth = "none"};
        orthant_matrix *expected = NULL, *found = NULL;
        expect_ok_or_left_out(ctx, orthant_matrix_read(ctx, from, &options, &expected, NULL));
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const char *to = files_path(names[k]);
            char what[700];
            snprintf(what, sizeof what, "%s to %s%s", from, names[k],
                     transposed ? ", transposed" : "");
            orthant_context_set_memory_limit(ctx, orthant_context_memory(ctx) + (3 << 20));
            const orthant_status status = orthant_convert(ctx, from, &options, to);
            orthant_context_set_memory_limit(ctx, limit);
            if (status == ORTHANT_ERROR_UNSUPPORTED)
                continue;
            if (status)
                fail_msg("%s: %s", what, orthant_message(ctx));
            expect_ok(ctx, orthant_matrix_read(ctx, to, &again, &found, NULL));
            expect_same(expected, found, what);
            assert_true(found->sparse == (k == 2));
            orthant_matrix_free(found);
            remove_names(to);
        }
        orthant_matrix_free(expected);
    }
    assert_int_equal(remove(files_path("out.npy")), 0);
    assert_int_equal(remove(files_path("out.labels.csv")) == 0, strcmp(truth, "none") != 0);
}

static void convert_fixtures(orthant_context *ctx, orthant_precision precision)
{
    static const struct {
        const char *file, *variable;
    } cases[] = {{FIXTURES "colour.npy", NULL},
                 {FIXTURES "cube.npy", NULL},
                 {FIXTURES "cube_fortran.npy", NULL},
                 {FIXTURES "fortran.npy", NULL},
                 {FIXTURES "vector.npy", NULL},
                 {FIXTURES "version3.npy", NULL},
                 {FIXTURES "csr.npz", NULL},
                 {FIXTURES "csc.npz", NULL},
                 {FIXTURES "labelled.npz", NULL},
                 {FIXTURES "positional.npz", NULL},
                 {FIXTURES "csr.h5", NULL},
                 {FIXTURES "csc.h5", "/matrix"},
                 {FIXTURES "lzf.h5", NULL},
                 {FIXTURES "pictures.h5", "/colour"},
                 {FIXTURES "h5py.mat", NULL},
                 {FIXTURES "version73.mat", NULL},
                 {FIXTURES "packed.mat", NULL},
                 {FIXTURES "sparse.mat", NULL},
                 {FIXTURES "sparse_version73.mat", NULL},
                 {FIXTURES "anndata.h5", NULL},
                 {"data/digits/digits-images-idx3-ubyte.gz", NULL}};
    orthant_context_set_precision(ctx, precision);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        convert_all(ctx, fixture_path(cases[i].file), cases[i].variable, "none");
}

static void test_fixtures(void **state)
{
    convert_fixtures(*state, ORTHANT_SINGLE);
}

static void test_fixtures_confined(void **state)
{
    convert_fixtures(*state, ORTHANT_DOUBLE);
}

/* A header, quotes, labels in a column, and more rows than a block takes. */
static void test_tables(void **state)
{
    orthant_context *ctx = *state;
    char *text = malloc(1 << 20), *at = text;
    at += sprintf(at, "a;b;\"the class; or so\";c\n# a note\n");
    for (int i = 0; i < 9000; i++)
        at += sprintf(at, "%d;%.17g;%s;\"%d\"\n%s", i, i / 7.0, i % 2 ? "x" : "\"y\nz\"", i % 5,
                      i % 100 ? "" : "\n");
    const char *path = files_write("table.csv", text, (size_t)(at - text));
    convert_all(ctx, path, NULL, "3");
    /* The labels lie beside what was made. */
    const orthant_read_options options = {.size = sizeof options, .truth = "3"};
    orthant_labels *labels = NULL, *expected = NULL;
    orthant_matrix *matrix = NULL, *found = NULL;
    expect_ok(ctx, orthant_convert(ctx, path, &options, files_path("table.npy")));
    expect_ok(ctx, orthant_matrix_read(ctx, path, &options, &matrix, &expected));
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("table.npy"), NULL, &found, &labels));
    expect_same(matrix, found, "table.npy");
    assert_int_equal(orthant_labels_count(labels), 9000);
    assert_memory_equal(orthant_labels_values(labels), orthant_labels_values(expected),
                        9000 * sizeof(int64_t));
    orthant_labels_free(labels);
    orthant_labels_free(expected);
    orthant_matrix_free(matrix);
    orthant_matrix_free(found);
    /* What the reader refuses is refused with its line, and nothing is left. */
    at += sprintf(at, "1;2;x;oops\n");
    path = files_write("bad.csv", text, (size_t)(at - text));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "13593:4: found 'oops'",
                   orthant_convert(ctx, path, &options, files_path("bad.npy")));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "13593:4: found 'oops'",
                   orthant_matrix_read(ctx, path, &options, &matrix, NULL));
    FILE *left = fopen(files_path("bad.npy"), "rb");
    assert_null(left);
    free(text);
}

/* Entries in any order, some places twice, rows without any. */
static void test_matrix_market(void **state)
{
    static const char *const symmetry[] = {"general", "symmetric"};
    char *text = malloc(1 << 22);
    for (int kind = 0; kind < 2; kind++) {
        char *at = text;
        const int rows = 600, columns = kind ? rows : 200, entries = 40000;
        unsigned seed = 7;
        at += sprintf(at, "%%%%MatrixMarket matrix coordinate real %s\n%% a note\n%d %d %d\n",
                      symmetry[kind], rows, columns, entries);
        for (int e = 0; e < entries; e++) {
            seed = seed * 1664525u + 1013904223u;
            const int row = 1 + (int)(seed >> 8) % (rows / 2) * 2;
            seed = seed * 1664525u + 1013904223u;
            const int column = 1 + (int)(seed >> 8) % columns;
            at += sprintf(at, "%d %d %.9g\n", row > column || !kind ? row : column,
                          row > column || !kind ? column : row, e / 3.0);
        }
        convert_all(*state, files_write("entries.mtx", text, (size_t)(at - text)), NULL, "none");
    }
    free(text);
    convert_all(*state,
                files_write_text("pattern.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                                                "3 4 3\n3 4\n1 1\n1 3\n"),
                NULL, "none");
    convert_all(*state,
                files_write_text("array.mtx", "%%MatrixMarket matrix array real general\n"
                                              "2 3\n1\n2\n3\n4\n5\n6\n"),
                NULL, "none");
    expect_failure(
        *state, ORTHANT_ERROR_FORMAT, "found 1 entries, expected 2",
        orthant_convert(*state,
                        files_write_text("short.mtx",
                                         "%%MatrixMarket matrix coordinate real general\n"
                                         "2 2 2\n1 1 3\n"),
                        NULL, files_path("short.csr")));
}

static void test_pictures(void **state)
{
    orthant_context *ctx = *state;
    assert_int_equal(mkdir(files_path("faces"), 0777), 0);
    assert_int_equal(mkdir(files_path("faces/a"), 0777), 0);
    assert_int_equal(mkdir(files_path("faces/b"), 0777), 0);
    files_write_text("faces/a/1.pgm", "P2 2 2 255 1 2 3 4\n");
    files_write_text("faces/a/2.pgm", "P2 2 2 255 5 6 7 8\n");
    files_write_text("faces/b/1.pgm", "P2 2 2 255 0 0 9 200\n");
    convert_all(ctx, files_path("faces"), NULL, "none");
    orthant_labels *labels = NULL;
    orthant_matrix *found = NULL;
    expect_ok(ctx, orthant_convert(ctx, files_path("faces"), NULL, files_path("faces.npy")));
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("faces.npy"), NULL, &found, &labels));
    assert_non_null(labels);
    assert_int_equal(orthant_labels_classes(labels), 2);
    orthant_labels_free(labels);
    orthant_matrix_free(found);
}

/* A value and a column that changed on the disk get no fresh checksum. */
static void test_damaged_csr(void **state)
{
    orthant_context *ctx = *state;
    size_t size;
    expect_ok(ctx, orthant_convert(ctx,
                                   files_write_text("s.mtx", "%%MatrixMarket matrix coordinate "
                                                             "real general\n2 9 3\n1 2 3\n1 5 "
                                                             "6\n2 3 4\n"),
                                   NULL, files_path("s.csr")));
    unsigned char *bytes = files_read(files_path("s.csr"), &size);
    for (int precision = 0; precision < 2; precision++) {
        orthant_context_set_precision(ctx, precision ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
        expect_ok(ctx, orthant_convert(ctx, files_path("s.csr"), NULL, files_path("t.csr")));
        assert_int_equal(remove(files_path("t.csr")), 0);
        for (int i = 0; i < 2; i++) {
            const size_t at = i ? 192 : 128 + 4; /* the first value, the second column */
            bytes[at] ^= 1;
            const char *path = files_write("d.csr", bytes, size);
            expect_failure(ctx, ORTHANT_ERROR_FORMAT,
                           i ? "the checksum of its values" : "the checksum of its columns",
                           orthant_convert(ctx, path, NULL, files_path("t.csr")));
            bytes[at] ^= 1;
            assert_null(fopen(files_path("t.csr"), "rb"));
        }
    }
    free(bytes);
}

/* Labels of other data do not become the truth of these. */
static void test_old_labels(void **state)
{
    orthant_context *ctx = *state;
    const orthant_read_options first = {.size = sizeof first, .truth = "2"},
                               none = {.size = sizeof none, .truth = "none"};
    char from[512];
    snprintf(from, sizeof from, "%s", files_write_text("old.csv", "1,7\n3,8\n"));
    expect_ok(ctx, orthant_convert(ctx, from, &first, files_path("made.npy")));
    for (int i = 0; i < 2; i++)
        expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "made.labels.csv: is there already",
                       orthant_convert(ctx, from, i ? &none : NULL, files_path("made.npy")));
    orthant_matrix *found = NULL;
    orthant_labels *labels = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("made.npy"), NULL, &found, &labels));
    assert_true(found->columns == 1 && orthant_labels_count(labels) == 2);
    orthant_matrix_free(found);
    orthant_labels_free(labels);
    /* Those of the data itself stay, and others take the place of older ones. */
    files_write_text("old.labels.csv", "4\n5\n");
    expect_ok(ctx, orthant_convert(ctx, from, &none, files_path("old.npy")));
    expect_ok(ctx, orthant_convert(ctx, from, NULL, files_path("made.npy")));
    expect_ok(ctx, orthant_labels_read(ctx, files_path("made.labels.csv"), &labels));
    assert_int_equal(orthant_labels_values(labels)[1], 5);
    orthant_labels_free(labels);
}

/* Nor do names of other data. */
static void test_old_names(void **state)
{
    orthant_context *ctx = *state;
    const orthant_read_options none = {.size = sizeof none, .truth = "none"};
    char named[512], plain[512];
    snprintf(named, sizeof named, "%s",
             files_write_text("named.csv", "sample,a,b\nx,1,7\ny,3,8\n"));
    snprintf(plain, sizeof plain, "%s", files_write_text("plain.csv", "1,7\n3,8\n"));
    expect_ok(ctx, orthant_convert(ctx, named, &none, files_path("names.npy")));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "names.samples.txt: is there already",
                   orthant_convert(ctx, plain, &none, files_path("names.npy")));
    assert_int_equal(remove(files_path("names.samples.txt")), 0);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "names.words.txt: is there already",
                   orthant_convert(ctx, plain, &none, files_path("names.npy")));
    expect_ok(ctx, orthant_convert(ctx, named, &none, files_path("names.npy")));
    /* Names beside the data are its own. */
    expect_ok(ctx, orthant_convert(ctx, files_path("names.npy"), &none, files_path("names.csr")));
    orthant_matrix *found = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("names.csr"), NULL, &found, NULL));
    assert_string_equal(orthant_matrix_sample_name(found, 1), "y");
    assert_string_equal(orthant_matrix_feature_name(found, 0), "a");
    orthant_matrix_free(found);
}

/* Rows so long that the lines that are held first are the header alone. */
static void test_names_of_long_rows(void **state)
{
    enum { COLUMNS = 4000, ROWS = 3, BYTES = COLUMNS * (8 + ROWS * 24) };
    orthant_context *ctx = *state;
    const size_t limit = orthant_context_memory_limit(ctx);
    char *text = malloc(BYTES), *at = text, from[512];
    assert_non_null(text);
    for (int j = 0; j < COLUMNS; j++)
        at += sprintf(at, "c%d%c", j, j < COLUMNS - 1 ? ',' : '\n');
    for (int i = 0; i < ROWS * COLUMNS; i++)
        at += sprintf(at, "%.20f%c", i % 7 + 0.5, i % COLUMNS < COLUMNS - 1 ? ',' : '\n');
    snprintf(from, sizeof from, "%s", files_write("long.csv", text, (size_t)(at - text)));
    free(text);
    orthant_context_set_memory_limit(ctx, orthant_context_memory(ctx) + 800000);
    expect_ok(ctx, orthant_convert(ctx, from, NULL, files_path("long.npy")));
    orthant_context_set_memory_limit(ctx, limit);
    orthant_matrix *found = NULL;
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("long.npy"), NULL, &found, NULL));
    assert_int_equal(found->rows, ROWS);
    assert_string_equal(orthant_matrix_feature_name(found, 0), "c0");
    assert_string_equal(orthant_matrix_feature_name(found, COLUMNS - 1), "c3999");
    orthant_matrix_free(found);
}

/* The number of a table's rows is known when all are written, and goes back into the header. */
static void test_no_way_back(void **state)
{
    orthant_context *ctx = *state;
    const char *path = files_write_text("rows.csv", "1,2\n3,4\n"), *pipe = files_path("pipe.npy"),
               *full = files_path("full.npy");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const int reader = open(pipe, O_RDWR | O_NONBLOCK);
    assert_true(reader >= 0);
    expect_failure(ctx, ORTHANT_ERROR_IO, "pipe.npy: cannot be written: expected a file, not",
                   orthant_convert(ctx, path, NULL, pipe));
    close(reader);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(symlink("/dev/full", full), 0);
        expect_failure(ctx, ORTHANT_ERROR_IO, "full.npy: cannot be written: the disk is full",
                       orthant_convert(ctx, path, NULL, full));
    }
}

static void test_refusals(void **state)
{
    orthant_context *ctx = *state;
    const char *path = files_write_text("small.csv", "1,2\n3,4\n");
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "known are .npy, .h5 and .csr",
                   orthant_convert(ctx, path, NULL, files_path("small.mtx")));
    const char *itself = fixture_path(FIXTURES "fortran.npy");
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "to itself",
                   orthant_convert(ctx, itself, NULL, itself));
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such file",
                   orthant_convert(ctx, files_path("absent.csv"), NULL, files_path("x.npy")));
    expect_failure(
        ctx, ORTHANT_ERROR_FORMAT, "empty",
        orthant_convert(ctx, files_write_text("empty.csv", "\n\n"), NULL, files_path("x.npy")));
    assert_null(fopen(files_path("x.npy"), "rb"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_fixtures),
                                       confined_test(test_fixtures_confined),
                                       fixture_test(test_tables),
                                       fixture_test(test_matrix_market),
                                       fixture_test(test_pictures),
                                       fixture_test(test_refusals),
                                       fixture_test(test_damaged_csr),
                                       fixture_test(test_old_labels),
                                       fixture_test(test_old_names),
                                       fixture_test(test_no_way_back),
                                       fixture_test(test_names_of_long_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
