/* Matrix Market: coordinate matrices become sparse, arrays (which list their entries column by
 * column) dense. */
#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/mtx.h"
#include "data/read.h"

static orthant_status fail_line(const mtx *file, piece found, const char *expected)
{
    return fail(file->text.ctx, ORTHANT_ERROR_FORMAT, "%s:%" PRId64 ": found '%s', expected %s",
                file->text.path, file->text.number, piece_show(found).text, expected);
}

static orthant_status read_banner(mtx *file)
{
    piece line, rest, word[5] = {{NULL, NULL}};
    int words = 0;
    if (!lines_next(&file->text, &line))
        return fail(file->text.ctx, ORTHANT_ERROR_FORMAT,
                    "%s: empty, expected a Matrix Market file", file->text.path);
    rest = line;
    while (words < 5 && piece_word(&rest, &word[words]))
        words++;
    if (words < 5 || !piece_equals(word[0], "%%MatrixMarket") || !piece_equals(word[1], "matrix"))
        return fail_line(file, line,
                         "'%%MatrixMarket matrix ...' with a format, a field and a symmetry");
    file->coordinate = piece_equals(word[2], "coordinate");
    file->pattern = piece_equals(word[3], "pattern");
    file->symmetric = piece_equals(word[4], "symmetric");
    if (!file->coordinate && !piece_equals(word[2], "array"))
        return fail_line(file, word[2], "'coordinate' or 'array'");
    if (!piece_equals(word[3], "real") && !piece_equals(word[3], "integer") &&
        !piece_equals(word[3], "double") && !(file->pattern && file->coordinate))
        return fail_line(file, word[3], "'real', 'integer' or 'pattern'");
    if (!file->symmetric && !piece_equals(word[4], "general"))
        return fail_line(file, word[4], "'general' or 'symmetric'");
    return ORTHANT_OK;
}

bool mtx_next(mtx *file, piece *line)
{
    while (lines_next(&file->text, line)) {
        const piece trimmed = piece_trim(*line);
        if (trimmed.begin < trimmed.end && *trimmed.begin != '%') {
            *line = trimmed;
            return true;
        }
    }
    return false;
}

static bool take_integer(piece *rest, int64_t *value)
{
    piece word;
    char digits[24] = "";
    if (!piece_word(rest, &word) || word.end - word.begin >= (int64_t)sizeof digits)
        return false;
    memcpy(digits, word.begin, (size_t)(word.end - word.begin));
    return text_to_int64(digits, value);
}

static bool take_double(piece *rest, double *value)
{
    piece word;
    return piece_word(rest, &word) && text_read_double(word.begin, word.end, value) == word.end;
}

static bool nothing_left(piece rest)
{
    piece word;
    return !piece_word(&rest, &word);
}

/* The line of sizes, checked against what the file's bytes can hold before anything is made of it.
 */
static orthant_status read_sizes(mtx *file)
{
    piece line, rest;
    if (!mtx_next(file, &line))
        return fail(file->text.ctx, ORTHANT_ERROR_FORMAT, "%s: ends before the line of sizes",
                    file->text.path);
    rest = line;
    const bool sizes = take_integer(&rest, &file->rows) && take_integer(&rest, &file->columns) &&
                       (!file->coordinate || take_integer(&rest, &file->count)) &&
                       nothing_left(rest);
    if (!sizes || file->rows < 0 || file->columns < 0 || file->count < 0)
        return fail_line(file, line,
                         file->coordinate ? "rows, columns and entries" : "rows and columns");
    if (file->symmetric && file->rows != file->columns)
        return fail_line(file, line, "as many rows as columns in a symmetric matrix");
    if (!file->coordinate && !size_multiply(file->rows, file->columns, &file->count))
        return fail_line(file, line, "sizes that fit");
    const int64_t triangle =
        file->symmetric && !file->coordinate ? (file->count + file->rows) / 2 : file->count;
    const int64_t possible = (file->text.length + 1) / (file->coordinate ? 4 : 2);
    if (triangle > possible ||
        (file->coordinate && !sparse_rows_plausible(file->rows, file->count)))
        return fail(file->text.ctx, ORTHANT_ERROR_FORMAT,
                    "%s:%" PRId64 ": %" PRId64 " x %" PRId64 " with %" PRId64
                    " entries promised, but the file has %" PRId64 " bytes",
                    file->text.path, file->text.number, file->rows, file->columns, file->count,
                    file->text.length);
    return ORTHANT_OK;
}

orthant_status mtx_read_head(mtx *file)
{
    const orthant_status status = read_banner(file);
    return status == ORTHANT_OK ? read_sizes(file) : status;
}

/* ---- coordinate -------------------------------------------------------------------------------
 */

typedef struct triplets {
    int64_t *row, *column, count;
    double *value;
} triplets;

orthant_status mtx_read_entry(mtx *file, piece line, mtx_entry *entry)
{
    piece rest = line;
    *entry = (mtx_entry){.value = 1.0};
    if (!take_integer(&rest, &entry->row) || !take_integer(&rest, &entry->column) ||
        (!file->pattern && !take_double(&rest, &entry->value)) || !nothing_left(rest))
        return fail_line(file, line,
                         file->pattern ? "a row and a column"
                                       : "a row, a column and a finite number");
    if (entry->row < 1 || entry->row > file->rows || entry->column < 1 ||
        entry->column > file->columns)
        return fail(file->text.ctx, ORTHANT_ERROR_FORMAT,
                    "%s:%" PRId64 ": found an entry at (%" PRId64 ", %" PRId64
                    "), expected 1 to %" PRId64 " and 1 to %" PRId64,
                    file->text.path, file->text.number, entry->row, entry->column, file->rows,
                    file->columns);
    entry->row--;
    entry->column--;
    return ORTHANT_OK;
}

orthant_status mtx_count(mtx *file)
{
    if (file->entries++ < file->count)
        return ORTHANT_OK;
    return fail(file->text.ctx, ORTHANT_ERROR_FORMAT,
                "%s:%" PRId64 ": more entries than the %" PRId64 " promised", file->text.path,
                file->text.number, file->count);
}

orthant_status mtx_check_end(const mtx *file)
{
    if (file->entries >= file->count)
        return ORTHANT_OK;
    return fail(file->text.ctx, ORTHANT_ERROR_FORMAT,
                "%s: found %" PRId64 " entries, expected %" PRId64 "; the file is cut off",
                file->text.path, file->entries, file->count);
}

static void keep_entry(const mtx *file, const mtx_entry *entry, triplets *to)
{
    for (int twin = 0; twin < (file->symmetric && entry->row != entry->column ? 2 : 1); twin++) {
        to->row[to->count] = twin ? entry->column : entry->row;
        to->column[to->count] = twin ? entry->row : entry->column;
        to->value[to->count++] = entry->value;
    }
}

static orthant_status read_entries(mtx *file, triplets *to)
{
    piece line;
    mtx_entry entry;
    orthant_status status = ORTHANT_OK;
    while (status == ORTHANT_OK && mtx_next(file, &line)) {
        status = mtx_count(file);
        if (status == ORTHANT_OK)
            status = mtx_read_entry(file, line, &entry);
        if (status == ORTHANT_OK)
            keep_entry(file, &entry, to);
    }
    return status == ORTHANT_OK ? mtx_check_end(file) : status;
}

static orthant_status read_coordinate(mtx *file, orthant_matrix **found)
{
    orthant_context *ctx = file->text.ctx;
    const int64_t capacity = file->symmetric ? 2 * file->count : file->count;
    triplets to = {NULL, NULL, 0, NULL};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    to.row = memory_new(ctx, capacity, sizeof *to.row, "rows of entries");
    if (to.row)
        to.column = memory_new(ctx, capacity, sizeof *to.column, "columns of entries");
    if (to.column)
        to.value = memory_new(ctx, capacity, sizeof *to.value, "entries");
    if (to.value)
        status = read_entries(file, &to);
    if (status == ORTHANT_OK)
        status = matrix_from_triplets(ctx, ctx->precision, file->rows, file->columns, to.count,
                                      to.row, to.column, to.value, found);
    memory_free(ctx, to.row);
    memory_free(ctx, to.column);
    memory_free(ctx, to.value);
    return status;
}

/* ---- array ------------------------------------------------------------------------------------
 */

static orthant_status fill_array(mtx *file, orthant_matrix *matrix)
{
    piece line, word;
    int64_t i = 0, j = 0;
    double value;
    while (mtx_next(file, &line))
        while (piece_word(&line, &word)) {
            if (text_read_double(word.begin, word.end, &value) != word.end)
                return fail_line(file, word, "a finite number");
            if (j == file->columns)
                return fail(file->text.ctx, ORTHANT_ERROR_FORMAT,
                            "%s:%" PRId64 ": more entries than the %" PRId64 " x %" PRId64
                            " promised",
                            file->text.path, file->text.number, file->rows, file->columns);
            matrix_set_value(matrix, i * file->columns + j, value);
            if (file->symmetric)
                matrix_set_value(matrix, j * file->columns + i, value);
            if (++i == file->rows) {
                j++;
                i = file->symmetric ? j : 0;
            }
        }
    if (j < file->columns)
        return fail(file->text.ctx, ORTHANT_ERROR_FORMAT,
                    "%s: ends at entry (%" PRId64 ", %" PRId64 "), expected %" PRId64 " x %" PRId64
                    " entries",
                    file->text.path, i + 1, j + 1, file->rows, file->columns);
    return ORTHANT_OK;
}

static orthant_status read_array(mtx *file, orthant_matrix **found)
{
    orthant_matrix *matrix = NULL;
    orthant_status status = matrix_new_dense(file->text.ctx, file->text.ctx->precision, file->rows,
                                             file->columns, &matrix);
    if (status == ORTHANT_OK && file->count > 0)
        status = fill_array(file, matrix);
    if (status != ORTHANT_OK)
        orthant_matrix_free(matrix);
    else
        *found = matrix;
    return status;
}

orthant_status read_mtx(orthant_context *ctx, const char *path, const orthant_read_options *options,
                        orthant_matrix **found, orthant_labels **truth)
{
    mtx file = {.count = 0};
    (void)options;
    *found = NULL;
    *truth = NULL;
    orthant_status status = lines_open(ctx, path, &file.text);
    if (status != ORTHANT_OK)
        return status;
    status = mtx_read_head(&file);
    if (status == ORTHANT_OK)
        status = file.coordinate ? read_coordinate(&file, found) : read_array(&file, found);
    lines_close(&file.text);
    return status;
}
