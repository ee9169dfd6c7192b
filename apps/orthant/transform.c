/* orthant transform: encodings of new samples under the model of a run. */
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "data.h"

/* Its run.json first: it says in which precision the basis and the samples are read. */
static int open_run(const arguments *given, orthant_context *ctx, orthant_saved_run **run)
{
    const char *folder = given->word[0];
    const orthant_matrix *basis = NULL;
    const int failed = report_failure(ctx, orthant_saved_run_open(ctx, folder, run));
    if (failed)
        return failed;
    if (!*orthant_saved_run_text(*run, "loss"))
        return usage_error(
            "%s: a run of method '%s' has no loss; transform needs one of a factor model", folder,
            orthant_saved_run_text(*run, "method"));
    if (!option_given(given, OPTION_PRECISION) &&
        !strcmp(orthant_saved_run_text(*run, "precision"), "double"))
        orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    return report_failure(ctx, orthant_saved_run_factor(*run, "basis", &basis));
}

static int encode(const arguments *given, orthant_context *ctx, orthant_saved_run *run,
                  const orthant_matrix *samples, orthant_matrix **encoding)
{
    int64_t iterations;
    double tolerance;
    int failed = option_whole(given, OPTION_ITERATIONS, 1, INT64_MAX, 500, &iterations);
    if (!failed)
        failed = option_number(given, OPTION_TOLERANCE, 0, 1, 1e-10, &tolerance);
    return failed ? failed
                  : report_failure(ctx, orthant_saved_run_transform(run, samples, iterations,
                                                                    tolerance, encoding));
}

int run_transform(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_matrix *samples = NULL, *encoding = NULL;
    orthant_saved_run *run = NULL;
    talk speech;
    const char *output = option_value(given, OPTION_OUTPUT);
    int failed = context_open(given, &speech, &ctx);
    if (!failed && !output)
        failed = usage_error("transform: -o FILE is missing: the file for the encodings");
    if (!failed)
        failed = report_failure(ctx, orthant_matrix_write_check(ctx, output));
    interrupt_watch();
    if (!failed)
        failed = open_run(given, ctx, &run);
    if (!failed)
        failed = data_read(given, ctx, &speech, given->word[1], &samples, NULL);
    if (!failed)
        failed = report_failure(
            ctx, orthant_saved_run_scale(run, option_value(given, OPTION_SCALE), samples));
    if (!failed)
        failed = encode(given, ctx, run, samples, &encoding);
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
    orthant_saved_run_free(run);
    orthant_context_free(ctx);
    return !failed && interrupt_seen() ? interrupt_exit() : failed;
}
