/* Fits the best of several starts, reads out labels and scores them. */
#include "study/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "data/labels.h"
#include "engine/group.h"
#include "cluster/rescaled.h"
#include "method/ensemble.h"
#include "score/clusters.h"

static int64_t whole_setting(const trial *t, const char *name, int64_t otherwise)
{
    const char *text = settings_value(&t->given, name);
    int64_t value;
    return text && text_to_int64(text, &value) ? value : otherwise;
}

orthant_status trial_begin(orthant_context *ctx, settings given, int64_t rank, trial *t)
{
    char text[64];
    int64_t seed = 0;
    *t = (trial){.ctx = ctx, .given = given, .rank = rank};
    orthant_status status = trial_make_model(t);
    if (!status)
        status = trial_check(t);
    if (!status && !orthant_model_get(t->model, "seed", text, sizeof text))
        text_to_int64(text, &seed);
    t->seed = (uint64_t)seed;
    return status;
}

int64_t trial_columns_per_class(const trial *t)
{
    char text[64];
    int64_t columns;
    return !orthant_model_get(t->model, "basis_per_class", text, sizeof text) &&
                   text_to_int64(text, &columns) && columns > 1
               ? columns
               : 1;
}

orthant_status trial_give(trial *t, const char *data, const orthant_matrix *samples,
                          const orthant_labels *truth, const study_draw *draw)
{
    t->data = data;
    t->samples = samples;
    t->truth = truth;
    return trial_give_inputs(t, draw);
}

/* ---- the fit ----------------------------------------------------------------------------------
 */

char *trial_checkpoint(const trial *t, int64_t start)
{
    const size_t bytes = strlen(t->checkpoint.path) + 24;
    char *path = memory_new(t->ctx, (int64_t)bytes, 1, "a file's name");
    if (path && start == 0)
        snprintf(path, bytes, "%s", t->checkpoint.path);
    else if (path)
        snprintf(path, bytes, "%s.%lld", t->checkpoint.path, (long long)start + 1);
    return path;
}

/* Of several starts each has its own file, which holds how it ended for as long as others run. */
static orthant_status set_checkpoint(trial *t, int64_t start, int64_t starts)
{
    const sample_share share = samples_here(t->samples);
    bool there = false;
    if (!t->checkpoint.path)
        return ORTHANT_OK;
    char *path = trial_checkpoint(t, start);
    orthant_status status =
        path ? orthant_model_set_checkpoint(t->model, path, t->checkpoint.interval_s)
             : ORTHANT_ERROR_MEMORY;
    t->model->checkpoint.at_end = starts > 1;
    if (!status && t->checkpoint.resume && share.rank == 0)
        status = checkpoint_look(t->ctx, path, &there);
    if (t->checkpoint.resume) /* other machines may see the file later, or never */
        group_tell(&share, &there, sizeof there);
    if (!status && t->checkpoint.resume && !there && start == 0)
        log_note(t->ctx, "there is no checkpoint %s: the fit begins", path);
    if (!status)
        status = orthant_model_set_resume(t->model, there ? path : NULL);
    memory_free(t->ctx, path);
    return group_agree(&share, status);
}

static orthant_status prepare_start(void *user, int64_t start)
{
    trial *t = user;
    return set_checkpoint(t, start, trial_starts(t));
}

int64_t trial_starts(const trial *t)
{
    const char *start;
    int64_t starts = 1, wanted;
    for (int i = 0; (start = settings_nth(&t->given, "start", i)); i++)
        if (!start_word(t->ctx, start, &wanted) && wanted)
            starts = wanted;
    return starts;
}

static int64_t trial_clusters(const trial *t)
{
    const int64_t columns = trial_columns_per_class(t);
    const int64_t own = t->rank % columns ? t->rank : t->rank / columns;
    return whole_setting(t, "clusters", own);
}

static int trial_restarts(const trial *t)
{
    return (int)whole_setting(t, "restarts", 10);
}

orthant_status trial_fit(trial *t, kept_graph *kept)
{
    kept_graph own = {0};
    const int64_t starts = trial_starts(t);
    const start_watch before = {prepare_start, NULL, t};
    orthant_consensus_options options;
    bool consensus;
    orthant_status status = trial_consensus(t, &consensus, &options);
    if (status)
        return status;
    /* Several starts share a graph as well. */
    t->model->kept_graph = kept ? kept : starts > 1 ? &own : NULL;
    const char *rule = settings_value(&t->given, "labels-rule");
    if (consensus)
        status = fit_consensus(t->model, t->samples, &options, &before, &t->result);
    else if (rule_is_consensus(rule))
        status = fit_ensemble(t->model, t->samples, starts, rule, trial_clusters(t),
                              trial_restarts(t), &before, &t->result);
    else
        status = fit_starts(t->model, t->samples, starts, &before, &t->result);
    t->model->kept_graph = NULL;
    if (!status)
        t->seconds = t->result->starts.seconds;
    kept_graph_release(&own);
    return status;
}

/* ---- labels -----------------------------------------------------------------------------------
 */

static bool is_better(const orthant_read_out *a, const orthant_read_out *b)
{
    return a->scored ? a->scores.accuracy > b->scores.accuracy : a->spread < b->spread;
}

static orthant_status read_out(trial *t, orthant_read_out *out, int64_t clusters, int restarts,
                               orthant_labels **labels)
{
    orthant_status status = orthant_result_read_out(t->result, out->rule, clusters, restarts,
                                                    t->seed, labels, &out->spread);
    if (!status && t->truth) {
        out->scores.size = sizeof out->scores;
        status = orthant_score_labels(t->ctx, *labels, t->truth, &out->scores);
        out->scored = !status;
    }
    return status;
}

/* Every read-out of the method. The labels are those of the best accuracy where the truth is known,
 * as in the paper, else those of the smallest spread; the rule names it. */
static orthant_status label_best_of(trial *t, int64_t clusters, int restarts)
{
    const char *list = t->method.read_outs;
    int best = 0;
    while (*list && t->read_out_count < TRIAL_READ_OUTS) {
        const int index = t->read_out_count++;
        const size_t length = strcspn(list, ",");
        orthant_read_out *out = &t->read_outs[index];
        orthant_labels *labels = NULL;
        snprintf(t->rules[index], sizeof t->rules[index], "%.*s", (int)length, list);
        *out = (orthant_read_out){.size = sizeof *out, .rule = t->rules[index]};
        out->scores.size = sizeof out->scores;
        const orthant_status status = read_out(t, out, clusters, restarts, &labels);
        const bool better = !index || (!status && is_better(out, &t->read_outs[best]));
        best = better ? index : best;
        orthant_labels_free(better ? t->found : labels);
        t->found = better ? labels : t->found;
        if (status)
            return status;
        list += length + (list[length] == ',');
    }
    t->read_outs[best].chosen = true;
    snprintf(t->rule, sizeof t->rule, "%s", t->rules[best]);
    return ORTHANT_OK;
}

/* "kmeans" is "kmeans:encoding"; the default is the result's own rule. */
static void choose_rule(trial *t)
{
    const char *given = settings_value(&t->given, "labels-rule");
    const char *rule = given ? given : orthant_result_labels_rule(t->result);
    const bool whole = strchr(rule, ':') || !strcmp(rule, "best-of");
    snprintf(t->rule, sizeof t->rule, "%s%s", rule, whole ? "" : ":encoding");
}

static orthant_status score(trial *t)
{
    if (!t->truth)
        return ORTHANT_OK;
    t->scores.size = sizeof t->scores;
    const orthant_status status = orthant_score_labels(t->ctx, t->found, t->truth, &t->scores);
    t->scored = !status;
    return status;
}

/* From factors with a row for each sample. */
static orthant_status label_whole(trial *t, int64_t clusters, int restarts)
{
    const orthant_status status =
        !strcmp(t->rule, "best-of") && *t->method.read_outs
            ? label_best_of(t, clusters, restarts)
            : orthant_result_labels(t->result, t->rule, clusters, restarts, t->seed, &t->found);
    return status ? status : score(t);
}

/* Each process labels its own samples; the first has the labels of all. */
static orthant_status label_own(trial *t, const sample_share *s)
{
    orthant_labels *own = NULL;
    const bool first = s->rank == 0;
    orthant_status status = ORTHANT_OK;
    int64_t *all = first ? memory_new(t->ctx, s->cut.samples, sizeof *all, "labels") : NULL;
    if (first && !all)
        status = ORTHANT_ERROR_MEMORY;
    else if (s->rows > 0)
        status = orthant_result_labels(t->result, t->rule, 1, 1, t->seed, &own);
    if (!(status = group_agree(s, status)))
        status = group_whole_numbers(s, own ? own->values : NULL, all);
    if (!status && first)
        status = orthant_labels_create(t->ctx, s->cut.samples, all, &t->found);
    if (!status && first)
        status = score(t);
    memory_free(t->ctx, all);
    orthant_labels_free(own);
    return group_agree(s, status);
}

/* Rows of all processes take the place of the first one's own for as long as it needs them. */
typedef struct gathering {
    orthant_matrix *part[FIT_MOST_FACTORS];
    int64_t samples;
} gathering;

static orthant_status gather_factors(orthant_result *result, const sample_share *s, gathering *g)
{
    orthant_status status = ORTHANT_OK;
    *g = (gathering){.samples = result->samples};
    for (int i = 0; i < result->factor_count && !status; i++) {
        orthant_matrix *whole = NULL;
        if (!samples_here(result->factors[i].matrix).shared)
            continue;
        status = group_whole_matrix(s, result->factors[i].matrix, false, &whole);
        if (whole) {
            g->part[i] = result->factors[i].matrix;
            result->factors[i].matrix = whole;
            result->samples = whole->rows;
        }
    }
    return status;
}

static void give_factors_back(orthant_result *result, const gathering *g)
{
    for (int i = 0; i < result->factor_count; i++)
        if (g->part[i]) {
            orthant_matrix_free(result->factors[i].matrix);
            result->factors[i].matrix = g->part[i];
        }
    result->samples = g->samples;
}

static orthant_status label_gathered(trial *t, const sample_share *s, int64_t clusters,
                                     int restarts)
{
    gathering g;
    orthant_status status = gather_factors(t->result, s, &g);
    if (!status && s->rank == 0)
        status = label_whole(t, clusters, restarts);
    give_factors_back(t->result, &g);
    return group_agree(s, status);
}

/* Each process has its own labels and encodings. */
static orthant_status score_own_clusters(trial *t, const sample_share *s,
                                         orthant_cluster_scores *scores)
{
    orthant_labels *own = NULL;
    orthant_matrix *copy = NULL;
    const orthant_matrix *factor = NULL;
    orthant_status status = ORTHANT_OK;
    if (s->rows > 0)
        status = orthant_result_labels(t->result, t->rule, 1, 1, t->seed, &own);
    if (!status)
        status = clusters_points(t->result, t->rule, &factor, &copy);
    status = group_agree(s, status);
    if (!status)
        status = clusters_score(s, copy ? copy : factor, own ? own->values : NULL, factor->columns,
                                scores);
    orthant_matrix_free(copy);
    orthant_labels_free(own);
    return status;
}

static orthant_status score_gathered_clusters(trial *t, const sample_share *s,
                                              orthant_cluster_scores *scores)
{
    gathering g;
    orthant_status status = gather_factors(t->result, s, &g);
    if (!status && s->rank == 0)
        status = orthant_result_score_clusters(t->result, t->rule, t->found, scores);
    give_factors_back(t->result, &g);
    return group_agree(s, status);
}

orthant_status trial_score_clusters(trial *t)
{
    const sample_share s = samples_here(t->samples);
    const bool own = !strncmp(t->rule, "argmax:", 7) && s.cut.samples > CLUSTERS_EXACT_SAMPLES;
    t->cluster_scores.size = sizeof t->cluster_scores;
    if (!s.shared)
        return orthant_result_score_clusters(t->result, t->rule, t->found, &t->cluster_scores);
    return own ? score_own_clusters(t, &s, &t->cluster_scores)
               : score_gathered_clusters(t, &s, &t->cluster_scores);
}

orthant_status trial_label(trial *t)
{
    const int64_t clusters = trial_clusters(t);
    const int restarts = trial_restarts(t);
    const sample_share s = samples_here(t->samples);
    choose_rule(t);
    const orthant_status status = !s.shared ? label_whole(t, clusters, restarts)
                                  : !strncmp(t->rule, "argmax:", 7)
                                      ? label_own(t, &s)
                                      : label_gathered(t, &s, clusters, restarts);
    t->labelled = !status;
    return status;
}

orthant_run trial_run(const trial *t)
{
    const char *labels = settings_value(&t->given, "labels");
    const char *fraction = settings_value(&t->given, "labelled-fraction");
    return (orthant_run){
        .size = sizeof(orthant_run),
        .init = t->init_folder,
        .graph = t->graph ? settings_value(&t->given, "graph") : NULL,
        .labelled = labels     ? labels
                    : fraction ? fraction
                               : settings_value(&t->given, "labelled-per-class"),
        .samples = t->samples,
        .model = t->model,
        .result = t->result,
        .labels = t->found,
        .labels_rule = t->found ? t->rule : NULL,
        .scores = t->scored ? &t->scores : NULL,
        .cluster_scores = t->cluster_scores.samples ? &t->cluster_scores : NULL,
        .read_outs = t->read_outs,
        .read_out_count = t->read_out_count,
    };
}

void trial_free(trial *t)
{
    orthant_labels_free(t->found);
    orthant_result_free(t->result);
    orthant_model_free(t->model);
    for (int i = 0; i < t->start_count; i++)
        orthant_matrix_free(t->starts[i]);
    orthant_matrix_free(t->fixed_parts);
    orthant_matrix_free(t->pooling);
    for (int i = 0; i < 3; i++)
        orthant_matrix_free(t->weights[i]);
    orthant_graph_free(t->graph);
    orthant_labels_free(t->known);
    memory_free(t->ctx, t->checkpoint.path);
    *t = (trial){.ctx = t->ctx};
}
