/* Whether a folder holds the runs of a protocol's study, from its study.json and results.csv alone:
 * the data are not read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/study_record.h"
#include "report/text_file.h"
#include "reproduce/runs.h"

#define LARGEST_RESULTS (INT64_C(1) << 30)

/* Lines of a file behind its header; 0 where it is not there. */
static orthant_status count_rows(orthant_context *ctx, const char *folder, const char *name,
                                 int64_t *rows)
{
    char *path = path_join(ctx, folder, name), *text = NULL;
    size_t length = 0;
    file_presence there = FILE_MISSING;
    *rows = 0;
    orthant_status status = path ? file_look(ctx, path, &there) : ORTHANT_ERROR_MEMORY;
    if (!status && there != FILE_MISSING)
        status = text_file_read(ctx, path, LARGEST_RESULTS, &text, &length);
    for (size_t i = 0; !status && text && i < length; i++)
        *rows += text[i] == '\n';
    if (*rows)
        (*rows)--;
    memory_free(ctx, text);
    memory_free(ctx, path);
    return status;
}

static bool begins_with(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

/* The lines of the record that say which methods were run, with which settings. */
static int count_variants(const json_value *plan)
{
    int count = 0;
    for (const json_value *each = plan ? plan->child : NULL; each; each = each->next)
        count += each->kind == JSON_TEXT && begins_with(each->text, "variant ");
    return count;
}

static bool has_line(const json_value *plan, const char *line)
{
    for (const json_value *each = plan ? plan->child : NULL; each; each = each->next)
        if (each->kind == JSON_TEXT && !strcmp(each->text, line))
            return true;
    return false;
}

/* "classes COIL20-4 4": the numbers are those of the protocol, in its order. */
static bool has_classes(const json_value *plan, const protocol_study *wanted, bool quick)
{
    int64_t numbers[RUNS_MOST_CLASSES];
    int count = class_numbers(wanted->classes, numbers, RUNS_MOST_CLASSES), found = 0;
    if (quick && count > RUNS_QUICK_CLASSES)
        count = RUNS_QUICK_CLASSES;
    for (const json_value *each = plan ? plan->child : NULL; each; each = each->next) {
        if (each->kind != JSON_TEXT || !begins_with(each->text, "classes "))
            continue;
        if (found == count || strtoll(strrchr(each->text, ' '), NULL, 10) != numbers[found])
            return false;
        found++;
    }
    return found == count;
}

/* The record's methods, numbers of classes and repeats are those of the protocol. */
static orthant_status is_protocol(orthant_context *ctx, const protocol_study *wanted, bool quick,
                                  const json_value *record, bool *same)
{
    const reproduce_request request = {.quick = quick};
    const json_value *plan = json_member(record, "plan");
    orthant_study *study = NULL;
    plan_lines lines = {.ctx = ctx};
    int variants = 0;
    orthant_status status = orthant_study_create(ctx, &study);
    if (!status)
        status = runs_set_up(study, &request, wanted);
    if (!status)
        status = orthant_study_check(study);
    if (!status)
        status = study_plan_lines(study, &lines);
    *same = !status && has_classes(plan, wanted, quick) &&
            json_member_number(record, "repeats") == (double)runs_repeats(&request, wanted);
    for (int i = 0; i < lines.count && *same; i++) {
        const bool variant = begins_with(lines.line[i], "variant ");
        variants += variant;
        if (variant || begins_with(lines.line[i], "version "))
            *same = has_line(plan, lines.line[i]);
    }
    *same = *same && variants == count_variants(plan);
    plan_lines_free(&lines);
    orthant_study_free(study);
    return status;
}

orthant_status runs_look(orthant_context *ctx, const char *folder, const protocol_study *wanted,
                         runs_state *state)
{
    json_value *record = NULL;
    int64_t rows = 0, failures = 0;
    bool full = false, quick = false;
    file_presence there = FILE_MISSING;
    char *path = path_join(ctx, folder, "study.json");
    orthant_status status = path ? file_look(ctx, path, &there) : ORTHANT_ERROR_MEMORY;
    *state = RUNS_NONE;
    if (!status && there != FILE_MISSING)
        status = json_read(ctx, path, &record);
    memory_free(ctx, path);
    if (status || !record)
        return status;
    status = count_rows(ctx, folder, "results.csv", &rows);
    if (!status)
        status = count_rows(ctx, folder, "failures.csv", &failures);
    if (!status)
        status = is_protocol(ctx, wanted, false, record, &full);
    if (!status && !full)
        status = is_protocol(ctx, wanted, true, record, &quick);
    *state = !full && !quick                                                  ? RUNS_OTHER
             : (double)(rows + failures) < json_member_number(record, "runs") ? RUNS_SOME
             : full                                                           ? RUNS_ALL
                                                                              : RUNS_QUICK;
    json_free(ctx, record);
    return status;
}
