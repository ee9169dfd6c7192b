/* Labels: classes, kept fractions, texts, columns, arrays and writing. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/labels.h"
#include "orthant/matrix.h"

static void check_labels(orthant_context *ctx, const char *path, int64_t count,
                         const int64_t *expected)
{
    orthant_labels *labels = NULL;
    expect_ok(ctx, orthant_labels_read(ctx, path, &labels));
    assert_int_equal(orthant_labels_count(labels), count);
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(orthant_labels_values(labels)[i], expected[i]);
    orthant_labels_free(labels);
}

static void refuse_labels(orthant_context *ctx, const char *path, orthant_status status,
                          const char *words)
{
    orthant_labels *labels = (orthant_labels *)&labels;
    expect_failure(ctx, status, words, orthant_labels_read(ctx, path, &labels));
    assert_null(labels);
}

static void test_classes(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t values[] = {7, 3, -1, 7, 100, 3};
    orthant_labels *labels = NULL;
    int64_t class_of[6], classes = 0;
    expect_ok(ctx, orthant_labels_create(ctx, 6, values, &labels));
    assert_int_equal(orthant_labels_classes(labels), 3);
    expect_ok(ctx, labels_to_classes(ctx, labels, class_of, &classes));
    static const int64_t expected[] = {1, 0, -1, 1, 2, 0};
    assert_int_equal(classes, 3);
    assert_memory_equal(class_of, expected, sizeof expected);
    orthant_labels_free(labels);
    orthant_labels_free(NULL);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "expected at least one",
                   orthant_labels_create(ctx, 0, values, &labels));
}

static orthant_labels *keep(orthant_context *ctx, const orthant_labels *truth, double fraction,
                            uint64_t seed)
{
    orthant_labels *kept = NULL;
    expect_ok(ctx, orthant_labels_keep_fraction(ctx, truth, fraction, seed, &kept));
    return kept;
}

static void test_keeping_a_fraction(void **state)
{
    orthant_context *ctx = *state;
    enum { count = 10 + 11 + 7 + 3 };
    int64_t values[count];
    orthant_labels *truth = NULL;
    for (int i = 0; i < count; i++)
        values[i] = i < 10 ? 4 : i < 21 ? 2 : i < 28 ? 9 : -1;
    expect_ok(ctx, orthant_labels_create(ctx, count, values, &truth));
    static const struct {
        double fraction;
        int kept[3];
    } cases[] = {
        {0, {0, 0, 0}}, {0.1, {1, 2, 1}}, {0.3, {3, 4, 3}}, {0.5, {5, 6, 4}}, {1, {10, 11, 7}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        orthant_labels *kept = keep(ctx, truth, cases[c].fraction, 1);
        int found[3] = {0};
        for (int i = 0; i < count; i++) {
            const int64_t value = kept->values[i];
            assert_true(value == -1 || value == values[i]);
            if (value >= 0)
                found[value == 4 ? 0 : value == 2 ? 1 : 2]++;
        }
        assert_memory_equal(found, cases[c].kept, sizeof found);
        orthant_labels_free(kept);
    }
    orthant_labels *a = keep(ctx, truth, 0.5, 1), *b = keep(ctx, truth, 0.5, 1),
                   *other = keep(ctx, truth, 0.5, 2);
    assert_memory_equal(a->values, b->values, sizeof values);
    assert_memory_not_equal(a->values, other->values, sizeof values);
    orthant_labels_free(a);
    orthant_labels_free(b);
    orthant_labels_free(other);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "between 0 and 1",
                   orthant_labels_keep_fraction(ctx, truth, 1.5, 1, &a));
    orthant_labels_free(truth);
}

static void test_text(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t expected[] = {1, -1, 30};
    check_labels(ctx, files_write_text("a.csv", "1\n-1\n30\n"), 3, expected);
    check_labels(ctx, files_write_text("b.txt", "1\r\n-1\r\n30"), 3, expected);
    check_labels(ctx, files_write_text("c", "label\n1\n-1\n30\n"), 3, expected);
    check_labels(ctx, files_write_text("d.csv", "# made by hand\n\n1.0\n-1\n3e1\n"), 3, expected);
    refuse_labels(ctx, files_write_text("e.csv", "1\n2.5\n"), ORTHANT_ERROR_FORMAT,
                  "e.csv:2:1: found '2.5', expected a whole number");
    refuse_labels(ctx, files_write_text("f.csv", "1\nsetosa\n"), ORTHANT_ERROR_FORMAT,
                  "f.csv:2:1: found 'setosa'");
    refuse_labels(ctx, files_write_text("g.csv", ""), ORTHANT_ERROR_FORMAT, "empty");
    refuse_labels(ctx, files_write_text("h.csv", "1\n1e30\n"), ORTHANT_ERROR_FORMAT, "h.csv:2:1");
    refuse_labels(ctx, files_path("absent.csv"), ORTHANT_ERROR_IO, "no such file");
    refuse_labels(ctx, files_folder(), ORTHANT_ERROR_IO, "is a folder");
}

static void test_columns(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t expected[] = {5, 6}, line[] = {3, -1, 4, 0};
    check_labels(ctx, files_write_text("line.csv", "3,-1,4,0\n"), 4, line);
    refuse_labels(ctx, files_write_text("half.csv", "3,-1,4.5\n"), ORTHANT_ERROR_FORMAT,
                  "half.csv:1:3");
    char address[600];
    const char *path = files_write_text("table.csv", "name,class,x\n\"a, b\",5,0.5\nc,6,1.5\n");
    snprintf(address, sizeof address, "%s:class", path);
    check_labels(ctx, address, 2, expected);
    snprintf(address, sizeof address, "%s:2", path);
    check_labels(ctx, address, 2, expected);
    refuse_labels(ctx, path, ORTHANT_ERROR_FORMAT, "found 3 columns, expected labels in one");
    snprintf(address, sizeof address, "%s:4", path);
    refuse_labels(ctx, address, ORTHANT_ERROR_ARGUMENT, "no column '4'");
    snprintf(address, sizeof address, "%s:clas", path);
    refuse_labels(ctx, address, ORTHANT_ERROR_ARGUMENT, "no column 'clas'");
    snprintf(address, sizeof address, "%s:x", path);
    refuse_labels(ctx, address, ORTHANT_ERROR_FORMAT, "table.csv:2:3: found '0.5'");
}

static void test_arrays(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t npy[] = {1, 2, 2, -1, 3, 1}, npz[] = {1, 1, 2, 2, 3, 3},
                         idx[] = {7, 0, 255};
    static const unsigned char bytes[] = {0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 255};
    char address[600];
    check_labels(ctx, fixture_path("tests/data/fixtures/labels.npy"), 6, npy);
    check_labels(ctx, fixture_path("tests/data/fixtures/labelled.npz"), 6, npz);
    snprintf(address, sizeof address, "%s:y", fixture_path("tests/data/fixtures/labelled.npz"));
    check_labels(ctx, address, 6, npz);
    check_labels(ctx, files_write("labels-idx1-ubyte", bytes, sizeof bytes), 3, idx);
    refuse_labels(ctx, fixture_path("tests/data/fixtures/fortran.npy"), ORTHANT_ERROR_FORMAT,
                  "found 3 x 4 numbers, expected labels in one column");
    snprintf(address, sizeof address, "%s:y", fixture_path("tests/data/fixtures/regression.npz"));
    refuse_labels(ctx, address, ORTHANT_ERROR_FORMAT, "label 2 is 0.75, expected a whole number");
    assert_int_equal(orthant_context_precision(ctx), ORTHANT_DOUBLE);
}

static void test_writing(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t values[] = {3, -1, INT64_C(1) << 52},
                         extreme[] = {0, INT64_MIN, INT64_MAX, -10};
    static const char digits[] = "0\n-9223372036854775808\n9223372036854775807\n-10\n";
    orthant_labels *labels = NULL;
    size_t size;
    const char *path = files_path("out.csv");
    expect_ok(ctx, orthant_labels_create(ctx, 4, extreme, &labels));
    expect_ok(ctx, orthant_labels_write(ctx, labels, path));
    unsigned char *text = files_read(path, &size);
    assert_int_equal(size, sizeof digits - 1);
    assert_memory_equal(text, digits, sizeof digits - 1);
    free(text);
    orthant_labels_free(labels);
    expect_ok(ctx, orthant_labels_create(ctx, 3, values, &labels));
    expect_ok(ctx, orthant_labels_write(ctx, labels, path));
    unsigned char *bytes = files_read(path, &size);
    assert_int_equal(size, 22);
    assert_memory_equal(bytes, "3\n-1\n4503599627370496\n", 22);
    free(bytes);
    check_labels(ctx, path, 3, values);
    path = files_path("out.npy");
    expect_ok(ctx, orthant_labels_write(ctx, labels, path));
    check_labels(ctx, path, 3, values);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, ".csv, .txt or .npy",
                   orthant_labels_write(ctx, labels, files_path("out.png")));
    expect_failure(ctx, ORTHANT_ERROR_IO, "there is no folder",
                   orthant_labels_write(ctx, labels, files_path("no/out.csv")));
    orthant_labels_free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_classes), fixture_test(test_keeping_a_fraction),
        fixture_test(test_text),    fixture_test(test_columns),
        fixture_test(test_arrays),  fixture_test(test_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
