/* How long methods take until "changes of the parameter vector drop below 10^-6" (TNMF, IV-F).
 *
 * The paper does not say how it measures the change. Two readings are timed in one fit: the mean of
 * the squared changes of the entries of W and S, and the largest change of an entry, by which a
 * multiplicative rule goes on for tens of thousands of iterations. RICA's parameters are W alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/parameter.h"
#include "data/matrix.h"
#include "orthant/fit.h"
#include "report/text_file.h"
#include "reproduce/datasets.h"
#include "reproduce/figures.h"
#include "reproduce/made_tables.h"
#include "study/draw.h"
#include "study/papers.h"

#define SMALL 1e-6
#define MOST_REPEATS 32
#define QUICK_ITERATIONS "30"

/* Of one fit; iterations of 0: it did not come to that. */
typedef struct stop {
    double seconds;          /* of the processor until the mean squared change is small */
    int64_t iterations;      /* and how many that are */
    int64_t until_all_small; /* iterations until the largest change is */
    double largest;          /* change of an entry in the last iteration */
} stop;

typedef struct stop_watch {
    stop found;
    const char *factors;     /* "basis,encoding" */
    orthant_matrix *last[2]; /* as they were an iteration ago */
    double begun, lost;      /* processor seconds: when, and what was spent on looking */
    orthant_status status;
} stop_watch;

/* ---- one fit ---- */

/* How a factor changed since the last call, which `last` then holds. */
static orthant_status compare(const orthant_matrix *now, orthant_matrix **last, double *squares,
                              double *largest, int64_t *entries)
{
    for (int64_t i = 0; *last && i < now->rows; i++)
        for (int64_t j = 0; j < now->columns; j++) {
            const double change =
                fabs(orthant_matrix_get(now, i, j) - orthant_matrix_get(*last, i, j));
            *squares += change * change;
            *largest = fmax(*largest, change);
            (*entries)++;
        }
    orthant_matrix_free(*last);
    *last = NULL;
    return matrix_copy(now->ctx, now, now->precision, last);
}

static bool look(void *user, const orthant_result *result)
{
    stop_watch *w = user;
    const double begun = processor_seconds();
    const bool first = !w->last[0];
    double squares = 0, largest = 0;
    int64_t entries = 0;
    char name[32];
    int f = 0;
    for (const char *list = w->factors; next_name(&list, name, sizeof name) && !w->status; f++)
        w->status =
            compare(orthant_result_factor(result, name), &w->last[f], &squares, &largest, &entries);
    if (!first && !w->found.iterations && squares < SMALL * (double)entries) {
        w->found.iterations = orthant_result_iterations(result);
        w->found.seconds = begun - w->begun - w->lost;
    }
    if (!first && largest < SMALL)
        w->found.until_all_small = orthant_result_iterations(result);
    w->found.largest = largest;
    w->lost += processor_seconds() - begun;
    return !w->status && !w->found.until_all_small;
}

/* "tnmf.pooling_weight=10" and "init=uniform"; what the method does not have is left out. */
static orthant_status set_parameter(orthant_model *model, const char *method, const char *pair)
{
    char name[64];
    const size_t point = strcspn(pair, ".="), length = strlen(method);
    if (pair[point] == '.') {
        if (point != length || strncmp(pair, method, length) != 0)
            return ORTHANT_OK;
        pair += point + 1;
    }
    char known[PARAMETER_TEXT];
    const char *value = strchr(pair, '=') + 1;
    snprintf(name, sizeof name, "%.*s", (int)(value - 1 - pair), pair);
    return orthant_model_get(model, name, known, sizeof known)
               ? ORTHANT_OK
               : orthant_model_set(model, name, value);
}

static orthant_status new_model(orthant_context *ctx, const made_table *asked, const char *method,
                                int64_t rank, int64_t seed, orthant_model **model)
{
    const protocol_study *plan = &asked->table->study;
    char number[24];
    orthant_status status = orthant_model_create(ctx, method, rank, model);
    snprintf(number, sizeof number, "%lld", (long long)seed);
    if (!status)
        status = orthant_model_set(*model, "seed", number);
    if (!status)
        status = orthant_model_set(*model, "tolerance", "0");
    if (!status && !strcmp(method, "nmf"))
        status = orthant_model_set(*model, "solver", "mu");
    for (int i = 0; i < PROTOCOL_SETTINGS && plan->settings[i].name && !status; i++)
        if (!strcmp(plan->settings[i].name, "parameter"))
            status = set_parameter(*model, method, plan->settings[i].value);
        else if (!strcmp(plan->settings[i].name, "iterations"))
            status = orthant_model_set(*model, "iterations",
                                       asked->request->quick ? QUICK_ITERATIONS
                                                             : plan->settings[i].value);
    return status;
}

static orthant_status time_fit(const made_table *asked, const char *method, int64_t rank,
                               int64_t seed, const orthant_matrix *samples, stop *found)
{
    orthant_context *ctx = asked->ctx;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    stop_watch watch = {.factors = strcmp(method, "rica") ? "basis,encoding" : "basis",
                        .begun = processor_seconds()};
    orthant_status status = new_model(ctx, asked, method, rank, seed, &model);
    if (!status)
        status = orthant_model_set_iteration(model, look, &watch);
    if (!status)
        status = orthant_fit(model, samples, &result);
    status = status ? status : watch.status;
    *found = watch.found;
    for (int f = 0; f < 2; f++)
        orthant_matrix_free(watch.last[f]);
    orthant_result_free(result);
    orthant_model_free(model);
    return status;
}

/* ---- all fits ---- */

typedef struct stops {
    const made_table *asked;
    orthant_matrix *samples; /* all, scaled */
    orthant_labels *truth;
    int64_t repeats;
    stop found[MOST_REPEATS]; /* of one method and number of classes */
} stops;

static orthant_status read_samples(stops *s, bool *missing, char *reason, size_t size)
{
    const made_table *asked = s->asked;
    dataset found;
    char *made = path_join(asked->ctx, asked->request->output, "data");
    orthant_status status = made ? dataset_find(asked->ctx, asked->request->data, made,
                                                asked->table->study.dataset, 0, &found)
                                 : ORTHANT_ERROR_MEMORY;
    memory_free(asked->ctx, made);
    if (status)
        return status;
    *missing = found.missing;
    snprintf(reason, size, "%s", found.reason);
    if (!found.missing)
        status = dataset_read(&found, &s->samples, &s->truth);
    if (!found.missing && !status)
        status = orthant_matrix_scale(s->samples, ORTHANT_SCALE_MAX);
    dataset_free(&found);
    return status;
}

static orthant_status time_method(stops *s, const char *method, int64_t classes)
{
    const made_table *asked = s->asked;
    orthant_status status = ORTHANT_OK;
    for (int64_t r = 0; r < s->repeats && !status; r++) {
        const int64_t seed = draw_seed(asked->request->seed, classes, r);
        study_draw draw;
        status = draw_classes(asked->ctx, asked->table->study.dataset, s->samples, s->truth,
                              classes, (uint64_t)seed, false, &draw);
        if (status)
            break;
        status = time_fit(asked, method, classes, seed, draw.samples, &s->found[r]);
        draw_free(&draw);
    }
    return status;
}

/* Over the fits that came to it; NaN where none did. */
static void seconds_of(const stops *s, double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    int count = 0;
    for (int64_t r = 0; r < s->repeats; r++)
        if (s->found[r].iterations) {
            sum += s->found[r].seconds;
            squares += s->found[r].seconds * s->found[r].seconds;
            count++;
        }
    *mean = count ? sum / count : (double)NAN;
    *deviation =
        count > 1 ? sqrt(fmax(0, squares - count * *mean * *mean) / (count - 1)) : (double)NAN;
}

static void add_stops(sheet *page, const stops *s, const char *method, int64_t classes)
{
    double iterations = 0, largest = 0;
    int ended = 0, all_small = 0;
    for (int64_t r = 0; r < s->repeats; r++) {
        iterations += (double)s->found[r].iterations;
        ended += s->found[r].iterations > 0;
        all_small += s->found[r].until_all_small > 0;
        largest = fmax(largest, s->found[r].largest);
    }
    char change[32];
    snprintf(change, sizeof change, "%.1e", largest);
    sheet_add_row(page, false);
    sheet_add_number(page, (double)classes);
    sheet_add_text(page, method);
    sheet_add_number(page, (double)s->repeats);
    sheet_add_number(page, ended);
    sheet_add_number(page, ended ? iterations / ended : (double)NAN);
    sheet_add_number(page, all_small);
    sheet_add_text(page, change);
}

/* ---- the sheets ---- */

static sheet *new_seconds(const made_table *asked)
{
    char name[64], caption[300], method[64];
    snprintf(name, sizeof name, "table-%.20s-seconds", asked->table->number);
    snprintf(caption, sizeof caption,
             "Table %.20s: processor seconds on %.40s until the mean squared change of an entry of "
             "the factors "
             "is below 1e-6, with the deviation over the repeats, beside the paper's.",
             asked->table->number, asked->table->study.dataset);
    sheet *page = sheet_new(asked->ctx, name, caption);
    sheet_add_column(page, "N", 0);
    for (const char *list = asked->table->study.methods; next_name(&list, method, sizeof method);)
        sheet_add_column(page, method, 3);
    if (page) {
        page->lower_is_better = true;
        page->full_difference = 1;
    }
    return page;
}

static sheet *new_stops(const made_table *asked)
{
    static const char *const columns[] = {"N",
                                          "method",
                                          "fits",
                                          "mean squared change below 1e-6",
                                          "after iterations",
                                          "largest change below 1e-6",
                                          "largest change at the end"};
    static const int decimals[] = {0, -1, 0, 0, 0, 0, -1};
    char name[64], caption[200];
    snprintf(name, sizeof name, "table-%.20s-stops", asked->table->number);
    snprintf(caption, sizeof caption,
             "Table %.20s: of how many fits the change dropped below 1e-6, by two readings.",
             asked->table->number);
    sheet *page = sheet_new(asked->ctx, name, caption);
    for (int i = 0; i < 7; i++)
        sheet_add_column(page, columns[i], decimals[i]);
    if (page)
        page->head_columns = 2;
    return page;
}

static orthant_status fill_row(stops *s, int64_t classes, bool missing, sheet *seconds,
                               sheet *counts)
{
    const made_table *asked = s->asked;
    orthant_status status = ORTHANT_OK;
    char method[64];
    sheet_add_row(seconds, false);
    sheet_add_number(seconds, (double)classes);
    for (const char *list = asked->table->study.methods;
         next_name(&list, method, sizeof method) && !status;) {
        double mean = NAN, deviation = NAN;
        const paper_figure *figure =
            paper_figure_find(asked->paper, asked->table->number, asked->table->study.dataset,
                              classes, method, "seconds");
        if (!missing && !(status = time_method(s, method, classes))) {
            seconds_of(s, &mean, &deviation);
            add_stops(counts, s, method, classes);
        }
        sheet_add_compared(seconds, mean, deviation,
                           figure ? paper_figure_value(figure) : (double)NAN, 0);
    }
    return status;
}

orthant_status stopping_make(const made_table *asked)
{
    const protocol_study *plan = &asked->table->study;
    stops s = {.asked = asked, .repeats = asked->request->quick ? 1 : plan->repeats};
    int64_t numbers[RUNS_MOST_CLASSES];
    int count = class_numbers(plan->classes, numbers, RUNS_MOST_CLASSES);
    char reason[512] = "";
    bool missing = false;
    sheet *seconds = new_seconds(asked), *counts = new_stops(asked);
    orthant_status status = read_samples(&s, &missing, reason, sizeof reason);
    if (asked->request->quick && count > 2)
        count = 2;
    for (int i = 0; i < count && !status; i++)
        status = fill_row(&s, numbers[i], missing, seconds, counts);
    if (missing)
        sheet_add_note(seconds, reason);
    orthant_matrix_free(s.samples);
    orthant_labels_free(s.truth);
    status = made_table_add(asked, status, seconds);
    if (!status)
        status = sheet_status(counts);
    if (!status)
        return sheet_list_add(asked->list, counts);
    sheet_free(counts);
    return status;
}
