/* orthant graph: a neighbour graph or a similarity, written and described. */
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "data.h"
#include "json.h"
#include "text.h"

/* "knn:5" gives 5. */
static int read_neighbours(const char *name, const char *kind, int64_t *neighbours)
{
    if (strncmp(kind, "knn:", 4))
        return usage_error("graph: --%s %s: expected knn:N", name, kind);
    if (!parse_int64(kind + 4, neighbours) || *neighbours < 1)
        return usage_error("--%s %s: expected knn: and a number of neighbours, as in knn:5", name,
                           kind);
    return 0;
}

static int build(const arguments *given, orthant_context *ctx, talk *speech,
                 const orthant_matrix *samples, orthant_graph **graph)
{
    const char *kind = option_value(given, OPTION_GRAPH);
    const char *weights = option_value(given, OPTION_WEIGHTS);
    const int64_t others = orthant_matrix_rows(samples) - 1;
    const char *search = option_value(given, OPTION_SEARCH);
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    int failed = option_number(given, OPTION_HEAT_WIDTH, 0, 1e300, 0, &options.heat_width);
    if (!failed)
        failed = option_number(given, OPTION_TIME_LIMIT, 0, 1e12, 0, &options.time_limit_s);
    if (!failed && kind)
        failed = read_neighbours("graph", kind, &options.neighbours);
    if (failed)
        return failed;
    if (others < 1)
        return usage_error("a graph needs at least two samples");
    if (!kind && options.neighbours > others) {
        talk_note(speech,
                  "%" PRId64 " samples have no %" PRId64
                  " neighbours each: the graph takes %" PRId64,
                  others + 1, options.neighbours, others);
        options.neighbours = others;
    }
    options.missing = option_value(given, OPTION_MISSING);
    orthant_status status =
        weights ? orthant_edge_weight_parse(ctx, weights, &options.weight) : ORTHANT_OK;
    if (!status && search)
        status = orthant_search_parse(ctx, search, &options.search);
    if (!status)
        status = orthant_graph_build(ctx, samples, &options, graph);
    return report_failure(ctx, status);
}

/* The known classes decide the edges between their samples. */
static int follow_labels(const arguments *given, orthant_context *ctx, orthant_graph **graph)
{
    const char *file = option_value(given, OPTION_LABELS);
    orthant_labels *labels = NULL;
    orthant_graph *with_labels = NULL;
    if (!file)
        return 0;
    orthant_status status = orthant_labels_read(ctx, file, &labels);
    if (!status)
        status = orthant_graph_with_labels(ctx, *graph, labels, &with_labels);
    if (!status) {
        orthant_graph_free(*graph);
        *graph = with_labels;
    }
    orthant_labels_free(labels);
    return report_failure(ctx, status);
}

static void describe(const arguments *given, const orthant_graph *graph, int64_t components)
{
    const int64_t nodes = orthant_graph_nodes(graph), edges = orthant_graph_edges(graph);
    const double degree = nodes ? 2.0 * (double)edges / (double)nodes : 0;
    if (option_given(given, OPTION_JSON)) {
        json_printer json = {.file = stdout, .compact = true};
        json_begin_object(&json, NULL);
        json_put_integer(&json, "nodes", nodes);
        json_put_integer(&json, "edges", edges);
        json_put_integer(&json, "components", components);
        json_put_number(&json, "mean_degree", degree);
        json_put_integer(&json, "isolated", orthant_graph_isolated(graph));
        json_put_text(&json, "output", option_value(given, OPTION_OUTPUT));
        json_end(&json);
        return;
    }
    printf("%-12s %" PRId64 "\n", "nodes", nodes);
    printf("%-12s %" PRId64 "\n", "edges", edges);
    printf("%-12s %" PRId64 "\n", "components", components);
    printf("%-12s %.3g\n", "mean degree", degree);
    printf("%-12s %" PRId64 "\n", "isolated", orthant_graph_isolated(graph));
}

static int write_graph(const arguments *given, orthant_context *ctx, talk *speech,
                       const orthant_matrix *samples, const char *output)
{
    orthant_graph *graph = NULL;
    int failed = build(given, ctx, speech, samples, &graph);
    if (!failed)
        failed = follow_labels(given, ctx, &graph);
    const int64_t components = failed ? 0 : orthant_graph_components(graph);
    if (components < 0)
        failed = report_failure(ctx, ORTHANT_ERROR_MEMORY);
    if (!failed)
        failed = report_failure(ctx, orthant_graph_write(ctx, graph, output));
    if (!failed)
        describe(given, graph, components);
    orthant_graph_free(graph);
    return failed;
}

/* The Gaussian similarity in place of a graph. */
static int write_similarity(const arguments *given, orthant_context *ctx,
                            const orthant_matrix *samples, const char *output)
{
    const char *kind = option_value(given, OPTION_GRAPH),
               *similar = option_value(given, OPTION_SIMILARITY);
    int64_t neighbours = 0;
    orthant_matrix *similarity = NULL;
    const char *pair;
    double scale = 1;
    for (int i = 0; (pair = option_nth(given, OPTION_PARAMETER, i)); i++)
        if (strncmp(pair, "scale=", 6) || !parse_double(pair + 6, &scale))
            return usage_error("graph: -p %s: expected scale=NUMBER, the similarity's width", pair);
    const bool numbered = !strncmp(similar, "knn:", 4);
    if ((numbered || kind) &&
        read_neighbours(numbered ? "similarity" : "graph", numbered ? similar : kind, &neighbours))
        return EXIT_USAGE;
    orthant_status status =
        orthant_similarity_gaussian(ctx, samples, neighbours, scale, &similarity);
    if (!status)
        status = orthant_matrix_write(ctx, similarity, output);
    if (!status && option_given(given, OPTION_JSON)) {
        json_printer json = {.file = stdout, .compact = true};
        json_begin_object(&json, NULL);
        json_put_integer(&json, "samples", orthant_matrix_rows(similarity));
        json_put_integer(&json, "stored", orthant_matrix_nonzeros(similarity));
        json_put_text(&json, "output", output);
        json_end(&json);
    } else if (!status) {
        printf("%-12s %" PRId64 "\n", "samples", orthant_matrix_rows(similarity));
        printf("%-12s %" PRId64 "\n", "stored", orthant_matrix_nonzeros(similarity));
    }
    orthant_matrix_free(similarity);
    return report_failure(ctx, status);
}

int run_graph(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_matrix *samples = NULL;
    talk speech;
    const char *output = option_value(given, OPTION_OUTPUT);
    const char *similarity = option_value(given, OPTION_SIMILARITY);
    int failed = context_open(given, &speech, &ctx);
    if (!failed && !output)
        failed = usage_error("graph: -o FILE is missing: the .mtx file for the graph");
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write_check(ctx, output));
    if (!failed && similarity && strcmp(similarity, "gaussian") && strncmp(similarity, "knn:", 4))
        failed =
            usage_error("graph: --similarity %s: gaussian and knn:P are made here", similarity);
    if (!failed && similarity && option_given(given, OPTION_MISSING))
        failed =
            usage_error("graph: --similarity is of samples without missing entries; --missing is "
                        "for a graph");
    interrupt_watch();
    if (!failed)
        failed = data_read(given, ctx, &speech, given->word[0], &samples, NULL);
    if (!failed)
        failed = data_scale(ctx, option_value(given, OPTION_SCALE), samples, NULL, NULL);
    if (!failed)
        failed = similarity ? write_similarity(given, ctx, samples, output)
                            : write_graph(given, ctx, &speech, samples, output);
    talk_clear(&speech);
    if (!failed)
        failed = finish_output();
    orthant_matrix_free(samples);
    orthant_context_free(ctx);
    return failed;
}
