/* Groups the rows by data set, method and number of classes, and averages each group. */
#include "study/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/csv_text.h"

/* ---- names and counts, numbered ---------------------------------------------------------------
 */

/* A row's name, or its number of classes, and where it came. */
typedef struct key {
    const char *name;
    int64_t number, row;
} key;

static int by_key(const void *left, const void *right)
{
    const key *a = left, *b = right;
    const int order =
        a->name ? strcmp(a->name, b->name) : (a->number > b->number) - (a->number < b->number);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int by_row(const void *left, const void *right)
{
    const key *a = left, *b = right;
    return (a->row > b->row) - (a->row < b->row);
}

static bool same_key(const key *a, const key *b)
{
    return a->name ? !strcmp(a->name, b->name) : a->number == b->number;
}

/* Sorts the keys and keeps the first of each kind; how many are left. */
static int64_t keep_different(key *keys, int64_t count)
{
    int64_t kept = 0;
    qsort(keys, (size_t)count, sizeof *keys, by_key);
    for (int64_t i = 0; i < count; i++)
        if (!i || !same_key(&keys[i], &keys[kept - 1]))
            keys[kept++] = keys[i];
    return kept;
}

typedef enum axis { AXIS_DATASET, AXIS_METHOD, AXIS_CLASSES } axis;

static key key_of(const study_row *row, axis which, int64_t index)
{
    return (key){which == AXIS_DATASET  ? row->dataset
                 : which == AXIS_METHOD ? row->method
                                        : NULL,
                 row->classes, index};
}

/* The different keys of an axis in the order of the summary (`list`), and the place of each row's
 * key in it. */
static orthant_status number_axis(orthant_context *ctx, const study_results *results, axis which,
                                  key **list, int64_t *different, int64_t *place)
{
    key *keys = memory_new(ctx, results->count, sizeof *keys, "the names of a study");
    key *sorted = NULL;
    *list = NULL;
    if (!keys)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < results->count; i++)
        keys[i] = key_of(&results->row[i], which, i);
    *different = keep_different(keys, results->count);
    sorted = memory_new(ctx, *different, sizeof *sorted, "the names of a study");
    if (!sorted) {
        memory_free(ctx, keys);
        return ORTHANT_ERROR_MEMORY;
    }
    if (which != AXIS_CLASSES)
        qsort(keys, (size_t)*different, sizeof *keys, by_row);
    memcpy(sorted, keys, (size_t)*different * sizeof *keys);
    for (int64_t i = 0; i < *different; i++)
        sorted[i].row = i;
    qsort(sorted, (size_t)*different, sizeof *sorted, by_key);
    for (int64_t i = 0; i < results->count; i++) {
        int64_t low = 0, high = *different - 1;
        key wanted = key_of(&results->row[i], which, INT64_MAX);
        while (low < high) {
            const int64_t middle = low + (high - low + 1) / 2;
            if (by_key(&sorted[middle], &wanted) <= 0)
                low = middle;
            else
                high = middle - 1;
        }
        place[i] = sorted[low].row;
    }
    memory_free(ctx, sorted);
    *list = keys;
    return ORTHANT_OK;
}

/* ---- cells ------------------------------------------------------------------------------------
 */

static int64_t place_of(const study_summary *summary, int64_t dataset, int64_t method,
                        int64_t classes)
{
    return (dataset * summary->methods + method) * summary->class_counts + classes;
}

const study_cell *summary_cell(const study_summary *summary, int64_t dataset, int64_t method,
                               int64_t classes)
{
    const int64_t cell = summary->place[place_of(summary, dataset, method, classes)];
    return cell ? &summary->cell[cell - 1] : NULL;
}

double summary_average(const study_summary *summary, int64_t dataset, int64_t method,
                       study_measure measure)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < summary->class_counts; c++) {
        const study_cell *cell = summary_cell(summary, dataset, method, c);
        bool used = false; /* by some method: datasets may have different numbers of classes */
        for (int64_t m = 0; m < summary->methods && !used; m++)
            used = summary_cell(summary, dataset, m, c) != NULL;
        if (used && !cell)
            return (double)NAN;
        sum += cell ? cell->mean[measure] : 0;
        count += cell != NULL;
    }
    return sum / (double)count;
}

void summary_free(study_summary *summary)
{
    memory_free(summary->ctx, summary->dataset);
    memory_free(summary->ctx, summary->method);
    memory_free(summary->ctx, summary->classes);
    memory_free(summary->ctx, summary->cell);
    memory_free(summary->ctx, summary->place);
    *summary = (study_summary){.ctx = summary->ctx};
}

/* Numbers the cells that have runs, in the order of their places. */
static orthant_status make_cells(study_summary *summary, const int64_t *places, int64_t rows)
{
    int64_t pairs = 0, size = 0;
    if (!size_multiply(summary->datasets, summary->methods, &pairs) ||
        !size_multiply(pairs, summary->class_counts, &size))
        return fail(summary->ctx, ORTHANT_ERROR_MEMORY,
                    "out of memory: %" PRId64 " datasets, %" PRId64 " methods, %" PRId64
                    " numbers of classes",
                    summary->datasets, summary->methods, summary->class_counts);
    summary->place = memory_new(summary->ctx, size, sizeof *summary->place, "the table of a study");
    if (!summary->place)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < rows; i++)
        summary->place[place_of(summary, places[3 * i], places[3 * i + 1], places[3 * i + 2])] = 1;
    for (int64_t i = 0; i < size; i++)
        summary->place[i] = summary->place[i] ? ++summary->count : 0;
    summary->cell =
        memory_new(summary->ctx, summary->count, sizeof *summary->cell, "the table of a study");
    if (!summary->cell)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < size; i++)
        if (summary->place[i])
            summary->cell[summary->place[i] - 1] = (study_cell){
                .dataset = i / summary->class_counts / summary->methods,
                .method = i / summary->class_counts % summary->methods,
                .classes = i % summary->class_counts,
            };
    return ORTHANT_OK;
}

/* Two passes: the mean first, so that equal values have a deviation of exactly 0. */
static void fill_cells(study_summary *summary, const study_results *results, const int64_t *places)
{
    for (int64_t i = 0; i < results->count; i++) {
        const int64_t *at = &places[3 * i];
        study_cell *cell =
            &summary->cell[summary->place[place_of(summary, at[0], at[1], at[2])] - 1];
        cell->runs++;
        for (int m = 0; m < MEASURE_COUNT; m++)
            if (!isnan(results->row[i].value[m])) {
                cell->count[m]++;
                cell->mean[m] += results->row[i].value[m];
            }
    }
    for (int64_t c = 0; c < summary->count; c++)
        for (int m = 0; m < MEASURE_COUNT; m++)
            summary->cell[c].mean[m] /= (double)summary->cell[c].count[m];
    for (int64_t i = 0; i < results->count; i++) {
        const int64_t *at = &places[3 * i];
        study_cell *cell =
            &summary->cell[summary->place[place_of(summary, at[0], at[1], at[2])] - 1];
        for (int m = 0; m < MEASURE_COUNT; m++)
            if (!isnan(results->row[i].value[m])) {
                const double away = results->row[i].value[m] - cell->mean[m];
                cell->deviation[m] += away * away;
            }
    }
    for (int64_t c = 0; c < summary->count; c++) {
        study_cell *cell = &summary->cell[c];
        for (int m = 0; m < MEASURE_COUNT; m++)
            cell->deviation[m] = cell->count[m] > 1
                                     ? sqrt(cell->deviation[m] / (double)(cell->count[m] - 1))
                                     : (double)NAN;
    }
}

static orthant_status make_axes(study_summary *summary, const study_results *results,
                                int64_t *places)
{
    orthant_context *ctx = summary->ctx;
    int64_t *const counts[] = {&summary->datasets, &summary->methods, &summary->class_counts};
    int64_t *column = memory_new(ctx, results->count, sizeof *column, "the names of a study");
    key *list[3] = {NULL, NULL, NULL};
    orthant_status status = column ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int a = 0; a < 3 && !status; a++) {
        status = number_axis(ctx, results, (axis)a, &list[a], counts[a], column);
        for (int64_t i = 0; i < results->count && !status; i++)
            places[3 * i + a] = column[i];
    }
    if (status)
        goto done;
    status = ORTHANT_ERROR_MEMORY;
    summary->dataset = memory_new(ctx, summary->datasets, sizeof *summary->dataset, "names");
    if (summary->dataset)
        summary->method = memory_new(ctx, summary->methods, sizeof *summary->method, "names");
    if (summary->method)
        summary->classes =
            memory_new(ctx, summary->class_counts, sizeof *summary->classes, "classes");
    if (!summary->classes)
        goto done;
    for (int64_t i = 0; i < summary->datasets; i++)
        summary->dataset[i] = list[AXIS_DATASET][i].name;
    for (int64_t i = 0; i < summary->methods; i++)
        summary->method[i] = list[AXIS_METHOD][i].name;
    for (int64_t i = 0; i < summary->class_counts; i++)
        summary->classes[i] = list[AXIS_CLASSES][i].number;
    status = ORTHANT_OK;
done:
    for (int a = 0; a < 3; a++)
        memory_free(ctx, list[a]);
    memory_free(ctx, column);
    return status;
}

orthant_status summary_make(orthant_context *ctx, const study_results *results,
                            study_summary *summary)
{
    *summary = (study_summary){.ctx = ctx};
    if (results->count < 1)
        return fail(ctx, ORTHANT_ERROR_DATA, "a study without a finished run has no summary");
    int64_t *places = memory_new(ctx, results->count, 3 * sizeof *places, "the table of a study");
    if (!places)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = make_axes(summary, results, places);
    if (!status)
        status = make_cells(summary, places, results->count);
    if (!status)
        fill_cells(summary, results, places);
    memory_free(ctx, places);
    if (status)
        summary_free(summary);
    return status;
}

/* ---- summary.csv ------------------------------------------------------------------------------
 */

static void print_number(FILE *file, double number)
{
    char text[32] = "";
    if (isfinite(number))
        text_write_double(text, number, false);
    fprintf(file, ",%s", text);
}

orthant_status summary_write(orthant_context *ctx, const study_summary *summary, const char *path)
{
    file_writer writer;
    const orthant_status status = file_write_begin(ctx, path, &writer);
    if (status)
        return status;
    fputs("dataset,method,classes,runs", writer.file);
    for (int m = 0; m < MEASURE_COUNT; m++) {
        const char *name = measure_name((study_measure)m);
        fprintf(writer.file, ",%s_mean,%s_sd,%s_count", name, name, name);
    }
    for (int64_t c = 0; c < summary->count; c++) {
        const study_cell *cell = &summary->cell[c];
        fputc('\n', writer.file);
        csv_write_string(writer.file, summary->dataset[cell->dataset]);
        fputc(',', writer.file);
        csv_write_string(writer.file, summary->method[cell->method]);
        fprintf(writer.file, ",%" PRId64 ",%" PRId64, summary->classes[cell->classes], cell->runs);
        for (int m = 0; m < MEASURE_COUNT; m++) {
            print_number(writer.file, cell->mean[m]);
            print_number(writer.file, cell->deviation[m]);
            fprintf(writer.file, ",%" PRId64, cell->count[m]);
        }
    }
    fputc('\n', writer.file);
    return file_write_end(&writer, ORTHANT_OK);
}
