/* Clusters of new samples, from their codes and from what clusters the fit's samples have. */
#include <inttypes.h>
#include <string.h>

#include "cluster/rescaled.h"
#include "core/memory.h"
#include "data/labels.h"

/* The rules that take clusters from the rows of an encoding; without its name the same. */
static bool is_known(const char *rule)
{
    static const char *const words[] = {"argmax",        "kmeans", "kmeans-unit", "argmax-scaled",
                                        "kmeans-scaled", "snmf",   "wnmf"};
    const size_t length = strcspn(rule, ":");
    if (rule[length] && strcmp(rule + length, ":encoding"))
        return false;
    if (rule_is_consensus(rule))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && !strncmp(rule, words[i], length))
            return true;
    return false;
}

static bool takes_largest(const char *rule)
{
    return !strncmp(rule, "argmax", 6);
}

static orthant_status check(orthant_context *ctx, const orthant_matrix *codes,
                            const orthant_matrix *encoding, const orthant_labels *found,
                            const char *rule)
{
    if (!is_known(rule))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "the rule '%s' gives new samples no clusters: they have an encoding alone, and "
                    "take clusters by argmax, kmeans or kmeans-unit of it",
                    rule);
    if (codes->sparse || (encoding && encoding->sparse))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "codes are sparse; expected a dense matrix");
    if (takes_largest(rule))
        return ORTHANT_OK;
    if (!encoding || !found)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "clusters by the rule '%s' need the encoding of the fit and its clusters",
                    rule);
    if (encoding->rows != found->count || encoding->columns != codes->columns)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "the encoding is of %" PRId64 " samples and %" PRId64 " parts, for %" PRId64
                    " clusters and codes of %" PRId64 " parts",
                    encoding->rows, encoding->columns, found->count, codes->columns);
    return ORTHANT_OK;
}

/* The mean row of each class, and the label that the class stands for. */
static orthant_status class_means(orthant_context *ctx, const orthant_matrix *points,
                                  const orthant_labels *found, orthant_matrix **means,
                                  int64_t **label)
{
    const int64_t k = points->columns;
    int64_t classes = 0, *members = NULL,
            *class_of = memory_new(ctx, found->count, sizeof *class_of, "classes");
    double *sums = NULL;
    orthant_status status =
        class_of ? labels_to_classes(ctx, found, class_of, &classes) : ORTHANT_ERROR_MEMORY;
    if (status)
        goto done;
    if (classes == 0) {
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT, "no sample of the fit has a cluster");
        goto done;
    }
    *label = memory_new(ctx, classes, sizeof **label, "labels");
    members = memory_new(ctx, classes, sizeof *members, "classes");
    sums = memory_new(ctx, classes * k, sizeof *sums, "means of classes");
    if (!*label || !members || !sums) {
        status = ORTHANT_ERROR_MEMORY;
        goto done;
    }
    for (int64_t i = 0; i < found->count; i++) {
        const int64_t c = class_of[i];
        if (c < 0)
            continue;
        (*label)[c] = found->values[i];
        members[c]++;
        for (int64_t j = 0; j < k; j++)
            sums[c * k + j] += matrix_value(points, i * points->stride + j);
    }
    for (int64_t e = 0; e < classes * k; e++)
        sums[e] /= (double)members[e / k];
    status = matrix_new_dense(ctx, ORTHANT_DOUBLE, classes, k, means);
    if (!status)
        memcpy((*means)->values, sums, (size_t)(classes * k) * sizeof *sums);
done:
    memory_free(ctx, class_of);
    memory_free(ctx, members);
    memory_free(ctx, sums);
    return status;
}

static orthant_status by_nearest_mean(orthant_context *ctx, const orthant_matrix *codes,
                                      const orthant_matrix *points, const orthant_labels *found,
                                      orthant_labels **labels)
{
    orthant_matrix *means = NULL;
    int64_t *label = NULL;
    orthant_status status = class_means(ctx, points, found, &means, &label);
    if (!status)
        status = orthant_labels_nearest(ctx, codes, means, labels);
    for (int64_t i = 0; !status && i < (*labels)->count; i++)
        (*labels)->values[i] = label[(*labels)->values[i]];
    memory_free(ctx, label);
    orthant_matrix_free(means);
    return status;
}

orthant_status orthant_labels_predict(orthant_context *context, const orthant_matrix *codes,
                                      const orthant_matrix *encoding, const orthant_labels *found,
                                      const char *rule, const double *scale,
                                      orthant_labels **labels)
{
    orthant_matrix *scaled = NULL, *points = NULL;
    if (labels)
        *labels = NULL;
    orthant_status status = entry_check(context, codes && rule && labels, __func__);
    if (status || (status = check(context, codes, encoding, found, rule)))
        return status;
    if (rule_is_scaled(rule) && !scale)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "the rule '%s' needs the scales of the columns", rule);
    const bool largest = takes_largest(rule), by_column = rule_is_scaled(rule),
               unit = !largest && !by_column && strcmp(rule, "kmeans") &&
                      strcmp(rule, "kmeans:encoding");
    if (!by_column)
        scale = NULL;
    status = rescaled_copy(context, codes, scale, unit, &scaled);
    if (!status && largest)
        status = orthant_labels_argmax(context, scaled, labels);
    else if (!status && !(status = rescaled_copy(context, encoding, scale, unit, &points)))
        status = by_nearest_mean(context, scaled, points, found, labels);
    orthant_matrix_free(scaled);
    orthant_matrix_free(points);
    return status;
}
