/* Labels from a result, by the method's rule or the user's:
 *
 *   argmax:FACTOR        the column of a row's largest entry
 *   kmeans:FACTOR        k-means on the rows
 *   kmeans-unit:FACTOR   k-means on the rows, each scaled to unit length
 *   kmeans-scaled:encoding, argmax-scaled:encoding
 *                        the same with the columns multiplied by the lengths of the basis vectors:
 *                        as if these had unit length
 *   snmf:FACTOR          with F^ the rows at unit length: k-means on the A that symmetric NMF finds
 *   wnmf:FACTOR          in F^ F^' ~ A A', or in F^ F^' ~ A S A' (RMND, section 4). F^ F^' is never
 *                        formed
 *   consensus            what the starts of orthant_fit_ensemble() agree on, each labelled by the
 *                        method's own rule; consensus-RULE: by another (ensemble.c)
 *   best-of              every rule of the method's list; the one whose k-means leaves the smallest
 *                        share of its points' scatter */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/rescaled.h"
#include "method/ensemble.h"
#include "method/similar.h"

#define SYMMETRIC_ITERATIONS 200

/* ------------------------------------------------------------------ points */

static orthant_status run_snmf(panels *p, similarity_view *view, array A)
{
    snmf s;
    const orthant_status status = snmf_setup(&s, p, view, A, PANELS_HALF);
    if (!status) {
        snmf_rescale(&s);
        for (int i = 0; i < SYMMETRIC_ITERATIONS; i++)
            snmf_step(&s);
    }
    snmf_release(&s);
    return status;
}

static orthant_status run_wnmf(panels *p, similarity_view *view, array A)
{
    wnmf w;
    const orthant_status status = wnmf_setup(&w, p, view, A);
    if (!status) {
        wnmf_start_core(&w);
        wnmf_rescale(&w);
        for (int i = 0; i < SYMMETRIC_ITERATIONS; i++)
            wnmf_step(&w);
    }
    wnmf_release(&w);
    return status;
}

/* The factor that symmetric NMF finds in F F' replaces F. */
static orthant_status symmetric_points(orthant_context *ctx, const char *method, uint64_t seed,
                                       orthant_matrix **points)
{
    const orthant_matrix *F = *points;
    orthant_matrix *found = NULL;
    panels p = {0};
    similarity_view view;
    orthant_status status;
    if ((status = matrix_new_factor(ctx, F->precision, F->rows, F->columns, &found)) ||
        (status = panels_setup(&p, ctx, F->precision, F->rows, F->columns, 1)))
        goto done;
    start_random_factor(found, seed, RANDOM_ENCODING, 1);
    view_factor(&view, &p, matrix_array(F), p.small);
    status = !strcmp(method, "snmf") ? run_snmf(&p, &view, matrix_array(found))
                                     : run_wnmf(&p, &view, matrix_array(found));
done:
    panels_release(&p);
    if (status) {
        orthant_matrix_free(found);
    } else {
        orthant_matrix_free(*points);
        *points = found;
    }
    return status;
}

/* ------------------------------------------------------------------ rules */

/* Sum of |x - mean|^2 over the rows. */
static double scatter(const orthant_matrix *points)
{
    double total = 0;
    for (int64_t j = 0; j < points->columns; j++) {
        double mean = 0;
        for (int64_t i = 0; i < points->rows; i++)
            mean += matrix_value(points, i * points->stride + j) / (double)points->rows;
        for (int64_t i = 0; i < points->rows; i++)
            total += pow(matrix_value(points, i * points->stride + j) - mean, 2);
    }
    return total;
}

static bool is_rule(const char *word)
{
    static const char *const words[] = {"argmax",        "kmeans", "kmeans-unit", "argmax-scaled",
                                        "kmeans-scaled", "snmf",   "wnmf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i]))
            return true;
    return false;
}

static orthant_status label_points(orthant_context *ctx, const orthant_matrix *points,
                                   int64_t clusters, int restarts, uint64_t seed,
                                   orthant_labels **labels, double *spread)
{
    double inertia = 0;
    const orthant_status status =
        orthant_labels_kmeans(ctx, points, clusters, restarts, seed, labels, &inertia);
    if (!status && spread) {
        const double all = scatter(points);
        *spread = all > 0 ? inertia / all : 0;
    }
    return status;
}

static orthant_status refuse_scale(const orthant_result *result, const char *word, const char *name)
{
    return fail(result->ctx, ORTHANT_ERROR_ARGUMENT,
                "the rule '%s' for labels takes the encoding and a basis to scale it by; method "
                "'%s' has no such '%s'",
                word, result->method->name, name);
}

/* Rows of the factor as the rule takes them; *points is NULL where they are the factor's own. */
static orthant_status rule_points(const orthant_result *result, const char *word, const char *name,
                                  const orthant_matrix *factor, uint64_t seed,
                                  orthant_matrix **points)
{
    const bool scaled = rule_is_scaled(word),
               symmetric = !strcmp(word, "snmf") || !strcmp(word, "wnmf"),
               unit = symmetric || !strcmp(word, "kmeans-unit");
    orthant_status status = ORTHANT_OK;
    if (scaled && (strcmp(name, "encoding") || !result->label_scale))
        return refuse_scale(result, word, name);
    if (scaled || unit)
        status =
            rescaled_copy(result->ctx, factor, scaled ? result->label_scale : NULL, unit, points);
    if (!status && symmetric)
        status = symmetric_points(result->ctx, word, seed, points);
    return status;
}

static orthant_status consensus_labels(const orthant_result *result, const char *rule,
                                       int64_t clusters, int restarts, uint64_t seed,
                                       orthant_labels **labels)
{
    if (!result->ensemble)
        return fail(result->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the rule '%s' for labels takes those of several starts, and the result has "
                    "its own alone: orthant_fit_ensemble() keeps them",
                    rule);
    return ensemble_labels(result->ensemble, clusters, restarts, seed, labels);
}

orthant_status orthant_result_read_out(const orthant_result *result, const char *rule,
                                       int64_t clusters, int restarts, uint64_t seed,
                                       orthant_labels **labels, double *spread)
{
    orthant_matrix *points = NULL;
    char word[64];
    if (labels)
        *labels = NULL;
    if (spread)
        *spread = NAN;
    const orthant_status refused =
        entry_check(result ? result->ctx : NULL, rule && labels, __func__);
    if (refused)
        return refused;
    orthant_context *ctx = result->ctx;
    if (rule_is_consensus(rule))
        return consensus_labels(result, rule, clusters, restarts, seed, labels);
    snprintf(word, sizeof word, "%s", rule);
    const char *name = "encoding";
    char *colon = strchr(word, ':');
    if (colon) {
        *colon = '\0';
        name = colon + 1;
    }
    if (!is_rule(word))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "no rule '%s' for labels: kmeans, kmeans-scaled, kmeans-unit, argmax, "
                    "argmax-scaled, snmf, wnmf, consensus or best-of",
                    word);
    const orthant_matrix *factor = orthant_result_factor(result, name);
    if (!factor)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' has no factor '%s' to take labels from", result->method->name,
                    name);
    if (factor->rows != result->samples)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "the factor '%s' has no row for each sample to take labels from", name);
    orthant_status status = rule_points(result, word, name, factor, seed, &points);
    if (!status && !strncmp(word, "argmax", 6))
        status = orthant_labels_argmax(ctx, points ? points : factor, labels);
    else if (!status)
        status =
            label_points(ctx, points ? points : factor, clusters, restarts, seed, labels, spread);
    orthant_matrix_free(points);
    return status;
}

/* The next rule of "a,b,c" into `rule`; what is left, or NULL. */
static const char *next_rule(const char *list, char *rule, size_t size)
{
    const size_t length = strcspn(list, ",");
    snprintf(rule, size, "%.*s", (int)length, list);
    return list[length] ? list + length + 1 : NULL;
}

static orthant_status best_of(const orthant_result *result, int64_t clusters, int restarts,
                              uint64_t seed, orthant_labels **labels)
{
    const char *list = result->method->read_outs;
    double smallest = INFINITY;
    if (!list)
        return fail(result->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' has one way to labels, %s: there is no best-of",
                    result->method->name, result->method->labels);
    while (list) {
        char rule[64];
        orthant_labels *found = NULL;
        double spread;
        list = next_rule(list, rule, sizeof rule);
        const orthant_status status =
            orthant_result_read_out(result, rule, clusters, restarts, seed, &found, &spread);
        if (status) {
            orthant_labels_free(*labels);
            *labels = NULL;
            return status;
        }
        const bool better = !*labels || spread < smallest;
        orthant_labels_free(better ? *labels : found);
        *labels = better ? found : *labels;
        smallest = better ? spread : smallest;
    }
    return ORTHANT_OK;
}

const double *orthant_result_labels_scale(const orthant_result *result)
{
    return result ? result->label_scale : NULL;
}

const char *orthant_result_labels_rule(const orthant_result *result)
{
    if (!result)
        return "";
    if (result->best_of)
        return "best-of";
    return result->labels_scaled ? rule_scaled(result->method->labels) : result->method->labels;
}

orthant_status orthant_result_labels(const orthant_result *result, const char *rule,
                                     int64_t clusters, int restarts, uint64_t seed,
                                     orthant_labels **labels)
{
    if (labels)
        *labels = NULL;
    const orthant_status refused =
        entry_check(result ? result->ctx : NULL, labels != NULL, __func__);
    if (refused)
        return refused;
    const char *word = rule ? rule : orthant_result_labels_rule(result);
    return strcmp(word, "best-of")
               ? orthant_result_read_out(result, word, clusters, restarts, seed, labels, NULL)
               : best_of(result, clusters, restarts, seed, labels);
}
