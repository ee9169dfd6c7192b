/* Surveys of ranks, and the words of documents. */
#include <stdio.h>
#include <string.h>

#include "binding.h"

static orthant_status make_ranks(binding *b)
{
    return b->ranks ? ORTHANT_OK : orthant_ranks_create(b->context, &b->ranks);
}

orthant_status binding_ranks_set(binding *b, const char *name, const binding_value *value)
{
    char setting[64], text[64];
    if (binding_one_of(name, "threads,memory,verbose,transpose,precision,scale"))
        return binding_set(b, name, value);
    if (value->kind == BINDING_ARRAY) {
        snprintf(b->refusal, sizeof b->refusal, "%s: expected a text or a number", name);
        return ORTHANT_ERROR_ARGUMENT;
    }
    snprintf(setting, sizeof setting, "%s", name);
    for (char *c = setting; *c; c++)
        *c = *c == '_' ? '-' : *c;
    snprintf(text, sizeof text, "%.17g", value->number);
    const orthant_status status = make_ranks(b);
    return status ? status
                  : orthant_ranks_set(b->ranks, setting,
                                      value->kind == BINDING_TEXT ? value->text : text);
}

orthant_status binding_ranks(binding *b, const binding_array *samples, const char *folder)
{
    orthant_status status = make_ranks(b);
    if (status || (status = binding_samples(b, samples)) || (status = binding_scale(b)))
        return status;
    return orthant_ranks_run(b->ranks, "X", b->samples, folder);
}

orthant_status binding_words(binding *b, const char *path, const orthant_words_options *options)
{
    return orthant_words_count(b->context, path, options, &b->made, &b->known);
}

orthant_status binding_silhouette(binding *b, const binding_array *points,
                                  const binding_array *labels, orthant_cluster_scores *scores)
{
    orthant_status status = binding_take(b, points, b->transpose, &b->samples);
    if (!status)
        status = binding_take_labels(b, labels, "labels", &b->found);
    return status ? status : orthant_score_clusters(b->context, b->samples, b->found, scores);
}
