/* The model of a trial from its settings, and the inputs that come with the data. */
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "study/trial.h"

static const char *value_of(const trial *t, const char *name)
{
    return settings_value(&t->given, name);
}

/* "name=value" into name; the value through `value`. */
static orthant_status split_pair(const trial *t, const char *setting_name, const char *pair,
                                 char *name, size_t size, const char **value)
{
    const char *equals = strchr(pair, '=');
    if (!equals || equals == pair || (size_t)(equals - pair) >= size)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s = '%s': expected a name, an equals sign and a value", setting_name, pair);
    snprintf(name, size, "%.*s", (int)(equals - pair), pair);
    *value = equals + 1;
    return ORTHANT_OK;
}

/* Settings that are a parameter of the library under another name. */
static orthant_status set_options(trial *t)
{
    static const struct {
        const char *setting, *parameter;
    } same[] = {
        {"loss", "loss"},           {"iterations", "iterations"},
        {"tolerance", "tolerance"}, {"time-limit", "time_limit"},
        {"seed", "seed"},           {"weights", "weights"},
        {"search", "search"},
    };
    orthant_status status = ORTHANT_OK;
    for (size_t i = 0; i < sizeof same / sizeof *same && !status; i++) {
        const char *value = value_of(t, same[i].setting);
        if (value)
            status = orthant_model_set(t->model, same[i].parameter, value);
    }
    return status;
}

static orthant_status add_terms(trial *t)
{
    const char *pair;
    orthant_status status = ORTHANT_OK;
    for (int i = 0; !status && (pair = settings_nth(&t->given, "term", i)); i++) {
        char name[64];
        double weight;
        const char *value;
        status = split_pair(t, "term", pair, name, sizeof name, &value);
        if (!status && !text_to_double(value, &weight))
            status = fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                          "term = '%s': the weight '%s' is not a number", pair, value);
        if (!status)
            status = orthant_model_add_term(t->model, name, weight);
    }
    return status;
}

static orthant_status set_parameters(trial *t)
{
    const char *pair;
    orthant_status status = ORTHANT_OK;
    for (int i = 0; !status && (pair = settings_nth(&t->given, "parameter", i)); i++) {
        char name[64];
        const char *value;
        status = split_pair(t, "parameter", pair, name, sizeof name, &value);
        if (!status)
            status = orthant_model_set(t->model, name, value);
    }
    return status;
}

/* True where `word` is one of the choices of the method's parameter. */
static bool takes_choice(const trial *t, const char *parameter, const char *word)
{
    orthant_parameter_info info = {.size = sizeof info};
    for (int i = 0; !orthant_method_parameter(t->method.name, i, &info); i++)
        if (!strcmp(info.name, parameter))
            return info.choices && strstr(info.choices, word);
    return false;
}

/* A graph is the similarity of a method that works on either; a given similarity comes later. What
 * 'auto' means is each method's default. */
static orthant_status set_similarity(trial *t)
{
    const char *similarity = value_of(t, "similarity");
    if (similarity && strcmp(similarity, "given") && strcmp(similarity, "auto"))
        return orthant_model_set(t->model, "similarity", similarity);
    if (!similarity && value_of(t, "graph") && takes_choice(t, "similarity", "graph"))
        return orthant_model_set(t->model, "similarity", "graph");
    return ORTHANT_OK;
}

/* Words always mean themselves; a folder or file of that name is reached as ./kmeans. */
static bool pooling_is_file(const char *pooling)
{
    return strcmp(pooling, "all") && strcmp(pooling, "grid") && strncmp(pooling, "grid:", 5) &&
           file_exists(pooling);
}

static orthant_status set_init(trial *t, const char *init)
{
    const orthant_status status = orthant_model_set(t->model, "init", init);
    if (!status)
        return ORTHANT_OK;
    if (!file_is_folder(init)) {
        char refusal[sizeof t->ctx->message], value[64];
        memcpy(refusal, t->ctx->message, sizeof refusal);
        if (orthant_model_get(t->model, "init", value, sizeof value))
            return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                        "init = '%s': method '%s' has no parameter 'init'", init, t->method.name);
        return fail(
            t->ctx, ORTHANT_ERROR_ARGUMENT,
            "%.800s, or the folder of an earlier run; for one factor use start = 'NAME=FILE'",
            refusal);
    }
    t->init_folder = init;
    return ORTHANT_OK;
}

orthant_status graph_word(orthant_context *ctx, const char *graph, int64_t *neighbours)
{
    *neighbours = 0;
    if (strncmp(graph, "knn:", 4) || (text_to_int64(graph + 4, neighbours) && *neighbours > 0))
        return ORTHANT_OK;
    return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                "graph = '%s': expected knn: and a number of neighbours, as in knn:5", graph);
}

/* A setting that is a parameter of models of a loss and terms alone. */
static orthant_status set_of_factor_models(trial *t, const char *name, const char *refusal)
{
    const char *value = value_of(t, name);
    char now[64];
    if (!value)
        return ORTHANT_OK;
    if (!orthant_model_get(t->model, name, now, sizeof now))
        return orthant_model_set(t->model, name, value);
    return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "%s = '%s': method '%s' %s", name, value,
                t->method.name, refusal);
}

/* Words of init, graph and pooling that are parameters; files come later. */
static orthant_status set_words(trial *t)
{
    const char *init = value_of(t, "init");
    const char *graph = value_of(t, "graph");
    const char *pooling = value_of(t, "pooling");
    int64_t neighbours = 0;
    orthant_status status = init ? set_init(t, init) : ORTHANT_OK;
    if (!status && pooling && !pooling_is_file(pooling))
        status = orthant_model_set(t->model, "pooling", pooling);
    if (!status)
        status = set_of_factor_models(
            t, "missing",
            "takes no missing entries; models of a loss and terms do: nmf, nmf-kl, ...");
    if (!status)
        status =
            set_of_factor_models(t, "batch", "cannot be fitted by batches; nmf and nmf-kl can");
    if (!status && graph)
        status = graph_word(t->ctx, graph, &neighbours);
    if (!status && neighbours)
        status = orthant_model_set(t->model, "neighbours", graph + strlen("knn:"));
    return status ? status : set_similarity(t);
}

/* Methods with several solvers have a parameter for them. */
static orthant_status set_solver(trial *t)
{
    const char *solver = value_of(t, "solver");
    char value[64];
    if (!solver)
        return ORTHANT_OK;
    if (!orthant_model_get(t->model, "solver", value, sizeof value))
        return orthant_model_set(t->model, "solver", solver);
    return strcmp(solver, "mu") ? fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                                       "solver = '%s': '%s' has one way to its result and takes no "
                                       "solver but mu",
                                       solver, t->method.name)
                                : ORTHANT_OK;
}

/* k-means as a method takes the restarts itself. */
static orthant_status set_restarts(trial *t)
{
    const char *restarts = value_of(t, "restarts");
    char value[64];
    if (!restarts || orthant_model_get(t->model, "restarts", value, sizeof value))
        return ORTHANT_OK;
    return orthant_model_set(t->model, "restarts", restarts);
}

orthant_status trial_make_model(trial *t)
{
    const char *name = value_of(t, "method");
    t->method.size = sizeof t->method;
    orthant_status status = orthant_method_info_by_name(t->ctx, name ? name : "nmf", &t->method);
    if (!status)
        status = orthant_model_create(t->ctx, t->method.name, t->rank, &t->model);
    if (!status)
        status = add_terms(t);
    if (!status)
        status = set_options(t);
    if (!status)
        status = trial_check_uses(t);
    if (!status)
        status = set_words(t);
    if (!status)
        status = set_solver(t);
    if (!status)
        status = set_restarts(t);
    if (!status)
        status = set_parameters(t);
    return status ? status : trial_check_graph_file(t);
}

/* ---- inputs -----------------------------------------------------------------------------------
 */

static orthant_status read_label_file(trial *t, const char *file, const study_draw *draw)
{
    orthant_labels *read = NULL;
    const int64_t expected = draw ? draw->all : orthant_matrix_total_rows(t->samples);
    orthant_status status = orthant_labels_read(t->ctx, file, &read);
    if (!status && orthant_labels_count(read) != expected)
        status = fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                      "%s: found %lld labels, expected one for each of the %lld samples of %s",
                      file, (long long)orthant_labels_count(read), (long long)expected, t->data);
    if (!status && draw)
        status = draw_take_labels(t->ctx, draw, read, &t->known);
    if (!status && !draw) {
        t->known = read;
        read = NULL;
    }
    orthant_labels_free(read);
    return status;
}

/* Labels for the method: from a file, or a part of the truth. */
static orthant_status give_labels(trial *t, const study_draw *draw)
{
    const char *file = value_of(t, "labels"), *fraction = value_of(t, "labelled-fraction");
    const char *count = value_of(t, "labelled-per-class");
    double share = 0;
    int64_t per_class = 0;
    orthant_status status = ORTHANT_OK;
    if (file)
        status = read_label_file(t, file, draw);
    else if ((fraction || count) && !t->truth)
        status = fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                      "labelled-%s: the true labels of %s are not known; give truth = 'FILE'",
                      fraction ? "fraction" : "per-class", t->data);
    else if (fraction && text_to_double(fraction, &share))
        status = orthant_labels_keep_fraction(t->ctx, t->truth, share, t->seed, &t->known);
    else if (count && text_to_int64(count, &per_class))
        status = orthant_labels_keep_count(t->ctx, t->truth, per_class, t->seed, &t->known);
    if (!status && t->known)
        status = orthant_model_set_labels(t->model, t->known);
    return status;
}

static orthant_status give_start(trial *t, const char *factor, const char *file)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    if (t->start_count == TRIAL_STARTS)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "more than %d starting factors", TRIAL_STARTS);
    const orthant_status status =
        orthant_matrix_read(t->ctx, file, &options, &t->starts[t->start_count], NULL);
    return status ? status : orthant_model_set_start(t->model, factor, t->starts[t->start_count++]);
}

/* The method's factors from an earlier run as starts. */
static orthant_status give_run_starts(trial *t, const char *folder)
{
    const char *list = t->method.factors;
    orthant_status status = ORTHANT_OK;
    while (*list && !status) {
        const int length = (int)strcspn(list, ",");
        const size_t bytes = strlen(folder) + (size_t)length + 8;
        char *path = memory_new(t->ctx, (int64_t)bytes, 1, "a path"), factor[32];
        if (!path)
            return ORTHANT_ERROR_MEMORY;
        snprintf(factor, sizeof factor, "%.*s", length, list);
        snprintf(path, bytes, "%s/%s.npy", folder, factor);
        status = give_start(t, factor, path);
        memory_free(t->ctx, path);
        list += length + (list[length] == ',');
    }
    return status;
}

static orthant_status give_starts(trial *t)
{
    const char *pair;
    orthant_status status = t->init_folder ? give_run_starts(t, t->init_folder) : ORTHANT_OK;
    for (int i = 0; !status && (pair = settings_nth(&t->given, "start", i)); i++) {
        char factor[64];
        const char *file;
        if (!strchr(pair, '='))
            continue;
        status = split_pair(t, "start", pair, factor, sizeof factor, &file);
        if (!status)
            status = give_start(t, factor, file);
    }
    return status;
}

static orthant_status give_fixed(trial *t)
{
    const char *pair = value_of(t, "fix"), *file;
    char factor[64];
    if (!pair)
        return ORTHANT_OK;
    if (settings_nth(&t->given, "fix", 1))
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "fix = '%s': fixed parts are given already, fix = '%s'",
                    settings_nth(&t->given, "fix", 1), settings_nth(&t->given, "fix", 0));
    orthant_status status = split_pair(t, "fix", pair, factor, sizeof factor, &file);
    if (!status)
        status = orthant_matrix_read(t->ctx, file, NULL, &t->fixed_parts, NULL);
    return status ? status : orthant_model_set_fixed(t->model, factor, t->fixed_parts);
}

static orthant_status give_graph(trial *t)
{
    const char *graph = value_of(t, "graph");
    int64_t neighbours = 0;
    orthant_status status = graph ? graph_word(t->ctx, graph, &neighbours) : ORTHANT_OK;
    if (status || !graph || neighbours)
        return status;
    status = orthant_graph_read(t->ctx, graph, &t->graph);
    return status ? status : orthant_model_set_graph(t->model, t->graph);
}

/* Weights of entries, samples and features, from files. */
static orthant_status give_weights(trial *t)
{
    static const struct {
        const char *name;
        orthant_status (*give)(orthant_model *model, const orthant_matrix *weights);
    } kinds[] = {{"mask", orthant_model_set_mask},
                 {"sample-weights", orthant_model_set_sample_weights},
                 {"feature-weights", orthant_model_set_feature_weights}};
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < 3 && !status; i++) {
        const char *path = value_of(t, kinds[i].name);
        const orthant_read_options options = {.size = sizeof options, .truth = "none"};
        if (path)
            status = orthant_matrix_read(t->ctx, path, &options, &t->weights[i], NULL);
        if (path && !status)
            status = kinds[i].give(t->model, t->weights[i]);
    }
    return status;
}

orthant_status trial_give_inputs(trial *t, const study_draw *draw)
{
    const char *pooling = value_of(t, "pooling"), *similarity = value_of(t, "similarity");
    orthant_status status = give_labels(t, draw);
    if (!status && similarity && !strcmp(similarity, "given"))
        status = orthant_model_set_similarity(t->model, t->samples);
    if (!status)
        status = give_graph(t);
    if (!status)
        status = give_weights(t);
    if (!status && pooling && pooling_is_file(pooling)) {
        status = orthant_matrix_read(t->ctx, pooling, NULL, &t->pooling, NULL);
        if (!status)
            status = orthant_model_set_pooling(t->model, t->pooling);
    }
    if (!status)
        status = give_fixed(t);
    return status ? status : give_starts(t);
}
