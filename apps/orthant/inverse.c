/* orthant inverse: the matrix that a run, or encodings under its basis, stand for. */
#include "saved.h"

int run_inverse(const arguments *given)
{
    saved s = {0};
    orthant_matrix *encoding = NULL;
    const char *output = option_value(given, OPTION_OUTPUT);
    int failed = saved_open(given, &s);
    if (!failed)
        failed = saved_check_output(given, &s, "the fitted matrix");
    if (!failed && given->count > 1)
        failed = report_failure(s.ctx,
                                orthant_matrix_read(s.ctx, given->word[1], NULL, &encoding, NULL));
    if (!failed)
        failed = report_failure(s.ctx, orthant_saved_run_inverse(s.run, encoding, output));
    talk_clear(&s.speech);
    if (!failed) {
        printf("written to %s\n", output);
        failed = finish_output();
    }
    orthant_matrix_free(encoding);
    saved_close(&s);
    return !failed && interrupt_seen() ? interrupt_exit() : failed;
}
