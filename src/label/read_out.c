/* Labels from a result, by the method's rule or the user's: "kmeans:encoding", "argmax:encoding".
 */
#include <stdio.h>
#include <string.h>

#include "method/method.h"

orthant_status orthant_result_labels(const orthant_result *result, const char *rule,
                                     int64_t clusters, int restarts, uint64_t seed,
                                     orthant_labels **labels)
{
    orthant_context *ctx = result->ctx;
    char word[64];
    *labels = NULL;
    snprintf(word, sizeof word, "%s", rule ? rule : result->method->labels);
    char *factor = strchr(word, ':');
    if (factor)
        *factor++ = '\0';
    const orthant_matrix *points = orthant_result_factor(result, factor ? factor : "encoding");
    if (!points)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' has no factor '%s' to take labels from", result->method->name,
                    factor ? factor : "encoding");
    if (!strcmp(word, "argmax"))
        return orthant_labels_argmax(ctx, points, labels);
    if (!strcmp(word, "kmeans"))
        return orthant_labels_kmeans(ctx, points, clusters, restarts, seed, labels, NULL);
    return fail(ctx, ORTHANT_ERROR_ARGUMENT, "no rule '%s' for labels: kmeans or argmax", word);
}
