/* Tables and Matrix Market files, some whole lines at a time. */
#include <string.h>

#include "core/memory.h"
#include "data/buckets.h"
#include "data/convert.h"
#include "data/csv_columns.h"
#include "data/mtx.h"
#include "data/text_window.h"

#define LEAST_WINDOW (1 << 16)
#define MOST_WINDOW (INT64_C(16) << 20)

/* Lines take a quarter of what memory is left: what they are read to takes more. */
static int64_t window_bytes(const orthant_context *ctx)
{
    const int64_t bytes = memory_left(ctx) / 8;
    return bytes < LEAST_WINDOW ? LEAST_WINDOW : bytes > MOST_WINDOW ? MOST_WINDOW : bytes;
}

/* ---- tables ---- */

/* The rows of the lines at hand. */
static orthant_status convert_rows(conversion *c, csv_table *table, const csv_columns *columns)
{
    orthant_matrix *block = NULL;
    table->rows = table->chunk_count = 0;
    orthant_status status = csv_measure(table);
    if (!status && table->rows)
        status = csv_read_matrix(table, columns, &block);
    if (!status && block)
        status = csv_read_sample_names(table, columns, &c->rows);
    if (!status && block)
        status = row_sink_add(c->sink, block);
    orthant_matrix_free(block);
    memory_free(c->ctx, table->chunks);
    table->chunks = NULL;
    return status;
}

/* The header's text is there with the first lines alone. */
static orthant_status begin_table(conversion *c, csv_table *table, csv_columns *columns)
{
    orthant_status status = csv_columns_find(table, c->options, columns);
    c->left_out = columns->label + 1;
    if (!status)
        status = csv_read_feature_names(table, columns, &c->columns);
    return status ? status : row_sink_begin(c->sink, -1, columns->features, false);
}

orthant_status convert_csv(conversion *c)
{
    text_window window;
    csv_table table = {.separator = ',', .text = {.ctx = c->ctx, .path = c->path}};
    csv_columns columns = {.label = -1};
    bool first = true;
    c->done = true;
    orthant_status status = text_window_open(c->ctx, c->path, window_bytes(c->ctx), &window);
    while (!status && text_window_next(&window, &table.text, &status)) {
        if (first) {
            const char *end = table.text.end;
            table.text.length = end - table.text.text;
            status = lines_begin(&table.text);
            table.text.end = end;
            if (status || !csv_read_first(&table))
                continue;
            first = false;
            status = begin_table(c, &table, &columns);
        }
        if (!status)
            status = convert_rows(c, &table, &columns);
    }
    if (!status && !c->sink->rows)
        status = fail(c->ctx, ORTHANT_ERROR_FORMAT, "%s: %s, expected rows of numbers", c->path,
                      first ? "empty" : "a header and nothing below it");
    csv_columns_free(c->ctx, &columns);
    text_window_close(&window);
    return status;
}

/* ---- Matrix Market ---- */

static orthant_status keep_entry(buckets *b, const mtx *file, const mtx_entry *entry)
{
    const orthant_status status =
        buckets_add(b, &(bucket_entry){entry->row, entry->column, entry->value});
    if (status || !file->symmetric || entry->row == entry->column)
        return status;
    return buckets_add(b, &(bucket_entry){entry->column, entry->row, entry->value});
}

static orthant_status take_lines(mtx *file, buckets *b)
{
    piece line;
    mtx_entry entry;
    orthant_status status = ORTHANT_OK;
    while (!status && mtx_next(file, &line)) {
        status = mtx_count(file);
        if (!status)
            status = mtx_read_entry(file, line, &entry);
        if (!status)
            status = keep_entry(b, file, &entry);
    }
    return status;
}

orthant_status convert_mtx(conversion *c)
{
    text_window window;
    buckets b;
    mtx file = {.text = {.ctx = c->ctx, .path = c->path}};
    bool first = true;
    buckets_open(c->ctx, c->sink->path, 0, 0, 0, 0, &b);
    orthant_status status = text_window_open(c->ctx, c->path, window_bytes(c->ctx), &window);
    while (!status && text_window_next(&window, &file.text, &status)) {
        if (first) {
            file.text.length = window.in.most;
            status = mtx_read_head(&file);
            c->done = status || file.coordinate;
            if (!c->done)
                break;
            if (status) /* sizes that were refused are not computed with */
                break;
            buckets_open(c->ctx, c->sink->path, 0, file.rows, file.columns,
                         file.symmetric ? 2 * file.count : file.count, &b);
            first = false;
        }
        if (!status)
            status = take_lines(&file, &b);
    }
    /* The text's memory is the entries' now. */
    text_window_close(&window);
    if (!status && c->done)
        status = mtx_check_end(&file);
    if (!status && c->done)
        status = row_sink_begin(c->sink, file.rows, file.columns, true);
    if (!status && c->done)
        status = buckets_give(&b, c->sink);
    buckets_close(&b);
    return status;
}
