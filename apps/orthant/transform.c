/* orthant transform: encodings of new samples under the model of a run. */
#include <inttypes.h>

#include "json.h"
#include "saved.h"

static int describe(const arguments *given, const orthant_matrix *encoding)
{
    const char *output = option_value(given, OPTION_OUTPUT);
    const int64_t samples = orthant_matrix_rows(encoding), parts = orthant_matrix_columns(encoding);
    json_printer json = {.file = stdout, .compact = true};
    if (option_given(given, OPTION_JSON)) {
        json_begin_object(&json, NULL);
        json_put_text(&json, "output", output);
        json_put_integer(&json, "samples", samples);
        json_put_integer(&json, "parts", parts);
        json_end(&json);
    } else {
        printf("%" PRId64 " samples encoded in %" PRId64 " parts; written to %s\n", samples, parts,
               output);
    }
    return finish_output();
}

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
    if (!failed)
        failed = describe(given, encoding);
    orthant_matrix_free(encoding);
    saved_close(&s);
    return failed;
}
