/* The graph that a fit's terms use: given, or of the nearest neighbours of the samples. */
#include "engine/group.h"
#include "method/method.h"
#include "term/terms.h"

const orthant_parameter_info sgnmf_parameters[] = {
    PARAMETER_NUMBER("label_weight", "1", 0, 1e12,
                     "weight of the edges between samples of one known class"),
    PARAMETER_END,
};

/* A default that is too large for few samples is lowered; a number that the user gave is not. */
static orthant_status lower_neighbours(fit *f, int64_t *neighbours)
{
    const int64_t others = matrix_total(f->samples) - 1;
    if (others < 1)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT, "a graph needs at least two samples");
    if (*neighbours <= others || parameter_given(&f->model->parameters, "neighbours"))
        return ORTHANT_OK;
    const int64_t wanted = *neighbours;
    *neighbours = others;
    return fit_note(f, "%lld samples have no %lld neighbours each: the graph takes %lld",
                    (long long)matrix_total(f->samples), (long long)wanted, (long long)others);
}

void kept_graph_release(kept_graph *kept)
{
    orthant_graph_free(kept->graph);
    orthant_matrix_free(kept->similarity);
    kept->graph = NULL;
    kept->similarity = NULL;
}

static bool same_options(const orthant_graph_options *a, const orthant_graph_options *b)
{
    return a->neighbours == b->neighbours && a->weight == b->weight && a->search == b->search &&
           !(a->heat_width < b->heat_width) && !(a->heat_width > b->heat_width);
}

/* Where processes share the samples each of them has all for a while, and finds the same graph. */
static orthant_status build_of_all(fit *f, const orthant_graph_options *options,
                                   const search_clock *clock, orthant_graph **graph)
{
    const sample_share part = samples_here(f->samples);
    orthant_matrix *all = NULL;
    orthant_status status = ORTHANT_OK;
    if (part.shared)
        status = group_whole_matrix(&part, f->samples, true, &all);
    if (!status)
        status =
            group_agree(&part, graph_build(f->ctx, all ? all : f->samples, options, clock, graph));
    orthant_matrix_free(all);
    return status;
}

/* Builds the graph, or takes the one that an earlier fit built of the same. */
static orthant_status build_graph(fit *f, const orthant_graph_options *options)
{
    const search_clock clock = {f->begun, parameter_number(&f->model->parameters, "time_limit")};
    kept_graph *kept = f->model->kept_graph;
    orthant_status status;
    if (!kept) {
        status = build_of_all(f, options, &clock, &f->built_graph);
        f->graph = f->built_graph;
        return status;
    }
    if (!kept->graph || kept->samples != f->samples || !same_options(&kept->options, options)) {
        orthant_graph_free(kept->graph);
        kept->graph = NULL;
        status = build_of_all(f, options, &clock, &kept->graph);
        if (status)
            return status;
        kept->samples = f->samples;
        kept->options = *options;
        kept->built++;
    }
    f->graph = kept->graph;
    return ORTHANT_OK;
}

static orthant_status choose_options(fit *f, int64_t neighbours, orthant_graph_options *options)
{
    const parameter_set *set = &f->model->parameters;
    orthant_status status = lower_neighbours(f, &neighbours);
    if (!status)
        status =
            orthant_edge_weight_parse(f->ctx, parameter_text(set, "weights"), &options->weight);
    if (!status)
        status = orthant_search_parse(f->ctx, parameter_text(set, "search"), &options->search);
    options->neighbours = neighbours;
    options->heat_width = parameter_number(set, "heat_width");
    return status;
}

/* Distances are those of all entries. */
static orthant_status note_missing(fit *f)
{
    if (f->model->mask)
        return fit_note(f, "neighbours are looked for by all entries, those that the mask leaves "
                           "out included; a graph that is given is taken as it is");
    if (f->weights.samples)
        return fit_note(f, "neighbours are looked for with missing entries as 0; a graph that is "
                           "given is taken as it is");
    return ORTHANT_OK;
}

orthant_status fit_graph(fit *f, int64_t neighbours)
{
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    orthant_status status;
    f->graph = f->model->graph;
    if (!f->graph) {
        if ((status = choose_options(f, neighbours, &options)) || (status = note_missing(f)) ||
            (status = build_graph(f, &options)))
            return status;
        f->result->neighbours = options.neighbours;
    }
    if (f->graph->adjacency->rows != matrix_total(f->samples))
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the graph has %lld nodes, the data %lld samples",
                    (long long)f->graph->adjacency->rows, (long long)matrix_total(f->samples));
    if (f->graph->adjacency->precision == f->samples->precision)
        return ORTHANT_OK;
    status = graph_in_precision(f->ctx, f->graph, f->samples->precision, &f->built_graph);
    f->graph = f->built_graph;
    return status;
}

orthant_status fit_graph_without_edges(fit *f, int64_t neighbours)
{
    const int64_t n = matrix_total(f->samples);
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    orthant_matrix *none = NULL;
    orthant_status status;
    if (f->model->graph)
        return fit_graph(f, neighbours);
    if ((status = choose_options(f, neighbours, &options)) ||
        (status = graph_check(f->ctx, f->samples, options.neighbours, options.weight,
                              options.heat_width)) ||
        (status = matrix_new_sparse(f->ctx, f->samples->precision, n, n, 0, &none)))
        return status;
    status = graph_around(f->ctx, none, &f->built_graph);
    f->graph = f->built_graph;
    f->result->neighbours = options.neighbours;
    return status;
}

orthant_status fit_prepare_graph(fit *f, fit_graph_maker make)
{
    const orthant_model *model = f->model;
    const size_t before = orthant_context_memory(f->ctx);
    if (!model_has_term(model, TERM_NEEDS_GRAPH))
        return ORTHANT_OK;
    orthant_status status = make(f, parameter_whole(&model->parameters, "neighbours"));
    if (!status && model->method->labels_in_graph) {
        orthant_graph *with_labels = NULL;
        status =
            graph_with_classes(f->ctx, f->graph, model->labels,
                               parameter_number(&model->parameters, "label_weight"), &with_labels);
        orthant_graph_free(f->built_graph);
        f->graph = f->built_graph = with_labels;
    }
    if (!status && f->built_graph)
        graph_drop_ones(f->built_graph);
    f->result->graph_bytes = orthant_context_memory(f->ctx) - before;
    return status;
}
