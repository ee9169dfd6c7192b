/* orthant transform: encodings of new samples under the model of a run. */
#include <inttypes.h>

#include "saved.h"

int run_transform(const arguments *given)
{
    saved s = {0};
    orthant_matrix *encoding = NULL;
    const char *output = option_value(given, OPTION_OUTPUT);
    int failed = saved_open(given, &s);
    if (!failed)
        failed = saved_check_output(given, &s, "the encodings");
    if (!failed && !*orthant_saved_run_text(s.run, "loss"))
        failed = usage_error(
            "%s: a run of method '%s' has no loss; transform needs one of a factor model",
            given->word[0], orthant_saved_run_text(s.run, "method"));
    if (!failed)
        failed = saved_new_samples(given, &s);
    if (!failed)
        failed = report_failure(s.ctx,
                                orthant_saved_run_encode(s.run, s.samples, &s.options, &encoding));
    talk_clear(&s.speech);
    if (!failed)
        failed = report_failure(s.ctx, orthant_matrix_write(s.ctx, encoding, output));
    if (!failed) {
        printf("%" PRId64 " samples encoded in %" PRId64 " parts; written to %s\n",
               orthant_matrix_rows(encoding), orthant_matrix_columns(encoding), output);
        failed = finish_output();
    }
    orthant_matrix_free(encoding);
    saved_close(&s);
    return !failed && interrupt_seen() ? interrupt_exit() : failed;
}
