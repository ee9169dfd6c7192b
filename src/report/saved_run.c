/* A stored run of a factorisation, and encodings of new samples under it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "orthant/run.h"
#include "report/contents.h"
#include "report/text_file.h"

#define MOST_FACTORS 16

struct orthant_saved_run {
    orthant_context *ctx;
    char *folder;
    json_value *json;
    struct {
        char name[32];
        orthant_matrix *matrix;
    } factor[MOST_FACTORS]; /* that were read */
    int factors;
};

static orthant_status refuse_null(const orthant_saved_run *saved, const char *function)
{
    return fail(saved ? saved->ctx : NULL, ORTHANT_ERROR_ARGUMENT, "%s: an argument is NULL",
                function);
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
    orthant_status status = run && path ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
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
    return saved && key ? json_member_text(saved->json, key, "") : "";
}

double orthant_saved_run_number(const orthant_saved_run *saved, const char *key)
{
    if (!saved || !key)
        return NAN;
    const double number = json_member_number(saved->json, key);
    return isnan(number) ? json_member_number(json_member(saved->json, "scores"), key) : number;
}

/* The path of a file that belongs to the run (memory_free). */
static orthant_status find_file(const orthant_saved_run *saved, const char *name, char **path)
{
    const orthant_status status = contents_find(saved->ctx, saved->folder, saved->json, name, path);
    if (status || *path)
        return status;
    return fail(saved->ctx, ORTHANT_ERROR_IO, "%s/%s: there is no such file of this run",
                saved->folder, name);
}

static orthant_status read_matrix(const orthant_saved_run *saved, const char *name,
                                  orthant_matrix **matrix)
{
    char *path = NULL;
    orthant_status status = find_file(saved, name, &path);
    if (!status)
        status = orthant_matrix_read(saved->ctx, path, NULL, matrix, NULL);
    memory_free(saved->ctx, path);
    return status;
}

orthant_status orthant_saved_run_factor(orthant_saved_run *saved, const char *name,
                                        const orthant_matrix **factor)
{
    char file[40];
    if (factor)
        *factor = NULL;
    if (!saved || !name || !factor)
        return refuse_null(saved, "orthant_saved_run_factor");
    for (int i = 0; i < saved->factors; i++)
        if (!strcmp(saved->factor[i].name, name)) {
            *factor = saved->factor[i].matrix;
            return ORTHANT_OK;
        }
    if (strlen(name) >= sizeof saved->factor[0].name || strchr(name, '/') ||
        saved->factors == MOST_FACTORS)
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
        return refuse_null(saved, "orthant_saved_run_labels");
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
    orthant_scaling scaling = ORTHANT_SCALE_NONE;
    orthant_matrix *statistics = NULL;
    if (!saved || !samples)
        return refuse_null(saved, "orthant_saved_run_scale");
    const char *own = json_member_text(saved->json, "scale", "none");
    orthant_status status = orthant_scaling_parse(saved->ctx, scale ? scale : own, &scaling);
    const bool from_all = scaling == ORTHANT_SCALE_MAX || scaling == ORTHANT_SCALE_TFIDF;
    if (!status && from_all && (!scale || !strcmp(scale, own)))
        status = read_statistics(saved, &statistics);
    else if (!status)
        status = orthant_matrix_scale_statistics(samples, scaling, &statistics);
    if (!status)
        status = orthant_matrix_scale_by(samples, scaling, statistics);
    orthant_matrix_free(statistics);
    return status;
}

static void tell_terms(const orthant_saved_run *saved)
{
    char names[256] = "";
    const json_value *terms = json_member(saved->json, "terms");
    for (const json_value *term = terms ? terms->child : NULL; term; term = term->next)
        text_append(names, sizeof names, "%s%s", *names ? ", " : "",
                    json_member_text(term, "name", "?"));
    if (*names)
        log_note(saved->ctx,
                 "%s: the run's terms (%s) have no part in the encodings: the loss alone does",
                 saved->folder, names);
}

orthant_status orthant_saved_run_transform(orthant_saved_run *saved, const orthant_matrix *samples,
                                           int64_t iterations, double tolerance,
                                           orthant_matrix **encoding)
{
    const orthant_matrix *basis = NULL;
    if (encoding)
        *encoding = NULL;
    if (!saved || !samples || !encoding)
        return refuse_null(saved, "orthant_saved_run_transform");
    const char *loss = json_member_text(saved->json, "loss", "");
    if (!*loss)
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: a run of method '%s' has no loss; transform needs one of a factor model",
                    saved->folder, json_member_text(saved->json, "method", "?"));
    const orthant_status status = orthant_saved_run_factor(saved, "basis", &basis);
    if (status)
        return status;
    tell_terms(saved);
    return orthant_transform(saved->ctx, basis, loss, samples, iterations, tolerance, encoding);
}
