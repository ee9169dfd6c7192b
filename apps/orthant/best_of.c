#include "best_of.h"

#include <string.h>

#include "model.h"

static bool is_better(const orthant_read_out *a, const orthant_read_out *b)
{
    return a->scored ? a->scores.accuracy > b->scores.accuracy : a->spread < b->spread;
}

static orthant_status read_out(pipeline *line, orthant_read_out *out, int64_t clusters,
                               int restarts, orthant_labels **labels)
{
    orthant_status status = orthant_result_read_out(line->result, out->rule, clusters, restarts,
                                                    model_seed(line), labels, &out->spread);
    if (!status && line->truth) {
        status = orthant_score_labels(line->ctx, *labels, line->truth, &out->scores);
        out->scored = !status;
    }
    return status;
}

orthant_status best_of(pipeline *line, int64_t clusters, int restarts)
{
    const char *list = line->method.read_outs;
    int best = 0;
    while (*list && line->read_out_count < PIPELINE_READ_OUTS) {
        const int index = line->read_out_count++;
        const size_t length = strcspn(list, ",");
        orthant_read_out *out = &line->read_outs[index];
        orthant_labels *labels = NULL;
        snprintf(line->rules[index], sizeof line->rules[index], "%.*s", (int)length, list);
        *out = (orthant_read_out){.rule = line->rules[index]};
        const orthant_status status = read_out(line, out, clusters, restarts, &labels);
        const bool better = !index || (!status && is_better(out, &line->read_outs[best]));
        best = better ? index : best;
        orthant_labels_free(better ? line->found : labels);
        line->found = better ? labels : line->found;
        if (status)
            return status;
        list += length + (list[length] == ',');
    }
    line->read_outs[best].chosen = true;
    snprintf(line->rule, sizeof line->rule, "%s", line->rules[best]);
    return ORTHANT_OK;
}
