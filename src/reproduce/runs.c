/* Sets up and runs the study behind each table, and finds its kept runs. */
#include "reproduce/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "report/text_file.h"
#include "reproduce/datasets.h"
#include "study/draw.h"
#include "study/study.h"

#define QUICK_REPEATS 2
#define QUICK_ITERATIONS "30"
#define MADE "data" /* where data that have to be made lie */

int class_numbers(const char *list, int64_t *numbers, int most)
{
    int count = 0;
    while (list && *list && count < most) {
        numbers[count++] = strtoll(list, NULL, 10);
        list += strcspn(list, ",");
        list += *list == ',';
    }
    return count;
}

/* ---- data ---- */

typedef struct loaded {
    dataset found;
    orthant_matrix *samples;
    orthant_labels *truth;
    char name[64];
} loaded;

/* NLCF, section IV-D: 180 points of four Gaussians in the plane. */
static orthant_status make_toy(orthant_context *ctx, uint64_t seed, loaded *data)
{
    enum { POINTS = 180, GROUPS = 4 };
    static const double centre[GROUPS][2] = {{2, 7}, {4, 2.5}, {7, 7.5}, {8, 3}};
    double values[POINTS * 2];
    int64_t label[POINTS];
    for (int64_t i = 0; i < POINTS; i++) {
        label[i] = i % GROUPS;
        for (int j = 0; j < 2; j++)
            values[2 * i + j] =
                fmax(0, centre[label[i]][j] +
                            0.6 * random_normal(seed, RANDOM_DRAW, (uint64_t)i, (uint64_t)j));
    }
    const orthant_status status = orthant_matrix_create(ctx, POINTS, 2, values, &data->samples);
    return status ? status : orthant_labels_create(ctx, POINTS, label, &data->truth);
}

/* The first of "a|b" that is there. */
static orthant_status find_data(orthant_context *ctx, const reproduce_request *request,
                                const protocol_study *plan, int64_t first_classes, loaded *data,
                                protocol_runs *runs)
{
    char *made = path_join(ctx, request->output, MADE);
    const char *at = plan->dataset;
    orthant_status status = made ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    data->found = (dataset){.ctx = ctx, .missing = true};
    while (*at && !status && data->found.missing) {
        const size_t length = strcspn(at, "|");
        snprintf(runs->dataset, sizeof runs->dataset, "%.*s", (int)length, at);
        dataset_free(&data->found);
        status = dataset_find(ctx, request->data, made, runs->dataset, first_classes, &data->found);
        at += length + (at[length] == '|');
    }
    memory_free(ctx, made);
    if (!status && data->found.missing) {
        runs->missing = true;
        snprintf(runs->reason, sizeof runs->reason, "%s", data->found.reason);
    }
    return status;
}

static orthant_status load(orthant_context *ctx, const reproduce_request *request,
                           const protocol_study *plan, int64_t first_classes, loaded *data,
                           protocol_runs *runs)
{
    orthant_status status;
    if (strcmp(plan->dataset, "toy") == 0) {
        snprintf(runs->dataset, sizeof runs->dataset, "toy");
        status = make_toy(ctx, (uint64_t)request->seed, data);
    } else {
        status = find_data(ctx, request, plan, first_classes, data, runs);
        if (status || runs->missing)
            return status;
        status = dataset_read(&data->found, &data->samples, &data->truth);
    }
    if (first_classes)
        snprintf(data->name, sizeof data->name, "%s-%" PRId64, runs->dataset, first_classes);
    else
        snprintf(data->name, sizeof data->name, "%s", runs->dataset);
    if (!status && !runs->data && data->found.path) {
        runs->data = memory_text(ctx, data->found.path);
        status = runs->data ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    return status;
}

static void unload(loaded *data)
{
    orthant_matrix_free(data->samples);
    orthant_labels_free(data->truth);
    if (data->found.ctx)
        dataset_free(&data->found);
}

/* ---- the study ---- */

static orthant_status set_number(orthant_study *study, const char *name, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    return orthant_study_set(study, name, text);
}

/* Settings that a quick run leaves out: how long a fit takes. */
static bool is_length(const setting *given)
{
    return strcmp(given->name, "iterations") == 0 ||
           (strcmp(given->name, "parameter") == 0 && strstr(given->value, ".iterations="));
}

/* The papers' plain NMF is the multiplicative rule, not the solver that a user gets. */
static orthant_status set_rule(orthant_study *study, const char *methods)
{
    for (const char *at = methods; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, "nmf", 3) == 0 && (at[3] == ',' || at[3] == '\0'))
            return orthant_study_set(study, "parameter", "nmf.solver=mu");
    return ORTHANT_OK;
}

int64_t runs_repeats(const reproduce_request *request, const protocol_study *plan)
{
    const int64_t repeats =
        request->repeats && plan->repeats > 1 ? request->repeats : plan->repeats;
    return request->quick && repeats > QUICK_REPEATS ? QUICK_REPEATS : repeats;
}

orthant_status runs_set_up(orthant_study *study, const reproduce_request *request,
                           const protocol_study *plan)
{
    orthant_status status = orthant_study_set(study, "methods", plan->methods);
    if (!status)
        status = set_rule(study, plan->methods);
    if (!status)
        status = set_number(study, "repeats", runs_repeats(request, plan));
    if (!status)
        status = set_number(study, "seed", request->seed);
    for (int i = 0; i < PROTOCOL_SETTINGS && plan->settings[i].name && !status; i++)
        if (!request->quick || !is_length(&plan->settings[i]))
            status = orthant_study_set(study, plan->settings[i].name, plan->settings[i].value);
    if (!status && request->quick)
        status = orthant_study_set(study, "iterations", QUICK_ITERATIONS);
    if (!status && request->command)
        status = orthant_study_set(study, "command", request->command);
    return status;
}

void runs_words(const reproduce_request *request, char words[RUNS_WORDS])
{
    const int64_t repeats =
        request->repeats && request->repeats < QUICK_REPEATS ? request->repeats : QUICK_REPEATS;
    words[0] = '\0';
    if (request->quick)
        snprintf(words, RUNS_WORDS,
                 "%s iterations, at most %" PRId64 " repeat%s, the first %d numbers of classes",
                 QUICK_ITERATIONS, repeats, repeats == 1 ? "" : "s", RUNS_QUICK_CLASSES);
    else if (request->repeats)
        snprintf(words, RUNS_WORDS, "%" PRId64 " repeat%s of each run", request->repeats,
                 request->repeats == 1 ? "" : "s");
}

/* "5,10" of at most `most` numbers. */
static void join_numbers(const int64_t *numbers, int count, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        text_append(text, size, "%s%" PRId64, i ? "," : "", numbers[i]);
}

/* One set with several numbers of classes; or, `first`, one set for each. */
static orthant_status add_data(orthant_context *ctx, orthant_study *study,
                               const reproduce_request *request, const protocol_study *plan,
                               loaded *data, int *sets, protocol_runs *runs)
{
    int64_t numbers[RUNS_MOST_CLASSES];
    char text[256];
    int count = class_numbers(plan->classes, numbers, RUNS_MOST_CLASSES);
    if (request->quick && count > RUNS_QUICK_CLASSES)
        count = RUNS_QUICK_CLASSES;
    join_numbers(numbers, count, text, sizeof text);
    orthant_status status = orthant_study_set(study, "classes", plan->first ? "all" : text);
    for (int i = 0; i < (plan->first ? count : 1) && !status && !runs->missing; i++) {
        loaded *set = &data[(*sets)++];
        status = load(ctx, request, plan, plan->first ? numbers[i] : 0, set, runs);
        if (!status && !runs->missing)
            status =
                orthant_study_add_data(study, set->name, set->found.path, set->samples, set->truth);
    }
    return status;
}

/* What repeat 0 was run on. */
static orthant_status keep_samples(orthant_context *ctx, const reproduce_request *request,
                                   const protocol_study *plan, const loaded *data,
                                   protocol_runs *runs)
{
    const int64_t classes = strtoll(plan->classes, NULL, 10);
    study_draw draw;
    orthant_status status =
        draw_classes(ctx, data->name, data->samples, data->truth, classes,
                     (uint64_t)draw_seed(request->seed, classes, 0), false, &draw);
    if (status)
        return status;
    /* A draw of everything shares the data's entries. */
    status = matrix_copy(ctx, draw.samples, draw.samples->precision, &runs->samples);
    if (!status) {
        orthant_matrix_set_picture(runs->samples, orthant_matrix_picture(data->samples));
        runs->truth = draw.truth;
        draw.truth = NULL;
    }
    draw_free(&draw);
    return status;
}

static orthant_status run_study(orthant_context *ctx, const reproduce_request *request,
                                const protocol_study *plan, bool samples, protocol_runs *runs)
{
    loaded data[RUNS_MOST_CLASSES] = {0};
    int sets = 0;
    orthant_study *study = NULL;
    orthant_status status = orthant_study_create(ctx, &study);
    if (!status)
        status = runs_set_up(study, request, plan);
    if (!status)
        status = add_data(ctx, study, request, plan, data, &sets, runs);
    if (!status && !runs->missing)
        status = orthant_study_run(study, runs->folder);
    if (!status && !runs->missing) {
        runs->jobs = study->jobs;
        runs->failures = orthant_study_failure_count(study);
        snprintf(runs->failure, sizeof runs->failure, "%.500s",
                 runs->failures ? orthant_study_failure(study, 0) : "");
    }
    if (!status && !runs->missing && samples)
        status = keep_samples(ctx, request, plan, &data[0], runs);
    orthant_study_free(study);
    for (int i = 0; i < sets; i++)
        unload(&data[i]);
    return status;
}

void runs_free(protocol_runs *runs)
{
    if (!runs->ctx)
        return;
    memory_free(runs->ctx, runs->folder);
    memory_free(runs->ctx, runs->data);
    orthant_matrix_free(runs->samples);
    orthant_labels_free(runs->truth);
    results_free(&runs->results);
    *runs = (protocol_runs){0};
}

orthant_status runs_make(orthant_context *ctx, const reproduce_request *request,
                         const protocol_study *plan, const char *name, bool samples,
                         protocol_runs *runs)
{
    char *results = NULL;
    *runs = (protocol_runs){.ctx = ctx};
    results_begin(ctx, &runs->results);
    runs->folder = path_join(ctx, request->output, name);
    orthant_status status =
        runs->folder ? run_study(ctx, request, plan, samples, runs) : ORTHANT_ERROR_MEMORY;
    if (!status && !runs->missing) {
        results = path_join(ctx, runs->folder, "results.csv");
        status = results ? results_read(ctx, results, false, &runs->results) : ORTHANT_ERROR_MEMORY;
    }
    memory_free(ctx, results);
    for (int64_t i = 0; i < runs->results.count; i++) {
        const double seconds = runs->results.row[i].value[MEASURE_SECONDS];
        runs->seconds += isnan(seconds) ? 0 : seconds;
    }
    if (status)
        runs_free(runs);
    return status;
}

/* ---- what came out ---- */

bool measure_find(const char *name, study_measure *measure)
{
    for (int m = 0; m < MEASURE_COUNT; m++)
        if (strcmp(measure_name((study_measure)m), name) == 0) {
            *measure = (study_measure)m;
            return true;
        }
    return false;
}

orthant_status runs_of_methods(const study_results *results, const char *methods,
                               study_results *some)
{
    orthant_status status = ORTHANT_OK;
    results_begin(results->ctx, some);
    for (int64_t i = 0; i < results->count && !status; i++)
        if (!methods || text_in_list(methods, results->row[i].method))
            status = results_add(some, &results->row[i]);
    if (status)
        results_free(some);
    return status;
}

runs_cell runs_measure(const study_results *results, const char *variant, int64_t classes,
                       study_measure measure)
{
    runs_cell cell = {.mean = NAN, .deviation = NAN};
    double sum = 0, squares = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < results->count; i++) {
            const study_row *row = &results->row[i];
            const double value = row->value[measure];
            if (strcmp(row->method, variant) != 0 || (classes && row->classes != classes) ||
                isnan(value))
                continue;
            if (pass == 0) {
                cell.count++;
                sum += value;
            } else {
                squares += (value - cell.mean) * (value - cell.mean);
            }
        }
        if (cell.count)
            cell.mean = sum / (double)cell.count;
    }
    if (cell.count > 1)
        cell.deviation = sqrt(squares / (double)(cell.count - 1));
    return cell;
}

/* As docs/studies.md says of the names of folders. */
static void folder_name(const char *text, char *name, size_t size)
{
    size_t length = 0;
    for (; *text && length + 1 < size; text++) {
        const bool plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                           (*text >= '0' && *text <= '9') || strchr("._-+=,", *text);
        name[length++] = plain ? *text : '_';
    }
    name[length] = '\0';
}

char *runs_kept(const protocol_runs *runs, const char *variant, int64_t classes)
{
    char name[128], path[400];
    folder_name(variant, name, sizeof name);
    const char *data = runs->results.count ? runs->results.row[0].dataset : runs->dataset;
    snprintf(path, sizeof path, "runs/%s/%s/%" PRId64, data, name, classes);
    return path_join(runs->ctx, runs->folder, path);
}
