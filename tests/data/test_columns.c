/* Arrays of the caller's by columns: rows are made of them when they are wanted, and what needs all
 * entries takes one copy. */
#include "fixture.h"

#include <stdio.h>

#include "data/matrix.h"
#include "guarded.h"
#include "orthant/data.h"
#include "orthant/graph.h"
#include "orthant/group.h"
#include "orthant/labels.h"

#define ROWS 301
#define COLUMNS 13
#define STRIDE (ROWS + 2)

static double entry(int64_t row, int64_t column)
{
    return (double)((row * 7 + column * 3) % 11);
}

typedef struct by_columns {
    guarded memory;
    orthant_array given;
    orthant_matrix *matrix;
} by_columns;

static by_columns make(orthant_context *ctx, orthant_precision precision)
{
    static double doubles[(COLUMNS - 1) * STRIDE + ROWS];
    static float floats[(COLUMNS - 1) * STRIDE + ROWS];
    for (int64_t j = 0; j < COLUMNS; j++)
        for (int64_t i = 0; i < ROWS; i++)
            floats[j * STRIDE + i] = (float)(doubles[j * STRIDE + i] = entry(i, j));
    by_columns made = {.memory = precision == ORTHANT_DOUBLE ? guarded_copy(doubles, sizeof doubles)
                                                             : guarded_copy(floats, sizeof floats)};
    made.given = (orthant_array){.size = sizeof made.given,
                                 .precision = precision,
                                 .rows = ROWS,
                                 .columns = COLUMNS,
                                 .values = made.memory.data,
                                 .row_stride = 1,
                                 .column_stride = STRIDE};
    expect_ok(ctx, matrix_of_columns(ctx, &made.given, &made.matrix));
    return made;
}

static void drop(by_columns *made)
{
    orthant_matrix_free(made->matrix);
    guarded_free(&made->memory);
}

static void expect_entries(const orthant_matrix *matrix)
{
    for (int64_t i = 0; i < ROWS; i += 25)
        for (int64_t j = 0; j < COLUMNS; j++)
            assert_true(orthant_matrix_get(matrix, i, j) == entry(i, j));
}

/* Without a copy: shape, single entries, what it holds, and the array itself. */
static void test_looked_at(void **state)
{
    orthant_context *ctx = *state;
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++) {
        by_columns made = make(ctx, (orthant_precision)precision);
        orthant_array view = {.size = sizeof view};
        orthant_matrix_info info = {.size = sizeof info};
        double sum = 0, squares = 0;
        int64_t nonzeros = 0;
        for (int64_t e = 0; e < ROWS * COLUMNS; e++) {
            const double value = entry(e / COLUMNS, e % COLUMNS);
            sum += value;
            squares += value * value;
            nonzeros += value > 0;
        }
        assert_true(orthant_matrix_is_borrowed(made.matrix));
        assert_false(orthant_matrix_is_streamed(made.matrix));
        expect_entries(made.matrix);
        expect_ok(ctx, orthant_matrix_view(made.matrix, &view));
        assert_ptr_equal(view.values, made.memory.data);
        assert_int_equal(view.row_stride, 1);
        assert_int_equal(view.column_stride, STRIDE);
        expect_ok(ctx, orthant_matrix_describe(made.matrix, &info));
        assert_true(info.nonzeros == nonzeros && info.minimum == 0 && info.maximum == 10);
        assert_true(orthant_matrix_nonzeros(made.matrix) == nonzeros);
        assert_true(matrix_sum(made.matrix) == sum && matrix_squares(made.matrix) == squares);
        expect_ok(ctx, matrix_check(made.matrix, true, "data", "nmf"));
        assert_null(made.matrix->values);
        drop(&made);
    }
}

static void keep_note(void *user, orthant_log_level level, const char *message)
{
    (void)level;
    snprintf(user, 512, "%s", message);
}

static void test_copied_where_all_is_needed(void **state)
{
    orthant_context *ctx = *state;
    char note[512] = "";
    orthant_graph *graph = NULL;
    orthant_labels *labels = NULL;
    by_columns made = make(ctx, ORTHANT_SINGLE);
    orthant_context_set_log(ctx, keep_note, note);
    expect_ok(ctx, orthant_graph_neighbours(ctx, made.matrix, 3, ORTHANT_EDGE_BINARY, 0, &graph));
    assert_non_null(strstr(note, "was copied, row by row: a search for neighbours needs all"));
    const void *copy = made.matrix->values;
    assert_non_null(copy);
    note[0] = '\0';
    expect_ok(ctx, orthant_labels_kmeans(ctx, made.matrix, 3, 1, 1, &labels, NULL));
    assert_ptr_equal(made.matrix->values, copy);
    assert_null(strstr(note, "copied"));
    expect_entries(made.matrix);
    assert_true(orthant_matrix_is_borrowed(made.matrix));
    orthant_labels_free(labels);
    orthant_graph_free(graph);
    drop(&made);
}

static void test_scaling_leaves_the_array(void **state)
{
    orthant_context *ctx = *state;
    by_columns made = make(ctx, ORTHANT_DOUBLE);
    expect_ok(ctx, orthant_matrix_scale(made.matrix, ORTHANT_SCALE_MAX));
    assert_false(orthant_matrix_is_borrowed(made.matrix));
    assert_true(orthant_matrix_get(made.matrix, 4, 1) == entry(4, 1) / 10);
    assert_true(((const double *)made.memory.data)[STRIDE + 4] == entry(4, 1));
    drop(&made);
}

static void test_refused_entries_are_named(void **state)
{
    orthant_context *ctx = *state;
    double values[4 * 3] = {0};
    const orthant_array given = {.size = sizeof given,
                                 .precision = ORTHANT_DOUBLE,
                                 .rows = 4,
                                 .columns = 3,
                                 .values = values,
                                 .row_stride = 1,
                                 .column_stride = 4};
    orthant_matrix *matrix = NULL;
    values[2 * 4 + 1] = -3;
    expect_ok(ctx, matrix_of_columns(ctx, &given, &matrix));
    expect_failure(ctx, ORTHANT_ERROR_DATA, "entry (2, 3) is -3",
                   matrix_check(matrix, true, "data", "nmf"));
    orthant_matrix_free(matrix);
}

static bool exchange(void *user, const void *const *send, const int64_t *send_bytes,
                     void *const *receive, const int64_t *receive_bytes)
{
    (void)user, (void)send, (void)send_bytes, (void)receive, (void)receive_bytes;
    return false;
}

static bool gather(void *user, const void *own, void *all, const int64_t *bytes)
{
    (void)user, (void)own, (void)all, (void)bytes;
    return false;
}

static void end_all(void *user, const char *message)
{
    (void)user, (void)message;
}

/* The last of two processes, which has the rows from `first` on, also of an array that was copied
 * before. */
static void test_part(void **state)
{
    orthant_context *ctx = *state;
    const int64_t rows = 70000, columns = 2;
    const orthant_group group = {.size = sizeof group,
                                 .rank = 1,
                                 .ranks = 2,
                                 .exchange = exchange,
                                 .gather = gather,
                                 .abort = end_all};
    float *values = test_calloc((size_t)(rows * columns), sizeof *values);
    for (int64_t e = 0; e < rows * columns; e++)
        values[e] = (float)e;
    const orthant_array given = {.size = sizeof given,
                                 .precision = ORTHANT_SINGLE,
                                 .rows = rows,
                                 .columns = columns,
                                 .values = values,
                                 .row_stride = 1,
                                 .column_stride = rows};
    expect_ok(ctx, orthant_context_set_group(ctx, &group));
    for (int copied = 0; copied < 2; copied++) {
        int64_t first, own;
        orthant_matrix *matrix = NULL;
        orthant_array view = {.size = sizeof view};
        expect_ok(ctx, matrix_of_columns(ctx, &given, &matrix));
        if (copied)
            expect_ok(ctx, matrix_check_here(matrix, "a test"));
        expect_ok(ctx, orthant_group_rows(ctx, rows, columns, &first, &own));
        expect_ok(ctx, orthant_matrix_share(matrix));
        assert_true(first > 0 && own == rows - first && orthant_matrix_rows(matrix) == own);
        assert_true(orthant_matrix_get(matrix, 3, 1) == (double)(rows + first + 3));
        expect_ok(ctx, orthant_matrix_view(matrix, &view));
        assert_ptr_equal(view.values, values + first);
        expect_ok(ctx, matrix_check_here(matrix, "a test"));
        assert_true(matrix_value(matrix, 3 * columns + 1) == (double)(rows + first + 3));
        orthant_matrix_free(matrix);
    }
    expect_ok(ctx, orthant_context_set_group(ctx, NULL));
    test_free(values);
}

/* As of a part that was taken of the whole: by the rows' numbers among all. */
static void test_checksum_of_part(void **state)
{
    orthant_context *ctx = *state;
    by_columns made = make(ctx, ORTHANT_DOUBLE);
    orthant_matrix *here = NULL;
    expect_ok(ctx, matrix_of_columns(ctx, &made.given, &here));
    expect_ok(ctx, matrix_own_values(here));
    expect_ok(ctx, orthant_matrix_set_part(here, 50, 1000));
    expect_ok(ctx, orthant_matrix_set_part(made.matrix, 50, 1000));
    assert_true(matrix_checksum(ctx, made.matrix) == matrix_checksum(ctx, here));
    orthant_matrix_free(here);
    drop(&made);
}

static void count_release(void *user)
{
    ++*(int *)user;
}

/* A large one by the public door: 64 MB are not copied, and the owner hears once, at the end. */
static void test_large_ones_are_borrowed(void **state)
{
    orthant_context *ctx = *state;
    const int64_t rows = 1 << 16, columns = 256;
    float *values = test_calloc((size_t)(rows * columns), sizeof *values);
    int released = 0;
    orthant_matrix *matrix = NULL;
    orthant_array given = {.size = sizeof given,
                           .precision = ORTHANT_SINGLE,
                           .rows = rows,
                           .columns = columns,
                           .values = values,
                           .row_stride = 1,
                           .column_stride = rows};
    values[5 * rows + 77] = 8;
    expect_ok(ctx, orthant_matrix_wrap(ctx, &given, count_release, &released, &matrix));
    assert_true(orthant_matrix_is_borrowed(matrix) && orthant_matrix_get(matrix, 77, 5) == 8);
    assert_true(orthant_context_memory(ctx) < 100000);
    assert_int_equal(released, 0);
    orthant_matrix_free(matrix);
    assert_int_equal(released, 1);
    test_free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_looked_at),
        fixture_test(test_copied_where_all_is_needed),
        fixture_test(test_scaling_leaves_the_array),
        fixture_test(test_refused_entries_are_named),
        fixture_test(test_part),
        fixture_test(test_checksum_of_part),
        fixture_test(test_large_ones_are_borrowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
