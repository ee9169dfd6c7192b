/* What the packages for Octave and R share: arrays by columns, options by name, and that a call
 * which fails anywhere leaves nothing behind. */
#include "fixture.h"

#include <math.h>
#include <string.h>

#include "../../bindings/arrays.c"
#include "../../bindings/binding.c"

/* ---- a host ---- */

static int questions, stop_at;
static char printed[4096];

static bool host_interrupted(void)
{
    return ++questions == stop_at;
}

static void host_print(const char *text)
{
    const size_t length = strlen(printed);
    snprintf(printed + length, sizeof printed - length, "%s", text);
}

static int begin(void **state)
{
    binding *b = malloc(sizeof *b);
    assert_non_null(b);
    questions = stop_at = 0;
    printed[0] = '\0';
    assert_int_equal(binding_begin(b, (binding_host){host_interrupted, host_print}), ORTHANT_OK);
    *state = b;
    return 0;
}

/* The binding's context refuses to go while something of it is held: told by the sanitizers. */
static int end(void **state)
{
    binding_end(*state);
    binding_end(*state);
    free(*state);
    return 0;
}

/* ---- arrays ---- */

/* 3 x 4: 1 0 2 0 / 0 3 0 0 / 4 0 0 5 */
static const double entries[3][4] = {{1, 0, 2, 0}, {0, 3, 0, 0}, {4, 0, 0, 5}};
static const double by_column[] = {1, 0, 4, 0, 3, 0, 2, 0, 0, 0, 0, 5};
static const float by_column_single[] = {1, 0, 4, 0, 3, 0, 2, 0, 0, 0, 0, 5};
static const double column_values[] = {1, 4, 3, 2, 5}, row_values[] = {1, 2, 3, 4, 5};
static const int32_t column_start[] = {0, 2, 3, 4, 5}, column_index[] = {0, 2, 1, 0, 2};
static const int64_t column_start_64[] = {0, 2, 3, 4, 5}, column_index_64[] = {0, 2, 1, 0, 2};
static const int32_t row_start[] = {0, 2, 3, 5}, row_index[] = {0, 2, 1, 0, 3};

static const binding_array layouts[] = {
    {ORTHANT_DOUBLE, 3, 4, by_column, false, false, NULL, NULL, 0},
    {ORTHANT_SINGLE, 3, 4, by_column_single, false, false, NULL, NULL, 0},
    {ORTHANT_DOUBLE, 3, 4, column_values, true, false, column_start, column_index, 32},
    {ORTHANT_DOUBLE, 3, 4, column_values, true, false, column_start_64, column_index_64, 64},
    {ORTHANT_DOUBLE, 3, 4, row_values, true, true, row_start, row_index, 32},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static void expect_entries(const orthant_matrix *matrix, bool transposed)
{
    assert_int_equal(orthant_matrix_rows(matrix), transposed ? 4 : 3);
    assert_int_equal(orthant_matrix_columns(matrix), transposed ? 3 : 4);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            const double found = orthant_matrix_get(matrix, transposed ? j : i, transposed ? i : j);
            assert_true(found == entries[i][j]);
        }
}

static void test_layouts(void **state)
{
    binding *b = *state;
    for (int c = 0; c < LAYOUTS; c++)
        for (int transposed = 0; transposed < 2; transposed++)
            for (int precision = -1; precision <= 1; precision++) {
                orthant_matrix *matrix = NULL;
                b->convert = precision >= 0;
                b->precision = precision == 1 ? ORTHANT_DOUBLE : ORTHANT_SINGLE;
                const orthant_precision expected = b->convert ? b->precision : layouts[c].precision;
                assert_int_equal(binding_take(b, &layouts[c], transposed, &matrix), ORTHANT_OK);
                assert_int_equal(orthant_matrix_precision(matrix), expected);
                assert_int_equal(orthant_matrix_is_sparse(matrix), layouts[c].sparse);
                expect_entries(matrix, transposed);
                orthant_matrix_free(matrix);
            }
}

/* Samples as columns lie as the library wants rows to: nothing is copied. */
static void test_columns_are_borrowed(void **state)
{
    binding *b = *state;
    for (int c = 0; c < 2; c++) {
        orthant_matrix *matrix = NULL;
        assert_int_equal(binding_take(b, &layouts[c], true, &matrix), ORTHANT_OK);
        assert_true(orthant_matrix_is_borrowed(matrix));
        orthant_matrix_free(matrix);
    }
}

static void test_out_again(void **state)
{
    binding *b = *state;
    for (int c = 0; c < LAYOUTS; c++) {
        orthant_matrix *matrix = NULL;
        orthant_array view = {.size = sizeof view};
        assert_int_equal(binding_take(b, &layouts[c], false, &matrix), ORTHANT_OK);
        assert_int_equal(orthant_matrix_view(matrix, &view), ORTHANT_OK);
        if (view.sparse) {
            int32_t start[5], index[5];
            int64_t start_64[5], index_64[5];
            double values[5];
            binding_copy_columns(&view, 32, start, index, values);
            assert_memory_equal(start, column_start, sizeof start);
            assert_memory_equal(index, column_index, sizeof index);
            assert_memory_equal(values, column_values, sizeof values);
            binding_copy_columns(&view, 64, start_64, index_64, values);
            assert_memory_equal(start_64, column_start_64, sizeof start_64);
            assert_memory_equal(index_64, column_index_64, sizeof index_64);
        } else {
            double values[12];
            float singles[12];
            binding_copy_dense(&view, ORTHANT_DOUBLE, values);
            assert_memory_equal(values, by_column, sizeof values);
            binding_copy_dense(&view, ORTHANT_SINGLE, singles);
            assert_memory_equal(singles, by_column_single, sizeof singles);
        }
        orthant_matrix_free(matrix);
    }
}

static void test_indices_that_cannot_be(void **state)
{
    binding *b = *state;
    static const int32_t starts[][5] = {
        {0, 2, 1, 4, 5}, {1, 2, 3, 4, 5}, {0, 2, 3, 4, 5}, {0, 2, 3, 4, 5}};
    static const int32_t indices[][5] = {
        {0, 2, 1, 0, 2}, {0, 2, 1, 0, 2}, {0, 3, 1, 0, 2}, {0, -1, 1, 0, 2}};
    for (int c = 0; c < 4; c++) {
        orthant_matrix *matrix = NULL;
        const binding_array array = {ORTHANT_DOUBLE, 3,          4, column_values, true, false,
                                     starts[c],      indices[c], 32};
        assert_int_equal(binding_take(b, &array, false, &matrix), ORTHANT_ERROR_ARGUMENT);
        assert_null(matrix);
        assert_non_null(strstr(binding_refusal(b), "3 x 4"));
    }
}

static void test_labels(void **state)
{
    binding *b = *state;
    static const double given[] = {3, (double)NAN, -1, 0}, odd[] = {3, 1.5};
    static const int64_t expected[] = {3, -1, -1, 0};
    orthant_labels *labels = NULL;
    binding_array array = {ORTHANT_DOUBLE, 4, 1, given, false, false, NULL, NULL, 0};
    assert_int_equal(binding_take_labels(b, &array, "labels", &labels), ORTHANT_OK);
    assert_memory_equal(orthant_labels_values(labels), expected, sizeof expected);
    orthant_labels_free(labels);
    array.values = odd;
    array.rows = 2;
    assert_int_equal(binding_take_labels(b, &array, "truth", &labels), ORTHANT_ERROR_ARGUMENT);
    assert_string_equal(binding_refusal(b),
                        "truth: entry 2 is 1.5; expected a whole number, or NaN "
                        "where it is not known");
    assert_int_equal(binding_take_labels(b, &layouts[0], "truth", &labels), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(binding_take_labels(b, &layouts[2], "truth", &labels), ORTHANT_ERROR_ARGUMENT);
}

/* ---- fits ---- */

static orthant_status give_text(binding *b, const char *name, const char *text)
{
    return binding_set(b, name, &(binding_value){.kind = BINDING_TEXT, .text = text});
}

static orthant_status give_number(binding *b, const char *name, double number)
{
    return binding_set(b, name, &(binding_value){.kind = BINDING_NUMBER, .number = number});
}

static orthant_status give_matrix(binding *b, const char *name, const binding_array *array)
{
    return binding_set(b, name, &(binding_value){.kind = BINDING_ARRAY, .array = *array});
}

static const double ring[] = {0, 1, 1, 1, 0, 1, 1, 1, 0}, known[] = {1, 2, (double)NAN};
static const double start_basis[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const binding_array graph = {ORTHANT_DOUBLE, 3, 3, ring, false, false, NULL, NULL, 0};
static const binding_array labels_given = {ORTHANT_DOUBLE, 3,    1,    known, false,
                                           false,          NULL, NULL, 0};
static const binding_array basis_given = {ORTHANT_DOUBLE, 4,    2, start_basis, false, false,
                                          NULL,           NULL, 0};

static void test_turns(void **state)
{
    (void)state;
    const char *first[] = {"threads", "memory",      "precision",   "transpose", "verbose", "scale",
                           "loss",    "terms.graph", "labels_rule", "clusters",  "device"};
    const char *second[] = {"graph", "labels", "start.basis", "seed", "iterations", "thread"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        assert_int_equal(binding_turn(first[i]), 0);
    for (size_t i = 0; i < sizeof second / sizeof *second; i++)
        assert_int_equal(binding_turn(second[i]), 1);
}

static void test_fit(void **state)
{
    binding *b = *state;
    char text[64];
    assert_int_equal(binding_model(b, "cdnmf", 2), ORTHANT_OK);
    assert_int_equal(give_number(b, "terms.graph", 0.5), ORTHANT_OK);
    assert_int_equal(give_text(b, "scale", "max"), ORTHANT_OK);
    assert_int_equal(give_number(b, "verbose", 1), ORTHANT_OK);
    assert_int_equal(binding_samples(b, &layouts[2]), ORTHANT_OK);
    assert_int_equal(give_matrix(b, "graph", &graph), ORTHANT_OK);
    assert_int_equal(give_matrix(b, "labels", &labels_given), ORTHANT_OK);
    assert_int_equal(give_matrix(b, "start.basis", &basis_given), ORTHANT_OK);
    assert_int_equal(give_number(b, "iterations", 3), ORTHANT_OK);
    assert_int_equal(give_number(b, "tolerance", 0), ORTHANT_OK);
    assert_int_equal(binding_scale(b), ORTHANT_OK);
    assert_int_equal(binding_fit(b), ORTHANT_OK);
    assert_int_equal(orthant_result_iterations(b->result), 3);
    assert_int_equal(orthant_model_get(b->model, "graph_weight", text, sizeof text), ORTHANT_OK);
    assert_string_equal(text, "0.5");
    assert_non_null(strstr(printed, "fit: 3 of 3, objective "));
    assert_true(orthant_matrix_get(b->scale_statistics, 0, 0) == 5);
    assert_int_equal(binding_labels(b), ORTHANT_OK);
    assert_int_equal(orthant_labels_count(b->found), 3);
}

/* What a mask leaves out has no part in the length of a sample, whichever way samples lie. */
static void test_scaled_by_known_entries(void **state)
{
    binding *b = *state;
    static const double by_row[] = {1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1};
    const binding_array mask = {ORTHANT_DOUBLE, 4, 3, by_row, false, false, NULL, NULL, 0};
    const binding_array samples = {ORTHANT_DOUBLE, 4, 3, entries, false, false, NULL, NULL, 0};
    static const double expected[3][4] = {{1, 0, 2, 0}, {0, 1, 0, 0}, {0.8, 0, 0, 1}};
    assert_int_equal(binding_model(b, "nmf", 2), ORTHANT_OK);
    assert_int_equal(give_text(b, "scale", "unit"), ORTHANT_OK);
    assert_int_equal(give_number(b, "transpose", 1), ORTHANT_OK);
    assert_int_equal(binding_samples(b, &samples), ORTHANT_OK);
    assert_int_equal(give_matrix(b, "mask", &mask), ORTHANT_OK);
    assert_int_equal(give_number(b, "iterations", 3), ORTHANT_OK);
    assert_int_equal(binding_scale(b), ORTHANT_OK);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            assert_true(orthant_matrix_get(b->samples, i, j) == expected[i][j]);
    assert_int_equal(binding_fit(b), ORTHANT_OK);
    assert_int_equal(orthant_result_missing(b->result), 2);
}

/* Which samples have a word is not known where zeros are missing. */
static void test_words_that_are_missing(void **state)
{
    binding *b = *state;
    assert_int_equal(binding_model(b, "nmf", 2), ORTHANT_OK);
    assert_int_equal(give_text(b, "scale", "tfidf"), ORTHANT_OK);
    assert_int_equal(binding_samples(b, &layouts[2]), ORTHANT_OK);
    assert_int_equal(give_text(b, "missing", "zeros"), ORTHANT_OK);
    assert_int_equal(binding_scale(b), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(binding_refusal(b), "samples that have a word"));
}

static void test_fixed_parts(void **state)
{
    binding *b = *state;
    assert_int_equal(binding_model(b, "nmf", 3), ORTHANT_OK);
    assert_int_equal(binding_samples(b, &layouts[2]), ORTHANT_OK);
    assert_int_equal(give_number(b, "fixed_parts", 1), ORTHANT_ERROR_ARGUMENT);
    b->refusal[0] = '\0';
    assert_int_equal(give_matrix(b, "fixed_parts", &basis_given), ORTHANT_OK);
    assert_int_equal(give_number(b, "iterations", 3), ORTHANT_OK);
    assert_int_equal(binding_fit(b), ORTHANT_OK);
    const orthant_matrix *W = orthant_result_factor(b->result, "basis");
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 2; j++)
            assert_true(orthant_matrix_get(W, i, j) == start_basis[j * 4 + i]);
}

/* On the tests' device of plain loops, with products that may round. */
static void test_device(void **state)
{
    binding *b = *state;
    char folder[4096];
    const char *binary = getenv("ORTHANT_BINARY");
    snprintf(folder, sizeof folder, "%s/tests/plugins", binary ? binary : "build");
    setenv("ORTHANT_PLUGINS", folder, 1);
    assert_int_equal(binding_model(b, "nmf", 2), ORTHANT_OK);
    assert_int_equal(give_text(b, "device", "nowhere"), ORTHANT_ERROR_UNSUPPORTED);
    assert_non_null(strstr(binding_refusal(b), "no plug-in 'nowhere' for devices"));
    assert_int_equal(give_number(b, "device", 1), ORTHANT_ERROR_ARGUMENT);
    b->refusal[0] = '\0';
    assert_int_equal(give_text(b, "device", "hostdevice:1"), ORTHANT_OK);
    assert_int_equal(give_text(b, "precision", "tf32"), ORTHANT_OK);
    assert_true(orthant_context_product_rounding(b->context));
    assert_int_equal(binding_samples(b, &layouts[0]), ORTHANT_OK);
    assert_int_equal(orthant_matrix_precision(b->samples), ORTHANT_SINGLE);
    assert_int_equal(give_number(b, "iterations", 3), ORTHANT_OK);
    assert_int_equal(binding_fit(b), ORTHANT_OK);
    assert_string_equal(orthant_result_device(b->result), "hostdevice:1");
}

/* After the second iteration, with a result. */
static void test_interrupted(void **state)
{
    binding *b = *state;
    stop_at = 2;
    assert_int_equal(binding_model(b, "nmf", 2), ORTHANT_OK);
    assert_int_equal(binding_samples(b, &layouts[0]), ORTHANT_OK);
    assert_int_equal(give_number(b, "iterations", 1000), ORTHANT_OK);
    assert_int_equal(give_number(b, "tolerance", 0), ORTHANT_OK);
    assert_int_equal(binding_fit(b), ORTHANT_OK);
    assert_true(b->interrupted);
    assert_true(orthant_result_stopped(b->result));
    assert_in_range(orthant_result_iterations(b->result), 1, 4);
}

/* Each leaves what was set before it, which binding_end frees. */
static void test_refused(void **state)
{
    binding *b = *state;
    assert_int_equal(binding_model(b, "nmf", 1.5), ORTHANT_ERROR_ARGUMENT);
    assert_string_equal(binding_refusal(b), "k: found 1.5, expected a whole number");
    b->refusal[0] = '\0';
    assert_int_equal(binding_model(b, "gnmf", 2), ORTHANT_OK);
    assert_int_equal(give_number(b, "graph_wait", 3), ORTHANT_ERROR_ARGUMENT);
    assert_non_null(strstr(binding_refusal(b), "'graph_wait'"));
    assert_int_equal(give_number(b, "precision", 3), ORTHANT_ERROR_ARGUMENT);
    assert_string_equal(binding_refusal(b), "precision: expected a text, found a number");
    assert_int_equal(give_text(b, "precision", "half"), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(give_number(b, "threads", -1), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(give_number(b, "threads", (double)NAN), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(give_number(b, "restarts", 0), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(give_text(b, "graph", "knn:5"), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(give_matrix(b, "graph", &layouts[0]), ORTHANT_ERROR_DATA);
    assert_int_equal(give_matrix(b, "iterations", &graph), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(binding_samples(b, &layouts[0]), ORTHANT_OK);
    assert_int_equal(give_matrix(b, "graph", &graph), ORTHANT_OK);
    assert_int_equal(give_matrix(b, "start.basis", &graph), ORTHANT_OK);
    assert_int_equal(binding_fit(b), ORTHANT_ERROR_ARGUMENT);
    assert_null(b->result);
}

int main(void)
{
#define binding_test(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        binding_test(test_layouts),
        binding_test(test_columns_are_borrowed),
        binding_test(test_out_again),
        binding_test(test_indices_that_cannot_be),
        binding_test(test_labels),
        binding_test(test_turns),
        binding_test(test_fit),
        binding_test(test_interrupted),
        binding_test(test_refused),
        binding_test(test_fixed_parts),
        binding_test(test_device),
        binding_test(test_scaled_by_known_entries),
        binding_test(test_words_that_are_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
