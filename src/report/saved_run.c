/* A stored run of a factorisation. New samples under it: saved_codes.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/record.h"
#include "report/saved_run.h"
#include "report/text_file.h"

orthant_status saved_run_refuse_null(const orthant_saved_run *saved, const char *function)
{
    return fail(saved ? saved->ctx : NULL, ORTHANT_ERROR_ARGUMENT, "%s: an argument is NULL",
                function);
}

static orthant_status check_folder(orthant_context *ctx, const char *folder, const char *path)
{
    const orthant_status status = record_check_folder(ctx, folder);
    if (status || file_exists(path))
        return status;
    return fail(ctx, ORTHANT_ERROR_IO, "%s: holds no run.json; expected the folder of a run",
                folder);
}

orthant_status orthant_saved_run_open(orthant_context *context, const char *folder,
                                      orthant_saved_run **saved)
{
    if (saved)
        *saved = NULL;
    const orthant_status refused = entry_check(context, folder && saved, __func__);
    if (refused)
        return refused;
    orthant_saved_run *run = memory_new(context, 1, sizeof *run, "a stored run");
    char *path = path_join(context, folder, "run.json");
    orthant_status status =
        run && path ? check_folder(context, folder, path) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        run->ctx = context;
        run->folder = memory_text(context, folder);
        status = run->folder ? json_read(context, path, &run->json) : ORTHANT_ERROR_MEMORY;
    }
    memory_free(context, path);
    if (status) {
        if (run) {
            memory_free(context, run->folder);
            memory_free(context, run);
        }
        return status;
    }
    *saved = run;
    return ORTHANT_OK;
}

void orthant_saved_run_free(orthant_saved_run *saved)
{
    if (!saved)
        return;
    for (int i = 0; i < saved->factors; i++)
        orthant_matrix_free(saved->factor[i].matrix);
    json_free(saved->ctx, saved->json);
    memory_free(saved->ctx, saved->folder);
    memory_free(saved->ctx, saved);
}

const char *orthant_saved_run_text(const orthant_saved_run *saved, const char *key)
{
    if (!saved || !key)
        return "";
    return json_member_text(saved->json, key,
                            json_member_text(json_member(saved->json, "parameters"), key, ""));
}

double orthant_saved_run_number(const orthant_saved_run *saved, const char *key)
{
    if (!saved || !key)
        return NAN;
    const double number = json_member_number(saved->json, key);
    return isnan(number) ? json_member_number(json_member(saved->json, "scores"), key) : number;
}

orthant_status saved_run_matrix(const orthant_saved_run *saved, const char *name,
                                orthant_matrix **matrix)
{
    char *path = NULL;
    orthant_status status = contents_find(saved->ctx, saved->folder, saved->json, name, &path);
    if (!status && path)
        status = orthant_matrix_read(saved->ctx, path, NULL, matrix, NULL);
    memory_free(saved->ctx, path);
    return status;
}

static orthant_status read_matrix(const orthant_saved_run *saved, const char *name,
                                  orthant_matrix **matrix)
{
    *matrix = NULL;
    const orthant_status status = saved_run_matrix(saved, name, matrix);
    if (status || *matrix)
        return status;
    return fail(saved->ctx, ORTHANT_ERROR_IO, "%s/%s: there is no such file of this run",
                saved->folder, name);
}

orthant_status orthant_saved_run_factor(orthant_saved_run *saved, const char *name,
                                        const orthant_matrix **factor)
{
    char file[40];
    if (factor)
        *factor = NULL;
    if (!saved || !name || !factor)
        return saved_run_refuse_null(saved, "orthant_saved_run_factor");
    for (int i = 0; i < saved->factors; i++)
        if (!strcmp(saved->factor[i].name, name)) {
            *factor = saved->factor[i].matrix;
            return ORTHANT_OK;
        }
    if (strlen(name) >= sizeof saved->factor[0].name || strchr(name, '/') ||
        saved->factors == SAVED_MOST_FACTORS)
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT, "%s: the run has no factor '%.60s'",
                    saved->folder, name);
    snprintf(file, sizeof file, "%s.npy", name);
    const int index = saved->factors;
    const orthant_status status = read_matrix(saved, file, &saved->factor[index].matrix);
    if (status)
        return status;
    snprintf(saved->factor[index].name, sizeof saved->factor[index].name, "%s", name);
    saved->factors++;
    *factor = saved->factor[index].matrix;
    return ORTHANT_OK;
}

orthant_status orthant_saved_run_labels(orthant_saved_run *saved, orthant_labels **labels)
{
    char *path = NULL;
    if (labels)
        *labels = NULL;
    if (!saved || !labels)
        return saved_run_refuse_null(saved, "orthant_saved_run_labels");
    orthant_status status =
        contents_find(saved->ctx, saved->folder, saved->json, "labels.csv", &path);
    if (!status && path)
        status = orthant_labels_read(saved->ctx, path, labels);
    memory_free(saved->ctx, path);
    return status;
}

/* ---- new samples ------------------------------------------------------------------------------
 */

/* In double precision, as they were taken. */
static orthant_status read_statistics(orthant_saved_run *saved, orthant_matrix **statistics)
{
    const orthant_precision precision = orthant_context_precision(saved->ctx);
    orthant_context_set_precision(saved->ctx, ORTHANT_DOUBLE);
    const orthant_status status = read_matrix(saved, "scale.npy", statistics);
    orthant_context_set_precision(saved->ctx, precision);
    return status;
}

orthant_status orthant_saved_run_scale(orthant_saved_run *saved, const char *scale,
                                       orthant_matrix *samples)
{
    return orthant_saved_run_scale_masked(saved, scale, NULL, samples);
}

orthant_status orthant_saved_run_scale_masked(orthant_saved_run *saved, const char *scale,
                                              const orthant_matrix *mask, orthant_matrix *samples)
{
    orthant_scaling scaling = ORTHANT_SCALE_NONE;
    orthant_matrix *statistics = NULL;
    if (!saved || !samples)
        return saved_run_refuse_null(saved, __func__);
    const char *own = json_member_text(saved->json, "scale", "none");
    orthant_status status = orthant_scaling_parse(saved->ctx, scale ? scale : own, &scaling);
    const bool from_all = scaling == ORTHANT_SCALE_MAX || scaling == ORTHANT_SCALE_TFIDF;
    if (!status && from_all && (!scale || !strcmp(scale, own)))
        status = read_statistics(saved, &statistics);
    if (!status)
        status = orthant_matrix_scale_masked(samples, scaling, mask, statistics, NULL);
    orthant_matrix_free(statistics);
    return status;
}
