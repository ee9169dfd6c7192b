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

int saved_read(const arguments *given, saved *s, const char *path, const orthant_matrix *mask,
               orthant_matrix **samples)
{
    orthant_read_options read = ORTHANT_READ_DEFAULTS;
    read.missing = !strcmp(orthant_saved_run_text(s->run, "missing"), "nan");
    int failed = data_read_with(given, s->ctx, &s->speech, path, &read, samples, NULL);
    if (!failed)
        failed =
            report_failure(s->ctx, orthant_saved_run_scale_masked(
                                       s->run, option_value(given, OPTION_SCALE), mask, *samples));
    return failed;
}

int saved_read_mask(const arguments *given, saved *s)
{
    const char *path = option_value(given, OPTION_MASK);
    return path ? data_read_weights(s->ctx, path, &s->mask) : 0;
}

/* Where a mask says by which entries the samples of the fit were scaled, they cannot be scaled
 * again without it. */
static int read_training(const arguments *given, saved *s, const char *path)
{
    if (*orthant_saved_run_text(s->run, "mask") &&
        !strcmp(orthant_saved_run_text(s->run, "scale"), "unit"))
        return usage_error("%s: the samples of %s were scaled to unit length by the entries that "
                           "its mask counts; --training cannot be scaled so",
                           given->command->name, given->word[0]);
    return saved_read(given, s, path, NULL, &s->training);
}

int saved_new_samples(const arguments *given, saved *s)
{
    const char *training = option_value(given, OPTION_TRAINING),
               *weights = option_value(given, OPTION_SAMPLE_WEIGHTS);
    s->options = (orthant_transform_options)ORTHANT_TRANSFORM_DEFAULTS;
    int failed = option_whole(given, OPTION_ITERATIONS, 1, INT64_MAX, 500, &s->options.iterations);
    if (!failed)
        failed = option_number(given, OPTION_TOLERANCE, 0, 1, 1e-10, &s->options.tolerance);
    if (!failed)
        failed = saved_read_mask(given, s);
    if (!failed)
        failed = saved_read(given, s, given->word[1], s->mask, &s->samples);
    if (!failed && training)
        failed = read_training(given, s, training);
    if (!failed && weights)
        failed = data_read_weights(s->ctx, weights, &s->sample_weights);
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
