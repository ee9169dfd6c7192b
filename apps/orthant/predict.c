/* orthant predict: clusters of new samples by the rule of a run. */
#include <inttypes.h>

#include "saved.h"

static int tell(const arguments *given, const saved *s, const orthant_labels *labels)
{
    const char *output = option_value(given, OPTION_OUTPUT);
    const int64_t count = orthant_labels_count(labels), *values = orthant_labels_values(labels);
    if (output) {
        const int64_t clusters = orthant_labels_classes(labels);
        const int failed =
            report_failure(s->ctx, clusters < 0 ? ORTHANT_ERROR_MEMORY
                                                : orthant_labels_write(s->ctx, labels, output));
        if (failed)
            return failed;
        printf("%" PRId64 " samples in %" PRId64 " clusters; written to %s\n", count, clusters,
               output);
    } else {
        for (int64_t i = 0; i < count; i++)
            printf("%" PRId64 "\n", values[i]);
    }
    return finish_output();
}

int run_predict(const arguments *given)
{
    saved s = {0};
    orthant_labels *labels = NULL;
    int failed = saved_open(given, &s);
    if (!failed)
        failed = saved_new_samples(given, &s);
    if (!failed)
        failed =
            report_failure(s.ctx, orthant_saved_run_predict(s.run, s.samples, &s.options, &labels));
    talk_clear(&s.speech);
    if (!failed)
        failed = tell(given, &s, labels);
    orthant_labels_free(labels);
    saved_close(&s);
    return !failed && interrupt_seen() ? interrupt_exit() : failed;
}
