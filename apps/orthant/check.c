#include "check.h"

#include <string.h>

#include "core/text.h"
#include "data.h"
#include "engine/fit.h"

static bool has_parameter(const pipeline *line, const char *name)
{
    char value[64];
    return !orthant_model_get(line->model, name, value, sizeof value);
}

/* "add --term class=WEIGHT, or take cdnmf, ...": how a model comes to use labels or a graph. */
static const char *way_to(const pipeline *line, const char *need, const char *term, char *text,
                          size_t size)
{
    orthant_method_info method;
    const char *before = "take";
    text[0] = '\0';
    if (*line->method.loss)
        text_append(text, size, "add --term %s=WEIGHT, or ", term);
    for (int i = 0; !orthant_method_info_at(i, &method); i++)
        if (text_in_list(method.needs, need)) {
            text_append(text, size, "%s %s", before, method.name);
            before = ",";
        }
    return text;
}

static int refuse_graph(const pipeline *line, const char *kind)
{
    char way[256];
    return usage_error("--graph %s: '%s' uses no graph%s; %s",
                       option_value(line->given, OPTION_GRAPH), line->method.name, kind,
                       way_to(line, "graph", "graph", way, sizeof way));
}

int check_uses(const pipeline *line)
{
    const char *labels = option_value(line->given, OPTION_LABELS);
    const char *fraction = option_value(line->given, OPTION_LABELLED_FRACTION);
    char way[256];
    if ((labels || fraction) && !model_uses_labels(line->model))
        return usage_error("--%s %s: '%s' uses no labels; %s",
                           labels ? "labels" : "labelled-fraction", labels ? labels : fraction,
                           line->method.name, way_to(line, "labels", "class", way, sizeof way));
    if (option_given(line->given, OPTION_GRAPH) && !has_parameter(line, "neighbours"))
        return refuse_graph(line, "");
    return 0;
}

int check_graph_file(const pipeline *line)
{
    const char *graph = option_value(line->given, OPTION_GRAPH);
    if (!graph || graph_neighbours(graph) || model_uses_graph(line->model))
        return 0;
    return refuse_graph(line, " of a file");
}

int check_starts(const arguments *given)
{
    const char *pair, *earlier;
    for (int i = 0; (pair = option_nth(given, OPTION_START, i)); i++)
        for (int j = 0; j < i && (earlier = option_nth(given, OPTION_START, j)); j++)
            if (!strncmp(pair, earlier, strcspn(pair, "=") + 1))
                return usage_error("--start %s: the factor has a start already, --start %s", pair,
                                   earlier);
    return 0;
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

static int check_rule(const pipeline *line, const char *rule)
{
    static const char words[] = "argmax,kmeans,kmeans-unit,snmf,wnmf,best-of";
    char word[64], usable[128];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(rule, ":"), rule);
    const char *colon = strchr(rule, ':'), *factor = colon ? colon + 1 : "encoding";
    if (!text_in_list(words, word))
        return usage_error("--labels-rule %s: expected one of %s", rule, words);
    if (!strcmp(word, "best-of") && !*line->method.read_outs)
        return usage_error("--labels-rule best-of: '%s' has one way to labels, %s",
                           line->method.name, line->method.labels);
    if (text_in_list(line->method.factors, factor) && text_in_list(sample_factors, factor))
        return 0;
    list_sample_factors(line->method.factors, usable, sizeof usable);
    return usage_error("--labels-rule %s: '%s' has no factor '%s' with a row for each sample; it "
                       "has %s",
                       rule, line->method.name, factor, usable);
}

int check_labelling(const pipeline *line)
{
    const char *rule = option_value(line->given, OPTION_LABELS_RULE);
    int64_t number;
    double fraction;
    int failed = rule ? check_rule(line, rule) : 0;
    if (!failed)
        failed = option_whole(line->given, OPTION_RESTARTS, 1, 1000000, 10, &number);
    if (!failed)
        failed = option_whole(line->given, OPTION_CLUSTERS, 1, INT64_MAX, 1, &number);
    if (!failed)
        failed = option_number(line->given, OPTION_LABELLED_FRACTION, 0, 1, 1, &fraction);
    if (!failed && fraction <= 0)
        failed = usage_error("--labelled-fraction 0: no sample would have a label; expected a "
                             "share above 0, at most 1");
    return failed;
}
