/* Cluster a data set and score the clusters: read, scale, fit, label, score. */
#include <orthant/orthant.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char shipped[1024];
    const char *source = getenv("ORTHANT_SOURCE");
    snprintf(shipped, sizeof shipped, "%s/data/digits/digits-images-idx3-ubyte.gz",
             source ? source : ".");
    const char *path = argc > 1 ? argv[1] : shipped;

    orthant_context *ctx = NULL;
    orthant_matrix *samples = NULL;
    orthant_labels *truth = NULL, *found = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_scores scores = {.size = sizeof scores};

    orthant_status status = orthant_context_create(&ctx);
    if (!status)
        status = orthant_matrix_read(ctx, path, NULL, &samples, &truth);
    if (!status)
        status = orthant_matrix_scale(samples, ORTHANT_SCALE_UNIT);
    if (!status)
        status = orthant_model_create(ctx, "gnmf", 10, &model);
    if (!status)
        status = orthant_model_set(model, "iterations", "200");
    if (!status)
        status = orthant_fit(model, samples, &result);
    if (!status)
        status = orthant_result_labels(result, NULL, 10, 10, 1, &found);
    if (!status && truth)
        status = orthant_score_labels(ctx, found, truth, &scores);

    if (status)
        fprintf(stderr, "%s\n", orthant_message(ctx));
    else if (truth)
        printf("accuracy %.3f, NMI %.3f after %lld iterations\n", scores.accuracy, scores.nmi,
               (long long)orthant_result_iterations(result));

    orthant_labels_free(found);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    orthant_context_free(ctx);
    return status ? 1 : 0;
}
