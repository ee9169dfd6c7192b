/* A trial as its user sees it: settings that it owns, and the classes that were drawn. */
#include "orthant/trial.h"

#include <string.h>

#include "core/memory.h"
#include "core/sized.h"
#include "core/text.h"
#include "study/trial.h"

struct orthant_trial {
    orthant_context *ctx;
    int64_t rank;
    setting_list given;
    bool prepared;
    char *name; /* of the data */
    study_draw draw;
    trial inner;
};

orthant_status orthant_trial_create(orthant_context *context, int64_t rank, orthant_trial **t)
{
    if (t)
        *t = NULL;
    const orthant_status refused = entry_check(context, t != NULL, __func__);
    if (refused)
        return refused;
    *t = memory_new(context, 1, sizeof **t, "a trial");
    if (!*t)
        return ORTHANT_ERROR_MEMORY;
    (*t)->ctx = context;
    (*t)->rank = rank;
    return ORTHANT_OK;
}

void orthant_trial_free(orthant_trial *t)
{
    if (!t)
        return;
    trial_free(&t->inner);
    draw_free(&t->draw);
    setting_list_free(t->ctx, &t->given);
    memory_free(t->ctx, t->name);
    memory_free(t->ctx, t);
}

orthant_status orthant_trial_set(orthant_trial *t, const char *name, const char *value)
{
    static const char names[] =
        "method,loss,iterations,tolerance,time-limit,seed,solver,weights,search,restarts,parameter,"
        "term,"
        "graph,similarity,pooling,mask,missing,batch,sample-weights,feature-weights,init,start,fix,"
        "labels,"
        "labelled-fraction,labelled-per-class,classes,"
        "labels-rule,clusters,consensus-threshold,consensus-neighbourhood";
    orthant_context *ctx = t ? t->ctx : NULL;
    if (!t || !name || !value)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "orthant_trial_set: an argument is NULL");
    if (t->prepared)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "setting '%.60s': the trial has its model already; make another trial", name);
    if (!text_in_list(names, name))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "a trial has no setting '%.60s'; it has %s", name,
                    names);
    return setting_list_add(ctx, &t->given, name, value);
}

orthant_status orthant_trial_prepare(orthant_trial *t)
{
    if (!t)
        return ORTHANT_ERROR_ARGUMENT;
    if (t->prepared)
        return ORTHANT_OK;
    const settings given = {t->given.count, t->given.list};
    const orthant_status status = trial_begin(t->ctx, given, t->rank, &t->inner);
    t->prepared = !status;
    if (status)
        trial_free(&t->inner);
    return status;
}

/* Some of the classes, where that was asked for. */
static orthant_status draw_some(orthant_trial *t, const orthant_matrix *samples,
                                const orthant_labels *truth)
{
    const settings *given = &t->inner.given;
    const char *text = settings_value(given, "classes");
    const char *similarity = settings_value(given, "similarity");
    int64_t classes;
    if (!text)
        return ORTHANT_OK;
    if (samples->part.total)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "classes = '%.60s': classes are drawn from all samples in one process", text);
    if (!text_to_int64(text, &classes) || classes < 1)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "classes = '%.60s': expected a number of classes from 1 on", text);
    return draw_classes(t->ctx, t->name, samples, truth, classes, t->inner.seed,
                        similarity && !strcmp(similarity, "given"), &t->draw);
}

orthant_status orthant_trial_set_data(orthant_trial *t, const char *name,
                                      const orthant_matrix *samples, const orthant_labels *truth)
{
    orthant_context *ctx = t ? t->ctx : NULL;
    if (!t || !name || !samples)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "orthant_trial_set_data: an argument is NULL");
    orthant_status status = orthant_trial_prepare(t);
    if (status)
        return status;
    if (t->name)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "orthant_trial_set_data: the trial has data already; make another trial");
    t->name = memory_text(ctx, name);
    if (!t->name)
        return ORTHANT_ERROR_MEMORY;
    status = draw_some(t, samples, truth);
    if (status)
        return status;
    const study_draw *draw = t->draw.samples ? &t->draw : NULL;
    return trial_give(&t->inner, t->name, draw ? draw->samples : samples,
                      draw ? draw->truth : truth, draw);
}

orthant_status orthant_trial_fit(orthant_trial *t)
{
    if (!t || !t->inner.samples)
        return fail(t ? t->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "orthant_trial_fit: there are no data; orthant_trial_set_data gives them");
    if (t->inner.result)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "orthant_trial_fit: the trial is fitted already; make another trial");
    return trial_fit(&t->inner, NULL);
}

orthant_status orthant_trial_label(orthant_trial *t)
{
    if (!t || !t->inner.result)
        return fail(t ? t->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "orthant_trial_label: there is no fit; orthant_trial_fit makes it");
    if (t->inner.labelled)
        return ORTHANT_OK;
    const orthant_status status = trial_label(&t->inner);
    return status ? status : trial_score_clusters(&t->inner);
}

orthant_status orthant_trial_set_checkpoint(orthant_trial *t, const char *path, double seconds,
                                            bool resume)
{
    const orthant_status refused = entry_check(t ? t->ctx : NULL, path != NULL, __func__);
    orthant_status status = refused ? refused : orthant_trial_prepare(t);
    if (status)
        return status;
    if (!(seconds >= 0))
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "a checkpoint every %g seconds: must not be negative", seconds);
    char *copy = memory_text(t->ctx, path);
    if (!copy)
        return ORTHANT_ERROR_MEMORY;
    memory_free(t->ctx, t->inner.checkpoint.path);
    t->inner.checkpoint.path = copy;
    t->inner.checkpoint.interval_s = seconds;
    t->inner.checkpoint.resume = resume;
    return ORTHANT_OK;
}

orthant_status orthant_trial_remove_checkpoint(orthant_trial *t)
{
    orthant_status status = entry_check(t ? t->ctx : NULL, true, __func__);
    if (status || !t->inner.checkpoint.path)
        return status;
    /* behind the last start of a consensus comes its own fit */
    for (int64_t start = 0; start <= trial_starts(&t->inner) && !status; start++) {
        char *path = trial_checkpoint(&t->inner, start);
        status = path ? checkpoint_remove(t->ctx, path) : ORTHANT_ERROR_MEMORY;
        memory_free(t->ctx, path);
    }
    return status;
}

/* ---- what it gives out ------------------------------------------------------------------------
 */

const orthant_model *orthant_trial_model(const orthant_trial *t)
{
    return t ? t->inner.model : NULL;
}

const orthant_matrix *orthant_trial_samples(const orthant_trial *t)
{
    return t ? t->inner.samples : NULL;
}

const orthant_labels *orthant_trial_sample_rows(const orthant_trial *t)
{
    return t ? t->draw.row : NULL;
}

const orthant_labels *orthant_trial_truth(const orthant_trial *t)
{
    return t ? t->inner.truth : NULL;
}

const orthant_result *orthant_trial_result(const orthant_trial *t)
{
    return t ? t->inner.result : NULL;
}

double orthant_trial_seconds(const orthant_trial *t)
{
    return t ? t->inner.seconds : 0;
}

const orthant_labels *orthant_trial_labels(const orthant_trial *t)
{
    return t ? t->inner.found : NULL;
}

const char *orthant_trial_labels_rule(const orthant_trial *t)
{
    return t ? t->inner.rule : "";
}

orthant_status orthant_trial_scores(const orthant_trial *t, orthant_scores *scores)
{
    if (!t || !scores || !t->inner.scored)
        return fail(t ? t->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "orthant_trial_scores: there are no scores: they take labels and the truth");
    return sized_give(t->ctx, "orthant_trial_scores", &t->inner.scores, sizeof *scores, scores);
}

orthant_status orthant_trial_cluster_scores(const orthant_trial *t, orthant_cluster_scores *scores)
{
    if (!t || !scores || !t->inner.cluster_scores.samples)
        return fail(t ? t->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "orthant_trial_cluster_scores: there are no scores: they take labels");
    return sized_give(t->ctx, "orthant_trial_cluster_scores", &t->inner.cluster_scores,
                      sizeof *scores, scores);
}

int orthant_trial_read_out_count(const orthant_trial *t)
{
    return t ? t->inner.read_out_count : 0;
}

orthant_status orthant_trial_read_out(const orthant_trial *t, int index, orthant_read_out *read_out)
{
    if (!t || !read_out || index < 0 || index >= t->inner.read_out_count)
        return fail(t ? t->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "orthant_trial_read_out: there is no read-out %d", index);
    const orthant_read_out *found = &t->inner.read_outs[index];
    return sized_give(t->ctx, "orthant_trial_read_out", found, sizeof *found, read_out);
}

orthant_status orthant_trial_run(const orthant_trial *t, orthant_run *run)
{
    if (!t || !run)
        return fail(t ? t->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "orthant_trial_run: an argument is NULL");
    orthant_run found = trial_run(&t->inner);
    found.truth_labels = t->inner.truth;
    found.sample_rows = t->draw.row;
    found.drawn_classes = settings_value(&t->inner.given, "classes");
    return sized_give(t->ctx, "orthant_trial_run", &found, sizeof found, run);
}
