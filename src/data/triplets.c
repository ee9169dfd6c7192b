/* Sparse matrices from entries in any order. They are gathered in their rows by counting and each
 * row is sorted by itself: beside the matrix, memory goes with the longest unsorted row alone. */
#include "data/matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

bool sparse_rows_plausible(int64_t rows, int64_t stored)
{
    return rows <= 1000000 || rows / 1000 <= stored;
}

/* ---- rows in order ------------------------------------------------------------------------- */

/* An entry of a row that is sorted; `place` is where it was given, which keeps sums of duplicates
 * in that order. */
typedef struct entry {
    int32_t column;
    int64_t place;
    double value;
} entry;

static int by_column(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static bool row_is_sorted(const orthant_matrix *matrix, int64_t row)
{
    for (int64_t p = matrix->row_start[row] + 1; p < matrix->row_start[row + 1]; p++)
        if (matrix->column[p - 1] > matrix->column[p])
            return false;
    return true;
}

bool matrix_rows_ordered(const orthant_matrix *matrix)
{
    for (int64_t r = 0; r < matrix->rows; r++)
        for (int64_t p = matrix->row_start[r] + 1; p < matrix->row_start[r + 1]; p++)
            if (matrix->column[p - 1] >= matrix->column[p])
                return false;
    return true;
}

static void sort_row(orthant_matrix *matrix, int64_t row, entry *entries)
{
    const int64_t first = matrix->row_start[row], count = matrix->row_start[row + 1] - first;
    for (int64_t i = 0; i < count; i++)
        entries[i] = (entry){matrix->column[first + i], i, matrix_value(matrix, first + i)};
    qsort(entries, (size_t)count, sizeof *entries, by_column);
    for (int64_t i = 0; i < count; i++) {
        matrix->column[first + i] = entries[i].column;
        matrix_set_value(matrix, first + i, entries[i].value);
    }
}

static orthant_status sort_rows(orthant_matrix *matrix)
{
    int64_t longest = 0;
    for (int64_t r = 0; r < matrix->rows; r++) {
        const int64_t length = matrix->row_start[r + 1] - matrix->row_start[r];
        if (length > longest && !row_is_sorted(matrix, r))
            longest = length;
    }
    if (longest == 0)
        return ORTHANT_OK;
    entry *entries = memory_new(matrix->ctx, longest, sizeof *entries, "a row in order");
    if (!entries)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t r = 0; r < matrix->rows; r++)
        if (!row_is_sorted(matrix, r))
            sort_row(matrix, r, entries);
    memory_free(matrix->ctx, entries);
    return ORTHANT_OK;
}

/* Adds duplicates up and closes the gaps that they leave. */
static void add_duplicates(orthant_matrix *matrix)
{
    int64_t stored = 0, first = 0;
    for (int64_t r = 0; r < matrix->rows; r++) {
        const int64_t end = matrix->row_start[r + 1], row_first = stored;
        for (int64_t p = first; p < end; p++) {
            const double value = matrix_value(matrix, p);
            if (stored > row_first && matrix->column[stored - 1] == matrix->column[p]) {
                matrix_set_value(matrix, stored - 1, matrix_value(matrix, stored - 1) + value);
            } else {
                matrix->column[stored] = matrix->column[p];
                matrix_set_value(matrix, stored++, value);
            }
        }
        first = end;
        matrix->row_start[r + 1] = stored;
    }
}

orthant_status matrix_order_rows(orthant_matrix *matrix)
{
    const orthant_status status = sort_rows(matrix);
    if (status == ORTHANT_OK)
        add_duplicates(matrix);
    return status;
}

/* ---- triplets ------------------------------------------------------------------------------ */

static orthant_status check_triplets(orthant_context *ctx, int64_t rows, int64_t columns,
                                     int64_t count, const int64_t *row, const int64_t *column)
{
    for (int64_t i = 0; i < count; i++)
        if (row[i] < 0 || row[i] >= rows || column[i] < 0 || column[i] >= columns)
            return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                        "entry %" PRId64 " stands at (%" PRId64 ", %" PRId64
                        "), outside of %" PRId64 " x %" PRId64,
                        i + 1, row[i] + 1, column[i] + 1, rows, columns);
    return ORTHANT_OK;
}

/* The entries in their rows, in the order given. */
static void gather_rows(orthant_matrix *matrix, int64_t count, const int64_t *row,
                        const int64_t *column, const double *value)
{
    int64_t *start = matrix->row_start;
    for (int64_t i = 0; i < count; i++)
        start[row[i] + 1]++;
    for (int64_t r = 0; r < matrix->rows; r++)
        start[r + 1] += start[r];
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = start[row[i]]++;
        matrix->column[place] = (int32_t)column[i];
        matrix_set_value(matrix, place, value[i]);
    }
    memmove(start + 1, start, (size_t)matrix->rows * sizeof *start);
    start[0] = 0;
}

orthant_status matrix_from_triplets(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                    int64_t columns, int64_t count, const int64_t *row,
                                    const int64_t *column, const double *value,
                                    orthant_matrix **matrix)
{
    orthant_matrix *made = NULL;
    *matrix = NULL;
    orthant_status status = check_triplets(ctx, rows, columns, count, row, column);
    if (status == ORTHANT_OK)
        status = matrix_new_sparse(ctx, precision, rows, columns, count, &made);
    if (status == ORTHANT_OK) {
        gather_rows(made, count, row, column, value);
        status = matrix_order_rows(made);
    }
    if (status == ORTHANT_OK)
        *matrix = made;
    else
        orthant_matrix_free(made);
    return status;
}
