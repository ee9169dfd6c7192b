/* Times iterations at a few sizes: does the time of a method follow its count? */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "orthant/fit.h"
#include "orthant/method.h"
#include "reproduce/figures.h"
#include "reproduce/made_tables.h"

enum { ITERATIONS = 20, QUICK_ITERATIONS = 4, ROUNDS = 3, LABELLED = 10 };

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

/* A class for every tenth sample. */
static orthant_status make_labels(orthant_context *ctx, const shape *s, orthant_labels **labels)
{
    int64_t *label = memory_new(ctx, s->n, sizeof *label, "made-up labels");
    if (!label)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < s->n; i++)
        label[i] = i % LABELLED ? -1 : i / LABELLED % s->k;
    const orthant_status status = orthant_labels_create(ctx, s->n, label, labels);
    memory_free(ctx, label);
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

static orthant_status prepare(orthant_context *ctx, const char *method, const shape *s,
                              int iterations, const orthant_labels *labels, orthant_model **model)
{
    orthant_method_info info = {.size = sizeof info};
    orthant_status status = new_model(ctx, method, s, iterations, model);
    if (!status)
        status = orthant_method_info_by_name(ctx, method, &info);
    if (!status && strstr(info.needs, "labels"))
        status = orthant_model_set_labels(*model, labels);
    return status;
}

/* Processor seconds of a fit, the least of some rounds: others share the processor. */
static orthant_status time_fit(orthant_context *ctx, const char *method, const shape *s,
                               int iterations, const orthant_matrix *samples,
                               const orthant_labels *labels, double *seconds)
{
    orthant_model *model = NULL;
    orthant_status status = prepare(ctx, method, s, iterations, labels, &model);
    *seconds = INFINITY;
    for (int round = 0; round < ROUNDS && !status; round++) {
        orthant_result *result = NULL;
        const double begun = processor_seconds();
        status = orthant_fit(model, samples, &result);
        *seconds = fmin(*seconds, processor_seconds() - begun);
        orthant_result_free(result);
    }
    orthant_model_free(model);
    return status;
}

/* By a fit of one iteration and one of some more. */
static orthant_status time_iteration(orthant_context *ctx, const char *method, const shape *s,
                                     int iterations, double *seconds)
{
    orthant_matrix *samples = NULL;
    orthant_labels *labels = NULL;
    double one = 0, all = 0;
    orthant_status status = make_samples(ctx, s, &samples);
    if (!status)
        status = make_labels(ctx, s, &labels);
    if (!status)
        status = time_fit(ctx, method, s, 1, samples, labels, &one);
    if (!status)
        status = time_fit(ctx, method, s, iterations + 1, samples, labels, &all);
    *seconds = (all - one) / iterations;
    orthant_labels_free(labels);
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

orthant_status costs_make(const made_table *asked)
{
    orthant_context *ctx = asked->ctx;
    const protocol_table *table = asked->table;
    static const char *const counts[] = {"additions (10^6)", "multiplications (10^6)",
                                         "divisions (10^6)"};
    char name[64], caption[200];
    snprintf(name, sizeof name, "table-%.20s-costs", table->number);
    snprintf(
        caption, sizeof caption,
        "Table %.20s: operations of an iteration by the paper's count, and our processor time of "
        "one; both beside those of the first row of the method.",
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
        status = fill(ctx, asked->request, table->costs, page);
    return made_table_add(asked, status, page);
}

/* ---- products ---- */

static void add_product(sheet *page, const char *name, operation_counts c, bool summary)
{
    sheet_add_row(page, summary);
    sheet_add_text(page, name);
    sheet_add_number(page, c.additions / 1e6);
    sheet_add_number(page, c.multiplications / 1e6);
}

orthant_status products_make(const made_table *asked)
{
    orthant_context *ctx = asked->ctx;
    const protocol_table *table = asked->table;
    const protocol_costs *costs = table->costs;
    const double n = (double)costs->n, m = (double)costs->m, k = (double)costs->k;
    const char *method = strrchr(costs->methods, ',') ? strrchr(costs->methods, ',') + 1 : "";
    char name[64], caption[200];
    operation_counts rest = costs->count(method, n, m, k);
    snprintf(name, sizeof name, "table-%.20s-products", table->number);
    snprintf(
        caption, sizeof caption,
        "Table %.20s: operations of each product of an iteration of %.20s, n = %.0f, m = %.0f, "
        "k = %.0f, by the paper's count.",
        table->number, method, n, m, k);
    sheet *page = sheet_new(ctx, name, caption);
    sheet_add_column(page, "product", -1);
    sheet_add_column(page, "additions (10^6)", 3);
    sheet_add_column(page, "multiplications (10^6)", 3);
    for (const operation_product *p = costs->products; p->name; p++) {
        const operation_counts c = p->count(n, m, k);
        add_product(page, p->name, c, false);
        rest.additions -= c.additions;
        rest.multiplications -= c.multiplications;
    }
    add_product(page, "the rest of the iteration", rest, true);
    add_product(page, "the iteration", costs->count(method, n, m, k), true);
    return made_table_add(asked, ORTHANT_OK, page);
}
