/* orthant predict: clusters of new samples by the rule of a run. */
#include <inttypes.h>

#include "json.h"
#include "saved.h"

/* Labels that go to no file are in the object. */
static int put_json(const saved *s, const orthant_labels *labels, int64_t clusters,
                    const char *output)
{
    const int64_t count = orthant_labels_count(labels), *values = orthant_labels_values(labels);
    json_printer json = {.file = stdout, .compact = true};
    json_begin_object(&json, NULL);
    json_put_text(&json, "output", output);
    json_put_integer(&json, "samples", count);
    json_put_integer(&json, "clusters", clusters);
    json_put_text(&json, "rule", orthant_saved_run_text(s->run, "labels_rule"));
    if (!output) {
        json_begin_array(&json, "labels");
        for (int64_t i = 0; i < count; i++)
            json_put_integer(&json, NULL, values[i]);
        json_end(&json);
    }
    json_end(&json);
    return finish_output();
}

static int tell(const arguments *given, const saved *s, const orthant_labels *labels)
{
    const char *output = option_value(given, OPTION_OUTPUT);
    const int64_t count = orthant_labels_count(labels), *values = orthant_labels_values(labels);
    const int64_t clusters = orthant_labels_classes(labels);
    orthant_status status = clusters < 0 ? ORTHANT_ERROR_MEMORY : ORTHANT_OK;
    if (!status && output)
        status = orthant_labels_write(s->ctx, labels, output);
    if (status)
        return report_failure(s->ctx, status);
    if (option_given(given, OPTION_JSON))
        return put_json(s, labels, clusters, output);
    if (output)
        printf("%" PRId64 " samples in %" PRId64 " clusters; written to %s\n", count, clusters,
               output);
    for (int64_t i = 0; i < count && !output; i++)
        printf("%" PRId64 "\n", values[i]);
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
    return failed;
}
