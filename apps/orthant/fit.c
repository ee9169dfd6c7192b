/* orthant fit: the pipeline without labels and scores. */
#include <inttypes.h>
#include <math.h>

#include "pipeline.h"

static void print_line(const pipeline *line)
{
    const orthant_result *result = orthant_trial_result(line->trial);
    const int64_t iterations = orthant_result_iterations(result);
    printf("%s: %" PRId64 " iteration%s in %.2f s, objective %.6g, ",
           orthant_model_method(orthant_trial_model(line->trial)), iterations,
           iterations == 1 ? "" : "s", orthant_trial_seconds(line->trial),
           orthant_result_objective(result));
    if (!isnan(orthant_result_relative_error(result)))
        printf("relative error %.4g (%.2f %% explained)%s, ", orthant_result_relative_error(result),
               100 * orthant_result_explained_variance(result),
               orthant_result_missing(result) >= 0 ? " of the known entries" : "");
    printf("%s; written to %s\n", pipeline_ending(line), line->output);
}

int run_fit(const arguments *given)
{
    pipeline line;
    if (option_given(given, OPTION_EXPLAIN))
        return explain_plan(given);
    int failed = pipeline_open(given, &line);
    if (!failed && !line.output)
        failed = usage_error("fit: -o RUN is missing: the folder for the result");
    if (!failed)
        failed = pipeline_fit(&line);
    if (!failed)
        failed = pipeline_save(&line);
    if (!failed && option_given(given, OPTION_JSON)) {
        failed = pipeline_print_json(&line);
    } else if (!failed) {
        pipeline_print_rank(&line);
        pipeline_print_starts(&line);
        print_line(&line);
    }
    if (!failed)
        failed = finish_output();
    pipeline_tell_stop(&line, failed);
    pipeline_close(&line);
    return failed;
}
