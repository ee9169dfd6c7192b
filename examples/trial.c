/* A whole run: data from a file, a trial of a method, its folder, and the folder read back to
 * encode samples that it has not seen. */
#include <orthant/orthant.h>
#include <stdio.h>
#include <stdlib.h>

static orthant_status run_trial(orthant_context *ctx, const char *path, const char *folder)
{
    orthant_matrix *samples = NULL;
    orthant_labels *truth = NULL;
    orthant_trial *trial = NULL;
    orthant_run run = {.size = sizeof run};
    orthant_scores scores = {.size = sizeof scores};

    orthant_status status = orthant_matrix_read(ctx, path, NULL, &samples, &truth);
    if (!status)
        status = orthant_trial_create(ctx, 10, &trial);
    if (!status)
        status = orthant_trial_set(trial, "method", "gnmf");
    if (!status)
        status = orthant_trial_set(trial, "parameter", "graph_weight=10");
    if (!status)
        status = orthant_trial_set(trial, "iterations", "50");
    if (!status)
        status = orthant_trial_set_data(trial, path, samples, truth);
    if (!status)
        status = orthant_trial_fit(trial);
    if (!status)
        status = orthant_trial_label(trial);
    if (!status)
        status = orthant_trial_run(trial, &run);
    run.data_path = path;
    run.without_report = true;
    if (!status)
        status = orthant_run_write(ctx, &run, folder);
    if (!status && !orthant_trial_scores(trial, &scores))
        printf("accuracy %.3f\n", scores.accuracy);

    orthant_trial_free(trial);
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    return status;
}

static orthant_status encode(orthant_context *ctx, const char *path, const char *folder)
{
    orthant_saved_run *saved = NULL;
    orthant_matrix *samples = NULL, *encoding = NULL;

    orthant_status status = orthant_saved_run_open(ctx, folder, &saved);
    if (!status)
        status = orthant_matrix_read(ctx, path, NULL, &samples, NULL);
    if (!status)
        status = orthant_saved_run_scale(saved, NULL, samples); /* as the run's were */
    if (!status)
        status = orthant_saved_run_transform(saved, samples, 500, 1e-10, &encoding);
    if (!status)
        printf("%lld samples encoded in %lld parts of a run of '%s'\n",
               (long long)orthant_matrix_rows(encoding),
               (long long)orthant_matrix_columns(encoding),
               orthant_saved_run_text(saved, "method"));

    orthant_matrix_free(encoding);
    orthant_matrix_free(samples);
    orthant_saved_run_free(saved);
    return status;
}

int main(int argc, char **argv)
{
    char shipped[1024];
    const char *source = getenv("ORTHANT_SOURCE");
    snprintf(shipped, sizeof shipped, "%s/data/digits/digits-images-idx3-ubyte.gz",
             source ? source : ".");
    const char *path = argc > 1 ? argv[1] : shipped, *folder = argc > 2 ? argv[2] : "trial-run";

    orthant_context *ctx = NULL;
    orthant_status status = orthant_context_create(&ctx);
    if (!status)
        status = run_trial(ctx, path, folder);
    if (!status)
        status = encode(ctx, path, folder);
    if (status)
        fprintf(stderr, "%s: %s\n", orthant_status_name(status), orthant_message(ctx));
    orthant_context_free(ctx);
    return status ? 1 : 0;
}
