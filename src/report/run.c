/* Writes a run folder: run.json, history, factors, labels, scaling and report. */
#include "report/run.h"

#include <math.h>
#include <string.h>

#include "cluster/rescaled.h"
#include "core/file_checksum.h"
#include "core/memory.h"
#include "core/sized.h"
#include "engine/group.h"
#include "method/fit.h"
#include "method/method.h"
#include "report/cluster_cards.h"
#include "report/consensus_page.h"
#include "report/folder.h"
#include "report/heat.h"
#include "report/history.h"
#include "report/named.h"
#include "report/page.h"
#include "report/provenance.h"
#include "report/run_json.h"
#include "report/sample_map.h"
#include "report/text_file.h"
#include "report/text_output.h"
#include "report/words.h"
#include "term/terms.h"

#define SIZES_TOLD 256

/* ---- run.json ---------------------------------------------------------------------------------
 */

static const char *model_loss(const orthant_model *model)
{
    if (parameter_has(&model->parameters, "loss"))
        return parameter_text(&model->parameters, "loss");
    return model->method->loss ? model->method->loss : "";
}

/* The parameter `init` as it was used: it says nothing where every factor had a start. */
static const char *used_init(const orthant_run *run, const char *parameter)
{
    const orthant_model *model = run->model;
    int count = 1;
    if (run->init)
        return run->init;
    for (const char *c = model->method->factors; *c; c++)
        count += *c == ',';
    return model->start_count >= count ? "given" : parameter;
}

/* The file that weights came from. */
static void describe_weights(json_writer *json, const char *key, const orthant_matrix *given)
{
    if (given)
        json_text(json, key, given->name ? given->name : "given");
}

static orthant_status describe_model(orthant_context *ctx, json_writer *json,
                                     const orthant_run *run)
{
    const orthant_model *model = run->model;
    const parameter_set *set = &model->parameters;
    json_text(json, "method", model->method->name);
    json_text(json, "loss", model_loss(model));
    json_open_array(json, "terms");
    for (int i = 0; i < model->term_count; i++) {
        json_open_object(json, NULL);
        json_text(json, "name", model->terms[i]->name);
        json_number(json, "weight",
                    run->result ? orthant_result_term_weight(run->result, i)
                                : parameter_number(set, model->terms[i]->parameters[0].name));
        json_close(json);
    }
    json_close(json);
    json_open_object(json, "parameters");
    for (int i = 0; i < set->count; i++)
        if (!strcmp(set->info[i]->name, "init"))
            json_text(json, "init", used_init(run, set->text[i]));
        else if (set->info[i]->choices)
            json_text(json, set->info[i]->name, set->text[i]);
        else
            json_number_or_text(json, set->info[i]->name, set->text[i]);
    json_close(json);
    orthant_status status = provenance_starts(ctx, json, model);
    if (model->fixed_basis) {
        json_text(json, "fixed_basis", model->fixed_basis->name);
        json_integer(json, "fixed_parts", model->fixed_basis->columns);
    }
    if (!status)
        status = provenance_graph(ctx, json, run);
    describe_weights(json, "mask", model->mask);
    describe_weights(json, "sample_weights", model->sample_weights);
    describe_weights(json, "feature_weights", model->feature_weights);
    json_integer(json, "rank", model->rank);
    json_integer(json, "seed", parameter_whole(set, "seed"));
    return status;
}

static void describe_result(json_writer *json, const orthant_run *run)
{
    const orthant_result *result = run->result;
    json_integer(json, "iterations", orthant_result_iterations(result));
    json_number(json, "seconds", orthant_result_seconds(result));
    json_number(json, "objective", orthant_result_objective(result));
    provenance_restarts(json, run);
    if (result->consensus)
        consensus_describe(json, result->consensus);
    json_number(json, "relative_error", orthant_result_relative_error(result));
    json_number(json, "explained_variance", orthant_result_explained_variance(result));
    if (result->missing >= 0) {
        json_integer(json, "missing_entries", result->missing);
        json_text(json, "error_of", "known entries, by their weights");
    }
    if (result->solver)
        json_text(json, "solver", result->solver);
    if (result->device[0])
        json_text(json, "device", result->device);
    json_number(json, "projected_gradient", orthant_result_projected_gradient(result));
    json_truth(json, "converged", orthant_result_converged(result));
    if (orthant_result_minimal_encodings(result))
        json_truth(json, "minimal_encodings", true);
    json_truth(json, "stopped", orthant_result_stopped(result));
    if (result->resumed)
        json_integer(json, "resumed_after", result->resumed);
    json_integer(json, "dead_columns", orthant_result_dead_columns(result));
    json_open_array(json, "factors");
    for (int i = 0; i < orthant_result_factor_count(result); i++)
        json_text(json, NULL, orthant_result_factor_name(result, i));
    json_close(json);
    json_open_array(json, "notes");
    for (int i = 0; i < orthant_result_note_count(result); i++)
        json_text(json, NULL, orthant_result_note(result, i));
    json_close(json);
}

/* Those that a truth is needed for, and what each is normalised by. */
static void describe_information(json_writer *json, const orthant_scores *scores)
{
    json_text(json, "nmi_normalisation", "max");
    json_number(json, "nmi_arithmetic", scores->nmi_arithmetic);
    json_number(json, "nmi_geometric", scores->nmi_geometric);
    json_number(json, "nmi_min", scores->nmi_min);
    json_number(json, "ami", scores->ami);
    json_number(json, "homogeneity", scores->homogeneity);
    json_number(json, "completeness", scores->completeness);
    json_number(json, "v_measure", scores->v_measure);
}

static void describe_clusters(json_writer *json, const orthant_cluster_scores *scores,
                              const int64_t *sizes)
{
    json_number(json, "silhouette", scores->silhouette);
    json_text(json, "silhouette_kind", scores->exact ? "exact" : "simplified");
    json_number(json, "cohesion", scores->cohesion);
    json_integer(json, "smallest_cluster", scores->smallest);
    json_integer(json, "largest_cluster", scores->largest);
    if (!sizes)
        return;
    json_open_array(json, "cluster_sizes");
    for (int64_t l = 0; l < scores->clusters; l++)
        json_integer(json, NULL, sizes[l]);
    json_close(json);
}

static void describe_scores(json_writer *json, const orthant_run *run, double sparseness,
                            const orthant_cluster_scores *clusters, const int64_t *sizes)
{
    orthant_scores own = {0};
    const orthant_scores *scores =
        run->scores && !sized_take(NULL, "", run->scores, &own, sizeof own) ? &own : NULL;
    json_open_object(json, "scores");
    if (scores) {
        json_number(json, "accuracy", scores->accuracy);
        json_number(json, "nmi", scores->nmi);
        json_number(json, "ari", scores->ari);
        json_number(json, "purity", scores->purity);
        json_integer(json, "samples", scores->samples);
        json_integer(json, "clusters", scores->clusters);
        json_integer(json, "classes", scores->classes);
        describe_information(json, scores);
    }
    if (clusters->samples)
        describe_clusters(json, clusters, sizes);
    json_number(json, "sparseness", sparseness);
    json_close(json);
}

static void describe_read_outs(json_writer *json, const orthant_run *run)
{
    if (!run->read_outs || run->read_out_count < 1)
        return;
    json_open_array(json, "read_outs");
    for (int i = 0; i < run->read_out_count; i++) {
        /* The caller's structs are as long as the first says. */
        orthant_read_out own = {0};
        const orthant_read_out *read_out = &own;
        sized_take(NULL, "", (const char *)run->read_outs + (size_t)i * run->read_outs->size, &own,
                   sizeof own);
        json_open_object(json, NULL);
        json_text(json, "rule", read_out->rule);
        json_number(json, "spread", read_out->spread);
        if (read_out->scored) {
            json_number(json, "accuracy", read_out->scores.accuracy);
            json_number(json, "nmi", read_out->scores.nmi);
        }
        json_truth(json, "chosen", read_out->chosen);
        json_close(json);
    }
    json_close(json);
}

/* Those of the result's samples; the first process alone where they are not shared. */
static sample_share run_share(orthant_context *ctx, const orthant_run *run)
{
    const orthant_result *result = run->result;
    for (int i = 0; result && i < result->factor_count; i++) {
        const orthant_matrix *factor = result->factors[i].matrix;
        if (samples_here(factor).shared)
            return samples_here_of(ctx, factor->part.total, result->features, true);
    }
    return samples_here_of(ctx, 1, 1, false);
}

/* What run.json tells, in which all processes that share the samples have a part. */
typedef struct described_run {
    const orthant_run *run;
    double sparseness;               /* of the encodings */
    orthant_cluster_scores clusters; /* samples: 0 where they are not known */
    bool sized;                      /* there are labels, of few clusters: */
    int64_t sizes[SIZES_TOLD];       /* of the clusters */
} described_run;

static orthant_status look_at_clusters(orthant_context *ctx, const orthant_run *run,
                                       orthant_cluster_scores *clusters)
{
    clusters->size = sizeof *clusters;
    if (run->cluster_scores)
        return sized_take(ctx, "orthant_run", run->cluster_scores, clusters, sizeof *clusters);
    if (!run->result || !run->labels || !run->labels_rule || run_share(ctx, run).shared)
        return ORTHANT_OK;
    return orthant_result_score_clusters(run->result, run->labels_rule, run->labels, clusters);
}

static orthant_status look_at(orthant_context *ctx, const orthant_run *run, described_run *all)
{
    const orthant_matrix *encoding =
        run->result ? orthant_result_factor(run->result, "encoding") : NULL;
    *all = (described_run){
        .run = run, .sparseness = encoding ? orthant_score_sparseness(encoding) : (double)NAN};
    const orthant_status status = look_at_clusters(ctx, run, &all->clusters);
    all->sized = !status && run->labels && all->clusters.clusters <= SIZES_TOLD;
    return all->sized ? orthant_labels_sizes(run->labels, SIZES_TOLD, all->sizes) : status;
}

/* Lines as an array of texts. */
static orthant_status describe_reasons(orthant_context *ctx, json_writer *json, const char *lines)
{
    orthant_status status = ORTHANT_OK;
    if (!lines)
        return ORTHANT_OK;
    json_open_array(json, "rank_reasons");
    while (*lines && !status) {
        const size_t length = strcspn(lines, "\n");
        char *line = memory_new(ctx, (int64_t)length + 1, 1, "a reason");
        if (line) {
            memcpy(line, lines, length);
            json_text(json, NULL, line);
        } else {
            status = ORTHANT_ERROR_MEMORY;
        }
        memory_free(ctx, line);
        lines += length + (lines[length] == '\n');
    }
    json_close(json);
    return status;
}

/* One object, for the run.json of `folder`; NULL: for the screen. Takes the checksum of the data,
 * so it can fail. */
static orthant_status describe(orthant_context *ctx, const void *described, const char *folder,
                               json_writer *json)
{
    const described_run *all = described;
    const orthant_run *run = all->run;
    json_open_object(json, NULL);
    orthant_status status = run->model ? describe_model(ctx, json, run) : ORTHANT_OK;
    run_json_context(ctx, json);
    if (run->result)
        describe_result(json, run);
    if (!status)
        status = describe_reasons(ctx, json, run->rank_reasons);
    if (!status)
        status = run_data_describe(ctx, run, json);
    if (run->labelled)
        json_number_or_text(json, "labelled", run->labelled);
    else
        json_text(json, "labelled", NULL);
    provenance_truth(json, run);
    if (run->drawn_classes)
        json_number_or_text(json, "drawn_classes", run->drawn_classes);
    describe_scores(json, run, all->sparseness, &all->clusters, all->sized ? all->sizes : NULL);
    json_text(json, "labels_rule", run->labels_rule);
    /* columns of encodings were multiplied by the lengths of the basis's before */
    if (run->labels && run->labels_rule && rule_is_scaled(run->labels_rule) && run->result &&
        orthant_result_factor(run->result, "basis"))
        json_text(json, "labels_scale", "basis");
    describe_read_outs(json, run);
    json_text(json, "scale", run->scale ? run->scale : "none");
    const orthant_status ended = run_json_end(ctx, json, run->command, status ? NULL : folder);
    return status ? status : ended;
}

/* ---- the folder -------------------------------------------------------------------------------
 */

static orthant_status write_history(orthant_context *ctx, const orthant_run *run,
                                    const char *folder)
{
    char *path = path_join(ctx, folder, "history.csv");
    const orthant_status status =
        path ? history_write(ctx, run->result, path) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    return status;
}

static char *factor_path(orthant_context *ctx, const orthant_result *result, int index,
                         const char *folder)
{
    char name[64];
    snprintf(name, sizeof name, "%s.npy", result->factors[index].name);
    return path_join(ctx, folder, name);
}

static orthant_status write_factors(orthant_context *ctx, const orthant_run *run,
                                    const char *folder)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < orthant_result_factor_count(run->result) && !status; i++) {
        const orthant_matrix *factor = run->result->factors[i].matrix;
        if (samples_here(factor).shared)
            continue;
        char *path = factor_path(ctx, run->result, i, folder);
        status = path ? orthant_matrix_write(ctx, factor, path) : ORTHANT_ERROR_MEMORY;
        memory_free(ctx, path);
    }
    return status;
}

/* Factors that processes share: each writes its own rows. The first one knows the folder. */
static orthant_status write_shared(const sample_share *s, const orthant_run *run,
                                   const char *folder)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; run->result && i < run->result->factor_count && !status; i++) {
        const orthant_matrix *factor = run->result->factors[i].matrix;
        if (!samples_here(factor).shared)
            continue;
        char *path = folder ? factor_path(s->ctx, run->result, i, folder) : NULL;
        status = group_agree(s, folder && !path ? ORTHANT_ERROR_MEMORY : ORTHANT_OK);
        if (!status)
            status = group_write_npy(s, factor, path);
        memory_free(s->ctx, path);
    }
    return status;
}

static orthant_status write_matrix(orthant_context *ctx, const orthant_matrix *matrix,
                                   const char *folder, const char *name)
{
    if (!matrix)
        return ORTHANT_OK;
    char *path = path_join(ctx, folder, name);
    const orthant_status status =
        path ? orthant_matrix_write(ctx, matrix, path) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    return status;
}

/* What codes of new samples take beside the factors. */
static orthant_status write_inputs(orthant_context *ctx, const orthant_run *run, const char *folder)
{
    orthant_status status = write_matrix(ctx, run->scale_statistics, folder, "scale.npy");
    if (!status && run->model)
        status = write_matrix(ctx, run->model->pooling, folder, "pooling.npy");
    if (!status && run->model)
        status = write_matrix(ctx, run->model->feature_weights, folder, "feature_weights.npy");
    return status;
}

static orthant_status write_labels(orthant_context *ctx, const orthant_labels *labels,
                                   const char *folder, const char *name)
{
    if (!labels)
        return ORTHANT_OK;
    char *path = path_join(ctx, folder, name);
    const orthant_status status =
        path ? orthant_labels_write(ctx, labels, path) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    return status;
}

/* What the report shows of the samples themselves, which the folder does not hold. */
static orthant_status write_similarity(orthant_context *ctx, const orthant_run *run,
                                       const char *folder)
{
    sample_order order;
    const orthant_matrix *encoding = orthant_result_factor(run->result, "encoding");
    if (!encoding)
        return ORTHANT_OK;
    orthant_status status = sample_order_make(ctx, run->labels, encoding, HEAT_SAMPLES, &order);
    if (!status)
        status = heat_write_data(ctx, folder, run->samples, &order);
    sample_order_free(&order);
    return status;
}

static orthant_status write_samples(orthant_context *ctx, const orthant_run *run,
                                    const char *folder)
{
    const orthant_matrix *basis = run->result ? orthant_result_factor(run->result, "basis") : NULL;
    orthant_status status = write_labels(ctx, run->labels, folder, "labels.csv");
    if (!status)
        status = write_labels(ctx, run->truth_labels, folder, "truth.csv");
    if (!status)
        status = named_write_samples(ctx, run, folder);
    /* where processes share the samples, no one has them all */
    if (!status && run->samples && !run->samples->part.total && run->result && !run->without_report)
        status = write_similarity(ctx, run, folder);
    if (!status && run->samples && !run->samples->part.total && run->result && !run->without_report)
        status = cluster_cards_write(ctx, run, folder);
    if (!status && run->samples && !run->samples->part.total && run->result && !run->without_report)
        status = sample_map_write(ctx, run, folder);
    if (!status && basis && (run->words || named_features(run, basis)))
        status = words_write(ctx, basis, run->words, run->samples, folder);
    if (!status && named_features(run, basis))
        status = named_write_basis(ctx, run, basis, folder);
    return status;
}

static orthant_status write_files(orthant_context *ctx, const described_run *described,
                                  const char *folder)
{
    const orthant_run *run = described->run;
    orthant_status status = ORTHANT_OK;
    if (run->result)
        status = write_history(ctx, run, folder);
    if (!status && run->result)
        status = write_factors(ctx, run, folder);
    if (!status && run->result && run->result->consensus)
        status = consensus_write(run->result->consensus, folder, !run->without_report);
    if (!status)
        status = write_inputs(ctx, run, folder);
    if (!status)
        status = write_samples(ctx, run, folder);
    return status ? status : run_json_write(ctx, folder, describe, described);
}

/* The run takes its name before anything is drawn: a report that fails takes no run with it. */
static orthant_status write_run(const sample_share *s, const described_run *described,
                                const char *folder)
{
    staging stage;
    gnuplot drawer = GNUPLOT_NONE;
    const bool reports = described->run->model && !described->run->without_report;
    orthant_status status = group_agree(s, staging_begin(s->ctx, folder, &stage));
    if (status)
        return status;
    /* It is ready when there is something to draw, and goes with the folder that it stands in. */
    if (reports && !stage.inside)
        gnuplot_start(&drawer, stage.path);
    status = write_shared(s, described->run, stage.path);
    if (!status)
        status = write_files(s->ctx, described, stage.path);
    status = staging_end(&stage, status);
    if (!status && reports)
        status = page_report(s->ctx, folder, &drawer);
    gnuplot_end(&drawer);
    return group_agree(s, status);
}

/* What processes other than the first have to do with it. */
static orthant_status write_own_rows(const sample_share *s, const orthant_run *run)
{
    orthant_status status = group_agree(s, ORTHANT_OK);
    if (status)
        return status;
    return group_agree(s, write_shared(s, run, NULL));
}

orthant_status orthant_run_write(orthant_context *context, const orthant_run *run,
                                 const char *folder)
{
    orthant_run own;
    const orthant_status refused = entry_check(context, run && folder, __func__);
    if (refused)
        return refused;
    const orthant_status status = sized_take(context, "orthant_run_write", run, &own, sizeof own);
    if (status)
        return status;
    described_run described;
    const sample_share s = run_share(context, &own);
    const orthant_status looked = look_at(context, &own, &described);
    if (looked)
        return looked;
    return s.rank > 0 ? write_own_rows(&s, &own) : write_run(&s, &described, folder);
}

orthant_status orthant_run_describe(orthant_context *context, const orthant_run *run, char **text)
{
    text_output output;
    orthant_run own;
    if (text)
        *text = NULL;
    const orthant_status refused = entry_check(context, run && text, __func__);
    if (refused)
        return refused;
    described_run described;
    orthant_status status = sized_take(context, "orthant_run_describe", run, &own, sizeof own);
    if (!status)
        status = look_at(context, &own, &described);
    if (!status)
        status = text_output_begin(context, &output);
    if (status)
        return status;
    json_writer json = {.file = output.file, .compact = true};
    return text_output_end(&output, describe(context, &described, NULL, &json), text);
}
