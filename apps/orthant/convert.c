/* orthant convert: any data file to one whose samples can be read one by one. */
#include "data.h"

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
    orthant_context_free(ctx);
    return failed;
}
