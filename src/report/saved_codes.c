/* New samples under a stored run: what the fit minimised, by its terms, parameters and weights as
 * the folder holds them, and clusters by the rule that the fit's own came by. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/rescaled.h"
#include "core/file_checksum.h"
#include "core/memory.h"
#include "core/sized.h"
#include "data/matrix.h"
#include "report/run.h"
#include "report/saved_run.h"
#include "term/terms.h"

#define METHOD(saved) json_member_text((saved)->json, "method", "?")

/* ------------------------------------------------------------------ the model */

/* A parameter as run.json has it, a number or a text. */
static orthant_status take_parameter(orthant_model *model, const json_value *parameters,
                                     const char *name)
{
    char text[40];
    const json_value *value = json_member(parameters, name);
    if (!value)
        return ORTHANT_OK;
    const double number = json_member_number(parameters, name);
    snprintf(text, sizeof text, "%.17g", number);
    return orthant_model_set(model, name,
                             isnan(number) ? json_member_text(parameters, name, "") : text);
}

static orthant_status take_terms(const orthant_saved_run *saved, orthant_model *model,
                                 const json_value *parameters)
{
    const json_value *terms = json_member(saved->json, "terms");
    orthant_status status = ORTHANT_OK;
    for (const json_value *t = terms ? terms->child : NULL; t && !status; t = t->next) {
        const char *name = json_member_text(t, "name", "");
        const term_kind *kind = term_kind_find(name);
        const double weight = json_member_number(t, "weight");
        if (!kind || !isfinite(weight))
            return fail(saved->ctx, ORTHANT_ERROR_FORMAT,
                        "%s/run.json: a term '%.40s' of weight %g is none of Orthant's",
                        saved->folder, name, weight);
        status = orthant_model_add_term(model, name, weight);
        for (int i = 1; kind->parameters[i].name && !status; i++)
            status = take_parameter(model, parameters, kind->parameters[i].name);
    }
    return status;
}

/* A model that minimises what the run's did; its pooling is read to `pooling`, which it borrows. */
static orthant_status make_model(const orthant_saved_run *saved, orthant_model **model,
                                 orthant_matrix **pooling)
{
    const json_value *parameters = json_member(saved->json, "parameters");
    const char *loss = json_member_text(saved->json, "loss", "");
    const double rank = json_member_number(saved->json, "rank");
    if (!*loss)
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: a run of method '%s' has no loss; new samples need one of a factor model",
                    saved->folder, METHOD(saved));
    if (!(rank >= 1 && rank <= (double)INT32_MAX))
        return fail(saved->ctx, ORTHANT_ERROR_FORMAT, "%s/run.json: the rank is %g", saved->folder,
                    rank);
    orthant_status status = orthant_model_create(saved->ctx, METHOD(saved), (int64_t)rank, model);
    if (!status)
        status = take_parameter(*model, parameters, "missing");
    if (!status)
        status = orthant_model_set(*model, "loss", loss);
    if (!status)
        status = take_terms(saved, *model, parameters);
    if (!status)
        status = saved_run_matrix(saved, "pooling.npy", pooling);
    if (!status && *pooling)
        status = orthant_model_set_pooling(*model, *pooling);
    return status;
}

/* ------------------------------------------------------------------ training samples */

static bool has_term(const orthant_saved_run *saved, const char *name)
{
    const json_value *terms = json_member(saved->json, "terms");
    for (const json_value *t = terms ? terms->child : NULL; t; t = t->next)
        if (!strcmp(json_member_text(t, "name", ""), name))
            return true;
    return false;
}

orthant_status orthant_saved_run_data(orthant_saved_run *saved, orthant_matrix **samples)
{
    return orthant_saved_run_data_masked(saved, NULL, samples);
}

orthant_status orthant_saved_run_data_masked(orthant_saved_run *saved, const orthant_matrix *mask,
                                             orthant_matrix **samples)
{
    char digest[XXH64_DIGITS + 1] = "";
    orthant_read_options options;
    if (samples)
        *samples = NULL;
    if (!saved || !samples)
        return saved_run_refuse_null(saved, __func__);
    const json_value *data = json_member(saved->json, "data");
    const char *path = json_member_text(data, "path", ""),
               *known = json_member_text(data, DATA_CHECKSUM, "");
    if (!*path || !*known || !strcmp(path, "-"))
        return fail(saved->ctx, ORTHANT_ERROR_IO, "%s: the run names no file of its samples",
                    saved->folder);
    if (!mask && *json_member_text(saved->json, "mask", "") &&
        !strcmp(json_member_text(saved->json, "scale", "none"), "unit"))
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: its samples were scaled to unit length by the entries that its mask "
                    "counts, and that is not given",
                    saved->folder);
    orthant_status status = file_xxh64(saved->ctx, path, digest);
    if (!status && strcmp(digest, known))
        status = fail(saved->ctx, ORTHANT_ERROR_DATA,
                      "%s: '%s' is not the file that the run was made from", saved->folder, path);
    if (!status)
        status = run_data_reading(saved->ctx, saved->folder, saved->json, &options);
    if (!status)
        status = orthant_matrix_read(saved->ctx, path, &options, samples, NULL);
    if (!status)
        status = orthant_saved_run_scale_masked(saved, NULL, mask, *samples);
    if (status) {
        orthant_matrix_free(*samples);
        *samples = NULL;
    }
    return status;
}

/* ------------------------------------------------------------------ encodings */

/* Encodings of samples with names: the names, and the parts by their numbers. */
static orthant_status name_encoding(orthant_context *ctx, const orthant_matrix *samples,
                                    orthant_matrix *encoding)
{
    orthant_status status = ORTHANT_OK;
    char part[32];
    if (!samples->sample_names.count || samples->part.total || encoding->sample_names.count)
        return ORTHANT_OK;
    for (int64_t p = 0; p < encoding->columns && !status; p++) {
        snprintf(part, sizeof part, "part %" PRId64, p);
        status = names_add(ctx, &encoding->feature_names, part);
    }
    return status ? status
                  : names_copy(ctx, &samples->sample_names, NULL, samples->rows,
                               &encoding->sample_names);
}

orthant_status orthant_saved_run_encode(orthant_saved_run *saved, const orthant_matrix *samples,
                                        const orthant_transform_options *options,
                                        orthant_matrix **encoding)
{
    orthant_transform_options own = ORTHANT_TRANSFORM_DEFAULTS;
    orthant_model *model = NULL;
    orthant_matrix *pooling = NULL, *features = NULL, *training = NULL;
    const orthant_matrix *basis = NULL;
    orthant_status status = ORTHANT_OK;
    if (encoding)
        *encoding = NULL;
    if (!saved || !samples || !encoding)
        return saved_run_refuse_null(saved, __func__);
    if (options)
        status = sized_take(saved->ctx, __func__, options, &own, sizeof own);
    if (status || (status = saved_run_check_names(saved, samples)) ||
        (status = saved_run_check_names(saved, own.training)) ||
        (status = make_model(saved, &model, &pooling)) ||
        (status = orthant_saved_run_factor(saved, "basis", &basis)))
        goto done;
    const bool graph = has_term(saved, "graph");
    if ((graph || has_term(saved, "a-optimal")) && !own.encoding &&
        (status = orthant_saved_run_factor(saved, "encoding", &own.encoding)))
        goto done;
    if (graph && !own.training) {
        if ((status = orthant_saved_run_data(saved, &training)))
            goto done;
        own.training = training;
    }
    if (!own.feature_weights) {
        if ((status = saved_run_matrix(saved, "feature_weights.npy", &features)))
            goto done;
        own.feature_weights = features;
    }
    if (!own.mask && *json_member_text(saved->json, "mask", ""))
        log_note(saved->ctx, "%s: the fit had a mask; all entries of these samples are known",
                 saved->folder);
    status = orthant_model_transform(model, basis, samples, &own, encoding);
    if (!status)
        status = name_encoding(saved->ctx, samples, *encoding);
    if (status) {
        orthant_matrix_free(*encoding);
        *encoding = NULL;
    }
done:
    orthant_model_free(model);
    orthant_matrix_free(pooling);
    orthant_matrix_free(features);
    orthant_matrix_free(training);
    return status;
}

orthant_status orthant_saved_run_transform(orthant_saved_run *saved, const orthant_matrix *samples,
                                           int64_t iterations, double tolerance,
                                           orthant_matrix **encoding)
{
    orthant_transform_options options = ORTHANT_TRANSFORM_DEFAULTS;
    options.iterations = iterations;
    options.tolerance = tolerance;
    return orthant_saved_run_encode(saved, samples, &options, encoding);
}

/* ------------------------------------------------------------------ clusters */

/* What columns of encodings are multiplied by before labels are taken: the lengths of the basis's,
 * or NULL: nothing. */
static orthant_status find_scale(orthant_saved_run *saved, double **scale)
{
    const char *kind = json_member_text(saved->json, "labels_scale", "");
    const orthant_matrix *basis = NULL;
    *scale = NULL;
    if (!*kind)
        return ORTHANT_OK;
    if (strcmp(kind, "basis") != 0)
        return fail(saved->ctx, ORTHANT_ERROR_FORMAT,
                    "%s/run.json: 'labels_scale' is '%.40s'; expected 'basis'", saved->folder,
                    kind);
    const orthant_status status = orthant_saved_run_factor(saved, "basis", &basis);
    if (status)
        return status;
    if (!(*scale = memory_new(saved->ctx, basis->columns, sizeof **scale, "scales of labels")))
        return ORTHANT_ERROR_MEMORY;
    for (int64_t j = 0; j < basis->rows; j++)
        for (int64_t r = 0; r < basis->columns; r++)
            (*scale)[r] += pow(orthant_matrix_get(basis, j, r), 2);
    for (int64_t r = 0; r < basis->columns; r++)
        (*scale)[r] = sqrt((*scale)[r]);
    return ORTHANT_OK;
}

/* Runs of before the scaled rules had names say the plain rule, and beside it that it is scaled. */
static const char *predict_rule(const orthant_saved_run *saved)
{
    const char *rule = json_member_text(saved->json, "labels_rule", "");
    return *json_member_text(saved->json, "labels_scale", "") ? rule_scaled(rule) : rule;
}

/* The centres of k-means are columns of its basis. */
static orthant_status nearest_centre(orthant_saved_run *saved, const orthant_matrix *samples,
                                     orthant_labels **labels)
{
    const orthant_matrix *basis = NULL;
    orthant_matrix *centres = NULL;
    orthant_status status = orthant_saved_run_factor(saved, "basis", &basis);
    if (!status && basis->sparse)
        status = fail(saved->ctx, ORTHANT_ERROR_FORMAT, "%s: the basis is sparse", saved->folder);
    if (!status)
        status =
            matrix_new_dense(saved->ctx, basis->precision, basis->columns, basis->rows, &centres);
    for (int64_t j = 0; !status && j < basis->rows; j++)
        for (int64_t r = 0; r < basis->columns; r++)
            matrix_set_value(centres, r * centres->stride + j,
                             matrix_value(basis, j * basis->stride + r));
    if (!status)
        status = orthant_labels_nearest(saved->ctx, samples, centres, labels);
    orthant_matrix_free(centres);
    return status;
}

orthant_status orthant_saved_run_predict(orthant_saved_run *saved, const orthant_matrix *samples,
                                         const orthant_transform_options *options,
                                         orthant_labels **labels)
{
    orthant_labels *found = NULL;
    orthant_matrix *codes = NULL;
    const orthant_matrix *encoding = NULL;
    double *scale = NULL;
    if (labels)
        *labels = NULL;
    if (!saved || !samples || !labels)
        return saved_run_refuse_null(saved, __func__);
    const char *rule = predict_rule(saved);
    if (!strcmp(METHOD(saved), "kmeans")) {
        const orthant_status named = saved_run_check_names(saved, samples);
        return named ? named : nearest_centre(saved, samples, labels);
    }
    if (!*json_member_text(saved->json, "loss", ""))
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: method '%s' has no rule for clusters of new samples", saved->folder,
                    METHOD(saved));
    if (!*rule)
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: the run has no clusters, and so no rule for those of new samples",
                    saved->folder);
    orthant_status status = orthant_saved_run_labels(saved, &found);
    if (!status && !found)
        status = fail(saved->ctx, ORTHANT_ERROR_IO, "%s: the run has no clusters", saved->folder);
    if (status || (status = find_scale(saved, &scale)) ||
        (status = orthant_saved_run_factor(saved, "encoding", &encoding)) ||
        (status = orthant_saved_run_encode(saved, samples, options, &codes)))
        goto done;
    status = orthant_labels_predict(saved->ctx, codes, encoding, found, rule, scale, labels);
done:
    orthant_labels_free(found);
    orthant_matrix_free(codes);
    memory_free(saved->ctx, scale);
    return status;
}
