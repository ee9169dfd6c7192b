/* The objects of one call, and the options of a fit by name. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

static const double SECONDS_A_LINE = 0.5;

static orthant_status refuse(binding *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(b->refusal, sizeof b->refusal, format, arguments);
    va_end(arguments);
    return ORTHANT_ERROR_ARGUMENT;
}

const char *binding_refusal(const binding *b)
{
    return b->refusal[0] ? b->refusal : orthant_message(b->context);
}

/* ---- while the library works -------------------------------------------------------------------
 */

static void print_progress(binding *b, const orthant_progress *p)
{
    char text[160];
    int length = snprintf(text, sizeof text, "%s: %lld", p->phase, (long long)p->done);
    if (p->total > 0)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, " of %lld", (long long)p->total);
    if (!isnan(p->objective))
        length +=
            snprintf(text + length, sizeof text - (size_t)length, ", objective %.6g", p->objective);
    snprintf(text + length, sizeof text - (size_t)length, ", %.1f s\n", p->seconds);
    b->host.print(text);
}

static bool go_on(void *user, const orthant_progress *p)
{
    binding *b = user;
    const bool first = !b->phase || strcmp(b->phase, p->phase);
    if (b->verbose &&
        (first || p->done == p->total || p->seconds - b->printed_s >= SECONDS_A_LINE)) {
        print_progress(b, p);
        b->phase = p->phase;
        b->printed_s = p->seconds;
    }
    b->interrupted = b->interrupted || b->host.interrupted();
    return !b->interrupted;
}

static void remember(void *user, orthant_log_level level, const char *message)
{
    binding *b = user;
    if ((level == ORTHANT_LOG_NOTE && !b->verbose) || b->message_count == BINDING_MOST_MESSAGES)
        return;
    binding_message *m = &b->messages[b->message_count++];
    m->level = level;
    snprintf(m->text, sizeof m->text, "%s", message);
}

orthant_status binding_begin(binding *b, binding_host host)
{
    *b = (binding){
        .host = host, .restarts = 10, .scale = "none", .consensus = ORTHANT_CONSENSUS_DEFAULTS};
    b->consensus.starts = 0;
    const orthant_status status = orthant_context_create(&b->context);
    if (status)
        return status;
    orthant_context_set_log(b->context, remember, b);
    orthant_context_set_progress(b->context, go_on, b);
    return ORTHANT_OK;
}

void binding_end(binding *b)
{
    orthant_segmentation_free(b->segmentation);
    orthant_image_free(b->image);
    orthant_cloud_free(b->cloud);
    orthant_study_free(b->study);
    orthant_ranks_free(b->ranks);
    orthant_result_free(b->result);
    orthant_model_free(b->model);
    orthant_labels_free(b->found);
    orthant_labels_free(b->known);
    orthant_graph_free(b->graph);
    for (int i = 0; i < b->given_count; i++)
        orthant_matrix_free(b->given[i]);
    orthant_matrix_free(b->made);
    orthant_matrix_free(b->scale_statistics);
    orthant_matrix_free(b->samples);
    orthant_context_free(b->context);
    *b = (binding){0};
}

/* ---- options -----------------------------------------------------------------------------------
 */

static const char *after(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(name, prefix, length) ? NULL : name + length;
}

bool binding_one_of(const char *name, const char *list)
{
    const size_t length = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && !strncmp(at, name, length))
            return true;
    return false;
}

/* Values of these are the binding's; everything else is the model's. */
static const char OWN[] =
    "threads,memory,precision,device,transpose,verbose,scale,labels_rule,clusters,starts,consensus,"
    "consensus_threshold,consensus_neighbourhood";

int binding_turn(const char *name)
{
    return !(binding_one_of(name, OWN) || !strcmp(name, "loss") || after(name, "terms."));
}

static orthant_status need(binding *b, const char *name, const binding_value *value,
                           binding_kind kind)
{
    static const char *const kinds[] = {"a text", "a number", "a matrix"};
    return value->kind == kind
               ? ORTHANT_OK
               : refuse(b, "%s: expected %s, found %s", name, kinds[kind], kinds[value->kind]);
}

static orthant_status set_precision(binding *b, const char *text)
{
    if (!binding_one_of(text, "single,double,tf32"))
        return refuse(b, "precision '%s': expected single or double, or tf32 on a device", text);
    b->convert = true;
    b->precision = strcmp(text, "double") ? ORTHANT_SINGLE : ORTHANT_DOUBLE;
    orthant_context_set_product_rounding(b->context, !strcmp(text, "tf32"));
    return ORTHANT_OK;
}

static orthant_status set_text(binding *b, const char *name, const char *text)
{
    if (!strcmp(name, "precision"))
        return set_precision(b, text);
    if (!strcmp(name, "device"))
        return orthant_context_set_device(b->context, text);
    if (!strcmp(name, "labels_rule")) {
        snprintf(b->rule, sizeof b->rule, "%s", text);
        return ORTHANT_OK;
    }
    snprintf(b->scale, sizeof b->scale, "%s", text);
    return orthant_scaling_parse(b->context, text, &b->scaling);
}

static orthant_status set_number(binding *b, const char *name, double number)
{
    double *share = !strcmp(name, "consensus_threshold")       ? &b->consensus.threshold
                    : !strcmp(name, "consensus_neighbourhood") ? &b->consensus.neighbourhood
                                                               : NULL;
    if (share) {
        *share = number;
        return ORTHANT_OK;
    }
    if (!(number >= 0 && number < 9e15 && number == floor(number)))
        return refuse(b, "%s: found %g, expected a whole number that is not negative", name,
                      number);
    if (!strcmp(name, "threads"))
        return orthant_context_set_threads(b->context, number < 1e6 ? (int)number : 1000000);
    if (!strcmp(name, "memory"))
        orthant_context_set_memory_limit(b->context, (size_t)number);
    else if (!strcmp(name, "clusters"))
        b->clusters = (int64_t)number;
    else if (!strcmp(name, "starts"))
        b->starts = (int64_t)number;
    else if (!strcmp(name, "consensus"))
        b->consensus.starts = (int64_t)number;
    else if (!strcmp(name, "transpose"))
        b->transpose = number != 0;
    else
        b->verbose = number != 0;
    return ORTHANT_OK;
}

static orthant_status set_own(binding *b, const char *name, const binding_value *value)
{
    const bool text = binding_one_of(name, "precision,device,labels_rule,scale");
    const orthant_status status = need(b, name, value, text ? BINDING_TEXT : BINDING_NUMBER);
    if (status)
        return status;
    return text ? set_text(b, name, value->text) : set_number(b, name, value->number);
}

/* k-means as a method has restarts of its own. */
static orthant_status set_restarts(binding *b, const binding_value *value)
{
    char text[64];
    const orthant_status status = need(b, "restarts", value, BINDING_NUMBER);
    if (status)
        return status;
    if (!(value->number >= 1 && value->number <= 1e6 && value->number == floor(value->number)))
        return refuse(b, "restarts: found %g, expected a whole number from 1 to 1000000",
                      value->number);
    b->restarts = (int)value->number;
    if (orthant_model_get(b->model, "restarts", text, sizeof text))
        return ORTHANT_OK;
    snprintf(text, sizeof text, "%d", b->restarts);
    return orthant_model_set(b->model, "restarts", text);
}

static orthant_status set_parameter(binding *b, const char *name, const binding_value *value)
{
    char text[64];
    if (value->kind == BINDING_ARRAY)
        return refuse(b, "%s: expected a number or a text, found a matrix of %lld x %lld", name,
                      (long long)value->array.rows, (long long)value->array.columns);
    snprintf(text, sizeof text, "%.17g", value->number);
    return orthant_model_set(b->model, name, value->kind == BINDING_TEXT ? value->text : text);
}

static orthant_status keep(binding *b, orthant_matrix *matrix)
{
    b->given[b->given_count++] = matrix;
    return ORTHANT_OK;
}

static orthant_status set_similarity(binding *b, const binding_array *array)
{
    orthant_matrix *matrix = NULL;
    const orthant_array symmetric = binding_symmetric(array);
    const orthant_status status = orthant_matrix_wrap(b->context, &symmetric, NULL, NULL, &matrix);
    if (status)
        return status;
    keep(b, matrix);
    return orthant_model_set_similarity(b->model, matrix);
}

/* Of the entries, which lie as the samples do, or of whole samples or features. */
static orthant_status set_weights(binding *b, const char *name, const binding_array *array)
{
    const bool mask = !strcmp(name, "mask");
    orthant_matrix *matrix = NULL;
    if (b->given_count == BINDING_MOST_MATRICES)
        return refuse(b, "more than %d matrices are given", BINDING_MOST_MATRICES);
    const orthant_status status = binding_take(b, array, mask && b->transpose, &matrix);
    if (status)
        return status;
    keep(b, matrix);
    *(mask                              ? &b->mask
      : !strcmp(name, "sample_weights") ? &b->sample_weights
                                        : &b->feature_weights) = matrix;
    return (mask ? orthant_model_set_mask
            : !strcmp(name, "sample_weights")
                ? orthant_model_set_sample_weights
                : orthant_model_set_feature_weights)(b->model, matrix);
}

/* A matrix where others have a word. */
static orthant_status set_array(binding *b, const char *name, const binding_array *array)
{
    const char *factor = after(name, "start.");
    orthant_matrix *matrix = NULL;
    if (b->given_count == BINDING_MOST_MATRICES)
        return refuse(b, "more than %d matrices are given", BINDING_MOST_MATRICES);
    if (!strcmp(name, "similarity"))
        return set_similarity(b, array);
    orthant_status status = binding_take(b, array, false, &matrix);
    if (status)
        return status;
    keep(b, matrix);
    if (!strcmp(name, "fixed_parts"))
        return orthant_model_set_fixed(b->model, "basis", matrix);
    if (factor)
        return orthant_model_set_start(b->model, factor, matrix);
    b->pooling = matrix;
    return orthant_model_set_pooling(b->model, matrix);
}

static orthant_status set_graph(binding *b, const binding_array *array)
{
    const orthant_array symmetric = binding_symmetric(array);
    const orthant_status status = orthant_graph_from_array(b->context, &symmetric, &b->graph);
    return status ? status : orthant_model_set_graph(b->model, b->graph);
}

static orthant_status set_labels(binding *b, const binding_array *array)
{
    const orthant_status status = binding_take_labels(b, array, "labels", &b->known);
    return status ? status : orthant_model_set_labels(b->model, b->known);
}

/* Names of fields have '_' for '-'. */
static orthant_status add_term(binding *b, const char *name, double weight)
{
    char dashed[64];
    snprintf(dashed, sizeof dashed, "%s", name);
    for (char *at = dashed; *at; at++)
        *at = (char)(*at == '_' ? '-' : *at);
    return orthant_model_add_term(b->model, dashed, weight);
}

orthant_status binding_set(binding *b, const char *name, const binding_value *value)
{
    const char *term = after(name, "terms.");
    orthant_status status;
    /* As a number, scale is a parameter: the width of a similarity. */
    if (binding_one_of(name, OWN) && !(!strcmp(name, "scale") && value->kind == BINDING_NUMBER))
        return set_own(b, name, value);
    if (term)
        return (status = need(b, name, value, BINDING_NUMBER)) ? status
                                                               : add_term(b, term, value->number);
    if (!strcmp(name, "restarts"))
        return set_restarts(b, value);
    if (binding_one_of(name, "graph,fixed_parts,mask,sample_weights,feature_weights") ||
        after(name, "start."))
        if ((status = need(b, name, value, BINDING_ARRAY)))
            return status;
    if (value->kind == BINDING_ARRAY && !strcmp(name, "graph"))
        return set_graph(b, &value->array);
    if (value->kind == BINDING_ARRAY && !strcmp(name, "labels"))
        return set_labels(b, &value->array);
    if (value->kind == BINDING_ARRAY && binding_one_of(name, "mask,sample_weights,feature_weights"))
        return set_weights(b, name, &value->array);
    if (value->kind == BINDING_ARRAY &&
        (binding_one_of(name, "similarity,pooling,fixed_parts") || after(name, "start.")))
        return set_array(b, name, &value->array);
    return set_parameter(b, name, value);
}

/* ---- the fit -----------------------------------------------------------------------------------
 */

orthant_status binding_model(binding *b, const char *method, double rank)
{
    if (!(fabs(rank) < 9e15 && rank == floor(rank)))
        return refuse(b, "k: found %g, expected a whole number", rank);
    return orthant_model_create(b->context, method, (int64_t)rank, &b->model);
}

orthant_status binding_samples(binding *b, const binding_array *array)
{
    return binding_take(b, array, b->transpose, &b->samples);
}

orthant_status binding_scale(binding *b)
{
    char missing[16] = "";
    orthant_matrix *taken = NULL;
    if (b->model && !orthant_model_get(b->model, "missing", missing, sizeof missing) &&
        !strcmp(missing, "zeros") && b->scaling == ORTHANT_SCALE_TFIDF)
        return refuse(b, "scale 'tfidf' counts the samples that have a word, which missing 'zeros' "
                         "leaves unknown: 'unit' and 'max' go by what is stored");
    const orthant_status status =
        orthant_matrix_scale_masked(b->samples, b->scaling, b->mask, b->scale_statistics, &taken);
    if (taken)
        b->scale_statistics = taken;
    return status;
}

/* A weight that the fit chose is the model's from now on: new samples take it. */
static orthant_status keep_weight(binding *b, orthant_status status)
{
    char text[64] = "";
    if (status || orthant_model_get(b->model, "graph_weight", text, sizeof text) ||
        strcmp(text, "auto") != 0)
        return status;
    for (int i = 0; !status && i < orthant_model_term_count(b->model); i++)
        if (!strcmp(orthant_model_term(b->model, i), "graph")) {
            snprintf(text, sizeof text, "%.17g", orthant_result_term_weight(b->result, i));
            status = orthant_model_set(b->model, "graph_weight", text);
        }
    return status;
}

/* As many clusters as classes where each class has several parts. */
static int64_t own_clusters(const binding *b)
{
    char text[64];
    long long per_class = 1;
    const int64_t rank = orthant_model_rank(b->model);
    if (orthant_model_get(b->model, "basis_per_class", text, sizeof text) ||
        sscanf(text, "%lld", &per_class) != 1 || per_class < 1 || rank % per_class)
        return rank;
    return rank / per_class;
}

orthant_status binding_fit(binding *b)
{
    if (b->consensus.starts && b->starts)
        return refuse(b, "starts and consensus exclude each other: the best of several starts, or "
                         "what they agree on");
    if (b->consensus.starts)
        return keep_weight(b,
                           orthant_fit_consensus(b->model, b->samples, &b->consensus, &b->result));
    if (!strncmp(b->rule, "consensus", 9))
        return keep_weight(b, orthant_fit_ensemble(b->model, b->samples, b->starts, b->rule,
                                                   b->clusters ? b->clusters : own_clusters(b),
                                                   b->restarts, &b->result));
    return keep_weight(
        b, orthant_fit_starts(b->model, b->samples, b->starts ? b->starts : 1, &b->result));
}

orthant_status binding_labels(binding *b)
{
    char text[64] = "";
    unsigned long long seed = 1;
    if (!orthant_model_get(b->model, "seed", text, sizeof text))
        sscanf(text, "%llu", &seed);
    return orthant_result_labels(b->result, b->rule[0] ? b->rule : NULL,
                                 b->clusters ? b->clusters : own_clusters(b), b->restarts, seed,
                                 &b->found);
}

/* ---- graphs ------------------------------------------------------------------------------------
 */

orthant_status binding_graph(binding *b, const binding_graph_options *given)
{
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    orthant_graph *base = NULL;
    options.neighbours = given->neighbours;
    options.heat_width = given->heat_width;
    options.missing = given->missing;
    orthant_status status = orthant_edge_weight_parse(b->context, given->weights, &options.weight);
    if (!status)
        status = orthant_search_parse(b->context, given->search, &options.search);
    if (!status)
        status = orthant_graph_build(b->context, b->samples, &options, &b->graph);
    if (status || !given->labels)
        return status;
    status = binding_take_labels(b, given->labels, "labels", &b->known);
    if (!status) {
        base = b->graph;
        b->graph = NULL;
        status = orthant_graph_with_labels(b->context, base, b->known, &b->graph);
    }
    orthant_graph_free(base);
    return status;
}

/* ---- new samples -------------------------------------------------------------------------------
 */

static orthant_status take_kept(binding *b, const binding_array *array, const orthant_matrix **to)
{
    orthant_matrix *matrix = NULL;
    if (!array)
        return ORTHANT_OK;
    if (b->given_count == BINDING_MOST_MATRICES)
        return refuse(b, "more than %d matrices are given", BINDING_MOST_MATRICES);
    const orthant_status status = binding_take(b, array, false, &matrix);
    if (status)
        return status;
    keep(b, matrix);
    *to = matrix;
    return ORTHANT_OK;
}

orthant_status binding_encode(binding *b, const binding_codes *given)
{
    orthant_transform_options options = ORTHANT_TRANSFORM_DEFAULTS;
    const orthant_matrix *basis = NULL;
    orthant_status status;
    if ((status = take_kept(b, &given->basis, &basis)) ||
        (status = take_kept(b, given->encoding, &options.encoding)) ||
        (status = take_kept(b, given->training, &options.training)))
        return status;
    options.mask = b->mask;
    options.sample_weights = b->sample_weights;
    options.iterations = given->iterations;
    options.tolerance = given->tolerance;
    return orthant_model_transform(b->model, basis, b->samples, &options, &b->made);
}

orthant_status binding_predict(binding *b, const binding_prediction *given)
{
    orthant_status status = ORTHANT_OK;
    const double *scale = given->scale ? given->scale->values : NULL;
    if (given->scale && given->scale->rows * given->scale->columns != given->codes.columns)
        return refuse(b, "labels_scale has %lld numbers for codes of %lld parts",
                      (long long)(given->scale->rows * given->scale->columns),
                      (long long)given->codes.columns);
    if ((status = binding_take(b, &given->codes, false, &b->given[0])))
        return status;
    b->given_count = 1;
    if ((status = binding_take(b, &given->encoding, false, &b->given[1])))
        return status;
    b->given_count = 2;
    if (given->clusters &&
        (status = binding_take_labels(b, given->clusters, "clusters", &b->known)))
        return status;
    return orthant_labels_predict(b->context, b->given[0], b->given[1], b->known, given->rule,
                                  scale, &b->found);
}

orthant_status binding_nearest(binding *b, const binding_array *basis)
{
    const orthant_status status = binding_take(b, basis, true, &b->given[0]);
    if (status)
        return status;
    b->given_count = 1;
    return orthant_labels_nearest(b->context, b->samples, b->given[0], &b->found);
}

/* ---- scores ------------------------------------------------------------------------------------
 */

bool binding_score(const orthant_scores *scores, int index, const char **name, double *value)
{
    const struct {
        const char *name;
        double value;
    } all[BINDING_SCORES] = {{"accuracy", scores->accuracy},
                             {"nmi", scores->nmi},
                             {"ari", scores->ari},
                             {"purity", scores->purity},
                             {"nmi_arithmetic", scores->nmi_arithmetic},
                             {"nmi_geometric", scores->nmi_geometric},
                             {"nmi_min", scores->nmi_min},
                             {"ami", scores->ami},
                             {"homogeneity", scores->homogeneity},
                             {"completeness", scores->completeness},
                             {"v_measure", scores->v_measure},
                             {"samples", (double)scores->samples},
                             {"clusters", (double)scores->clusters},
                             {"classes", (double)scores->classes}};
    if (index < 0 || index >= BINDING_SCORES)
        return false;
    *name = all[index].name;
    *value = all[index].value;
    return true;
}
