/* orthant fit: the pipeline without labels and scores. */
#include <inttypes.h>

#include "pipeline.h"
#include "report/run.h"

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
        const orthant_run run = pipeline_run(&line);
        json_writer json = {.file = stdout, .compact = true};
        failed = report_failure(line.ctx, run_describe(line.ctx, &run, NULL, &json));
    } else if (!failed) {
        printf("%s: %" PRId64 " iterations in %.2f s, objective %.6g, %s; written to %s\n",
               line.trial.method.name, orthant_result_iterations(line.trial.result),
               line.trial.seconds, orthant_result_objective(line.trial.result),
               pipeline_ending(&line), line.output);
    }
    if (!failed)
        failed = finish_output();
    pipeline_close(&line);
    return !failed && interrupt_seen() ? interrupt_exit() : failed;
}
