/* The plan of a study as lines, and study.json. */
#include "report/study_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "report/json.h"
#include "report/run.h"

/* ---- what decides the results -----------------------------------------------------------------
 */

static orthant_status add_data(const orthant_study *study, plan_lines *plan)
{
    orthant_status status = ORTHANT_OK;
    for (int d = 0; d < study->datasets && !status; d++) {
        const study_dataset *data = &study->dataset[d];
        char digest[65], line[640];
        plan_lines_hash(data->samples, data->truth->values, data->truth->count, digest);
        snprintf(line, sizeof line, "data %.400s %s", data->name, digest);
        status = plan_lines_add(plan, line);
    }
    return status;
}

static orthant_status add_variants(const orthant_study *study, plan_lines *plan)
{
    orthant_status status = ORTHANT_OK;
    for (int v = 0; v < study->variants && !status; v++) {
        const study_variant *variant = &study->variant[v];
        char line[2048];
        snprintf(line, sizeof line, "variant %s scale %s", variant->label, variant->scale);
        for (int i = 0; i < variant->count; i++)
            text_append(line, sizeof line, " %s %s", variant->list[i].name, variant->list[i].value);
        status = plan_lines_add(plan, line);
    }
    return status;
}

/* Datasets and their numbers of classes: the first variant's jobs have them all. */
static orthant_status add_classes(const orthant_study *study, plan_lines *plan)
{
    orthant_status status = ORTHANT_OK;
    for (int64_t i = 0; i < study->jobs && !status; i++) {
        const study_job *job = &study->job[i];
        char line[640];
        if (job->variant || job->repeat)
            continue;
        snprintf(line, sizeof line, "classes %.400s %" PRId64, study->dataset[job->dataset].name,
                 job->classes);
        status = plan_lines_add(plan, line);
    }
    return status;
}

orthant_status study_plan_lines(const orthant_study *study, plan_lines *plan)
{
    char line[128];
    *plan = (plan_lines){.ctx = study->ctx};
    snprintf(line, sizeof line, "version %s", orthant_version());
    orthant_status status = plan_lines_add(plan, line);
    snprintf(line, sizeof line, "precision %s",
             orthant_context_precision(study->ctx) == ORTHANT_DOUBLE ? "double" : "single");
    if (!status)
        status = plan_lines_add(plan, line);
    snprintf(line, sizeof line, "seed %" PRId64, study->seed);
    if (!status)
        status = plan_lines_add(plan, line);
    snprintf(line, sizeof line, "repeats %" PRId64, study->repeats);
    if (!status)
        status = plan_lines_add(plan, line);
    if (!status)
        status = add_data(study, plan);
    if (!status)
        status = add_classes(study, plan);
    if (!status)
        status = add_variants(study, plan);
    if (status)
        plan_lines_free(plan);
    return status;
}

/* ---- a study that is extended -----------------------------------------------------------------
 */

static bool begins_with(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

/* Runs of more repeats and of further variants change none of those that are there. */
static bool may_be_added(const char *line)
{
    return begins_with(line, "repeats ") || begins_with(line, "variant ");
}

static orthant_status refuse_plan(const plan_lines *plan, const char *path, const char *earlier,
                                  const char *line)
{
    return fail(plan->ctx, ORTHANT_ERROR_ARGUMENT,
                "%.300s is the plan of another study: it has '%.150s', this one has '%.150s'; give "
                "another folder, or the settings of that study to go on with it",
                path, earlier, line);
}

/* The line of the earlier plan at that place, which this one must have or extend. */
static orthant_status check_line(const orthant_study *study, const plan_lines *plan,
                                 const char *path, const char *line, int at)
{
    int64_t repeats;
    if (plan_lines_have(plan, line))
        return ORTHANT_OK;
    if (begins_with(line, "repeats ") && text_to_int64(line + 8, &repeats))
        return repeats <= study->repeats
                   ? ORTHANT_OK
                   : fail(study->ctx, ORTHANT_ERROR_ARGUMENT,
                          "%.300s: the study has %" PRId64 " repeats, this one %" PRId64
                          ": repeats can be added, not taken away; give another folder",
                          path, repeats, study->repeats);
    if (begins_with(line, "variant "))
        return fail(study->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%.300s: the study has '%.200s', and this one has not: methods can be added, "
                    "not taken away or changed; give another folder",
                    path, line);
    return refuse_plan(plan, path, line, at < plan->count ? plan->line[at] : "nothing more");
}

orthant_status study_plan_extends(const orthant_study *study, const plan_lines *plan,
                                  const char *path, bool *longer)
{
    json_value *record = NULL;
    plan_lines earlier = {.ctx = study->ctx};
    orthant_status status = json_read(study->ctx, path, &record);
    const json_value *list = json_member(record, "plan");
    for (const json_value *each = list ? list->child : NULL; each && !status; each = each->next)
        if (each->kind == JSON_TEXT)
            status = plan_lines_add(&earlier, each->text);
    for (int i = 0; i < earlier.count && !status; i++)
        status = check_line(study, plan, path, earlier.line[i], i);
    *longer = false;
    for (int i = 0; i < plan->count && !status; i++) {
        if (plan_lines_have(&earlier, plan->line[i]))
            continue;
        *longer = true;
        if (!may_be_added(plan->line[i]))
            status = refuse_plan(plan, path, "nothing more", plan->line[i]);
    }
    /* Lines in another order, or a fingerprint that is not theirs. */
    if (!status && !*longer)
        status = plan_lines_check(plan, "study", path);
    plan_lines_free(&earlier);
    json_free(study->ctx, record);
    return status;
}

/* ---- study.json -------------------------------------------------------------------------------
 */

static void describe_settings(json_writer *json, const char *key, const setting *list, int count)
{
    json_open_array(json, key);
    for (int i = 0; i < count; i++) {
        json_open_object(json, NULL);
        json_text(json, "name", list[i].name);
        json_text(json, "value", list[i].value);
        json_close(json);
    }
    json_close(json);
}

static orthant_status describe_data(const orthant_study *study, json_writer *json)
{
    orthant_status status = ORTHANT_OK;
    json_open_array(json, "datasets");
    for (int d = 0; d < study->datasets && !status; d++) {
        const study_dataset *data = &study->dataset[d];
        const orthant_picture_shape shape = orthant_matrix_picture(data->samples);
        char digest[XXH64_DIGITS + 1] = "";
        if (data->path)
            status = data_checksum(study->ctx, data->path, data->samples, digest);
        json_open_object(json, NULL);
        json_text(json, "name", data->name);
        json_text(json, "path", data->path);
        json_text(json, DATA_CHECKSUM, *digest ? digest : NULL);
        json_integer(json, "samples", data->samples->rows);
        json_integer(json, "features", data->samples->columns);
        json_integer(json, "classes", data->classes);
        if (shape.height) {
            json_open_object(json, "picture");
            json_integer(json, "height", shape.height);
            json_integer(json, "width", shape.width);
            json_integer(json, "channels", shape.channels);
            json_truth(json, "column_major", shape.column_major);
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
    return status;
}

static void describe_variants(const orthant_study *study, json_writer *json)
{
    json_open_array(json, "variants");
    for (int v = 0; v < study->variants; v++) {
        const study_variant *variant = &study->variant[v];
        json_open_object(json, NULL);
        json_text(json, "label", variant->label);
        json_text(json, "method", variant->method);
        json_truth(json, "plain", method_is_plain(variant->label));
        json_text(json, "scale", variant->scale);
        describe_settings(json, "settings", variant->list, variant->count);
        json_close(json);
    }
    json_close(json);
}

/* Whether an earlier dataset has that number of classes, and so the same seeds. */
static bool classes_are_known(const orthant_study *study, int dataset, int64_t classes)
{
    for (int d = 0; d < dataset; d++)
        for (int c = 0; c < study->dataset[d].class_counts; c++)
            if (study->job[study->dataset[d].first_job + c * study->repeats].classes == classes)
                return true;
    return false;
}

static void describe_seeds(const orthant_study *study, json_writer *json)
{
    json_open_array(json, "seeds");
    for (int d = 0; d < study->datasets; d++)
        for (int64_t i = 0; i < study->dataset[d].class_counts * study->repeats; i++) {
            const study_job *job = &study->job[study->dataset[d].first_job + i];
            if (classes_are_known(study, d, job->classes))
                continue;
            json_open_object(json, NULL);
            json_integer(json, "classes", job->classes);
            json_integer(json, "repeat", job->repeat);
            json_integer(json, "seed", job->seed);
            json_close(json);
        }
    json_close(json);
}

static orthant_status describe(const orthant_study *study, const plan_lines *plan,
                               json_writer *json)
{
    json_open_object(json, NULL);
    json_text(json, "kind", "study");
    json_text(json, "command", study_setting(study, "command"));
    json_integer(json, "seed", study->seed);
    json_integer(json, "repeats", study->repeats);
    json_integer(json, "runs", study->jobs);
    describe_settings(json, "settings", study->given, study->given_count);
    const orthant_status status = describe_data(study, json);
    describe_variants(study, json);
    describe_seeds(study, json);
    json_text(json, "precision",
              orthant_context_precision(study->ctx) == ORTHANT_DOUBLE ? "double" : "single");
    json_text(json, "version", orthant_version());
    json_text(json, "cpu_kernels", orthant_cpu_kernels());
    json_text(json, "blas", orthant_blas_description());
    plan_lines_write(plan, json);
    json_close(json);
    return status;
}

orthant_status study_record_write(const orthant_study *study, const plan_lines *plan,
                                  const char *path)
{
    file_writer writer;
    const orthant_status status = file_write_begin(study->ctx, path, &writer);
    if (status)
        return status;
    json_writer json = {.file = writer.file};
    return file_write_end(&writer, describe(study, plan, &json));
}
