/* Models: a method, its parameters and its inputs, before a fit. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "loss/losses.h"
#include "method/method.h"
#include "method/online.h"
#include "term/terms.h"

static orthant_status add_term_kind(orthant_model *model, const term_kind *kind)
{
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i] == kind)
            return ORTHANT_OK;
    if (model->term_count == FIT_MOST_TERMS)
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT, "a model takes at most %d terms",
                    FIT_MOST_TERMS);
    model->terms[model->term_count++] = kind;
    return parameter_add(model->ctx, &model->parameters, kind->parameters);
}

/* The terms of "a,b,c". */
static orthant_status add_terms(orthant_model *model, const char *list)
{
    orthant_status status = ORTHANT_OK;
    while (list && *list && !status) {
        char word[32];
        const size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        status = add_term_kind(model, term_kind_find(word));
        list += length + (list[length] == ',');
    }
    return status;
}

static orthant_status set_defaults(orthant_model *model)
{
    const method_row *method = model->method;
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < METHOD_MOST_DEFAULTS && method->defaults[i].name && !status; i++)
        status = parameter_assign(model->ctx, &model->parameters, method->name,
                                  method->defaults[i].name, method->defaults[i].value);
    return status;
}

orthant_status orthant_model_create(orthant_context *ctx, const char *name, int64_t rank,
                                    orthant_model **model)
{
    if (model)
        *model = NULL;
    const orthant_status refused = entry_check(ctx, name && model, __func__);
    if (refused)
        return refused;
    const method_row *method = method_find(name);
    if (!method)
        return method_unknown(ctx, name);
    if (rank < 1)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "rank %lld: must be at least 1", (long long)rank);
    orthant_model *made = memory_new(ctx, 1, sizeof *made, "a model");
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->ctx = ctx;
    made->method = method;
    made->rank = rank;
    orthant_status status = parameter_add(ctx, &made->parameters, common_parameters);
    if (!status && method->loss) {
        status = parameter_add(ctx, &made->parameters, factor_parameters);
        if (!status)
            status = parameter_assign(ctx, &made->parameters, method->name, "loss", method->loss);
    }
    if (!status)
        status = add_terms(made, method->terms);
    if (!status)
        status = parameter_add(ctx, &made->parameters, method->parameters);
    if (!status && method->takes_similarity)
        status = parameter_add(ctx, &made->parameters, kernel_parameters);
    if (!status)
        status = set_defaults(made);
    if (status) {
        orthant_model_free(made);
        return status;
    }
    *model = made;
    return ORTHANT_OK;
}

void orthant_model_free(orthant_model *model)
{
    if (!model)
        return;
    memory_free(model->ctx, model->checkpoint.path);
    memory_free(model->ctx, model->checkpoint.resume);
    memory_free(model->ctx, model);
}

orthant_status orthant_model_set(orthant_model *model, const char *name, const char *value)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, name && value, __func__);
    if (refused)
        return refused;
    char owner[64];
    snprintf(owner, sizeof owner, "method '%s'", model->method->name);
    if (!strcmp(name, "loss"))
        value = loss_table_name(value);
    const orthant_status status =
        parameter_assign(model->ctx, &model->parameters, owner, name, value);
    if (!status)
        parameter_mark_given(&model->parameters, name);
    return status;
}

orthant_status orthant_model_get(const orthant_model *model, const char *name, char *value,
                                 size_t size)
{
    if (!model || !name || !value)
        return fail(model ? model->ctx : NULL, ORTHANT_ERROR_ARGUMENT, "%s: an argument is NULL",
                    __func__);
    if (!parameter_has(&model->parameters, name))
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT, "method '%s' has no parameter '%s'",
                    model->method->name, name);
    snprintf(value, size, "%s", parameter_text(&model->parameters, name));
    return ORTHANT_OK;
}

orthant_status orthant_model_add_term(orthant_model *model, const char *name, double weight)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, name != NULL, __func__);
    if (refused)
        return refused;
    const term_kind *kind = term_kind_find(name);
    char text[40];
    if (!model->method->loss)
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' takes no terms: only models of a loss do", model->method->name);
    if (!kind) {
        const char *names[FIT_MOST_TERMS * 2];
        int count = 0;
        while (count < term_kind_count() && count < FIT_MOST_TERMS * 2) {
            names[count] = term_kind_at(count)->name;
            count++;
        }
        const char *nearest = text_nearest(name, names, count);
        char all[256] = "";
        for (int i = 0; i < count; i++)
            text_append(all, sizeof all, "%s%s", i ? ", " : "", names[i]);
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT, "no term '%s'.%s%s%s Terms: %s", name,
                    nearest ? " Did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
                    all);
    }
    const orthant_status status = add_term_kind(model, kind);
    snprintf(text, sizeof text, "%.17g", weight);
    return status ? status : orthant_model_set(model, kind->parameters[0].name, text);
}

int orthant_model_parameter_count(const orthant_model *model)
{
    return model ? model->parameters.count : 0;
}

const char *orthant_model_parameter_name(const orthant_model *model, int index)
{
    return !model || index < 0 || index >= model->parameters.count
               ? NULL
               : model->parameters.info[index]->name;
}

const char *orthant_model_method(const orthant_model *model)
{
    return model ? model->method->name : NULL;
}

int64_t orthant_model_rank(const orthant_model *model)
{
    return model ? model->rank : 0;
}

int orthant_model_term_count(const orthant_model *model)
{
    return model ? model->term_count : 0;
}

const char *orthant_model_term(const orthant_model *model, int index)
{
    return !model || index < 0 || index >= model->term_count ? NULL : model->terms[index]->name;
}

double orthant_model_term_weight(const orthant_model *model, int index)
{
    if (!model || index < 0 || index >= model->term_count)
        return 0;
    return parameter_number(&model->parameters, model->terms[index]->parameters[0].name);
}

orthant_status orthant_model_set_graph(orthant_model *model, const orthant_graph *graph)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, true, __func__);
    if (refused)
        return refused;
    model->graph = graph;
    return ORTHANT_OK;
}

orthant_status orthant_model_set_labels(orthant_model *model, const orthant_labels *labels)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, true, __func__);
    if (refused)
        return refused;
    model->labels = labels;
    return ORTHANT_OK;
}

orthant_status orthant_model_set_pooling(orthant_model *model, const orthant_matrix *pooling)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, true, __func__);
    if (refused)
        return refused;
    const orthant_status here = matrix_check_here(pooling, __func__);
    if (here)
        return here;
    if (pooling && !parameter_has(&model->parameters, "pooling"))
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' does not pool: add the term 'topographic'", model->method->name);
    model->pooling = pooling;
    return ORTHANT_OK;
}

orthant_status orthant_model_set_similarity(orthant_model *model, const orthant_matrix *similarity)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, true, __func__);
    if (refused)
        return refused;
    const orthant_status here = matrix_check_here(similarity, __func__);
    if (here)
        return here;
    const method_row *method = model->method;
    if (similarity && !method->needs_similarity && !method->takes_similarity)
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT, "method '%s' does not work on a similarity",
                    method->name);
    model->similarity = similarity;
    return ORTHANT_OK;
}

orthant_status orthant_model_set_start(orthant_model *model, const char *factor,
                                       const orthant_matrix *start)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, factor != NULL, __func__);
    if (refused)
        return refused;
    const orthant_status here = matrix_check_here(start, __func__);
    if (here)
        return here;
    if (!text_in_list(model->method->factors, factor) && !online_has_start(model, factor))
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT, "method '%s' has no factor '%s'; it has %s",
                    model->method->name, factor, model->method->factors);
    for (int i = 0; i < model->start_count; i++)
        if (!strcmp(model->starts[i].name, factor)) {
            model->starts[i].matrix = start;
            return ORTHANT_OK;
        }
    snprintf(model->starts[model->start_count].name, sizeof model->starts->name, "%s", factor);
    model->starts[model->start_count++].matrix = start;
    return ORTHANT_OK;
}

orthant_status orthant_model_set_fixed(orthant_model *model, const char *factor,
                                       const orthant_matrix *parts)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, factor != NULL, __func__);
    if (refused)
        return refused;
    const orthant_status here = matrix_check_here(parts, __func__);
    if (here)
        return here;
    if (model->method->run != factor_run)
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' cannot hold parts fixed: models of a loss and terms can, as nmf",
                    model->method->name);
    if (strcmp(factor, "basis") != 0)
        return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the factor '%s' cannot be held fixed: the basis can", factor);
    model->fixed_basis = parts;
    return ORTHANT_OK;
}

orthant_status orthant_model_set_iteration(orthant_model *model,
                                           orthant_iteration_function function, void *user)
{
    const orthant_status refused = entry_check(model ? model->ctx : NULL, true, __func__);
    if (refused)
        return refused;
    model->iteration = function;
    model->iteration_user = user;
    return ORTHANT_OK;
}
