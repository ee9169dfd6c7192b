/* Borrowed arrays: which layouts are taken as they are and which are copied, when the owner is
 * told, what is refused, and what a view shows. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>

#include "data/matrix.h"
#include "guarded.h"
#include "orthant/orthant.h"

static void count_release(void *user)
{
    ++*(int *)user;
}

static void keep_note(void *user, orthant_log_level level, const char *message)
{
    (void)level;
    snprintf(user, 256, "%s", message);
}

static orthant_array dense(orthant_precision precision, int64_t rows, int64_t columns,
                           const void *values, int64_t row_stride, int64_t column_stride)
{
    return (orthant_array){.size = sizeof(orthant_array),
                           .precision = precision,
                           .rows = rows,
                           .columns = columns,
                           .values = values,
                           .row_stride = row_stride,
                           .column_stride = column_stride};
}

/* 2 x 3 of a table in many layouts; all show the same entries. */
static void test_layouts(void **state)
{
    orthant_context *ctx = *state;
    static const float rows[] = {1, 2, 3, 4, 5, 6}, strided[] = {1, 2, 3, -9, 4, 5, 6},
                       columns[] = {1, 4, 2, 5, 3, 6},
                       every_second[] = {1, 0, 2, 0, 3, 4, 0, 5, 0, 6},
                       bottom_up[] = {4, 5, 6, 1, 2, 3}, mirrored[] = {3, 2, 1, 6, 5, 4};
    static const double expected[] = {1, 2, 3, 4, 5, 6};
    char shifted[sizeof rows + 1];
    memcpy(shifted + 1, rows, sizeof rows);
    const struct {
        const void *values;
        int64_t row_stride, column_stride;
        bool borrowed;
    } cases[] = {
        {rows, 3, 1, true},          {strided, 4, 1, true},         {columns, 1, 2, false},
        {every_second, 5, 2, false}, {bottom_up + 3, -3, 1, false}, {mirrored + 2, 3, -1, false},
        {shifted + 1, 3, 1, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char note[256] = "";
        int released = 0;
        double values[6];
        orthant_matrix *matrix = NULL;
        const orthant_array given = dense(ORTHANT_SINGLE, 2, 3, cases[c].values,
                                          cases[c].row_stride, cases[c].column_stride);
        orthant_context_set_log(ctx, keep_note, note);
        expect_ok(ctx, orthant_matrix_wrap(ctx, &given, count_release, &released, &matrix));
        assert_int_equal(orthant_matrix_is_borrowed(matrix), cases[c].borrowed);
        assert_int_equal(released, !cases[c].borrowed);
        assert_int_equal(strstr(note, "was copied") != NULL, !cases[c].borrowed);
        assert_int_equal(orthant_matrix_precision(matrix), ORTHANT_SINGLE);
        orthant_matrix_copy_values(matrix, values);
        assert_memory_equal(values, expected, sizeof expected);
        orthant_matrix_free(matrix);
        assert_int_equal(released, 1);
    }
}

/* More than a tile and a task in both directions. */
static void test_column_major_in_tiles(void **state)
{
    orthant_context *ctx = *state;
    const int64_t n = 1234, m = 77;
    double *values = test_calloc((size_t)(n * m), sizeof *values);
    orthant_matrix *matrix = NULL;
    for (int64_t e = 0; e < n * m; e++)
        values[e] = (double)e;
    const orthant_array given = dense(ORTHANT_DOUBLE, n, m, values, 1, n);
    expect_ok(ctx, orthant_matrix_wrap(ctx, &given, NULL, NULL, &matrix));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            assert_true(orthant_matrix_get(matrix, i, j) == (double)(j * n + i));
    orthant_matrix_free(matrix);
    test_free(values);
}

/* One row or one column has no stride to it; overlapping rows (a window that slides) are copied. */
static void test_edge_shapes(void **state)
{
    orthant_context *ctx = *state;
    static const double values[] = {1, 2, 3, 4};
    orthant_matrix *matrix = NULL;
    orthant_array given = dense(ORTHANT_DOUBLE, 1, 4, values, 0, 1);
    expect_ok(ctx, orthant_matrix_wrap(ctx, &given, NULL, NULL, &matrix));
    assert_true(orthant_matrix_is_borrowed(matrix));
    orthant_matrix_free(matrix);
    given = dense(ORTHANT_DOUBLE, 2, 1, values, 2, 77);
    expect_ok(ctx, orthant_matrix_wrap(ctx, &given, NULL, NULL, &matrix));
    assert_true(orthant_matrix_is_borrowed(matrix) && orthant_matrix_get(matrix, 1, 0) == 3);
    orthant_matrix_free(matrix);
    given = dense(ORTHANT_DOUBLE, 3, 2, values, 1, 1);
    expect_ok(ctx, orthant_matrix_wrap(ctx, &given, NULL, NULL, &matrix));
    assert_false(orthant_matrix_is_borrowed(matrix));
    assert_true(orthant_matrix_get(matrix, 2, 1) == 4);
    orthant_matrix_free(matrix);
}

typedef struct csr_case {
    const void *row_start, *column;
    int32_t row_start_bits, column_bits;
    bool borrowed;
} csr_case;

static orthant_array csr_array(const csr_case *c, const void *values, int64_t stored)
{
    return (orthant_array){.size = sizeof(orthant_array),
                           .precision = ORTHANT_DOUBLE,
                           .sparse = true,
                           .rows = 3,
                           .columns = 4,
                           .values = values,
                           .stored = stored,
                           .row_start = c->row_start,
                           .column = c->column,
                           .row_start_bits = c->row_start_bits,
                           .column_bits = c->column_bits};
}

static void test_csr(void **state)
{
    orthant_context *ctx = *state;
    static const int32_t starts32[] = {0, 2, 2, 4}, columns32[] = {0, 3, 1, 2};
    static const int64_t starts64[] = {0, 2, 2, 4}, columns64[] = {0, 3, 1, 2};
    static const double values[] = {1, 2, 3, 4}, expected[] = {1, 0, 0, 2, 0, 0, 0, 0, 0, 3, 4, 0};
    const csr_case cases[] = {{starts32, columns32, 32, 32, true},
                              {starts64, columns32, 64, 32, true},
                              {starts32, columns64, 32, 64, true},
                              {starts64, columns64, 64, 64, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int released = 0;
        double found[12];
        orthant_matrix *matrix = NULL;
        const orthant_array given = csr_array(&cases[c], values, 4);
        expect_ok(ctx, orthant_matrix_wrap(ctx, &given, count_release, &released, &matrix));
        assert_true(orthant_matrix_is_borrowed(matrix) && orthant_matrix_is_sparse(matrix));
        assert_int_equal(released, 0);
        orthant_matrix_copy_values(matrix, found);
        assert_memory_equal(found, expected, sizeof expected);
        orthant_array view = {.size = sizeof view};
        expect_ok(ctx, orthant_matrix_view(matrix, &view));
        assert_ptr_equal(view.values, values);
        assert_int_equal(view.column == columns32, cases[c].column_bits == 32);
        assert_int_equal(view.row_start == starts64, cases[c].row_start_bits == 64);
        assert_int_equal(view.stored, 4);
        assert_int_equal(view.row_start_bits, 64);
        assert_int_equal(view.column_bits, 32);
        orthant_matrix_free(matrix);
        assert_int_equal(released, 1);
    }
}

/* The same rules as orthant_matrix_create_csr: sorted, duplicates added up; in a copy. */
static void test_csr_out_of_order(void **state)
{
    orthant_context *ctx = *state;
    static const int32_t starts[] = {0, 3, 3, 5}, columns[] = {3, 0, 3, 2, 1};
    static const double values[] = {1, 2, 10, 4, 5},
                        expected[] = {2, 0, 0, 11, 0, 0, 0, 0, 0, 5, 4, 0};
    const csr_case c = {starts, columns, 32, 32, false};
    const orthant_array given = csr_array(&c, values, 5);
    char note[256] = "";
    int released = 0;
    double found[12];
    orthant_matrix *matrix = NULL;
    orthant_context_set_log(ctx, keep_note, note);
    expect_ok(ctx, orthant_matrix_wrap(ctx, &given, count_release, &released, &matrix));
    assert_int_equal(released, 1);
    assert_non_null(strstr(note, "was copied"));
    assert_false(orthant_matrix_is_borrowed(matrix));
    assert_int_equal(orthant_matrix_nonzeros(matrix), 4);
    orthant_matrix_copy_values(matrix, found);
    assert_memory_equal(found, expected, sizeof expected);
    orthant_matrix_free(matrix);
}

/* Nothing stored: there is nothing to borrow but the row starts, and all else may be NULL. */
static void test_csr_empty(void **state)
{
    orthant_context *ctx = *state;
    static const int32_t starts[] = {0, 0, 0, 0};
    const csr_case c = {starts, NULL, 32, 32, false};
    const orthant_array given = csr_array(&c, NULL, 0);
    int released = 0;
    orthant_matrix *matrix = NULL;
    expect_ok(ctx, orthant_matrix_wrap(ctx, &given, count_release, &released, &matrix));
    assert_int_equal(released, 1);
    assert_int_equal(orthant_matrix_nonzeros(matrix), 0);
    orthant_matrix_free(matrix);
}

static void refused(orthant_context *ctx, const orthant_array *given, const char *words)
{
    int released = 0;
    orthant_matrix *matrix = (orthant_matrix *)&matrix;
    const orthant_status status =
        orthant_matrix_wrap(ctx, given, count_release, &released, &matrix);
    assert_true(status == ORTHANT_ERROR_ARGUMENT || status == ORTHANT_ERROR_UNSUPPORTED);
    if (!strstr(orthant_message(ctx), words))
        fail_msg("'%s' lacks '%s'", orthant_message(ctx), words);
    assert_null(matrix);
    assert_int_equal(released, 0);
}

static void test_refused(void **state)
{
    orthant_context *ctx = *state;
    static const double values[] = {1, 2, 3, 4};
    static const int32_t falling[] = {0, 2, 1, 4}, late[] = {1, 2, 2, 4}, beyond[] = {0, 2, 2, 9},
                         starts[] = {0, 2, 2, 4}, columns[] = {0, 3, 1, 2},
                         outside[] = {0, 4, 1, 2}, negative[] = {0, 3, -1, 2};
    orthant_array given = dense(ORTHANT_DOUBLE, 2, 2, values, 2, 1);
    given.size = 0;
    refused(ctx, &given, "size is 0");
    given = dense((orthant_precision)7, 2, 2, values, 2, 1);
    refused(ctx, &given, "precision 7");
    given = dense(ORTHANT_DOUBLE, 0, 2, values, 2, 1);
    refused(ctx, &given, "0 x 2");
    given = dense(ORTHANT_DOUBLE, 2, 2, NULL, 2, 1);
    refused(ctx, &given, "values is NULL");
    given = dense(ORTHANT_DOUBLE, 2, 2, values, INT64_MAX, 1);
    refused(ctx, &given, "does not fit");
    const struct {
        csr_case arrays;
        const char *words;
    } wrong[] = {{{falling, columns, 32, 32, false}, "never fall"},
                 {{late, columns, 32, 32, false}, "begins with 1"},
                 {{beyond, columns, 32, 32, false}, "4 stored entries"},
                 {{starts, outside, 32, 32, false}, "outside of 3 x 4"},
                 {{starts, negative, 32, 32, false}, "outside of 3 x 4"},
                 {{starts, columns, 16, 32, false}, "16 and 32 bits"},
                 {{NULL, columns, 32, 32, false}, "row_start is NULL"},
                 {{starts, NULL, 32, 32, false}, "column or values is NULL"}};
    for (size_t c = 0; c < sizeof wrong / sizeof *wrong; c++) {
        given = csr_array(&wrong[c].arrays, values, 4);
        refused(ctx, &given, wrong[c].words);
    }
}

/* Scaling takes a copy, of memory that could not be written to; the owner hears at the end. */
static void test_scaling_leaves_the_array(void **state)
{
    orthant_context *ctx = *state;
    static const float values[] = {3, 4, -7, 0, 5};
    guarded memory = guarded_copy(values, sizeof values);
    int released = 0;
    orthant_matrix *matrix = NULL;
    orthant_array given = dense(ORTHANT_SINGLE, 2, 2, memory.data, 3, 1);
    expect_ok(ctx, orthant_matrix_wrap(ctx, &given, count_release, &released, &matrix));
    expect_ok(ctx, orthant_matrix_scale(matrix, ORTHANT_SCALE_NONE));
    assert_true(orthant_matrix_is_borrowed(matrix));
    expect_ok(ctx, orthant_matrix_scale(matrix, ORTHANT_SCALE_UNIT));
    assert_false(orthant_matrix_is_borrowed(matrix));
    assert_memory_equal(memory.data, values, sizeof values);
    assert_true(fabs(orthant_matrix_get(matrix, 0, 1) - 0.8) < 1e-6);
    assert_true(orthant_matrix_get(matrix, 1, 1) == 1);
    assert_int_equal(released, 0);
    orthant_matrix_free(matrix);
    assert_int_equal(released, 1);

    static const int32_t starts[] = {0, 1, 1, 2}, columns[] = {1, 2};
    static const double stored[] = {4, 8};
    guarded doubles = guarded_copy(stored, sizeof stored);
    const csr_case c = {starts, columns, 32, 32, true};
    given = csr_array(&c, doubles.data, 2);
    expect_ok(ctx, orthant_matrix_wrap(ctx, &given, NULL, NULL, &matrix));
    expect_ok(ctx, orthant_matrix_scale(matrix, ORTHANT_SCALE_MAX));
    assert_true(orthant_matrix_get(matrix, 0, 1) == 0.5 && orthant_matrix_get(matrix, 2, 2) == 1);
    orthant_matrix_free(matrix);
    guarded_free(&doubles);
    guarded_free(&memory);
}

/* A factor's padded rows and a graph's edges, as a binding reads them. */
static void test_views(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *factor = NULL, *again = NULL;
    orthant_array view = {.size = sizeof view};
    expect_ok(ctx, matrix_new_factor(ctx, ORTHANT_DOUBLE, 3, 5, &factor));
    matrix_set_value(factor, factor->stride + 2, 7);
    expect_ok(ctx, orthant_matrix_view(factor, &view));
    assert_true(view.row_stride > 5 && view.column_stride == 1);
    assert_true(((const double *)view.values)[view.row_stride + 2] == 7);
    expect_ok(ctx, orthant_matrix_wrap(ctx, &view, NULL, NULL, &again));
    assert_true(orthant_matrix_is_borrowed(again) && orthant_matrix_get(again, 1, 2) == 7);
    orthant_matrix_free(again);
    orthant_matrix_free(factor);
    view.size = 4;
    factor = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 1, 1, NULL, &factor));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "size is 4", orthant_matrix_view(factor, &view));
    orthant_matrix_free(factor);
}

static void test_graph_in_and_out(void **state)
{
    orthant_context *ctx = *state;
    static const int32_t starts[] = {0, 1, 3, 4}, columns[] = {1, 0, 2, 1};
    static const float weights[] = {0.5f, 0.5f, 2, 2};
    orthant_array given = {.size = sizeof given,
                           .sparse = true,
                           .rows = 3,
                           .columns = 3,
                           .values = weights,
                           .stored = 4,
                           .row_start = starts,
                           .column = columns,
                           .row_start_bits = 32,
                           .column_bits = 32};
    orthant_graph *graph = NULL;
    expect_ok(ctx, orthant_graph_from_array(ctx, &given, &graph));
    assert_int_equal(orthant_graph_edges(graph), 2);
    orthant_array view = {.size = sizeof view};
    expect_ok(ctx, orthant_graph_view(graph, &view));
    assert_int_equal(view.precision, ORTHANT_SINGLE);
    assert_int_equal(view.stored, 4);
    assert_memory_equal(view.column, columns, sizeof columns);
    assert_memory_equal(view.values, weights, sizeof weights);
    assert_true(((const int64_t *)view.row_start)[3] == 4);
    orthant_graph_free(graph);
    given.columns = 4;
    expect_failure(ctx, ORTHANT_ERROR_DATA, "square",
                   orthant_graph_from_array(ctx, &given, &graph));
    assert_null(graph);
    assert_int_equal(orthant_graph_view(NULL, &view), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_matrix_view(NULL, &view), ORTHANT_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_layouts),
        fixture_test(test_column_major_in_tiles),
        fixture_test(test_edge_shapes),
        fixture_test(test_csr),
        fixture_test(test_csr_out_of_order),
        fixture_test(test_csr_empty),
        fixture_test(test_refused),
        fixture_test(test_scaling_leaves_the_array),
        fixture_test(test_views),
        fixture_test(test_graph_in_and_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
