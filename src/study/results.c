/* Reading and writing results.csv; a row that occurs twice is refused. */
#include "study/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/csv_text.h"

#define FIELDS 13
#define NUMBERS_FROM 5 /* the fields before are names and whole numbers */

static const char *const measure_names[MEASURE_COUNT] = {
    "accuracy", "nmi", "ari", "purity", "sparseness", "objective", "iterations", "seconds"};

const char *measure_name(study_measure measure)
{
    return measure_names[measure];
}

bool method_is_plain(const char *method)
{
    const char *space = strchr(method, ' ');
    return !space || !strchr(space, '=');
}

void results_begin(orthant_context *ctx, study_results *results)
{
    *results = (study_results){.ctx = ctx};
}

void results_free(study_results *results)
{
    memory_free(results->ctx, results->row);
    memory_free(results->ctx, results->text);
    results_begin(results->ctx, results);
}

orthant_status results_add(study_results *results, const study_row *row)
{
    if (results->count == results->capacity) {
        const int64_t capacity = results->capacity ? 2 * results->capacity : 64;
        study_row *rows = memory_resize(results->ctx, results->row, capacity, sizeof *rows,
                                        "the results of a study");
        if (!rows)
            return ORTHANT_ERROR_MEMORY;
        results->row = rows;
        results->capacity = capacity;
    }
    results->row[results->count++] = *row;
    return ORTHANT_OK;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

void results_print_row(FILE *file, const study_row *row)
{
    csv_write_string(file, row->dataset);
    fputc(',', file);
    csv_write_string(file, row->method);
    fprintf(file, ",%" PRId64 ",%" PRId64 ",%" PRId64, row->classes, row->repeat, row->seed);
    for (int m = 0; m < MEASURE_COUNT; m++) {
        char text[32] = "";
        if (isfinite(row->value[m]))
            text_write_double(text, row->value[m], false);
        fprintf(file, ",%s", text);
    }
    fputc('\n', file);
}

orthant_status results_write(orthant_context *ctx, const study_results *results, const char *path)
{
    file_writer writer;
    const orthant_status status = file_write_begin(ctx, path, &writer);
    if (status)
        return status;
    fputs(RESULTS_HEADER "\n", writer.file);
    for (int64_t i = 0; i < results->count; i++)
        results_print_row(writer.file, &results->row[i]);
    return file_write_end(&writer, ORTHANT_OK);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

/* Takes a field off the front of a line and ends it with 0, in place; NULL where a quote is not
 * closed or something follows the closing one. `*next` is the rest, NULL behind the last field. */
static char *take_field(char **next)
{
    char *field = *next, *to = field, *from = field;
    if (*field != '"') {
        char *comma = strchr(field, ',');
        *next = comma ? comma + 1 : NULL;
        if (comma)
            *comma = '\0';
        return field;
    }
    for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
        from += *from == '"';
        *to++ = *from;
    }
    if (*from != '"' || (from[1] != ',' && from[1]))
        return NULL;
    *next = from[1] ? from + 2 : NULL;
    *to = '\0';
    return field;
}

static orthant_status refuse(const lines *text, int field, const char *found, const char *expected)
{
    return fail(text->ctx, ORTHANT_ERROR_FORMAT, "%s:%" PRId64 ":%d: found '%s', expected %s",
                text->path, text->number, field + 1,
                piece_show((piece){found, found + strlen(found)}).text, expected);
}

static orthant_status read_whole(const lines *text, int field, const char *found, int64_t least,
                                 int64_t *value)
{
    if (text_to_int64(found, value) && *value >= least)
        return ORTHANT_OK;
    return refuse(text, field, found, least ? "a whole number from 1 on" : "a whole number");
}

static orthant_status read_measure(const lines *text, study_measure measure, const char *found,
                                   double *value)
{
    *value = (double)NAN;
    if (!*found)
        return ORTHANT_OK;
    if (!text_to_double(found, value))
        return refuse(text, NUMBERS_FROM + (int)measure, found, "a number or nothing");
    if (measure == MEASURE_ITERATIONS && (*value < 0 || *value > floor(*value)))
        return refuse(text, NUMBERS_FROM + (int)measure, found, "a whole number or nothing");
    return ORTHANT_OK;
}

static const char *unguarded(const char *name)
{
    return csv_unguarded((piece){name, name + strlen(name)}).begin;
}

static orthant_status read_row(const lines *text, char *line, study_row *row)
{
    char *field[FIELDS], *next = line;
    int count = 0;
    for (; next; count++) {
        char *found = take_field(&next);
        if (!found)
            return fail(text->ctx, ORTHANT_ERROR_FORMAT,
                        "%s:%" PRId64 ":%d: a quote is not closed, or something follows it",
                        text->path, text->number, count + 1);
        if (count < FIELDS)
            field[count] = found;
    }
    if (count != FIELDS)
        return fail(text->ctx, ORTHANT_ERROR_FORMAT, "%s:%" PRId64 ": found %d fields, expected %d",
                    text->path, text->number, count, FIELDS);
    *row = (study_row){.dataset = unguarded(field[0]), .method = unguarded(field[1])};
    for (int i = 0; i < 2; i++)
        if (!*field[i])
            return refuse(text, i, field[i], "a name");
    orthant_status status = read_whole(text, 2, field[2], 1, &row->classes);
    if (!status)
        status = read_whole(text, 3, field[3], 0, &row->repeat);
    if (!status)
        status = read_whole(text, 4, field[4], 0, &row->seed);
    if (!status && (row->repeat < 0 || row->seed < 0))
        status = refuse(text, row->repeat < 0 ? 3 : 4, field[row->repeat < 0 ? 3 : 4],
                        "a number that is not negative");
    for (int m = 0; m < MEASURE_COUNT && !status; m++)
        status = read_measure(text, (study_measure)m, field[NUMBERS_FROM + m], &row->value[m]);
    return status;
}

static int by_run(const void *left, const void *right)
{
    const study_row *a = *(const study_row *const *)left, *b = *(const study_row *const *)right;
    int order = strcmp(a->dataset, b->dataset);
    if (!order)
        order = strcmp(a->method, b->method);
    if (!order)
        order = (a->classes > b->classes) - (a->classes < b->classes);
    return order ? order : (a->repeat > b->repeat) - (a->repeat < b->repeat);
}

static orthant_status refuse_twice(const study_results *results, const char *path)
{
    orthant_status status = ORTHANT_OK;
    const study_row **order =
        memory_new(results->ctx, results->count, sizeof *order, "the runs in order");
    if (!order)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < results->count; i++)
        order[i] = &results->row[i];
    qsort(order, (size_t)results->count, sizeof *order, by_run);
    for (int64_t i = 1; i < results->count && !status; i++)
        if (!by_run(&order[i - 1], &order[i]))
            status = fail(results->ctx, ORTHANT_ERROR_FORMAT,
                          "%s: two rows for dataset '%.60s', method '%.60s', classes %" PRId64
                          ", repeat %" PRId64 "; expected one",
                          path, order[i]->dataset, order[i]->method, order[i]->classes,
                          order[i]->repeat);
    memory_free(results->ctx, order);
    return status;
}

static orthant_status read_rows(lines *text, study_results *results)
{
    piece line;
    if (!lines_next(text, &line) || !piece_equals(line, RESULTS_HEADER))
        return fail(text->ctx, ORTHANT_ERROR_FORMAT, "%s:1: found '%s', expected the header '%s'",
                    text->path, text->number ? piece_show(line).text : "", RESULTS_HEADER);
    while (lines_next(text, &line)) {
        char *begin = text->text + (line.begin - text->text);
        study_row row;
        if (line.begin == line.end)
            continue;
        if (memchr(begin, 0, (size_t)(line.end - line.begin)))
            return fail(text->ctx, ORTHANT_ERROR_FORMAT,
                        "%s:%" PRId64 ": found a zero byte, expected text", text->path,
                        text->number);
        begin[line.end - line.begin] = '\0';
        orthant_status status = read_row(text, begin, &row);
        if (!status)
            status = results_add(results, &row);
        if (status)
            return status;
    }
    return refuse_twice(results, text->path);
}

orthant_status results_read(orthant_context *ctx, const char *path, bool unfinished,
                            study_results *results)
{
    lines text;
    results_begin(ctx, results);
    orthant_status status = lines_open(ctx, path, &text);
    if (status)
        return status;
    if (unfinished)
        while (text.end > text.at && text.end[-1] != '\n')
            text.end--;
    status = read_rows(&text, results);
    results->text = text.text;
    text.text = NULL;
    lines_close(&text);
    if (status)
        results_free(results);
    return status;
}
