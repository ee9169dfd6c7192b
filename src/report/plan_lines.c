/* Lines, their fingerprint, and the comparison with those of a file. */
#include "report/plan_lines.h"

#include <string.h>

#include "core/memory.h"
#include "core/sha256.h"
#include "report/json.h"

void plan_lines_free(plan_lines *plan)
{
    for (int i = 0; i < plan->count; i++)
        memory_free(plan->ctx, plan->line[i]);
    memory_free(plan->ctx, plan->line);
    *plan = (plan_lines){.ctx = plan->ctx};
}

orthant_status plan_lines_add(plan_lines *plan, const char *text)
{
    if (plan->count == plan->capacity) {
        const int capacity = plan->capacity ? 2 * plan->capacity : 32;
        char **line = memory_resize(plan->ctx, plan->line, capacity, sizeof *line,
                                    "the plan of an experiment");
        if (!line)
            return ORTHANT_ERROR_MEMORY;
        plan->line = line;
        plan->capacity = capacity;
    }
    plan->line[plan->count] = memory_text(plan->ctx, text);
    return plan->line[plan->count] ? (plan->count++, ORTHANT_OK) : ORTHANT_ERROR_MEMORY;
}

void plan_lines_hash(const orthant_matrix *samples, const int64_t *label, int64_t labels,
                     char digest[65])
{
    const size_t size = precision_size(samples->precision);
    const int64_t shape[] = {samples->rows, samples->columns, samples->sparse};
    sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, shape, sizeof shape);
    if (samples->sparse) {
        const size_t stored = (size_t)samples->row_start[samples->rows];
        sha256_add(&hash, samples->row_start,
                   (size_t)(samples->rows + 1) * sizeof *samples->row_start);
        sha256_add(&hash, samples->column, stored * sizeof *samples->column);
        sha256_add(&hash, samples->values, stored * size);
    }
    for (int64_t i = 0; i < samples->rows && !samples->sparse; i++)
        sha256_add(&hash, (const char *)samples->values + (size_t)(i * samples->stride) * size,
                   (size_t)samples->columns * size);
    if (labels > 0)
        sha256_add(&hash, label, (size_t)labels * sizeof *label);
    sha256_end(&hash, digest);
}

static void fingerprint(const plan_lines *plan, char digest[65])
{
    sha256 hash;
    sha256_begin(&hash);
    for (int i = 0; i < plan->count; i++) {
        sha256_add(&hash, plan->line[i], strlen(plan->line[i]));
        sha256_add(&hash, "\n", 1);
    }
    sha256_end(&hash, digest);
}

bool plan_lines_have(const plan_lines *plan, const char *text)
{
    for (int i = 0; i < plan->count; i++)
        if (!strcmp(plan->line[i], text))
            return true;
    return false;
}

void plan_lines_write(const plan_lines *plan, json_writer *json)
{
    char digest[65];
    fingerprint(plan, digest);
    json_open_array(json, "plan");
    for (int i = 0; i < plan->count; i++)
        json_text(json, NULL, plan->line[i]);
    json_close(json);
    json_text(json, "fingerprint", digest);
}

orthant_status plan_lines_check(const plan_lines *plan, const char *what, const char *path)
{
    json_value *record = NULL;
    char digest[65];
    orthant_status status = json_read(plan->ctx, path, &record);
    if (status)
        return status;
    fingerprint(plan, digest);
    const json_value *list = json_member(record, "plan");
    const json_value *line = list ? list->child : NULL;
    if (strcmp(json_member_text(record, "fingerprint", ""), digest)) {
        int i = 0;
        for (; line && line->kind == JSON_TEXT && i < plan->count; i++, line = line->next)
            if (strcmp(line->text, plan->line[i]))
                break;
        status = fail(plan->ctx, ORTHANT_ERROR_ARGUMENT,
                      "%.300s is the plan of another %s: it has '%.150s', this one has "
                      "'%.150s'; give another folder, or the settings of that %s to go on with "
                      "it",
                      path, what, line && line->kind == JSON_TEXT ? line->text : "nothing more",
                      i < plan->count ? plan->line[i] : "nothing more", what);
    }
    json_free(plan->ctx, record);
    return status;
}
