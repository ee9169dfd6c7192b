/* Copies rows and columns of dense and sparse matrices; draws without replacement. */
#include "study/subset.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static orthant_status take_dense(orthant_context *ctx, const orthant_matrix *from,
                                 const subset *rows, const subset *columns, orthant_matrix **taken)
{
    const size_t size = precision_size(from->precision);
    const int64_t width = columns ? columns->count : from->columns;
    const orthant_status status = matrix_new_dense(ctx, from->precision, rows->count, width, taken);
    for (int64_t i = 0; i < rows->count && !status; i++) {
        const char *source =
            (const char *)from->values + (size_t)(rows->place[i] * from->stride) * size;
        char *target = (char *)(*taken)->values + (size_t)(i * (*taken)->stride) * size;
        if (!columns)
            memcpy(target, source, (size_t)width * size);
        for (int64_t j = 0; j < width && columns; j++)
            memcpy(target + (size_t)j * size, source + (size_t)columns->place[j] * size, size);
    }
    return status;
}

/* where[column]: its place, -1 where it is left out; NULL: as it is. */
static orthant_status take_sparse(orthant_context *ctx, const orthant_matrix *from,
                                  const subset *rows, int64_t width, const int64_t *where,
                                  orthant_matrix **taken)
{
    const size_t size = precision_size(from->precision);
    int64_t stored = 0, at = 0;
    for (int64_t i = 0; i < rows->count; i++)
        stored += from->row_start[rows->place[i] + 1] - from->row_start[rows->place[i]];
    const orthant_status status =
        matrix_new_sparse(ctx, from->precision, rows->count, width, stored, taken);
    for (int64_t i = 0; i < rows->count && !status; i++) {
        const int64_t r = rows->place[i];
        for (int64_t e = from->row_start[r]; e < from->row_start[r + 1]; e++) {
            const int64_t column = where ? where[from->column[e]] : from->column[e];
            if (column < 0)
                continue;
            (*taken)->column[at] = (int32_t)column;
            memcpy((char *)(*taken)->values + (size_t)at * size,
                   (const char *)from->values + (size_t)e * size, size);
            at++;
        }
        (*taken)->row_start[i + 1] = at;
    }
    return status;
}

orthant_status subset_take(orthant_context *ctx, const orthant_matrix *from, const subset *rows,
                           const subset *columns, orthant_matrix **taken)
{
    int64_t *where = NULL;
    *taken = NULL;
    orthant_status status = matrix_check_here(from, "a draw of samples");
    if (status)
        return status;
    if (from->sparse && columns) {
        where = memory_new(ctx, from->columns, sizeof *where, "the drawn columns");
        status = where ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
        for (int64_t j = 0; j < from->columns && where; j++)
            where[j] = -1;
        for (int64_t j = 0; j < columns->count && where; j++)
            where[columns->place[j]] = j;
    }
    if (!status)
        status = from->sparse ? take_sparse(ctx, from, rows,
                                            columns ? columns->count : from->columns, where, taken)
                              : take_dense(ctx, from, rows, columns, taken);
    memory_free(ctx, where);
    if (!status)
        status = names_copy(ctx, &from->feature_names, columns ? columns->place : NULL,
                            (*taken)->columns, &(*taken)->feature_names);
    if (!status)
        status =
            names_copy(ctx, &from->sample_names, rows->place, rows->count, &(*taken)->sample_names);
    if (!status) {
        (*taken)->picture = from->picture;
        (*taken)->name = from->name ? memory_text(ctx, from->name) : NULL;
        if (from->name && !(*taken)->name)
            status = ORTHANT_ERROR_MEMORY;
    }
    if (status) {
        orthant_matrix_free(*taken);
        *taken = NULL;
    }
    return status;
}

static int by_number(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void subset_draw(uint64_t seed, random_stream stream, int64_t all, int64_t drawn, int64_t *place)
{
    for (int64_t i = 0; i < all; i++)
        place[i] = i;
    for (int64_t i = 0; i < drawn && i < all - 1; i++) {
        const int64_t other =
            i + (int64_t)random_below(seed, stream, 0, (uint64_t)i, (uint64_t)(all - i));
        const int64_t swapped = place[i];
        place[i] = place[other];
        place[other] = swapped;
    }
    qsort(place, (size_t)drawn, sizeof *place, by_number);
    qsort(place + drawn, (size_t)(all - drawn), sizeof *place, by_number);
}
