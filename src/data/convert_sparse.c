/* A sparse matrix that a file holds as three vectors: where rows begin, their columns, their
 * values. The vectors are read side by side, some rows at a time; of one that is stored by columns
 * these are what the file calls columns, and are transposed on their way. */
#include <inttypes.h>
#include <math.h>

#include "core/memory.h"
#include "core/pieces.h"
#include "data/convert.h"

#define STARTS_TOGETHER (1 << 14)

typedef struct sparse_reading {
    conversion *c;
    const sparse_parts *parts;
    row_sink *sink;
    int64_t rows;        /* given to the sink so far */
    double *start;       /* of the rows at hand, and of the one behind them */
    int64_t entry_bytes; /* that an entry takes on its way */
} sparse_reading;

/* The starts of `count` rows from s->rows on; the first is known from those before. */
static orthant_status read_starts(sparse_reading *s, int64_t count)
{
    const sparse_parts *p = s->parts;
    orthant_status status = ORTHANT_OK;
    if (s->rows == 0)
        status = p->read(p->user, SPARSE_STARTS, 0, 1, s->start);
    if (!status)
        status = p->read(p->user, SPARSE_STARTS, s->rows + 1, count, s->start + 1);
    for (int64_t i = s->rows > 0; i <= count && !status; i++) {
        const double found = s->start[i], stored = (double)p->stored;
        const int64_t at = s->rows + i;
        const double least = at == p->rows ? stored : i > 0 ? s->start[i - 1] : 0;
        if (!(found >= least && found <= (at > 0 ? stored : 0) && found == floor(found)))
            return fail(s->c->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: '%s' is damaged at %" PRId64
                        ": found %.15g, expected to rise from 0 to %" PRId64,
                        s->c->path, p->name[SPARSE_STARTS], at + 1, found, p->stored);
    }
    return status;
}

static orthant_status take_columns(const sparse_reading *s, const double *column,
                                   orthant_matrix *block)
{
    const sparse_parts *p = s->parts;
    for (int64_t e = 0; e < block->row_start[block->rows]; e++) {
        if (!(column[e] >= 0 && column[e] < (double)p->columns && column[e] == floor(column[e])))
            return fail(s->c->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: '%s' holds %.15g, expected 0 to %" PRId64, s->c->path,
                        p->name[SPARSE_COLUMNS], column[e], p->columns - 1);
        block->column[e] = (int32_t)column[e];
    }
    return ORTHANT_OK;
}

static orthant_status take_values(const sparse_reading *s, const double *value,
                                  orthant_matrix *block)
{
    for (int64_t i = 0; i < block->rows; i++)
        for (int64_t e = block->row_start[i]; e < block->row_start[i + 1]; e++) {
            const int64_t row = s->rows + i + 1, column = block->column[e] + 1;
            matrix_set_value(block, e, value[e]);
            if (isfinite(value[e]) && !isfinite(matrix_value(block, e)))
                return fail(s->c->ctx, ORTHANT_ERROR_DATA,
                            "%s: entry (%" PRId64 ", %" PRId64
                            ") is %.6g, more than single precision can hold; use precision = "
                            "'double'",
                            s->c->path, s->parts->by_columns ? column : row,
                            s->parts->by_columns ? row : column, value[e]);
        }
    return ORTHANT_OK;
}

static orthant_status read_block(const sparse_reading *s, int64_t first, orthant_matrix *block)
{
    const sparse_parts *p = s->parts;
    const int64_t count = block->row_start[block->rows];
    double *numbers = memory_new(s->c->ctx, count, sizeof *numbers, "entries");
    orthant_status status = numbers ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status && count > 0)
        status = p->read(p->user, SPARSE_COLUMNS, first, count, numbers);
    if (!status)
        status = take_columns(s, numbers, block);
    if (!status && count > 0)
        status = p->read(p->user, SPARSE_VALUES, first, count, numbers);
    if (!status)
        status = take_values(s, numbers, block);
    memory_free(s->c->ctx, numbers);
    if (!status)
        status = matrix_order_rows(block);
    if (!status && p->distinct && block->row_start[block->rows] < count)
        status = fail(s->c->ctx, ORTHANT_ERROR_FORMAT, "%s: holds an entry twice", s->c->path);
    return status;
}

/* Rows of which the first begins at start[0]. */
static orthant_status give_block(sparse_reading *s, const double *start, int64_t rows)
{
    const int64_t first = (int64_t)start[0], count = (int64_t)start[rows] - first;
    orthant_matrix *block = NULL;
    orthant_status status =
        matrix_new_sparse(s->c->ctx, s->c->ctx->precision, rows, s->parts->columns, count, &block);
    for (int64_t i = 0; i <= rows && !status; i++)
        block->row_start[i] = (int64_t)start[i] - first;
    if (!status)
        status = read_block(s, first, block);
    if (!status)
        status = row_sink_add(s->sink, block);
    orthant_matrix_free(block);
    s->rows += rows;
    return status;
}

static orthant_status give_rows(sparse_reading *s)
{
    const int64_t most = row_sink_step(s->c->ctx, s->entry_bytes);
    orthant_status status = row_sink_begin(s->sink, s->parts->rows, s->parts->columns, true);
    while (s->rows < s->parts->rows && !status) {
        const int64_t together = smaller(STARTS_TOGETHER, s->parts->rows - s->rows);
        status = read_starts(s, together);
        for (int64_t at = 0, rows; at < together && !status; at += rows) {
            rows = 1;
            while (at + rows < together && s->start[at + rows + 1] - s->start[at] <= (double)most)
                rows++;
            status = give_block(s, s->start + at, rows);
        }
        s->start[0] = s->start[together];
    }
    return status;
}

orthant_status convert_sparse(conversion *c, const sparse_parts *parts)
{
    row_sink transposing = {0};
    sparse_reading s = {
        .c = c,
        .parts = parts,
        .sink = parts->by_columns ? &transposing : c->sink,
        .entry_bytes = 2 * (int64_t)sizeof(double) + (int64_t)sizeof(int32_t),
        .start = memory_new(c->ctx, STARTS_TOGETHER + 1, sizeof *s.start, "starts of rows")};
    c->done = true;
    if (!s.start)
        return ORTHANT_ERROR_MEMORY;
    if (parts->by_columns)
        row_sink_transpose(c->sink, &transposing);
    orthant_status status = give_rows(&s);
    memory_free(c->ctx, s.start);
    return parts->by_columns ? row_sink_end(&transposing, status) : status;
}
