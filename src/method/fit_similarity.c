/* The similarity that a fit works on: given, a graph's weights, or built from the samples. */
#include <stdlib.h>
#include <string.h>

#include "graph/similarity.h"
#include "method/method.h"

#define MOST_DENSE 5000 /* samples: above, neighbours alone are kept by itself */
#define BY_ITSELF 20    /* neighbours that are kept then */

/* As it is, or copied in the data's precision. */
static orthant_status take_given(fit *f)
{
    const method_row *method = f->model->method;
    const orthant_matrix *given = f->model->similarity;
    const char *name = given->name ? given->name : "the similarity";
    f->similarity = given;
    if (given->rows != f->samples->rows)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT, "%s is for %lld samples, the data have %lld",
                    name, (long long)given->rows, (long long)f->samples->rows);
    if (given->precision != f->samples->precision) {
        const orthant_status status =
            matrix_copy(f->ctx, given, f->samples->precision, &f->built_similarity);
        if (status)
            return status;
        f->similarity = f->built_similarity;
    }
    return similarity_check(f->similarity, method->needs_similarity || !method->mixed_signs, name,
                            method->name);
}

orthant_status fit_neighbours(const fit *f, int64_t *neighbours)
{
    const parameter_set *set = &f->model->parameters;
    const char *kind = parameter_text(set, "similarity");
    const int64_t said = parameter_whole(set, "neighbours");
    *neighbours = strncmp(kind, "knn:", 4) ? said : strtoll(kind + 4, NULL, 10);
    if (parameter_given(set, "neighbours") && said != *neighbours)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "similarity = '%s' and neighbours = %lld: give one of them", kind,
                    (long long)said);
    return ORTHANT_OK;
}

/* How many neighbours of a sample are kept, 0 for all: what is said, and where nothing is, by the
 * number of samples. */
static orthant_status choose_neighbours(fit *f, const char *kind, int64_t *neighbours)
{
    const parameter_set *set = &f->model->parameters;
    const int64_t n = f->samples->rows;
    if (!f->model->method->needs_similarity) { /* `neighbours` is of its graph */
        *neighbours = strncmp(kind, "knn:", 4) ? 0 : strtoll(kind + 4, NULL, 10);
        return ORTHANT_OK;
    }
    const orthant_status status = fit_neighbours(f, neighbours);
    if (status || strcmp(kind, "auto") || parameter_given(set, "neighbours") || n <= MOST_DENSE)
        return status;
    *neighbours = BY_ITSELF;
    return fit_note(f,
                    "%lld samples: their similarity is kept between %d nearest neighbours each "
                    "(knn:%d); 'gaussian' takes all pairs, %.1f GB",
                    (long long)n, BY_ITSELF, BY_ITSELF,
                    (double)n * (double)n *
                        (f->samples->precision == ORTHANT_DOUBLE ? 8e-9 : 4e-9));
}

static bool same_options(const similarity_options *a, const similarity_options *b)
{
    return a->neighbours == b->neighbours && a->search == b->search && !(a->scale < b->scale) &&
           !(a->scale > b->scale);
}

/* Builds it, or takes the one that an earlier fit built of the same. */
static orthant_status build_or_take(fit *f, const similarity_options *options)
{
    const search_clock clock = {f->begun, parameter_number(&f->model->parameters, "time_limit")};
    kept_graph *kept = f->model->kept_graph;
    if (!kept) {
        const orthant_status status =
            similarity_build(f->ctx, f->samples, options, &clock, &f->built_similarity);
        f->similarity = f->built_similarity;
        return status;
    }
    if (!kept->similarity || kept->similar_samples != f->samples ||
        !same_options(&kept->similar, options)) {
        orthant_matrix_free(kept->similarity);
        kept->similarity = NULL;
        const orthant_status status =
            similarity_build(f->ctx, f->samples, options, &clock, &kept->similarity);
        if (status)
            return status;
        kept->similar_samples = f->samples;
        kept->similar = *options;
        kept->similarities++;
    }
    f->similarity = kept->similarity;
    return ORTHANT_OK;
}

static orthant_status build(fit *f, const char *kind)
{
    const parameter_set *set = &f->model->parameters;
    similarity_options options = {.scale = parameter_number(set, "scale")};
    orthant_status status = choose_neighbours(f, kind, &options.neighbours);
    if (!status && parameter_has(set, "search"))
        status = orthant_search_parse(f->ctx, parameter_text(set, "search"), &options.search);
    return status ? status : build_or_take(f, &options);
}

orthant_status fit_similarity(fit *f)
{
    const orthant_model *model = f->model;
    const parameter_set *set = &model->parameters;
    /* Where the method works on either, a graph that was given is what is meant. */
    const bool given_graph =
        model->graph && model->method->needs_similarity && parameter_has(set, "weights");
    const char *kind = given_graph ? "graph" : parameter_text(set, "similarity");
    if (!model->method->needs_similarity && !model->method->takes_similarity)
        return ORTHANT_OK;
    if (model->similarity)
        return take_given(f);
    if (!strcmp(kind, "none"))
        return ORTHANT_OK;
    if (strcmp(kind, "graph"))
        return build(f, kind);
    const int64_t neighbours = parameter_whole(set, "neighbours");
    const orthant_status status = fit_graph(f, neighbours ? neighbours : 5);
    f->similarity = status ? NULL : f->graph->adjacency;
    return status;
}
