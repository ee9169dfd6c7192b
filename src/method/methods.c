/* The table of methods, and what it tells. */
#include <stdio.h>
#include <string.h>

#include "core/sized.h"
#include "core/text.h"
#include "loss/losses.h"
#include "method/method.h"
#include "method/online.h"
#include "solver/solvers.h"
#include "term/terms.h"

static const method_row methods[] = {
#include "method/methods.def"
};

#define METHODS ((int)(sizeof methods / sizeof *methods))

const orthant_parameter_info common_parameters[] = {
    PARAMETER_WHOLE("iterations", "500", 0, 1e12, "iterations at most"),
    PARAMETER_NUMBER(
        "tolerance", "1e-5", 0, 1,
        "stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never"),
    PARAMETER_NUMBER("time_limit", "0", 0, 1e12, "stop after so many seconds; 0: no limit"),
    PARAMETER_WHOLE("seed", "1", 0, 9007199254740992.0, "seed of every random choice"),
    PARAMETER_END,
};

const orthant_parameter_info factor_parameters[] = {
    PARAMETER_WORD("loss", "frobenius", ALL_LOSSES,
                   "how the data and the product of the factors are compared"),
    PARAMETER_WORD("missing", "none", "none|nan|zeros",
                   "entries that are not known and have no part in the fit: nan; zeros: what a "
                   "sparse X does not store"),
    PARAMETER_INIT,
    PARAMETER_WORD(
        "normalise", "none", "none|basis",
        "basis: unit columns, the encodings take the scale, which penalties on them see"),
    PARAMETER_WORD("solver", "auto", "auto|" ALL_SOLVERS,
                   "mu: the papers' multiplicative updates; emu: the same, extrapolated; hals: "
                   "coordinate descent (loss frobenius); newton: the same for the loss kl; auto: "
                   "hals for plain nmf that is not started from given factors, else mu"),
    PARAMETER_FINAL_ENCODINGS,
    PARAMETER_END,
};

const orthant_parameter_info kernel_parameters[] = {
    PARAMETER_WORD("similarity", "none", "none|gaussian|knn:P",
                   "work on the Gaussian similarity of the samples in place of X X'; knn:P: of P "
                   "nearest neighbours alone, sparse"),
    PARAMETER_NUMBER(
        "scale", "1", 1e-12, 1e12,
        "width of the similarity: t^2 is half of this times the mean squared distance"),
    PARAMETER_SEARCH,
    PARAMETER_END,
};

const method_row *method_find(const char *name)
{
    for (int i = 0; name && i < METHODS; i++)
        if (!strcmp(methods[i].name, name))
            return &methods[i];
    return NULL;
}

orthant_status method_unknown(orthant_context *ctx, const char *name)
{
    const char *names[METHODS];
    for (int i = 0; i < METHODS; i++)
        names[i] = methods[i].name;
    const char *nearest = text_nearest(name, names, METHODS);
    if (nearest)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "no method '%s'. Did you mean '%s'?", name,
                    nearest);
    return fail(ctx, ORTHANT_ERROR_ARGUMENT, "no method '%s'", name);
}

int orthant_method_count(void)
{
    return METHODS;
}

/* The row of a table; past its end NULL, and `index` counts on from there. */
static const orthant_parameter_info *row_at(const orthant_parameter_info *rows, int *index)
{
    const int count = parameter_count(rows);
    if (*index < count)
        return &rows[*index];
    *index -= count;
    return NULL;
}

/* The terms' parameters come first, then the method's own, last those of every method. */
static const orthant_parameter_info *parameter_at(const method_row *method, int index)
{
    const char *list = method->terms;
    const orthant_parameter_info *row = NULL;
    while (!row && list && *list) {
        char word[32];
        const size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        row = row_at(term_kind_find(word)->parameters, &index);
        list += length + (list[length] == ',');
    }
    if (!row && method->loss) /* which is the row's, not a parameter of the named method */
        row = row_at(factor_parameters + 1, &index);
    if (!row)
        row = row_at(method->parameters, &index);
    if (!row && method->takes_similarity)
        row = row_at(kernel_parameters, &index);
    return row ? row : row_at(common_parameters, &index);
}

/* The row's own default for a parameter, or NULL. */
static const char *default_of(const method_row *method, const char *name)
{
    for (int i = 0; i < METHOD_MOST_DEFAULTS && method->defaults[i].name; i++)
        if (!strcmp(method->defaults[i].name, name))
            return method->defaults[i].value;
    return NULL;
}

static const char *needs_of(const method_row *method)
{
    bool graph = false, labels = method->labels_in_graph || method->needs_labels;
    for (int i = 0; i < term_kind_count(); i++) {
        const term_kind *kind = term_kind_at(i);
        if (!text_in_list(method->terms, kind->name))
            continue;
        graph |= (kind->flags & TERM_NEEDS_GRAPH) != 0;
        labels |= (kind->flags & TERM_NEEDS_LABELS) != 0;
    }
    return graph && labels ? "graph,labels" : graph ? "graph" : labels ? "labels" : "";
}

static const char *promises_of(const method_row *method)
{
    static const char *const texts[8] = {"",
                                         "monotone",
                                         "deterministic",
                                         "monotone,deterministic",
                                         "nonnegative",
                                         "monotone,nonnegative",
                                         "deterministic,nonnegative",
                                         "monotone,deterministic,nonnegative"};
    return texts[method->promises & 7];
}

orthant_status orthant_method_info_at(int index, orthant_method_info *info)
{
    if (index < 0 || index >= METHODS)
        return ORTHANT_ERROR_ARGUMENT;
    const method_row *method = &methods[index];
    orthant_method_info found = {
        .size = sizeof found,
        .name = method->name,
        .title = method->title,
        .family = method->family,
        .loss = method->loss ? method->loss : "",
        .terms = method->terms ? method->terms : "",
        .needs = needs_of(method),
        .factors = method->factors,
        .labels = method->labels,
        .read_outs = method->read_outs ? method->read_outs : "",
        .promises = promises_of(method),
        .reference = method->reference,
        .description = method->description,
        .mixed_signs = method->mixed_signs,
        .iterates = !method->direct,
        .shows_factors = !method->shows_no_factors,
        .streams = method->streams,
        .on_device = method->check_device != NULL,
    };
    while (parameter_at(method, found.parameters))
        found.parameters++;
    found.parameters -= parameter_count(common_parameters);
    return sized_give(NULL, __func__, &found, sizeof found, info);
}

orthant_status orthant_method_info_by_name(orthant_context *ctx, const char *name,
                                           orthant_method_info *info)
{
    if (!name || !info)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: an argument is NULL", __func__);
    const method_row *method = method_find(name);
    if (!method)
        return method_unknown(ctx, name);
    return orthant_method_info_at((int)(method - methods), info);
}

orthant_status orthant_method_parameter(const char *name, int index, orthant_parameter_info *info)
{
    const method_row *method = name ? method_find(name) : NULL;
    const orthant_parameter_info *row = method && index >= 0 ? parameter_at(method, index) : NULL;
    if (!row)
        return ORTHANT_ERROR_ARGUMENT;
    orthant_parameter_info found = *row;
    const char *own = default_of(method, row->name);
    if (own)
        found.default_text = own;
    return sized_give(NULL, __func__, &found, sizeof found, info);
}

int orthant_common_parameter_count(void)
{
    return parameter_count(common_parameters);
}

orthant_status orthant_common_parameter(int index, orthant_parameter_info *info)
{
    if (index < 0 || index >= parameter_count(common_parameters))
        return ORTHANT_ERROR_ARGUMENT;
    return sized_give(NULL, __func__, &common_parameters[index], sizeof *info, info);
}
