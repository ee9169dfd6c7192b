#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "data.h"
#include "report/json.h"

/* What the encodings of new samples need of an earlier run. */
typedef struct earlier_run {
    json_value *json;
    const char *loss, *scale;
    orthant_matrix *basis;
} earlier_run;

static int read_file(orthant_context *ctx, const char *folder, const char *name, earlier_run *run)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room);
    orthant_status status = ORTHANT_ERROR_MEMORY;
    if (path) {
        snprintf(path, room, "%s/%s", folder, name);
        status = run->json ? orthant_matrix_read(ctx, path, NULL, &run->basis, NULL)
                           : json_read(ctx, path, &run->json);
    }
    free(path);
    return report_failure(ctx, status);
}

/* run.json first: it says in which precision the basis is read. */
static int read_run(const arguments *given, orthant_context *ctx, earlier_run *run)
{
    const char *folder = given->word[0];
    const char *scale = option_value(given, OPTION_SCALE);
    int failed = read_file(ctx, folder, "run.json", run);
    if (failed)
        return failed;
    run->loss = json_member_text(run->json, "loss", "");
    run->scale = scale ? scale : json_member_text(run->json, "scale", "none");
    if (!*run->loss)
        return usage_error(
            "%s: a run of method '%s' has no loss; transform needs one of a factor model", folder,
            json_member_text(run->json, "method", "?"));
    if (!option_given(given, OPTION_PRECISION) &&
        !strcmp(json_member_text(run->json, "precision", ""), "double"))
        orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    return read_file(ctx, folder, "basis.npy", run);
}

static int encode(const arguments *given, orthant_context *ctx, const earlier_run *run,
                  const orthant_matrix *samples, orthant_matrix **encoding)
{
    int64_t iterations;
    double tolerance;
    int failed = option_whole(given, OPTION_ITERATIONS, 1, INT64_MAX, 500, &iterations);
    if (!failed)
        failed = option_number(given, OPTION_TOLERANCE, 0, 1, 1e-5, &tolerance);
    if (failed)
        return failed;
    return report_failure(ctx, orthant_transform(ctx, run->basis, run->loss, samples, iterations,
                                                 tolerance, encoding));
}

int run_transform(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_matrix *samples = NULL, *encoding = NULL;
    earlier_run run = {0};
    talk speech;
    const char *output = option_value(given, OPTION_OUTPUT);
    int failed = context_open(given, &speech, &ctx);
    if (!failed && !output)
        failed = usage_error("transform: -o FILE is missing: the file for the encodings");
    interrupt_watch();
    if (!failed)
        failed = read_run(given, ctx, &run);
    if (!failed)
        failed = data_read(given, ctx, given->word[1], &samples, NULL);
    if (!failed)
        failed = data_scale(ctx, run.scale, samples);
    if (!failed)
        failed = encode(given, ctx, &run, samples, &encoding);
    talk_clear(&speech);
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write(ctx, encoding, output));
    if (!failed) {
        printf("%" PRId64 " samples encoded in %" PRId64 " parts; written to %s\n",
               orthant_matrix_rows(encoding), orthant_matrix_columns(encoding), output);
        failed = finish_output();
    }
    orthant_matrix_free(encoding);
    orthant_matrix_free(samples);
    orthant_matrix_free(run.basis);
    json_free(ctx, run.json);
    orthant_context_free(ctx);
    return !failed && interrupt_seen() ? EXIT_INTERRUPTED : failed;
}
