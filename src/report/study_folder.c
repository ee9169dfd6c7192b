/* A study on disk: its plan, the rows as they come, the runs that are kept whole, the summary. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/csv_text.h"
#include "report/experiment_folder.h"
#include "report/folder.h"
#include "report/study_record.h"
#include "report/text_file.h"
#include "study/summary.h"

#define RUN_DEPTH 4 /* of what is in a kept run: runs, its data set, its variant, its classes */

typedef struct study_folder {
    orthant_study *study;
    const char *path;
    int lock;      /* the folder itself, locked: two studies at once would mix their rows */
    FILE *results; /* open for appending */
    char *results_path;
} study_folder;

/* ---- the command that repeats a run -----------------------------------------------------------
 */

/* The word as a shell takes it. */
static void append_word(char *line, size_t size, const char *word)
{
    const bool plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_-+=./:,%@") == strlen(word);
    text_append(line, size, plain ? " " : " '");
    for (; *word; word++)
        if (*word == '\'')
            text_append(line, size, "'\\''");
        else
            text_append(line, size, "%c", *word);
    if (!plain)
        text_append(line, size, "'");
}

static void append_option(char *line, size_t size, const char *name, const char *value)
{
    text_append(line, size, " --%s", name);
    append_word(line, size, value);
}

static void describe_command(const orthant_study *study, const study_job *job, char *line,
                             size_t size)
{
    static const char *const of_data[] = {"variable", "truth", "size"};
    const study_variant *variant = &study->variant[job->variant];
    const char *path = study->dataset[job->dataset].path;
    line[0] = '\0';
    text_append(line, size, "orthant cluster");
    append_word(line, size, path ? path : study->dataset[job->dataset].name);
    text_append(line, size, " --rank %" PRId64 " --classes %" PRId64 " --seed %" PRId64,
                job->classes * variant->columns_per_class, job->classes, job->seed);
    for (int i = 0; i < variant->count; i++)
        append_option(line, size, variant->list[i].name, variant->list[i].value);
    if (strcmp(variant->scale, "none"))
        append_option(line, size, "scale", variant->scale);
    for (size_t i = 0; i < sizeof of_data / sizeof *of_data; i++)
        if (study_setting(study, of_data[i]))
            append_option(line, size, of_data[i], study_setting(study, of_data[i]));
    text_append(line, size, "%s%s%s", study_setting(study, "transpose") ? " --transpose" : "",
                study_setting(study, "color") ? " --color" : "",
                orthant_context_precision(study->ctx) == ORTHANT_DOUBLE ? " --precision double"
                                                                        : "");
}

/* ---- what the runs leave ----------------------------------------------------------------------
 */

static orthant_status refuse_writing(const study_folder *folder)
{
    return file_fail_write(folder->study->ctx, folder->results_path, errno);
}

static orthant_status take_row(void *user, const study_row *row)
{
    const study_folder *folder = user;
    results_print_row(folder->results, row);
    return fflush(folder->results) || ferror(folder->results) ? refuse_writing(folder) : ORTHANT_OK;
}

/* A name as part of a path. */
static void append_part(char *path, size_t size, const char *name)
{
    text_append(path, size, "/");
    if (*name == '.')
        text_append(path, size, "_");
    for (name += *name == '.'; *name; name++)
        text_append(path, size, "%c",
                    strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789._-+=,",
                           *name)
                        ? *name
                        : '_');
}

static orthant_status keep_run(void *user, orthant_context *ctx, const study_job *job,
                               orthant_run *run)
{
    const study_folder *folder = user;
    const orthant_study *study = folder->study;
    const study_dataset *data = &study->dataset[job->dataset];
    char path[4096], command[4096], classes[32];
    snprintf(path, sizeof path, "%s/runs", folder->path);
    append_part(path, sizeof path, data->name);
    append_part(path, sizeof path, study->variant[job->variant].label);
    snprintf(classes, sizeof classes, "%" PRId64, job->classes);
    if (!text_append(path, sizeof path, "/%s", classes))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%.200s...: the path of a run is too long", path);
    describe_command(study, job, command, sizeof command);
    run->command = command;
    run->data_path = data->path;
    run->scale = study->variant[job->variant].scale;
    run->scale_statistics = study->scaled[job->scaled].statistics;
    run->truth = *orthant_labels_source(data->truth) ? orthant_labels_source(data->truth) : NULL;
    run->drawn_classes = classes;
    run->without_report = true;
    return orthant_run_write(ctx, run, path);
}

/* ---- going on ---------------------------------------------------------------------------------
 */

static int by_run(const study_row *a, const study_row *b)
{
    int order = strcmp(a->dataset, b->dataset);
    if (!order)
        order = strcmp(a->method, b->method);
    if (!order)
        order = (a->classes > b->classes) - (a->classes < b->classes);
    return order ? order : (a->repeat > b->repeat) - (a->repeat < b->repeat);
}

/* A job and its row's names, to be found by them. */
typedef struct place {
    study_row row;
    study_job *job;
} place;

static int by_place(const void *left, const void *right)
{
    return by_run(&((const place *)left)->row, &((const place *)right)->row);
}

/* Marks the jobs whose rows are there. */
static orthant_status take_finished(orthant_study *study, const study_results *found,
                                    const char *path)
{
    orthant_status status = ORTHANT_OK;
    place *places = memory_new(study->ctx, study->jobs, sizeof *places, "the runs in order");
    if (!places)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < study->jobs; i++)
        places[i] = (place){study_job_row(study, &study->job[i]), &study->job[i]};
    qsort(places, (size_t)study->jobs, sizeof *places, by_place);
    for (int64_t i = 0; i < found->count && !status; i++) {
        const place wanted = {.row = found->row[i]};
        const place *at = bsearch(&wanted, places, (size_t)study->jobs, sizeof *places, by_place);
        if (!at || at->job->seed != found->row[i].seed) {
            status = fail(study->ctx, ORTHANT_ERROR_FORMAT,
                          "%.400s: the run of '%.100s', '%.100s', %" PRId64 " classes, repeat "
                          "%" PRId64 ", seed %" PRId64 " is not in the plan",
                          path, found->row[i].dataset, found->row[i].method, found->row[i].classes,
                          found->row[i].repeat, found->row[i].seed);
            break;
        }
        memcpy(at->job->value, found->row[i].value, sizeof at->job->value);
        at->job->done = true;
    }
    memory_free(study->ctx, places);
    return status;
}

/* The rows that an earlier start left, written anew without a line that was cut off. */
static orthant_status go_on(study_folder *folder)
{
    orthant_study *study = folder->study;
    study_results found;
    results_begin(study->ctx, &found);
    orthant_status status = ORTHANT_OK;
    if (file_exists(folder->results_path))
        status = results_read(study->ctx, folder->results_path, true, &found);
    if (!status)
        status = take_finished(study, &found, folder->results_path);
    if (!status)
        status = results_write(study->ctx, &found, folder->results_path);
    if (!status && found.count)
        log_note(study->ctx, "%s: %" PRId64 " of %" PRId64 " runs are there", folder->path,
                 found.count, study->jobs);
    results_free(&found);
    return status;
}

/* ---- the folder -------------------------------------------------------------------------------
 */

static orthant_status write_plan(study_folder *folder)
{
    orthant_context *ctx = folder->study->ctx;
    plan_lines plan = {.ctx = ctx};
    char *path = path_join(ctx, folder->path, "study.json");
    orthant_status status = path ? study_plan_lines(folder->study, &plan) : ORTHANT_ERROR_MEMORY;
    const bool there = !status && file_exists(path);
    bool longer = !there;
    if (there)
        status = study_plan_extends(folder->study, &plan, path, &longer);
    if (!status && there && longer)
        log_note(ctx, "%s: the study is extended by repeats or methods", folder->path);
    if (!status && longer)
        status = study_record_write(folder->study, &plan, path);
    plan_lines_free(&plan);
    memory_free(ctx, path);
    return status;
}

static orthant_status folder_open(study_folder *folder)
{
    orthant_context *ctx = folder->study->ctx;
    folder->results_path = path_join(ctx, folder->path, "results.csv");
    orthant_status status =
        folder->results_path
            ? experiment_folder_open(ctx, folder->path, "study", "study.json", &folder->lock)
            : ORTHANT_ERROR_MEMORY;
    if (!status) {
        folder_sweep(ctx, folder->path, RUN_DEPTH);
        status = write_plan(folder);
    }
    if (!status)
        status = go_on(folder);
    if (!status && !(folder->results = fopen(folder->results_path, "ab")))
        status = refuse_writing(folder);
    return status;
}

static void folder_close(study_folder *folder)
{
    if (folder->results)
        fclose(folder->results);
    if (folder->lock >= 0)
        close(folder->lock);
    memory_free(folder->study->ctx, folder->results_path);
}

/* failures.csv, or none where every run was done. */
static orthant_status write_failures(const study_folder *folder)
{
    const orthant_study *study = folder->study;
    file_writer writer;
    char *path = path_join(study->ctx, folder->path, "failures.csv");
    orthant_status status = path ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status && !orthant_study_failure_count(study)) {
        unlink(path);
    } else if (!status && !(status = file_write_begin(study->ctx, path, &writer))) {
        fputs("dataset,method,classes,repeat,seed,reason\n", writer.file);
        for (int64_t i = 0; i < study->jobs; i++) {
            const study_job *job = &study->job[i];
            if (!job->failure)
                continue;
            csv_write_string(writer.file, study->dataset[job->dataset].name);
            fputc(',', writer.file);
            csv_write_string(writer.file, study->variant[job->variant].label);
            fprintf(writer.file, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", job->classes, job->repeat,
                    job->seed);
            csv_write_string(writer.file, job->failure);
            fputc('\n', writer.file);
        }
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(study->ctx, path);
    return status;
}

/* All rows in the order of the plan, and what follows from them. */
static orthant_status finish(const study_folder *folder)
{
    orthant_context *ctx = folder->study->ctx;
    study_summary summary;
    char *path = path_join(ctx, folder->path, "summary.csv");
    orthant_status status = path ? results_write(ctx, &folder->study->results, folder->results_path)
                                 : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = write_failures(folder);
    if (!status && folder->study->results.count) {
        status = summary_make(ctx, &folder->study->results, &summary);
        if (!status) {
            status = summary_write(ctx, &summary, path);
            summary_free(&summary);
        }
        if (!status)
            status = orthant_run_report(ctx, folder->path);
    }
    memory_free(ctx, path);
    return status;
}

orthant_status orthant_study_run(orthant_study *study, const char *folder)
{
    study_folder at = {.study = study, .path = folder, .lock = -1};
    const study_sink sink = {&at, take_row, keep_run};
    if (!study)
        return ORTHANT_ERROR_ARGUMENT;
    orthant_status status = study_plan(study);
    if (!status && folder)
        status = folder_open(&at);
    if (!status)
        status = study_run_jobs(study, folder ? sink : (study_sink){0});
    const bool ended = !status || status == ORTHANT_STOPPED;
    const orthant_status collected = ended ? study_collect(study) : ORTHANT_OK;
    if (!status)
        status = collected;
    if (!status && folder)
        status = finish(&at);
    folder_close(&at);
    return status;
}
