/* Times iterations at a few sizes: does the time of a method follow its count? */
#include "reproduce/costs.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "orthant/fit.h"
#include "report/folder.h"
#include "report/text_file.h"
#include "reproduce/figures.h"

enum { ITERATIONS = 20, QUICK_ITERATIONS = 4, ROUNDS = 3 };

typedef struct shape {
    const char *what;
    int64_t n, m, k;
} shape;

static orthant_status make_samples(orthant_context *ctx, const shape *s, orthant_matrix **samples)
{
    double *values = memory_new(ctx, s->n * s->m, sizeof *values, "made-up samples");
    if (!values)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < s->n * s->m; i++)
        values[i] = random_uniform(1, RANDOM_DRAW, (uint64_t)i, 0);
    const orthant_status status = orthant_matrix_create(ctx, s->n, s->m, values, samples);
    memory_free(ctx, values);
    return status;
}

static orthant_status new_model(orthant_context *ctx, const char *method, const shape *s,
                                int iterations, orthant_model **model)
{
    char number[24];
    orthant_status status = orthant_model_create(ctx, method, s->k, model);
    snprintf(number, sizeof number, "%d", iterations);
    if (!status)
        status = orthant_model_set(*model, "iterations", number);
    if (!status)
        status = orthant_model_set(*model, "tolerance", "0");
    if (!status && !strcmp(method, "nmf"))
        status = orthant_model_set(*model, "solver", "mu");
    return status;
}

/* Seconds of a fit's iterations: from the first to the last of its history. */
static double seconds_of(const orthant_result *result)
{
    const int64_t rows = orthant_result_history_rows(result);
    for (int c = 0; c < orthant_result_history_columns(result) && rows > 1; c++)
        if (!strcmp(orthant_result_history_column(result, c), "seconds"))
            return (orthant_result_history(result, rows - 1, c) -
                    orthant_result_history(result, 0, c)) /
                   (double)(rows - 1);
    return NAN;
}

/* The least of some rounds: others share the processor. */
static orthant_status time_iteration(orthant_context *ctx, const char *method, const shape *s,
                                     int iterations, double *seconds)
{
    orthant_matrix *samples = NULL;
    orthant_model *model = NULL;
    orthant_status status = make_samples(ctx, s, &samples);
    if (!status)
        status = new_model(ctx, method, s, iterations, &model);
    *seconds = INFINITY;
    for (int round = 0; round < ROUNDS && !status; round++) {
        orthant_result *result = NULL;
        status = orthant_fit(model, samples, &result);
        if (!status)
            *seconds = fmin(*seconds, seconds_of(result));
        orthant_result_free(result);
    }
    orthant_model_free(model);
    orthant_matrix_free(samples);
    return status;
}

static double all_operations(operation_counts c)
{
    return c.additions + c.multiplications + c.divisions;
}

static void add_row(sheet *page, const char *method, const shape *s, operation_counts c,
                    double grows, double seconds, double takes)
{
    sheet_add_row(page, false);
    sheet_add_text(page, method);
    sheet_add_text(page, s->what);
    sheet_add_number(page, (double)s->n);
    sheet_add_number(page, (double)s->m);
    sheet_add_number(page, (double)s->k);
    sheet_add_number(page, c.additions / 1e6);
    sheet_add_number(page, c.multiplications / 1e6);
    sheet_add_number(page, c.divisions / 1e6);
    sheet_add_number(page, grows);
    sheet_add_number(page, 1e3 * seconds);
    sheet_add_number(page, takes);
}

static orthant_status fill(orthant_context *ctx, const reproduce_request *request,
                           const protocol_costs *costs, sheet *page)
{
    const shape shapes[] = {{"as it is", costs->n, costs->m, costs->k},
                            {"2 n", 2 * costs->n, costs->m, costs->k},
                            {"2 m", costs->n, 2 * costs->m, costs->k},
                            {"2 k", costs->n, costs->m, 2 * costs->k}};
    char method[64];
    orthant_status status = ORTHANT_OK;
    for (const char *list = costs->methods; next_name(&list, method, sizeof method) && !status;) {
        double first_count = NAN, first_time = NAN;
        for (int i = 0; i < 4 && !status; i++) {
            const shape *s = &shapes[i];
            double seconds;
            if (costs->similarity && i == 2)
                continue;
            const operation_counts c =
                costs->count(method, (double)s->n, (double)s->m, (double)s->k);
            status = time_iteration(ctx, method, s, request->quick ? QUICK_ITERATIONS : ITERATIONS,
                                    &seconds);
            if (i == 0) {
                first_count = all_operations(c);
                first_time = seconds;
            }
            if (!status)
                add_row(page, method, s, c, all_operations(c) / first_count, seconds,
                        seconds / first_time);
        }
    }
    return status;
}

static orthant_status write_csv(orthant_context *ctx, const reproduce_request *request,
                                const protocol_table *table, const sheet *page)
{
    char name[64];
    file_writer writer;
    snprintf(name, sizeof name, "table-%s", table->number);
    char *folder = path_join(ctx, request->output, name);
    char *path = folder ? path_join(ctx, folder, "costs.csv") : NULL;
    orthant_status status = path ? folder_make(ctx, folder) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = file_write_begin(ctx, path, &writer);
    if (!status) {
        sheet_write(page, SHEET_CSV, writer.file);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, path);
    memory_free(ctx, folder);
    return status;
}

orthant_status costs_make(orthant_context *ctx, const reproduce_request *request,
                          const protocol_table *table, sheet_list *list)
{
    static const char *const counts[] = {"additions (10^6)", "multiplications (10^6)",
                                         "divisions (10^6)"};
    char name[64], caption[200];
    snprintf(name, sizeof name, "table-%.20s-costs", table->number);
    snprintf(caption, sizeof caption,
             "Table %.20s: operations of an iteration by the paper's count, and our time of one; "
             "both beside those of the first row of the method.",
             table->number);
    sheet *page = sheet_new(ctx, name, caption);
    sheet_add_column(page, "method", -1);
    sheet_add_column(page, "size", -1);
    sheet_add_column(page, "n", 0);
    sheet_add_column(page, "m", 0);
    sheet_add_column(page, "k", 0);
    for (int i = 0; i < 3; i++)
        sheet_add_column(page, counts[i], 2);
    sheet_add_column(page, "count grows", 2);
    sheet_add_column(page, "ms", 3);
    sheet_add_column(page, "time grows", 2);
    if (page)
        page->head_columns = 2;
    orthant_status status = sheet_status(page);
    if (!status)
        status = fill(ctx, request, table->costs, page);
    if (!status)
        status = sheet_status(page);
    if (!status)
        status = write_csv(ctx, request, table, page);
    const orthant_status added = sheet_list_add(list, page);
    return status ? status : added;
}
