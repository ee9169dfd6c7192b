/* Writing and reading history.csv. */
#include "report/history.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/json.h"
#include "report/text_file.h"

/* Ten million iterations are more than anyone draws. */
#define HISTORY_LARGEST_FILE ((int64_t)1 << 30)

orthant_status history_write(orthant_context *ctx, const orthant_result *result, const char *path)
{
    file_writer writer;
    const orthant_status status = file_write_begin(ctx, path, &writer);
    if (status)
        return status;
    const int columns = orthant_result_history_columns(result);
    for (int c = 0; c < columns; c++)
        fprintf(writer.file, "%s%s", c ? "," : "", orthant_result_history_column(result, c));
    fputc('\n', writer.file);
    for (int64_t row = 0; row < orthant_result_history_rows(result); row++) {
        for (int c = 0; c < columns; c++) {
            const double value = orthant_result_history(result, row, c);
            char text[32] = "";
            if (isfinite(value))
                number_to_text(value, text);
            fprintf(writer.file, "%s%s", c ? "," : "", text);
        }
        fputc('\n', writer.file);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

/* Cuts the line at `*next` into at most `most` fields, which end in 0; returns how many there were.
 */
static int cut_line(char **next, char **field, int most)
{
    int count = 0;
    char *line = *next;
    const size_t length = strcspn(line, "\n");
    *next = line + length + (line[length] == '\n');
    line[length] = '\0';
    if (length && line[length - 1] == '\r')
        line[length - 1] = '\0';
    for (char *comma = line; comma; count++) {
        line = comma;
        comma = strchr(line, ',');
        if (comma)
            *comma++ = '\0';
        if (count < most)
            field[count] = line;
    }
    return count;
}

static int64_t count_lines(const char *text)
{
    int64_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n' || !text[1];
    return lines;
}

static orthant_status read_rows(orthant_context *ctx, const char *path, char *next, history *found)
{
    char *field[HISTORY_COLUMNS];
    for (; *next; found->rows++) {
        const int fields = cut_line(&next, field, HISTORY_COLUMNS);
        double *row = found->values + found->rows * found->columns;
        if (fields != found->columns)
            return fail(ctx, ORTHANT_ERROR_FORMAT, "%s:%" PRId64 ": found %d fields, expected %d",
                        path, found->rows + 2, fields, found->columns);
        for (int c = 0; c < fields; c++) {
            row[c] = (double)NAN;
            if (*field[c] && !text_to_double(field[c], &row[c]))
                return fail(ctx, ORTHANT_ERROR_FORMAT, "%s:%" PRId64 ": '%.40s' is not a number",
                            path, found->rows + 2, field[c]);
        }
    }
    return ORTHANT_OK;
}

orthant_status history_read(orthant_context *ctx, const char *path, history *found)
{
    char *field[HISTORY_COLUMNS];
    size_t length = 0;
    int64_t count = 0;
    memset(found, 0, sizeof *found);
    orthant_status status = text_file_read(ctx, path, HISTORY_LARGEST_FILE, &found->text, &length);
    if (status)
        goto done;
    const int64_t lines = count_lines(found->text);
    char *next = found->text;
    found->columns = cut_line(&next, field, HISTORY_COLUMNS);
    if (found->columns < 3 || found->columns > HISTORY_COLUMNS) {
        status = fail(ctx, ORTHANT_ERROR_FORMAT, "%s:1: found %d columns, expected 3 to %d", path,
                      found->columns, HISTORY_COLUMNS);
        goto done;
    }
    for (int c = 0; c < found->columns; c++)
        found->name[c] = field[c];
    if (size_multiply(lines, found->columns, &count))
        found->values = memory_new(ctx, count, sizeof(double), "the history");
    status = found->values ? read_rows(ctx, path, next, found) : ORTHANT_ERROR_MEMORY;
done:
    if (status)
        history_free(ctx, found);
    return status;
}

void history_free(orthant_context *ctx, history *found)
{
    memory_free(ctx, found->text);
    memory_free(ctx, found->values);
    memset(found, 0, sizeof *found);
}

int history_column(const history *found, const char *name)
{
    for (int c = 0; c < found->columns; c++)
        if (!strcmp(found->name[c], name))
            return c;
    return -1;
}
