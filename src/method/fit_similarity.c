/* The similarity that a fit works on: given, a graph's weights, or built from the samples. */
#include <string.h>

#include "graph/similarity.h"
#include "method/method.h"

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

orthant_status fit_similarity(fit *f)
{
    const orthant_model *model = f->model;
    const parameter_set *set = &model->parameters;
    /* Where the method works on either, a graph that was given is what is meant. */
    const bool given_graph =
        model->graph && model->method->needs_similarity && parameter_has(set, "weights");
    const char *kind = given_graph ? "graph" : parameter_text(set, "similarity");
    orthant_status status = ORTHANT_OK;
    if (model->similarity) {
        status = take_given(f);
    } else if (!strcmp(kind, "graph")) {
        const int64_t neighbours = parameter_whole(set, "neighbours");
        status = fit_graph(f, neighbours ? neighbours : 5);
        f->similarity = status ? NULL : f->graph->adjacency;
    } else if (!strcmp(kind, "gaussian")) {
        status = orthant_similarity_gaussian(
            f->ctx, f->samples,
            model->method->needs_similarity ? parameter_whole(set, "neighbours") : 0,
            parameter_number(set, "scale"), &f->built_similarity);
        f->similarity = f->built_similarity;
    }
    return status;
}
