/* Codes of new samples by what a fit minimised for each of its own: its loss, its weights of
 * entries and those of its terms that act on one sample. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/sized.h"
#include "core/text.h"
#include "loss/losses.h"
#include "method/method.h"
#include "method/transform.h"
#include "term/terms.h"

typedef struct model_code {
    const orthant_model *model;
    orthant_transform_options given;
    orthant_model weighted; /* the model with the new samples' weights */
    fit fit, training;      /* of these only samples and weights are used */
    term terms[FIT_MOST_TERMS];
    int term_count;
    code_graph graph;
    double *gram; /* k x k: S'S of the training samples */
} model_code;

static const char *loss_of(const orthant_model *model)
{
    const char *name = parameter_has(&model->parameters, "loss")
                           ? parameter_text(&model->parameters, "loss")
                           : model->method->loss;
    return name ? name : "";
}

/* ------------------------------------------------------------------ what terms need */

static orthant_status check_encoding(const model_code *c, const char *asking)
{
    const orthant_matrix *encoding = c->given.encoding;
    if (!encoding)
        return fail(c->model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the term '%s' looks at the encodings of the fit, which are not given", asking);
    if (encoding->sparse || encoding->columns != c->model->rank || encoding->rows < 1)
        return fail(c->model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the encodings of the fit are %lld x %lld; expected %lld columns",
                    (long long)encoding->rows, (long long)encoding->columns,
                    (long long)c->model->rank);
    const orthant_status here = matrix_check_here(encoding, "a term");
    return here ? here : matrix_check(encoding, false, "the encodings of the fit", "transform");
}

static orthant_status sum_gram(model_code *c)
{
    const int64_t k = c->model->rank;
    const orthant_matrix *S = c->given.encoding;
    c->gram = memory_new(c->model->ctx, k * k, sizeof(double), "a Gram matrix");
    if (!c->gram)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < S->rows; i++)
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; b < k; b++)
                c->gram[a * k + b] +=
                    matrix_value(S, i * S->stride + a) * matrix_value(S, i * S->stride + b);
    return ORTHANT_OK;
}

static orthant_status check_training(const model_code *c, const orthant_matrix *X)
{
    if (!X)
        return fail(c->model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the graph joins new samples with the nearest samples of the fit, which are "
                    "not given");
    if (X->rows != c->given.encoding->rows || X->columns != c->fit.samples->columns)
        return fail(c->model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the samples of the fit are %lld x %lld; expected %lld x %lld",
                    (long long)X->rows, (long long)X->columns, (long long)c->given.encoding->rows,
                    (long long)c->fit.samples->columns);
    const orthant_status here = matrix_check_here(X, "a graph");
    return here ? here : matrix_check(X, false, "the samples of the fit", "transform");
}

static orthant_status setup_graph(model_code *c)
{
    orthant_context *ctx = c->model->ctx;
    const parameter_set *set = &c->model->parameters;
    orthant_status status;
    /* NaN are zeros, as in the fit */
    c->training.samples = c->given.training;
    if (c->given.training && !strcmp(parameter_text(set, "missing"), "nan") &&
        (status = fit_weigh(&c->training)))
        return status;
    const orthant_matrix *X = c->training.samples;
    code_graph *g = &c->graph;
    if ((status = check_training(c, X)) ||
        (status = orthant_edge_weight_parse(ctx, parameter_text(set, "weights"), &g->weight)))
        return status;
    const double width = parameter_number(set, "heat_width");
    g->samples = X;
    g->encoding = c->given.encoding;
    g->neighbours = smaller(parameter_whole(set, "neighbours"), X->rows);
    g->width_squared = width * width;
    if (g->weight == ORTHANT_EDGE_HEAT && width <= 0 &&
        (status = graph_mean_squared_distance(ctx, X, &g->width_squared)))
        return status;
    if (!(g->squares = memory_new(ctx, X->rows, sizeof(double), "lengths of samples")))
        return ORTHANT_ERROR_MEMORY;
    matrix_row_squares(X, g->squares);
    return ORTHANT_OK;
}

static orthant_status setup_term(model_code *c, term *t)
{
    orthant_status status = ORTHANT_OK;
    problem p = fit_problem(&c->fit);
    const bool graph = t->kind->flags & TERM_NEEDS_GRAPH;
    if (graph || t->kind->code_prepare)
        status = check_encoding(c, t->kind->name);
    if (!status && graph)
        status = setup_graph(c);
    if (!status && t->kind->code_setup)
        status = t->kind->code_setup(t, &p);
    if (!status && t->kind->code_prepare && !(status = sum_gram(c)))
        t->kind->code_prepare(t, c->gram);
    return status;
}

/* Those that act on one sample; the others are told where they act on encodings at all. */
static orthant_status setup_terms(model_code *c)
{
    const orthant_model *model = c->model;
    const double scale = model->method->objective_scale;
    char others[128] = "";
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < model->term_count && !status; i++) {
        const term_kind *kind = model->terms[i];
        const double weight = parameter_number(&model->parameters, kind->parameters[0].name);
        if (isnan(weight))
            return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                        "%s = 'auto': new samples take the weight that the fit chose; set it to "
                        "what orthant_result_term_weight() tells",
                        kind->parameters[0].name);
        if (!(weight > 0) || !kind->encoding)
            continue;
        if (!kind->code_parts || kind->flags & TERM_NEEDS_LABELS) {
            text_append(others, sizeof others, "%s%s", *others ? ", " : "", kind->name);
            continue;
        }
        term *t = &c->terms[c->term_count++];
        *t = (term){.kind = kind, .ctx = model->ctx, .weight = scale > 0 ? weight / scale : weight};
        status = setup_term(c, t);
    }
    if (!status && *others)
        log_note(model->ctx,
                 "terms of the fit that say nothing of a new sample by itself (%s) have no part in "
                 "its encoding",
                 others);
    return status;
}

/* ------------------------------------------------------------------ the whole */

static orthant_status encode(model_code *c, const orthant_matrix *basis, orthant_matrix **encoding)
{
    orthant_context *ctx = c->model->ctx;
    const char *name = loss_of(c->model);
    const orthant_transform_options *o = &c->given;
    loss asked;
    orthant_status status;
    if ((status = loss_make(ctx, name, &asked)) || (status = fit_weigh(&c->fit)) ||
        (status = transform_check(ctx, basis, name, c->fit.samples)) || (status = setup_terms(c)))
        return status;
    const bool weighted = c->fit.weights.given;
    return transform_samples(&(code_problem){.ctx = ctx,
                                             .basis = basis,
                                             .samples = c->fit.samples,
                                             .loss = &asked,
                                             .weights = weighted ? &c->fit.weights.entries : NULL,
                                             .terms = c->terms,
                                             .term_count = c->term_count,
                                             .graph = c->graph.samples ? &c->graph : NULL,
                                             .iterations = o->iterations,
                                             .tolerance = o->tolerance},
                             encoding);
}

static orthant_status check(const model_code *c, const orthant_matrix *basis)
{
    orthant_context *ctx = c->model->ctx;
    if (!*loss_of(c->model))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' has no loss: new samples have no encodings under it",
                    c->model->method->name);
    if (basis->columns != c->model->rank)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "the basis has %lld parts, the model %lld",
                    (long long)basis->columns, (long long)c->model->rank);
    if (c->given.iterations < 1 || !(c->given.tolerance >= 0))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%lld iterations to a tolerance of %g: expected at least 1, and 0 or more",
                    (long long)c->given.iterations, c->given.tolerance);
    return ORTHANT_OK;
}

orthant_status orthant_model_transform(const orthant_model *model, const orthant_matrix *basis,
                                       const orthant_matrix *samples,
                                       const orthant_transform_options *options,
                                       orthant_matrix **encoding)
{
    model_code c = {.model = model, .given = ORTHANT_TRANSFORM_DEFAULTS};
    if (encoding)
        *encoding = NULL;
    orthant_status status =
        entry_check(model ? model->ctx : NULL, basis && samples && encoding, __func__);
    if (!status && options)
        status = sized_take(model->ctx, __func__, options, &c.given, sizeof c.given);
    if (status || (status = check(&c, basis)))
        return status;
    /* mask and weights of the model are of the samples that it is fitted to */
    orthant_model of_training = *model;
    c.weighted = *model;
    c.weighted.mask = c.given.mask;
    c.weighted.sample_weights = c.given.sample_weights;
    if (c.given.feature_weights)
        c.weighted.feature_weights = c.given.feature_weights;
    of_training.mask = of_training.sample_weights = NULL;
    c.fit = (fit){.ctx = model->ctx, .model = &c.weighted, .samples = samples};
    c.training = (fit){.ctx = model->ctx, .model = &of_training};
    status = encode(&c, basis, encoding);
    for (int i = 0; i < c.term_count; i++)
        if (c.terms[i].state)
            c.terms[i].kind->release(&c.terms[i]);
    fit_weights_release(&c.fit);
    fit_weights_release(&c.training);
    memory_free(model->ctx, c.gram);
    memory_free(model->ctx, c.graph.squares);
    return status;
}
