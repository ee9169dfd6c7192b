#include "saved.h"

#include <string.h>

#include "data.h"

int saved_open(const arguments *given, saved *s)
{
    int failed = context_open(given, &s->speech, &s->ctx);
    interrupt_watch();
    if (!failed)
        failed = report_failure(s->ctx, orthant_saved_run_open(s->ctx, given->word[0], &s->run));
    if (!failed && !option_given(given, OPTION_PRECISION) &&
        !strcmp(orthant_saved_run_text(s->run, "precision"), "double"))
        orthant_context_set_precision(s->ctx, ORTHANT_DOUBLE);
    return failed;
}

int saved_check_output(const arguments *given, const saved *s, const char *what)
{
    const char *output = option_value(given, OPTION_OUTPUT);
    if (!output)
        return usage_error("%s: -o FILE is missing: the file for %s", given->command->name, what);
    return report_failure(s->ctx, orthant_matrix_write_check(s->ctx, output));
}

int saved_read(const arguments *given, saved *s, const char *path, orthant_matrix **samples)
{
    const bool missing = !strcmp(orthant_saved_run_text(s->run, "missing"), "nan");
    int failed = data_read_with(given, s->ctx, &s->speech, path, missing, samples, NULL);
    if (!failed)
        failed = report_failure(
            s->ctx, orthant_saved_run_scale(s->run, option_value(given, OPTION_SCALE), *samples));
    return failed;
}

static int read_weights(const arguments *given, saved *s, option_id id, orthant_matrix **to)
{
    const char *path = option_value(given, id);
    return path ? report_failure(s->ctx, orthant_matrix_read(s->ctx, path, NULL, to, NULL)) : 0;
}

int saved_new_samples(const arguments *given, saved *s)
{
    const char *training = option_value(given, OPTION_TRAINING);
    s->options = (orthant_transform_options)ORTHANT_TRANSFORM_DEFAULTS;
    int failed = option_whole(given, OPTION_ITERATIONS, 1, INT64_MAX, 500, &s->options.iterations);
    if (!failed)
        failed = option_number(given, OPTION_TOLERANCE, 0, 1, 1e-10, &s->options.tolerance);
    if (!failed)
        failed = saved_read(given, s, given->word[1], &s->samples);
    if (!failed && training)
        failed = saved_read(given, s, training, &s->training);
    if (!failed)
        failed = read_weights(given, s, OPTION_MASK, &s->mask);
    if (!failed)
        failed = read_weights(given, s, OPTION_SAMPLE_WEIGHTS, &s->sample_weights);
    s->options.training = s->training;
    s->options.mask = s->mask;
    s->options.sample_weights = s->sample_weights;
    return failed;
}

void saved_close(saved *s)
{
    orthant_matrix *all[] = {s->samples, s->training, s->mask, s->sample_weights};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        orthant_matrix_free(all[i]);
    orthant_saved_run_free(s->run);
    orthant_context_free(s->ctx);
}
