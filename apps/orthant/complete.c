/* orthant complete: the samples of a run with fitted values in the places of missing entries, or
 * the fitted values of chosen entries. */
#include <inttypes.h>
#include <stdlib.h>

#include "json.h"
#include "saved.h"

/* ------------------------------------------------------------------ chosen entries */

/* Rows and columns of a list, which counts from 0. Values are no numbers of entries where they are
 * not whole. */
static int take_places(const char *path, const orthant_matrix *list, int64_t *places)
{
    const int64_t count = orthant_matrix_rows(list);
    for (int64_t e = 0; e < count; e++)
        for (int side = 0; side < 2; side++) {
            const double place = orthant_matrix_get(list, e, side);
            if (!(place >= 0 && place <= 9e15) || place != (double)(int64_t)place) {
                fprintf(stderr,
                        "orthant: %s: line %" PRId64 " has %g for a %s; expected a whole number "
                        "from 0\n",
                        path, e + 1, place, side ? "column" : "row");
                return EXIT_FAILED;
            }
            places[side * count + e] = (int64_t)place;
        }
    return EXIT_DONE;
}

/* Values that go to no file are in the object. */
static int put_values(const char *output, int64_t count, const int64_t *places,
                      const double *values)
{
    json_printer json = {.file = stdout, .compact = true};
    json_begin_object(&json, NULL);
    json_put_text(&json, "output", output);
    json_put_integer(&json, "entries", count);
    if (!output) {
        json_begin_array(&json, "values");
        for (int64_t e = 0; e < count; e++) {
            json_begin_object(&json, NULL);
            json_put_integer(&json, "row", places[e]);
            json_put_integer(&json, "column", places[count + e]);
            json_put_number(&json, "value", values[e]);
            json_end(&json);
        }
        json_end(&json);
    }
    json_end(&json);
    return finish_output();
}

static int print_values(int64_t count, const int64_t *places, const double *values)
{
    printf("row,column,value\n");
    for (int64_t e = 0; e < count; e++)
        printf("%" PRId64 ",%" PRId64 ",%.9g\n", places[e], places[count + e], values[e]);
    return finish_output();
}

/* As three columns. */
static int write_values(orthant_context *ctx, const char *output, int64_t count,
                        const int64_t *places, const double *values)
{
    static const char *const names[] = {"row", "column", "value"};
    orthant_matrix *table = NULL;
    double *entries = calloc((size_t)count, 3 * sizeof *entries);
    if (!entries) {
        fprintf(stderr, "orthant: out of memory for the list of entries\n");
        return EXIT_FAILED;
    }
    for (int64_t e = 0; e < count; e++) {
        entries[3 * e] = (double)places[e];
        entries[3 * e + 1] = (double)places[count + e];
        entries[3 * e + 2] = values[e];
    }
    int failed = report_failure(ctx, orthant_matrix_create(ctx, count, 3, entries, &table));
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_set_feature_names(table, names));
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write(ctx, table, output));
    orthant_matrix_free(table);
    free(entries);
    return failed;
}

static int tell_values(const arguments *given, orthant_context *ctx, int64_t count,
                       const int64_t *places, const double *values)
{
    const char *output = option_value(given, OPTION_OUTPUT);
    const int failed = output ? write_values(ctx, output, count, places, values) : 0;
    if (failed)
        return failed;
    if (option_given(given, OPTION_JSON))
        return put_values(output, count, places, values);
    return output ? 0 : print_values(count, places, values);
}

static int complete_at(const arguments *given, saved *s, const char *path)
{
    orthant_matrix *list = NULL;
    int64_t *places = NULL;
    double *values = NULL;
    orthant_context_set_precision(s->ctx, ORTHANT_DOUBLE); /* numbers of rows are whole */
    int failed = report_failure(s->ctx, orthant_matrix_read(s->ctx, path, NULL, &list, NULL));
    if (!failed && orthant_matrix_columns(list) != 2)
        failed = usage_error("%s: has %" PRId64 " columns; expected two, row and column", path,
                             orthant_matrix_columns(list));
    const int64_t count = failed ? 0 : orthant_matrix_rows(list);
    if (!failed) {
        places = calloc((size_t)count, 2 * sizeof *places);
        values = calloc((size_t)count, sizeof *values);
        if (!places || !values) {
            fprintf(stderr, "orthant: out of memory for the list of entries\n");
            failed = EXIT_FAILED;
        }
    }
    if (!failed)
        failed = take_places(path, list, places);
    if (!failed)
        failed = report_failure(
            s->ctx, orthant_saved_run_entries(s->run, count, places, places + count, values));
    if (!failed)
        failed = tell_values(given, s->ctx, count, places, values);
    free(places);
    free(values);
    orthant_matrix_free(list);
    return failed;
}

/* ------------------------------------------------------------------ all of them */

static int complete_all(const arguments *given, saved *s)
{
    const char *output = option_value(given, OPTION_OUTPUT);
    int failed = saved_check_output(given, s, "the completed matrix");
    if (!failed)
        failed = saved_read_mask(given, s);
    if (!failed && given->count > 1)
        failed = saved_read(given, s, given->word[1], s->mask, &s->samples);
    else if (!failed)
        failed =
            report_failure(s->ctx, orthant_saved_run_data_masked(s->run, s->mask, &s->samples));
    if (!failed)
        failed =
            report_failure(s->ctx, orthant_saved_run_complete(s->run, s->samples, s->mask, output));
    talk_clear(&s->speech);
    if (failed)
        return failed;
    const int64_t rows = orthant_matrix_rows(s->samples),
                  columns = orthant_matrix_columns(s->samples);
    if (option_given(given, OPTION_JSON)) {
        json_printer json = {.file = stdout, .compact = true};
        json_begin_object(&json, NULL);
        json_put_text(&json, "output", output);
        json_put_integer(&json, "samples", rows);
        json_put_integer(&json, "features", columns);
        json_end(&json);
    } else {
        printf("%" PRId64 " x %" PRId64 " entries, written to %s\n", rows, columns, output);
    }
    return finish_output();
}

int run_complete(const arguments *given)
{
    saved s = {0};
    const char *at = option_value(given, OPTION_AT);
    int failed = saved_open(given, &s);
    if (!failed && at && given->count > 1)
        failed = usage_error("complete: --at gives fitted values alone, and takes no DATA");
    if (!failed)
        failed = at ? complete_at(given, &s, at) : complete_all(given, &s);
    saved_close(&s);
    return failed;
}
