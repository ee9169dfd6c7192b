/* Surveys of ranks, also for the rank of a fit, and the words of documents. */
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

/* ---- the rank of a fit -------------------------------------------------------------------------
 */

#define FIT_REPEATS "10" /* as of the command's -k auto */

static orthant_status refuse_together(binding *b, const char *name)
{
    snprintf(b->refusal, sizeof b->refusal,
             "%s: cannot be together with a number of parts that is to be found; a survey of ranks "
             "finds it, then give it as k",
             name);
    return ORTHANT_ERROR_ARGUMENT;
}

/* "NAME=VALUE" of a parameter or a term. */
static orthant_status set_pair(binding *b, const char *setting, const char *name,
                               const binding_value *value)
{
    char text[256];
    const int length = value->kind == BINDING_TEXT
                           ? snprintf(text, sizeof text, "%s=%s", name, value->text)
                           : snprintf(text, sizeof text, "%s=%.17g", name, value->number);
    if (length < 0 || length >= (int)sizeof text) {
        snprintf(b->refusal, sizeof b->refusal, "%.64s: the value is too long", name);
        return ORTHANT_ERROR_ARGUMENT;
    }
    for (char *c = text; !strcmp(setting, "term") && *c && *c != '='; c++)
        *c = *c == '_' ? '-' : *c;
    return orthant_ranks_set(b->ranks, setting, text);
}

orthant_status binding_rank_set(binding *b, const char *name, const binding_value *value)
{
    const bool term = !strncmp(name, "terms.", 6);
    const orthant_status status = make_ranks(b);
    if (status)
        return status;
    if (value->kind == BINDING_ARRAY || binding_one_of(name, "starts,batch,partial"))
        return refuse_together(b, name);
    if (!strcmp(name, "restarts")) /* of the labels */
        return ORTHANT_OK;
    if (!strcmp(name, "loss") ||
        binding_one_of(name, "iterations,tolerance,seed,init,solver,graph,weights,search,pooling,"
                             "missing"))
        return binding_ranks_set(b, name, value);
    if (!term && !binding_turn(name) && !(!strcmp(name, "scale") && value->kind == BINDING_NUMBER))
        return binding_set(b, name, value);
    return set_pair(b, term ? "term" : "parameter", term ? name + 6 : name, value);
}

orthant_status binding_find_rank(binding *b, const char *method, const char *ranks,
                                 const binding_array *samples)
{
    orthant_status status = make_ranks(b);
    if (!status)
        status = orthant_ranks_set(b->ranks, "method", method);
    if (!status)
        status = orthant_ranks_set(b->ranks, "repeats", FIT_REPEATS);
    if (!status && strcmp(ranks, "auto") != 0)
        status = orthant_ranks_set(b->ranks, "rank", ranks);
    if (!status)
        status = binding_ranks(b, samples, NULL);
    return status ? status : binding_model(b, method, (double)orthant_ranks_recommended(b->ranks));
}

/* ---- data --------------------------------------------------------------------------------------
 */

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
