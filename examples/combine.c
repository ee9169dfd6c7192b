/* A combination that no paper has: the Kullback-Leibler loss with a graph and a sparsity term,
 * watched by a progress callback that stops it early. */
#include <orthant/orthant.h>
#include <stdio.h>

static bool watch(void *user, const orthant_progress *progress)
{
    (void)user;
    if (progress->done % 20 == 0)
        printf("%4lld  %.6g\n", (long long)progress->done, progress->objective);
    return progress->done < 100;
}

int main(void)
{
    enum { SAMPLES = 60, FEATURES = 20 };
    static double values[SAMPLES * FEATURES];
    orthant_context *ctx = NULL;
    orthant_matrix *samples = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;

    /* Three groups of samples, each with features of its own. */
    for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < FEATURES; j++)
            values[i * FEATURES + j] = (i % 3 == j % 3 ? 5 : 1) * ((i * 31 + j * 17) % 11 + 1);

    orthant_status status = orthant_context_create(&ctx);
    if (!status)
        status = orthant_matrix_create(ctx, SAMPLES, FEATURES, values, &samples);
    if (!status)
        status = orthant_model_create(ctx, "nmf-kl", 3, &model);
    if (!status)
        status = orthant_model_add_term(model, "graph", 0.5);
    if (!status)
        status = orthant_model_add_term(model, "sparsity", 0.1);
    if (!status)
        orthant_context_set_progress(ctx, watch, NULL);
    if (!status)
        status = orthant_fit(model, samples, &result);

    if (status)
        fprintf(stderr, "%s\n", orthant_message(ctx));
    else
        printf("%s after %lld iterations\n", orthant_result_stopped(result) ? "stopped" : "ended",
               (long long)orthant_result_iterations(result));

    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(samples);
    orthant_context_free(ctx);
    return status ? 1 : 0;
}
