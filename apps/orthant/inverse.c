/* orthant inverse: the matrix that a run, or encodings under its basis, stand for. */
#include "json.h"
#include "saved.h"

/* `encoding`: NULL for the run's own. */
static int describe(const arguments *given, saved *s, const orthant_matrix *encoding)
{
    const char *output = option_value(given, OPTION_OUTPUT);
    const orthant_matrix *basis = NULL;
    json_printer json = {.file = stdout, .compact = true};
    if (!option_given(given, OPTION_JSON)) {
        printf("written to %s\n", output);
        return finish_output();
    }
    orthant_status status = orthant_saved_run_factor(s->run, "basis", &basis);
    if (!status && !encoding)
        status = orthant_saved_run_factor(s->run, "encoding", &encoding);
    if (status)
        return report_failure(s->ctx, status);
    json_begin_object(&json, NULL);
    json_put_text(&json, "output", output);
    json_put_integer(&json, "samples", orthant_matrix_rows(encoding));
    json_put_integer(&json, "features", orthant_matrix_rows(basis));
    json_end(&json);
    return finish_output();
}

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
    if (!failed)
        failed = describe(given, &s, encoding);
    orthant_matrix_free(encoding);
    saved_close(&s);
    return failed;
}
