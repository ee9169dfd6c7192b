#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/file.h"
#include "core/text.h"
#include "data.h"

/* "name=value" into name; returns the value, or NULL after the error was told. */
static const char *split_pair(const char *option_name, const char *pair, char *name, size_t size)
{
    const char *equals = strchr(pair, '=');
    if (!equals || equals == pair || (size_t)(equals - pair) >= size) {
        usage_error("--%s %s: expected a name, an equals sign and a value", option_name, pair);
        return NULL;
    }
    snprintf(name, size, "%.*s", (int)(equals - pair), pair);
    return equals + 1;
}

/* Options that are a parameter of the library under another name. */
static int set_options(pipeline *line)
{
    static const struct {
        option_id option;
        const char *parameter;
    } same[] = {
        {OPTION_LOSS, "loss"},           {OPTION_ITERATIONS, "iterations"},
        {OPTION_TOLERANCE, "tolerance"}, {OPTION_TIME_LIMIT, "time_limit"},
        {OPTION_SEED, "seed"},           {OPTION_WEIGHTS, "weights"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const char *value = option_value(line->given, same[i].option);
        const int failed =
            value ? report_failure(line->ctx,
                                   orthant_model_set(line->model, same[i].parameter, value))
                  : 0;
        if (failed)
            return failed;
    }
    return 0;
}

static int add_terms(pipeline *line)
{
    const char *pair;
    for (int i = 0; (pair = option_nth(line->given, OPTION_TERM, i)); i++) {
        char name[64];
        double weight;
        const char *value = split_pair("term", pair, name, sizeof name);
        if (!value)
            return EXIT_USAGE;
        if (!text_to_double(value, &weight))
            return usage_error("--term %s: the weight '%s' is not a number", pair, value);
        const int failed =
            report_failure(line->ctx, orthant_model_add_term(line->model, name, weight));
        if (failed)
            return failed;
    }
    return 0;
}

static int set_parameters(pipeline *line)
{
    const char *pair;
    for (int i = 0; (pair = option_nth(line->given, OPTION_PARAMETER, i)); i++) {
        char name[64];
        const char *value = split_pair("parameter", pair, name, sizeof name);
        if (!value)
            return EXIT_USAGE;
        const int failed = report_failure(line->ctx, orthant_model_set(line->model, name, value));
        if (failed)
            return failed;
    }
    return 0;
}

/* True where `word` is one of the choices of the method's parameter. */
static bool takes_choice(const pipeline *line, const char *parameter, const char *word)
{
    orthant_parameter_info info;
    for (int i = 0; !orthant_method_parameter(line->method.name, i, &info); i++)
        if (!strcmp(info.name, parameter))
            return info.choices && strstr(info.choices, word);
    return false;
}

/* A graph is the similarity of a method that works on either; --similarity given comes later. */
static orthant_status set_similarity(pipeline *line)
{
    const char *similarity = option_value(line->given, OPTION_SIMILARITY);
    if (similarity && !strcmp(similarity, "gaussian"))
        return orthant_model_set(line->model, "similarity", similarity);
    if (!similarity && option_given(line->given, OPTION_GRAPH) &&
        takes_choice(line, "similarity", "graph"))
        return orthant_model_set(line->model, "similarity", "graph");
    return ORTHANT_OK;
}

/* Words always mean themselves; a folder or file of that name is reached as ./kmeans. */
static bool pooling_is_file(const char *pooling)
{
    return strcmp(pooling, "all") && strcmp(pooling, "grid") && strncmp(pooling, "grid:", 5) &&
           file_exists(pooling);
}

static int set_init(pipeline *line, const char *init)
{
    if (!orthant_model_set(line->model, "init", init))
        return 0;
    if (!file_is_folder(init))
        return usage_error("%s, or the folder of an earlier run; for one factor use --start "
                           "NAME=FILE",
                           orthant_message(line->ctx));
    line->init_folder = init;
    return 0;
}

/* Words of --init, --graph and --pooling that are parameters; files come later. */
static int set_words(pipeline *line)
{
    const char *init = option_value(line->given, OPTION_INIT);
    const char *graph = option_value(line->given, OPTION_GRAPH);
    const char *pooling = option_value(line->given, OPTION_POOLING);
    orthant_status status = ORTHANT_OK;
    if (init && set_init(line, init))
        return EXIT_USAGE;
    if (pooling && !pooling_is_file(pooling))
        status = orthant_model_set(line->model, "pooling", pooling);
    if (!status && graph) {
        const int64_t neighbours = graph_neighbours(graph);
        if (neighbours < 0)
            return EXIT_USAGE;
        if (neighbours)
            status = orthant_model_set(line->model, "neighbours", graph + strlen("knn:"));
    }
    if (!status)
        status = set_similarity(line);
    return report_failure(line->ctx, status);
}

int model_make(pipeline *line)
{
    const char *name = option_value(line->given, OPTION_METHOD);
    const char *solver = option_value(line->given, OPTION_SOLVER);
    char value[64];
    if (solver && strcmp(solver, "mu"))
        return usage_error(
            "--solver %s: only mu, the multiplicative updates, is there in this version", solver);
    orthant_status status =
        orthant_method_info_by_name(line->ctx, name ? name : "nmf", &line->method);
    if (!status)
        status = orthant_model_create(line->ctx, line->method.name, line->rank, &line->model);
    int failed = report_failure(line->ctx, status);
    if (!failed)
        failed = add_terms(line);
    if (!failed)
        failed = set_options(line);
    if (!failed)
        failed = check_uses(line);
    if (!failed)
        failed = set_words(line);
    /* k-means as a method takes the restarts itself. */
    if (!failed && option_given(line->given, OPTION_RESTARTS) &&
        !orthant_model_get(line->model, "restarts", value, sizeof value))
        failed = report_failure(
            line->ctx,
            orthant_model_set(line->model, "restarts", option_value(line->given, OPTION_RESTARTS)));
    if (!failed)
        failed = set_parameters(line);
    return failed ? failed : check_graph_file(line);
}

uint64_t model_seed(const pipeline *line)
{
    char text[64];
    int64_t seed = 0;
    if (!orthant_model_get(line->model, "seed", text, sizeof text))
        text_to_int64(text, &seed);
    return (uint64_t)seed;
}

int64_t model_clusters(const pipeline *line)
{
    char text[64];
    int64_t per_class;
    if (!orthant_model_get(line->model, "basis_per_class", text, sizeof text) &&
        text_to_int64(text, &per_class) && per_class > 1 && line->rank % per_class == 0)
        return line->rank / per_class;
    return line->rank;
}

/* ---- inputs -----------------------------------------------------------------------------------
 */

static int give_start(pipeline *line, const char *factor, const char *file)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    if (line->start_count == PIPELINE_STARTS)
        return usage_error("more than %d starting factors", PIPELINE_STARTS);
    orthant_status status =
        orthant_matrix_read(line->ctx, file, &options, &line->starts[line->start_count], NULL);
    if (!status)
        status = orthant_model_set_start(line->model, factor, line->starts[line->start_count++]);
    return report_failure(line->ctx, status);
}

/* The method's factors from an earlier run as starts. */
static int give_run_starts(pipeline *line, const char *folder)
{
    const char *list = line->method.factors;
    int failed = 0;
    while (*list && !failed) {
        const int length = (int)strcspn(list, ",");
        const size_t room = strlen(folder) + (size_t)length + 8;
        char *path = malloc(room), factor[32];
        if (!path)
            return report_failure(line->ctx, ORTHANT_ERROR_MEMORY);
        snprintf(factor, sizeof factor, "%.*s", length, list);
        snprintf(path, room, "%s/%s.npy", folder, factor);
        failed = give_start(line, factor, path);
        free(path);
        list += length + (list[length] == ',');
    }
    return failed;
}

static int give_starts(pipeline *line)
{
    const char *pair;
    int failed = line->init_folder ? give_run_starts(line, line->init_folder) : 0;
    for (int i = 0; !failed && (pair = option_nth(line->given, OPTION_START, i)); i++) {
        char factor[64];
        const char *file = split_pair("start", pair, factor, sizeof factor);
        failed = file ? give_start(line, factor, file) : EXIT_USAGE;
    }
    return failed;
}

int model_give_inputs(pipeline *line)
{
    const char *graph = option_value(line->given, OPTION_GRAPH);
    const char *pooling = option_value(line->given, OPTION_POOLING);
    const char *similarity = option_value(line->given, OPTION_SIMILARITY);
    orthant_status status = ORTHANT_OK;
    if (line->known)
        status = orthant_model_set_labels(line->model, line->known);
    if (!status && similarity && !strcmp(similarity, "given"))
        status = orthant_model_set_similarity(line->model, line->samples);
    if (!status && graph && !graph_neighbours(graph)) {
        status = orthant_graph_read(line->ctx, graph, &line->graph);
        if (!status)
            status = orthant_model_set_graph(line->model, line->graph);
    }
    if (!status && pooling && pooling_is_file(pooling)) {
        status = orthant_matrix_read(line->ctx, pooling, NULL, &line->pooling, NULL);
        if (!status)
            status = orthant_model_set_pooling(line->model, line->pooling);
    }
    const int failed = report_failure(line->ctx, status);
    return failed ? failed : give_starts(line);
}
