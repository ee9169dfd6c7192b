/* A matrix that holds some rows of a larger one, which a group of processes shares. */
#include <string.h>

#include "core/memory.h"
#include "data/chunks.h"
#include "data/matrix.h"
#include "data/row_file.h"

typedef struct row_range {
    int64_t first, rows;
} row_range;

/* Those of this process, of a matrix that is whole. */
static row_range own_rows(const orthant_matrix *matrix)
{
    const orthant_group *group = &matrix->ctx->group;
    const chunk_cut cut = chunks_cut(matrix->rows, matrix->columns);
    const int64_t first = chunks_row(&cut, group->rank, group->ranks);
    return (row_range){first, chunks_row(&cut, group->rank + 1, group->ranks) - first};
}

/* What was known of a file's rows goes by other numbers now, or was that of others. */
static orthant_status summarise_again(orthant_matrix *matrix)
{
    const bool known = matrix->summary.known;
    matrix->summary.known = false;
    return known ? matrix_summarise(matrix) : ORTHANT_OK;
}

orthant_status orthant_matrix_set_part(orthant_matrix *matrix, int64_t first, int64_t total)
{
    const orthant_status refused = entry_check(matrix ? matrix->ctx : NULL, true, __func__);
    if (refused)
        return refused;
    if (first < 0 || total < 1 || first > total - matrix->rows)
        return fail(matrix->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: %lld rows from row %lld on are not within %lld", __func__,
                    (long long)matrix->rows, (long long)first, (long long)total);
    const bool moved = matrix->part.first != first;
    matrix->part.first = first;
    matrix->part.total = total;
    return matrix->file && moved ? summarise_again(matrix) : ORTHANT_OK;
}

int64_t orthant_matrix_total_rows(const orthant_matrix *matrix)
{
    return matrix ? matrix_total(matrix) : 0;
}

/* ------------------------------------------------------------------ keeping a part */

static orthant_status copy_dense(const orthant_matrix *X, row_range s, orthant_matrix **part)
{
    const size_t size = precision_size(X->precision);
    const orthant_status status =
        matrix_new_dense(X->ctx, X->precision, s.rows > 0 ? s.rows : 1, X->columns, part);
    if (status)
        return status;
    for (int64_t i = 0; i < s.rows; i++)
        memcpy((char *)(*part)->values + (size_t)(i * (*part)->stride) * size,
               (const char *)X->values + (size_t)((s.first + i) * X->stride) * size,
               (size_t)X->columns * size);
    return ORTHANT_OK;
}

static orthant_status copy_sparse(const orthant_matrix *X, row_range s, orthant_matrix **part)
{
    const size_t size = precision_size(X->precision);
    const int64_t begin = X->row_start[s.first], stored = X->row_start[s.first + s.rows] - begin;
    const orthant_status status =
        matrix_new_sparse(X->ctx, X->precision, s.rows > 0 ? s.rows : 1, X->columns, stored, part);
    if (status)
        return status;
    for (int64_t i = 0; i <= s.rows; i++)
        (*part)->row_start[i] = X->row_start[s.first + i] - begin;
    memcpy((*part)->column, X->column + begin, (size_t)stored * sizeof *X->column);
    memcpy((*part)->values, (const char *)X->values + (size_t)begin * size, (size_t)stored * size);
    return ORTHANT_OK;
}

/* `matrix` becomes `part`, but for its name and what else is the whole's. */
static void take_entries(orthant_matrix *matrix, orthant_matrix *part, row_range s)
{
    const orthant_matrix whole = *matrix;
    *matrix = *part;
    matrix->name = whole.name;
    matrix->picture = whole.picture;
    matrix->lossless = whole.lossless;
    matrix->part.first = s.first;
    matrix->part.total = whole.rows;
    matrix->summary.known = false;
    *part = whole;
    part->name = NULL;
    orthant_matrix_free(part);
}

orthant_status orthant_matrix_share(orthant_matrix *matrix)
{
    orthant_matrix *part = NULL;
    orthant_status status = entry_check(matrix ? matrix->ctx : NULL, true, __func__);
    if (status || !matrix->ctx->group.ranks || matrix->part.total)
        return status;
    const row_range s = own_rows(matrix);
    if (matrix->file) {
        memory_free(matrix->ctx, matrix->values); /* a copy of all rows */
        matrix->values = NULL;
        row_file_cut(matrix->file, s.first, s.rows);
        matrix->part.first = s.first;
        matrix->part.total = matrix->rows;
        matrix->rows = s.rows;
        return summarise_again(matrix);
    }
    if (matrix->mapping) { /* pages of other rows are not read */
        matrix->values = (char *)matrix->values +
                         (size_t)(s.first * matrix->stride) * precision_size(matrix->precision);
        matrix->part.first = s.first;
        matrix->part.total = matrix->rows;
        matrix->rows = s.rows;
        matrix->summary.known = false;
        return ORTHANT_OK;
    }
    status = matrix->sparse ? copy_sparse(matrix, s, &part) : copy_dense(matrix, s, &part);
    if (status)
        return status;
    part->rows = s.rows;
    take_entries(matrix, part, s);
    return ORTHANT_OK;
}
