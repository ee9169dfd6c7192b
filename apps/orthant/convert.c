/* orthant convert: any data file to one whose samples can be read one by one. */
#include "data.h"

#include "json.h"
#include "text.h"

/* What OUT holds, as other commands will find it: not read whole. */
static int describe(orthant_context *ctx, const char *output)
{
    json_printer json = {.file = stdout, .compact = true};
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *samples = NULL;
    orthant_labels *truth = NULL;
    options.stream = true;
    int failed = report_failure(ctx, orthant_matrix_read(ctx, output, &options, &samples, &truth));
    const int64_t classes = failed || !truth ? 0 : orthant_labels_classes(truth);
    if (classes < 0)
        failed = report_failure(ctx, ORTHANT_ERROR_MEMORY);
    if (!failed) {
        json_begin_object(&json, NULL);
        json_put_text(&json, "output", output);
        json_put_integer(&json, "bytes", path_bytes(output));
        json_put_integer(&json, "samples", orthant_matrix_rows(samples));
        json_put_integer(&json, "features", orthant_matrix_columns(samples));
        json_put_integer(&json, "classes", classes);
        json_end(&json);
        failed = finish_output();
    }
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    return failed;
}

int run_convert(const arguments *given)
{
    orthant_context *ctx = NULL;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    talk speech;
    int failed = context_open(given, &speech, &ctx);
    if (!failed)
        failed = data_options(given, given->word[0], &options);
    interrupt_watch();
    if (!failed) {
        const orthant_status status =
            orthant_convert(ctx, given->word[0], &options, given->word[1]);
        talk_clear(&speech);
        failed = report_failure(ctx, status);
    }
    if (!failed && option_given(given, OPTION_JSON))
        failed = describe(ctx, given->word[1]);
    orthant_context_free(ctx);
    return failed;
}
