/* Checkpoints of a fit: the settings and the data that one is good for, and where it is written. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/checksum.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/labels.h"
#include "method/method.h"
#include "orthant/orthant.h"
#include "term/terms.h"

#define SETTINGS_BYTES 16384
#define MOST_TOLD 3 /* differences, in a message */

/* A fit that goes on may have others: they say when it ends, not what its iterations are. */
static const char free_parameters[] = "iterations,tolerance,time_limit";

/* ------------------------------------------------------------------ the settings */

static void add_matrix(const fit *f, char *text, const char *name, const orthant_matrix *matrix)
{
    if (!matrix)
        return;
    uint64_t checksum = matrix_checksum(f->ctx, matrix);
    if (matrix->part.total)
        group_add_checksums(&f->checkpoints.share, &checksum, 1);
    text_append(text, SETTINGS_BYTES, "%s=%lld x %lld %s %s, checksum %016" PRIx64 "\n", name,
                (long long)matrix_total(matrix), (long long)matrix->columns,
                matrix->precision == ORTHANT_SINGLE ? "single" : "double",
                matrix->sparse ? "sparse" : "dense", checksum);
}

static void add_inputs(const fit *f, char *text)
{
    const orthant_model *model = f->model;
    char name[48];
    add_matrix(f, text, "data", f->samples);
    add_matrix(f, text, "given graph", model->graph ? model->graph->adjacency : NULL);
    add_matrix(f, text, "given pooling", model->pooling);
    add_matrix(f, text, "given similarity", model->similarity);
    add_matrix(f, text, "fixed basis", model->fixed_basis);
    add_matrix(f, text, "mask", f->weights.entries.mask);
    if (f->weights.known)
        text_append(text, SETTINGS_BYTES, "known entries=checksum %016" PRIx64 "\n",
                    checksum_bytes(f->weights.known,
                                   (size_t)(f->samples->rows * f->weights.entries.known_stride),
                                   0));
    add_matrix(f, text, "given sample weights", model->sample_weights);
    add_matrix(f, text, "given feature weights", model->feature_weights);
    if (model->labels)
        text_append(text, SETTINGS_BYTES, "given labels=%lld, checksum %016" PRIx64 "\n",
                    (long long)model->labels->count,
                    checksum_bytes(model->labels->values,
                                   (size_t)model->labels->count * sizeof *model->labels->values,
                                   0));
    for (int i = 0; i < model->start_count; i++) {
        snprintf(name, sizeof name, "given %s", model->starts[i].name);
        add_matrix(f, text, name, model->starts[i].matrix);
    }
}

/* A line for each; the data last, as they take a pass over X. */
static char *describe(const fit *f)
{
    const orthant_model *model = f->model;
    const parameter_set *set = &model->parameters;
    char *text = memory_new(f->ctx, SETTINGS_BYTES, 1, "the settings of a fit");
    if (!text)
        return NULL;
    text_append(text, SETTINGS_BYTES, "version=%s\nmethod=%s\nrank=%lld\nterms=", orthant_version(),
                model->method->name, (long long)model->rank);
    for (int i = 0; i < model->term_count; i++)
        text_append(text, SETTINGS_BYTES, "%s%s", i ? "," : "", model->terms[i]->name);
    text_append(text, SETTINGS_BYTES, "\n");
    for (int i = 0; i < set->count; i++)
        if (!text_in_list(free_parameters, set->info[i]->name))
            text_append(text, SETTINGS_BYTES, "%s=%s\n", set->info[i]->name, set->text[i]);
    if (f->result->device[0])
        text_append(text, SETTINGS_BYTES, "device=%.*s%s\n", (int)strcspn(f->result->device, ":"),
                    f->result->device, f->ctx->rounds_products ? ", rounded products" : "");
    add_inputs(f, text);
    return text;
}

static const char *settings_of(void *user)
{
    fit *f = user;
    if (!f->checkpoints.settings && !(f->checkpoints.settings = describe(f)))
        group_abandon(&f->checkpoints.share, ORTHANT_ERROR_MEMORY, f->ctx->message);
    return f->checkpoints.settings;
}

/* ------------------------------------------------------------------ what differs */

typedef struct line {
    const char *name, *value;
    int name_length, value_length;
} line;

static bool next_line(const char **text, line *l)
{
    const char *end = strchr(*text, '\n'), *equals = strchr(*text, '=');
    if (!end || !equals || equals > end)
        return false;
    *l = (line){*text, equals + 1, (int)(equals - *text), (int)(end - equals - 1)};
    *text = end + 1;
    return true;
}

static bool find_line(const char *text, const line *like, line *found)
{
    while (next_line(&text, found))
        if (found->name_length == like->name_length &&
            !memcmp(found->name, like->name, (size_t)like->name_length))
            return true;
    return false;
}

static void tell(char *told, size_t size, int count, const line *was, const line *now)
{
    const line *either = was ? was : now;
    if (count >= MOST_TOLD) {
        if (count == MOST_TOLD)
            text_append(told, size, ", ...");
        return;
    }
    text_append(told, size, "%s%.*s was %.*s, is %.*s", count ? "; " : "", either->name_length,
                either->name, was ? was->value_length : 7, was ? was->value : "not set",
                now ? now->value_length : 7, now ? now->value : "not set");
}

/* Lines of `from` that `other` does not have alike; those of `other` alone come second. */
static int tell_differences(const char *before, const char *now, char *told, size_t size)
{
    int count = 0;
    line one, two;
    for (const char *at = before; next_line(&at, &one);) {
        const bool there = find_line(now, &one, &two);
        if (!there || one.value_length != two.value_length ||
            memcmp(one.value, two.value, (size_t)one.value_length))
            tell(told, size, count++, &one, there ? &two : NULL);
    }
    for (const char *at = now; next_line(&at, &two);)
        if (!find_line(before, &two, &one))
            tell(told, size, count++, NULL, &two);
    return count;
}

/* ------------------------------------------------------------------ begin and end */

static orthant_status open_last(fit *f, const char *path)
{
    char told[512] = "";
    checkpoint_reader *from = &f->checkpoints.from;
    const sample_share *share = f->checkpoints.share.shared ? &f->checkpoints.share : NULL;
    const orthant_status status = checkpoint_open(from, f->ctx, path, share);
    if (status)
        return status;
    const char *settings = settings_of(f);
    if (!settings)
        return ORTHANT_ERROR_MEMORY;
    if (tell_differences(from->settings, settings, told, sizeof told))
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: is a checkpoint of another fit: %s. Only %s may differ", from->file, told,
                    "iterations, tolerance and time_limit");
    f->checkpoints.keeper.from = from;
    return ORTHANT_OK;
}

orthant_status fit_begin_checkpoints(fit *f)
{
    const orthant_model *model = f->model;
    fit_checkpoints *c = &f->checkpoints;
    orthant_status status = ORTHANT_OK;
    c->share = samples_here(f->samples);
    c->keeper = (loop_keeper){.interval_s = model->checkpoint.interval_s,
                              .at_end = model->checkpoint.at_end,
                              .settings = settings_of,
                              .user = f,
                              .iterations = -1};
    if (model->checkpoint.resume)
        status = open_last(f, model->checkpoint.resume);
    if (!status && model->checkpoint.path) {
        status = checkpoint_begin(&c->to, f->ctx, model->checkpoint.path,
                                  c->share.shared ? &c->share : NULL,
                                  model->checkpoint.resume ? c->from.file : NULL);
        c->keeper.to = &c->to;
    }
    return status;
}

orthant_status fit_end_checkpoints(fit *f, orthant_status status)
{
    fit_checkpoints *c = &f->checkpoints;
    if (status && c->keeper.to && c->keeper.iterations >= 0) {
        char message[sizeof f->ctx->message];
        memcpy(message, f->ctx->message, sizeof message);
        fail(f->ctx, status, "%.700s; %.250s holds what was reached until iteration %lld", message,
             c->to.path, (long long)c->keeper.iterations);
    }
    if (f->result && c->keeper.resumed)
        f->result->resumed = c->keeper.resumed;
    checkpoint_release(&c->to);
    checkpoint_close(&c->from);
    memory_free(f->ctx, c->settings);
    *c = (fit_checkpoints){0};
    return status;
}

/* ------------------------------------------------------------------ the model's part */

static orthant_status set_path(orthant_model *model, char **path, const char *value)
{
    char *copy = value ? memory_text(model->ctx, value) : NULL;
    if (value && !copy)
        return ORTHANT_ERROR_MEMORY;
    memory_free(model->ctx, *path);
    *path = copy;
    return ORTHANT_OK;
}

orthant_status orthant_model_set_checkpoint(orthant_model *model, const char *path, double seconds)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, true, __func__);
    if (refused)
        return refused;
    if (!(seconds >= 0))
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "a checkpoint every %g seconds: must not be negative", seconds);
    model->checkpoint.interval_s = seconds;
    return set_path(model, &model->checkpoint.path, path);
}

orthant_status orthant_model_set_resume(orthant_model *model, const char *path)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, true, __func__);
    return refused ? refused : set_path(model, &model->checkpoint.resume, path);
}

orthant_status orthant_checkpoint_remove(orthant_context *context, const char *path)
{
    const orthant_status refused = entry_check(context, path != NULL, __func__);
    return refused ? refused : checkpoint_remove(context, path);
}
