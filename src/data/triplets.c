/* Sparse matrices from unordered triplets. Rows are gathered by counting and each is sorted by
 * itself: memory goes with the entries and rows alone, never with the number of columns. */
#include "data/matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

bool sparse_rows_plausible(int64_t rows, int64_t stored)
{
    return rows <= 1000000 || rows / 1000 <= stored;
}

/* A triplet on its way into its row; `place` is where it was given, which keeps sums of duplicates
 * in that order. */
typedef struct entry {
    int64_t column, place;
} entry;

static int by_column(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

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

/* Entries gathered by row, in the order given: start[r] .. start[r + 1] are those of row r. */
static void gather_rows(int64_t rows, int64_t count, const int64_t *row, const int64_t *column,
                        int64_t *start, entry *entries)
{
    for (int64_t i = 0; i < count; i++)
        start[row[i] + 1]++;
    for (int64_t r = 0; r < rows; r++)
        start[r + 1] += start[r];
    for (int64_t i = 0; i < count; i++)
        entries[start[row[i]]++] = (entry){column[i], i};
    memmove(start + 1, start, (size_t)rows * sizeof *start);
    start[0] = 0;
}

static void sort_row(entry *entries, int64_t count)
{
    for (int64_t i = 1; i < count; i++)
        if (entries[i - 1].column > entries[i].column) {
            qsort(entries, (size_t)count, sizeof *entries, by_column);
            return;
        }
}

/* Sorts each row, adds duplicates up and closes the gaps they leave. */
static void fill_rows(orthant_matrix *matrix, entry *entries, const double *value)
{
    int64_t stored = 0, first = 0;
    for (int64_t r = 0; r < matrix->rows; r++) {
        const int64_t end = matrix->row_start[r + 1], row_first = stored;
        sort_row(entries + first, end - first);
        for (int64_t i = first; i < end; i++) {
            const entry next = entries[i];
            if (stored > row_first && matrix->column[stored - 1] == (int32_t)next.column) {
                matrix_set_value(matrix, stored - 1,
                                 matrix_value(matrix, stored - 1) + value[next.place]);
            } else {
                matrix->column[stored] = (int32_t)next.column;
                matrix_set_value(matrix, stored++, value[next.place]);
            }
        }
        first = end;
        matrix->row_start[r + 1] = stored;
    }
}

orthant_status matrix_from_triplets(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                    int64_t columns, int64_t count, const int64_t *row,
                                    const int64_t *column, const double *value,
                                    orthant_matrix **matrix)
{
    orthant_matrix *made = NULL;
    entry *entries = NULL;
    *matrix = NULL;
    orthant_status status = check_triplets(ctx, rows, columns, count, row, column);
    if (status == ORTHANT_OK)
        status = matrix_new_sparse(ctx, precision, rows, columns, count, &made);
    if (status != ORTHANT_OK)
        goto done;
    entries = memory_new(ctx, count, sizeof *entries, "a sparse matrix's entries");
    if (!entries) {
        status = ORTHANT_ERROR_MEMORY;
        goto done;
    }
    gather_rows(rows, count, row, column, made->row_start, entries);
    fill_rows(made, entries, value);
    *matrix = made;
    made = NULL;
done:
    memory_free(ctx, entries);
    orthant_matrix_free(made);
    return status;
}
