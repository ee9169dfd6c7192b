/* What a trial refuses before there is data, because it would be ignored or fail after the fit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "method/consensus_parts.h"
#include "cluster/rescaled.h"
#include "method/fit.h"
#include "method/starts.h"
#include "study/trial.h"

static bool has_parameter(const trial *t, const char *name)
{
    char value[64];
    return !orthant_model_get(t->model, name, value, sizeof value);
}

/* "add term = 'class=WEIGHT', or take cdnmf, ...": how a model comes to use labels or a graph. */
static const char *way_to(const trial *t, const char *need, const char *term, char *text,
                          size_t size)
{
    orthant_method_info method = {.size = sizeof method};
    const char *before = "take";
    text[0] = '\0';
    if (*t->method.loss)
        text_append(text, size, "add term = '%s=WEIGHT', or ", term);
    for (int i = 0; !orthant_method_info_at(i, &method); i++)
        if (text_in_list(method.needs, need)) {
            text_append(text, size, "%s %s", before, method.name);
            before = ",";
        }
    return text;
}

static orthant_status refuse_graph(const trial *t, const char *kind)
{
    char way[256];
    return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "graph = '%s': '%s' uses no graph%s; %s",
                settings_value(&t->given, "graph"), t->method.name, kind,
                way_to(t, "graph", "graph", way, sizeof way));
}

orthant_status trial_check_uses(const trial *t)
{
    static const char *const sources[] = {"labels", "labelled-fraction", "labelled-per-class"};
    const char *first = NULL;
    char way[256];
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const char *value = settings_value(&t->given, sources[i]);
        if (value && !model_uses_labels(t->model))
            return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "%s = '%s': '%s' uses no labels; %s",
                        sources[i], value, t->method.name,
                        way_to(t, "labels", "class", way, sizeof way));
        if (value && first)
            return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "%s and %s exclude each other", first,
                        sources[i]);
        first = value ? sources[i] : first;
    }
    if (settings_value(&t->given, "graph") && !has_parameter(t, "neighbours"))
        return refuse_graph(t, "");
    return ORTHANT_OK;
}

orthant_status trial_check_graph_file(const trial *t)
{
    const char *graph = settings_value(&t->given, "graph");
    int64_t neighbours = 0;
    const orthant_status status = graph ? graph_word(t->ctx, graph, &neighbours) : ORTHANT_OK;
    if (status || !graph || neighbours || model_uses_graph(t->model))
        return status;
    return refuse_graph(t, " of a file");
}

/* ---- starts and numbers -----------------------------------------------------------------------
 */

orthant_status start_word(orthant_context *ctx, const char *start, int64_t *starts)
{
    *starts = 0;
    if (strchr(start, '='))
        return ORTHANT_OK;
    if (!strcmp(start, "random")) {
        *starts = 1;
        return ORTHANT_OK;
    }
    if (!strncmp(start, "best-of:", 8) && text_to_int64(start + 8, starts) && *starts > 0 &&
        *starts <= 10000)
        return ORTHANT_OK;
    if (!strncmp(start, CONSENSUS_WORD, strlen(CONSENSUS_WORD)) &&
        text_to_int64(start + strlen(CONSENSUS_WORD), starts) && *starts > 1 && *starts <= 10000)
        return ORTHANT_OK;
    return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                "start = '%s': expected a factor, an equals sign and a file, as in basis=W.npy, or "
                "random, or best-of: or consensus: and a number of starts up to 10000",
                start);
}

/* A number for a consensus, where one is wanted. */
static orthant_status take_number(const trial *t, bool wanted, const char *name, double *number)
{
    const char *text = settings_value(&t->given, name);
    if (text && !wanted)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s = '%s': there is no consensus, start = 'consensus:N' would ask for one",
                    name, text);
    if (text && !text_to_double(text, number))
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "%s = '%s': expected a number", name, text);
    return ORTHANT_OK;
}

orthant_status trial_consensus(const trial *t, bool *wanted, orthant_consensus_options *options)
{
    const char *start;
    orthant_consensus_options given = ORTHANT_CONSENSUS_DEFAULTS;
    *wanted = false;
    for (int i = 0; (start = settings_nth(&t->given, "start", i)); i++)
        *wanted = *wanted || !strncmp(start, CONSENSUS_WORD, strlen(CONSENSUS_WORD));
    given.starts = *wanted ? trial_starts(t) : given.starts;
    orthant_status status = take_number(t, *wanted, "consensus-threshold", &given.threshold);
    if (!status)
        status = take_number(t, *wanted, "consensus-neighbourhood", &given.neighbourhood);
    if (!status)
        status = consensus_options(t->ctx, &given, options);
    return status || !*wanted ? status : consensus_check_model(t->model);
}

static orthant_status check_starts(const trial *t)
{
    const char *pair, *earlier;
    int64_t starts;
    orthant_status status = ORTHANT_OK;
    for (int i = 0; !status && (pair = settings_nth(&t->given, "start", i)); i++) {
        status = start_word(t->ctx, pair, &starts);
        for (int j = 0; j < i && !status && (earlier = settings_nth(&t->given, "start", j)); j++)
            if (starts ? !strchr(earlier, '=') : !strncmp(pair, earlier, strcspn(pair, "=") + 1))
                status = fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                              "start = '%s': the factor has a start already, start = '%s'", pair,
                              earlier);
    }
    return status;
}

static orthant_status check_whole(const trial *t, const char *name, int64_t most)
{
    const char *text = settings_value(&t->given, name);
    int64_t value = 1;
    if (text && !text_to_int64(text, &value))
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "%s = '%s': expected a whole number", name,
                    text);
    if (value < 1 || value > most)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "%s = '%s': expected a number from 1 to %lld",
                    name, text, (long long)most);
    return ORTHANT_OK;
}

static orthant_status check_fraction(const trial *t)
{
    const char *text = settings_value(&t->given, "labelled-fraction");
    double fraction = 1;
    if (text && !text_to_double(text, &fraction))
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "labelled-fraction = '%s': expected a number",
                    text);
    if (fraction < 0 || fraction > 1)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "labelled-fraction = '%s': expected a number from 0 to 1", text);
    if (fraction <= 0)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "labelled-fraction = '0': no sample would have a label; expected a share above "
                    "0, at most 1");
    return ORTHANT_OK;
}

/* ---- labels -----------------------------------------------------------------------------------
 */

/* Factors with a row for each sample, whatever the method. */
static const char sample_factors[] = "encoding,weights,relation,distribution";

/* Those of "basis,encoding,..." as "encoding, ...". */
static void list_sample_factors(const char *factors, char *text, size_t size)
{
    text[0] = '\0';
    while (*factors) {
        char name[32];
        const size_t length = strcspn(factors, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, factors);
        if (text_in_list(sample_factors, name))
            text_append(text, size, "%s%s", *text ? ", " : "", name);
        factors += length + (factors[length] == ',');
    }
}

static orthant_status check_rule(const trial *t, const char *rule)
{
    static const char words[] =
        "argmax,kmeans,kmeans-scaled,kmeans-unit,argmax-scaled,snmf,wnmf,consensus,best-of";
    char word[64], usable[128];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(rule, ":"), rule);
    const char *colon = strchr(rule, ':'), *factor = colon ? colon + 1 : "encoding";
    if (!text_in_list(words, word))
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "labels-rule = '%s': expected one of %s", rule,
                    words);
    if (!strcmp(word, "best-of") && !*t->method.read_outs)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "labels-rule = 'best-of': '%s' has one way to labels, %s", t->method.name,
                    t->method.labels);
    if (text_in_list(t->method.factors, factor) && text_in_list(sample_factors, factor))
        return ORTHANT_OK;
    list_sample_factors(t->method.factors, usable, sizeof usable);
    return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                "labels-rule = '%s': '%s' has no factor '%s' with a row for each sample; it has %s",
                rule, t->method.name, factor, usable);
}

/* Labels that starts agree on take several, each labelled by the rule behind the dash. */
static orthant_status check_consensus_rule(const trial *t, const char *rule)
{
    const char *each = strchr(rule, '-'), *start;
    bool of_parts = false;
    for (int i = 0; (start = settings_nth(&t->given, "start", i)); i++)
        of_parts |= !strncmp(start, CONSENSUS_WORD, strlen(CONSENSUS_WORD));
    if (of_parts || trial_starts(t) < 2)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "labels-rule = '%s': it is of labels that several starts agree on; give start "
                    "= 'best-of:R'",
                    rule);
    return each ? check_rule(t, each + 1) : ORTHANT_OK;
}

orthant_status trial_check(const trial *t)
{
    const char *rule = settings_value(&t->given, "labels-rule");
    orthant_consensus_options options;
    bool wanted;
    orthant_status status = ORTHANT_OK;
    if (rule)
        status = rule_is_consensus(rule) ? check_consensus_rule(t, rule) : check_rule(t, rule);
    if (!status)
        status = check_whole(t, "restarts", 1000000);
    if (!status)
        status = check_whole(t, "clusters", INT64_MAX);
    if (!status)
        status = check_whole(t, "labelled-per-class", INT64_MAX);
    if (!status)
        status = check_fraction(t);
    if (!status)
        status = check_starts(t);
    return status ? status : trial_consensus(t, &wanted, &options);
}
