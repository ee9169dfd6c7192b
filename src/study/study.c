/* A study as its user sees it, and its plan. */
#include "study/study.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/sized.h"
#include "core/text.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "study/draw.h"

#define MOST_RUNS 100000000
#define MOST_SEED 9007199254740992

const char *study_text(orthant_study *study, const char *text)
{
    if (study->text_count == study->text_capacity) {
        const int capacity = study->text_capacity ? 2 * study->text_capacity : 32;
        char **list = memory_resize(study->ctx, study->text, capacity, sizeof *list, "texts");
        if (!list)
            return NULL;
        study->text = list;
        study->text_capacity = capacity;
    }
    char *copy = memory_text(study->ctx, text);
    if (copy)
        study->text[study->text_count++] = copy;
    return copy;
}

const char *study_setting(const orthant_study *study, const char *name)
{
    const settings given = {study->given_count, study->given};
    return settings_value(&given, name);
}

orthant_status orthant_study_create(orthant_context *context, orthant_study **study)
{
    if (study)
        *study = NULL;
    const orthant_status refused = entry_check(context, study != NULL, __func__);
    if (refused)
        return refused;
    *study = memory_new(context, 1, sizeof **study, "a study");
    if (!*study)
        return ORTHANT_ERROR_MEMORY;
    (*study)->ctx = context;
    results_begin(context, &(*study)->results);
    return ORTHANT_OK;
}

orthant_status orthant_study_read(orthant_context *context, const char *path, orthant_study **study)
{
    if (study)
        *study = NULL;
    const orthant_status refused = entry_check(context, path && study, __func__);
    if (refused)
        return refused;
    orthant_status status = orthant_study_create(context, study);
    if (!status)
        status = results_read(context, path, false, &(*study)->results);
    if (status) {
        orthant_study_free(*study);
        *study = NULL;
    }
    return status;
}

/* What the plan made; the settings and the data stay. */
static void forget_plan(orthant_study *study)
{
    orthant_context *ctx = study->ctx;
    for (int i = 0; i < study->variants; i++)
        memory_free(ctx, study->variant[i].list);
    for (int i = 0; i < study->scaled_count; i++) {
        orthant_matrix_free(study->scaled[i].own);
        orthant_matrix_free(study->scaled[i].statistics);
    }
    for (int64_t i = 0; i < study->jobs; i++)
        memory_free(ctx, study->job[i].failure);
    memory_free(ctx, study->variant);
    memory_free(ctx, study->scaled);
    memory_free(ctx, study->job);
    results_free(&study->results);
    study->variant = NULL;
    study->scaled = NULL;
    study->job = NULL;
    study->variants = study->variant_capacity = study->scaled_count = 0;
    study->jobs = 0;
}

void orthant_study_free(orthant_study *study)
{
    if (!study)
        return;
    orthant_context *ctx = study->ctx;
    forget_plan(study);
    for (int i = 0; i < study->text_count; i++)
        memory_free(ctx, study->text[i]);
    memory_free(ctx, study->text);
    memory_free(ctx, study->given);
    memory_free(ctx, study->dataset);
    memory_free(ctx, study);
}

orthant_status orthant_study_set(orthant_study *study, const char *name, const char *value)
{
    static const char names[] =
        "methods,classes,repeats,seed,labelled-fraction,labelled-per-class,init,scale,solver,start,"
        "sweep,parameter,iterations,tolerance,time-limit,labels-rule,restarts,graph,weights,search,"
        "pooling,similarity,missing,variable,truth,label-column,id-column,drop,size,order,"
        "transpose,"
        "map,color,command";
    if (!study || !name || !value)
        return fail(study ? study->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "orthant_study_set: an argument is NULL");
    if (!text_in_list(names, name))
        return fail(study->ctx, ORTHANT_ERROR_ARGUMENT, "a study has no setting '%s'; it has %s",
                    name, names);
    if (study->given_count == study->given_capacity) {
        const int capacity = study->given_capacity ? 2 * study->given_capacity : 16;
        setting *list = memory_resize(study->ctx, study->given, capacity, sizeof *list, "settings");
        if (!list)
            return ORTHANT_ERROR_MEMORY;
        study->given = list;
        study->given_capacity = capacity;
    }
    const setting added = {study_text(study, name), study_text(study, value)};
    if (!added.name || !added.value)
        return ORTHANT_ERROR_MEMORY;
    study->given[study->given_count++] = added;
    return ORTHANT_OK;
}

orthant_status orthant_study_add_data(orthant_study *study, const char *name, const char *path,
                                      const orthant_matrix *samples, const orthant_labels *truth)
{
    orthant_context *ctx = study ? study->ctx : NULL;
    if (!study || !name || !samples)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "orthant_study_add_data: an argument is NULL");
    const orthant_status here = matrix_check_here(samples, __func__);
    if (here)
        return here;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ')
            return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                        "the name of a data set has a control character at %d",
                        (int)(c - name + 1));
    for (int i = 0; i < study->datasets; i++)
        if (!strcmp(study->dataset[i].name, name))
            return fail(ctx, ORTHANT_ERROR_ARGUMENT, "two data sets have the name '%.200s'", name);
    if (!*name)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "a data set has no name");
    if (!truth)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%.400s: the true labels are not known, and a study compares with them; give "
                    "truth = 'FILE'",
                    path ? path : name);
    if (truth->count != samples->rows)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%.400s: found %" PRId64 " labels, expected one for each of the %" PRId64
                    " samples",
                    path ? path : name, truth->count, samples->rows);
    study_dataset *list = memory_resize(ctx, study->dataset, study->datasets + 1, sizeof *list,
                                        "the data of a study");
    if (!list)
        return ORTHANT_ERROR_MEMORY;
    study->dataset = list;
    study_dataset added = {.name = study_text(study, name), .samples = samples, .truth = truth};
    added.path = path ? study_text(study, path) : NULL;
    if (!added.name || (path && !added.path))
        return ORTHANT_ERROR_MEMORY;
    added.classes = orthant_labels_classes(truth);
    if (added.classes < 0)
        return ORTHANT_ERROR_MEMORY;
    if (added.classes == 0)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%.400s: no sample has a known class",
                    path ? path : name);
    list[study->datasets++] = added;
    return ORTHANT_OK;
}

/* ---- the plan ---------------------------------------------------------------------------------
 */

static orthant_status read_number(orthant_study *study, const char *name, int64_t least,
                                  int64_t most, int64_t otherwise, int64_t *number)
{
    const char *text = study_setting(study, name);
    *number = otherwise;
    if (!text || (text_to_int64(text, number) && *number >= least && *number <= most))
        return ORTHANT_OK;
    return fail(study->ctx, ORTHANT_ERROR_ARGUMENT,
                "%s = '%s': expected a whole number from %" PRId64 " to %" PRId64, name, text,
                least, most);
}

/* The data at a scale, made once. */
static orthant_status scaled_data(orthant_study *study, int dataset, const char *scale, int *index)
{
    orthant_context *ctx = study->ctx;
    orthant_scaling scaling;
    const orthant_matrix *samples = study->dataset[dataset].samples;
    for (*index = 0; *index < study->scaled_count; ++*index)
        if (study->scaled[*index].dataset == dataset && !strcmp(study->scaled[*index].scale, scale))
            return ORTHANT_OK;
    orthant_status status = orthant_scaling_parse(ctx, scale, &scaling);
    study_scaled *list = status ? NULL
                                : memory_resize(ctx, study->scaled, study->scaled_count + 1,
                                                sizeof *list, "the data of a study");
    if (!list)
        return status ? status : ORTHANT_ERROR_MEMORY;
    study->scaled = list;
    study_scaled *made = &list[study->scaled_count++];
    *made = (study_scaled){.dataset = dataset, .scale = scale, .samples = samples};
    if (scaling == ORTHANT_SCALE_NONE)
        return ORTHANT_OK;
    status = matrix_copy(ctx, samples, samples->precision, &made->own);
    if (!status && samples->name && !(made->own->name = memory_text(ctx, samples->name)))
        status = ORTHANT_ERROR_MEMORY;
    if (!status)
        status = orthant_matrix_scale_statistics(made->own, scaling, &made->statistics);
    if (!status)
        status = orthant_matrix_scale_by(made->own, scaling, made->statistics);
    made->samples = made->own;
    return status;
}

/* The numbers of classes of one dataset: 0 stands for all. */
static orthant_status resolve_classes(orthant_study *study, const study_dataset *data,
                                      const int64_t *list, int count, int64_t *own, int *owns)
{
    *owns = 0;
    for (int i = 0; i < count; i++) {
        const int64_t wanted = list[i] ? list[i] : data->classes;
        if (wanted > data->classes)
            return fail(study->ctx, ORTHANT_ERROR_ARGUMENT,
                        "%" PRId64 " classes cannot be drawn from %.400s, which has "
                        "%" PRId64,
                        wanted, data->path ? data->path : data->name, data->classes);
        bool there = false;
        for (int j = 0; j < *owns; j++)
            there = there || own[j] == wanted;
        if (!there)
            own[(*owns)++] = wanted;
    }
    /* "all" came first as 0 and is the largest. */
    if (*owns > 1 && !list[0] && own[0] > own[1])
        for (int i = 0; i + 1 < *owns; i++) {
            const int64_t first = own[i];
            own[i] = own[i + 1];
            own[i + 1] = first;
        }
    return ORTHANT_OK;
}

static orthant_status add_jobs(orthant_study *study, int dataset, const int64_t *classes, int count)
{
    int64_t cells, added, all;
    if (!size_multiply(study->variants, count, &cells) ||
        !size_multiply(cells, study->repeats, &added) || added > MOST_RUNS ||
        (all = study->jobs + added) > MOST_RUNS)
        return fail(study->ctx, ORTHANT_ERROR_ARGUMENT, "a study of more than %d runs", MOST_RUNS);
    study_job *jobs =
        memory_resize(study->ctx, study->job, all, sizeof *jobs, "the runs of a study");
    if (!jobs)
        return ORTHANT_ERROR_MEMORY;
    study->job = jobs;
    study->dataset[dataset].first_job = study->jobs;
    study->dataset[dataset].class_counts = count;
    for (int v = 0; v < study->variants; v++) {
        int scaled;
        const orthant_status status = scaled_data(study, dataset, study->variant[v].scale, &scaled);
        if (status)
            return status;
        for (int c = 0; c < count; c++)
            for (int64_t r = 0; r < study->repeats; r++)
                jobs[study->jobs++] = (study_job){.dataset = dataset,
                                                  .variant = v,
                                                  .scaled = scaled,
                                                  .classes = classes[c],
                                                  .repeat = r,
                                                  .seed = draw_seed(study->seed, classes[c], r),
                                                  .kept = r == 0 && c == count - 1};
    }
    return ORTHANT_OK;
}

orthant_status study_plan(orthant_study *study)
{
    orthant_context *ctx = study->ctx;
    const char *text = study_setting(study, "classes");
    int64_t *list = NULL, *own = NULL;
    int count = 0, owns = 0;
    forget_plan(study);
    orthant_status status = read_number(study, "repeats", 1, 1000000, 10, &study->repeats);
    if (!status)
        status = read_number(study, "seed", 0, MOST_SEED, 1, &study->seed);
    if (!status)
        status = class_list_parse(ctx, "classes", true, text ? text : "all", &list, &count);
    if (!status)
        status = study_make_variants(study);
    if (!status && !study->datasets)
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT, "a study has no data");
    if (!status && !(own = memory_new(ctx, count, sizeof *own, "numbers of classes")))
        status = ORTHANT_ERROR_MEMORY;
    for (int d = 0; d < study->datasets && !status; d++) {
        status = resolve_classes(study, &study->dataset[d], list, count, own, &owns);
        if (!status)
            status = add_jobs(study, d, own, owns);
    }
    memory_free(ctx, own);
    memory_free(ctx, list);
    return status;
}

orthant_status orthant_study_check(orthant_study *study)
{
    if (!study)
        return ORTHANT_ERROR_ARGUMENT;
    forget_plan(study);
    return study_make_variants(study);
}

int64_t orthant_study_run_count(const orthant_study *study)
{
    return study ? study->jobs : 0;
}

/* ---- results ----------------------------------------------------------------------------------
 */

study_row study_job_row(const orthant_study *study, const study_job *job)
{
    study_row row = {study->dataset[job->dataset].name,
                     study->variant[job->variant].label,
                     job->classes,
                     job->repeat,
                     job->seed,
                     {0}};
    memcpy(row.value, job->value, sizeof row.value);
    return row;
}

orthant_status study_collect(orthant_study *study)
{
    orthant_status status = ORTHANT_OK;
    results_free(&study->results);
    for (int64_t i = 0; i < study->jobs && !status; i++)
        if (study->job[i].done) {
            const study_row row = study_job_row(study, &study->job[i]);
            status = results_add(&study->results, &row);
        }
    return status;
}

int64_t orthant_study_row_count(const orthant_study *study)
{
    return study ? study->results.count : 0;
}

orthant_study_measures study_measures(const double value[MEASURE_COUNT])
{
    return (orthant_study_measures){
        .accuracy = value[MEASURE_ACCURACY],
        .nmi = value[MEASURE_NMI],
        .ari = value[MEASURE_ARI],
        .purity = value[MEASURE_PURITY],
        .sparseness = value[MEASURE_SPARSENESS],
        .objective = value[MEASURE_OBJECTIVE],
        .iterations = value[MEASURE_ITERATIONS],
        .seconds = value[MEASURE_SECONDS],
    };
}

orthant_status orthant_study_row_at(const orthant_study *study, int64_t index,
                                    orthant_study_row *row)
{
    if (!study || index < 0 || index >= study->results.count)
        return fail(study ? study->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "row %" PRId64 ": the study has %" PRId64 " rows", index,
                    orthant_study_row_count(study));
    const study_row *r = &study->results.row[index];
    const orthant_study_row found = {sizeof found,
                                     r->dataset,
                                     r->method,
                                     r->classes,
                                     r->repeat,
                                     r->seed,
                                     study_measures(r->value)};
    return sized_give(study->ctx, "orthant_study_row_at", &found, sizeof found, row);
}

int64_t orthant_study_failure_count(const orthant_study *study)
{
    int64_t count = 0;
    for (int64_t i = 0; study && i < study->jobs; i++)
        count += study->job[i].failure != NULL;
    return count;
}

const char *orthant_study_failure(const orthant_study *study, int64_t index)
{
    for (int64_t i = 0; study && i < study->jobs; i++)
        if (study->job[i].failure && index-- == 0)
            return study->job[i].failure;
    return NULL;
}
