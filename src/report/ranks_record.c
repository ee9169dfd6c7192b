/* A survey of ranks as JSON and as a table of numbers. */
#include "report/ranks_record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/folder.h"
#include "report/run.h"
#include "report/text_file.h"
#include "report/text_output.h"

/* ---- the plan ---------------------------------------------------------------------------------
 */

orthant_status ranks_plan_lines(const orthant_ranks *survey, plan_lines *plan)
{
    const setting_list *given = &survey->given;
    char line[640], digest[65];
    *plan = (plan_lines){.ctx = survey->ctx};
    snprintf(line, sizeof line, "version %s", orthant_version());
    orthant_status status = plan_lines_add(plan, line);
    plan_lines_hash(survey->samples, NULL, 0, digest);
    snprintf(line, sizeof line, "data %s %s",
             survey->samples->precision == ORTHANT_DOUBLE ? "double" : "single", digest);
    if (!status)
        status = plan_lines_add(plan, line);
    snprintf(line, sizeof line, "repeats %" PRId64 " seed %" PRId64 " noise %.17g", survey->repeats,
             survey->seed, survey->noise);
    if (!status)
        status = plan_lines_add(plan, line);
    for (int k = 0; k < survey->ranks && !status; k++) {
        snprintf(line, sizeof line, "rank %" PRId64, survey->rank[k]);
        status = plan_lines_add(plan, line);
    }
    for (int c = 0; c < survey->criteria && !status; c++) {
        snprintf(line, sizeof line, "criterion %s", ranks_cell(survey, 0, c)->criterion->name);
        status = plan_lines_add(plan, line);
    }
    for (int i = 0; i < given->count && !status; i++) {
        if (text_in_list("rank,criteria,repeats,seed,noise,command", given->list[i].name))
            continue;
        snprintf(line, sizeof line, "setting %.100s %.500s", given->list[i].name,
                 given->list[i].value);
        status = plan_lines_add(plan, line);
    }
    if (status)
        plan_lines_free(plan);
    return status;
}

/* ---- what was asked, and found ----------------------------------------------------------------
 */

static void describe_row(const orthant_ranks *survey, int rank, json_writer *json)
{
    json_open_object(json, NULL);
    json_integer(json, "k", survey->rank[rank]);
    for (int c = 0; c < survey->criteria; c++) {
        const rank_cell *cell = ranks_cell(survey, rank, c);
        for (int m = 0; m < rank_all_measures(cell->criterion); m++) {
            const rank_measure *measure = &cell->criterion->measure[m];
            double deviation;
            char name[64];
            json_number(json, measure->name, ranks_cell_value(survey, cell, m, &deviation));
            snprintf(name, sizeof name, "%s_deviation", measure->name);
            if (!measure->joint)
                json_number(json, name, deviation);
        }
    }
    json_close(json);
}

static void describe_found(const orthant_ranks *survey, json_writer *json)
{
    json_open_object(json, "recommended");
    json_integer(json, "k", survey->recommended);
    json_open_array(json, "reasons");
    for (int i = 0; i < survey->reasons.count; i++)
        json_text(json, NULL, survey->reasons.list[i].value);
    json_close(json);
    json_close(json);
    json_open_array(json, "rows");
    for (int k = 0; k < survey->ranks; k++)
        describe_row(survey, k, json);
    json_close(json);
}

static void describe_settings(const orthant_ranks *survey, json_writer *json)
{
    json_open_array(json, "settings");
    for (int i = 0; i < survey->given.count; i++) {
        if (!strcmp(survey->given.list[i].name, "command"))
            continue;
        json_open_object(json, NULL);
        json_text(json, "name", survey->given.list[i].name);
        json_text(json, "value", survey->given.list[i].value);
        json_close(json);
    }
    json_close(json);
}

void ranks_record_describe(const orthant_ranks *survey, const plan_lines *plan, json_writer *json)
{
    const char *method = ranks_setting(survey, "method");
    json_open_object(json, NULL);
    json_text(json, "kind", "ranks");
    json_text(json, "command", ranks_setting(survey, "command"));
    json_open_object(json, "data");
    json_text(json, "path", survey->data_name);
    json_integer(json, "samples", survey->rows);
    json_integer(json, "features", survey->columns);
    json_close(json);
    json_text(json, "method", method ? method : "nmf");
    json_open_array(json, "criteria");
    for (int c = 0; c < survey->criteria; c++)
        json_text(json, NULL, ranks_cell(survey, 0, c)->criterion->name);
    json_close(json);
    json_integer(json, "repeats", survey->repeats);
    json_integer(json, "seed", survey->seed);
    json_number(json, "noise", survey->noise);
    json_integer(json, "consensus_samples", ranks_consensus_samples(survey));
    describe_settings(survey, json);
    json_text(json, "version", orthant_version());
    json_text(json, "cpu_kernels", orthant_cpu_kernels());
    json_text(json, "blas", orthant_blas_description());
    if (survey->recommended)
        describe_found(survey, json);
    if (plan)
        plan_lines_write(plan, json);
    json_close(json);
}

orthant_status ranks_record_write(const orthant_ranks *survey, const plan_lines *plan,
                                  const char *path)
{
    file_writer writer;
    const orthant_status status = file_write_begin(survey->ctx, path, &writer);
    if (status)
        return status;
    json_writer json = {.file = writer.file};
    ranks_record_describe(survey, plan, &json);
    return file_write_end(&writer, ORTHANT_OK);
}

static void print_field(FILE *file, double value)
{
    char text[32] = "";
    if (isfinite(value))
        text_write_double(text, value, false);
    fprintf(file, ",%s", text);
}

orthant_status ranks_table_write(const orthant_ranks *survey, const char *path)
{
    file_writer writer;
    const orthant_status status = file_write_begin(survey->ctx, path, &writer);
    if (status)
        return status;
    for (int k = -1; k < survey->ranks; k++) {
        if (k < 0)
            fputc('k', writer.file);
        else
            fprintf(writer.file, "%" PRId64, survey->rank[k]);
        for (int c = 0; c < survey->criteria; c++) {
            const rank_cell *cell = ranks_cell(survey, k < 0 ? 0 : k, c);
            for (int m = 0; m < rank_all_measures(cell->criterion); m++) {
                const rank_measure *measure = &cell->criterion->measure[m];
                double deviation;
                const double value = ranks_cell_value(survey, cell, m, &deviation);
                if (k < 0)
                    fprintf(writer.file, measure->joint ? ",%s" : ",%s,%s_deviation", measure->name,
                            measure->name);
                else
                    print_field(writer.file, value);
                if (k >= 0 && !measure->joint)
                    print_field(writer.file, deviation);
            }
        }
        fputc('\n', writer.file);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

/* ---- read back --------------------------------------------------------------------------------
 */

orthant_status folder_is_ranks(orthant_context *ctx, const char *folder, bool *is_ranks)
{
    return folder_has(ctx, folder, RANKS_FILE, is_ranks);
}

orthant_status ranks_record_read(orthant_context *ctx, const char *folder, json_value **json)
{
    char *path = path_join(ctx, folder, RANKS_FILE);
    *json = NULL;
    orthant_status status = path ? json_read(ctx, path, json) : ORTHANT_ERROR_MEMORY;
    if (!status && !json_member(*json, "recommended")) {
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT,
                      "%s: the survey of ranks is not finished; the command that began it goes on",
                      folder);
        json_free(ctx, *json);
        *json = NULL;
    }
    memory_free(ctx, path);
    return status;
}

orthant_status orthant_ranks_describe(const orthant_ranks *ranks, char **text)
{
    text_output output;
    if (text)
        *text = NULL;
    if (!ranks || !text || !ranks->recommended)
        return fail(ranks ? ranks->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    !ranks || !text ? "orthant_ranks_describe: an argument is NULL"
                                    : "the survey of ranks was not run");
    const orthant_status status = text_output_begin(ranks->ctx, &output);
    if (status)
        return status;
    json_writer json = {.file = output.file, .compact = true};
    ranks_record_describe(ranks, NULL, &json);
    return text_output_end(&output, ORTHANT_OK, text);
}

orthant_status ranks_record_of(const orthant_ranks *survey, json_value **json)
{
    char *text = NULL;
    *json = NULL;
    orthant_status status = orthant_ranks_describe(survey, &text);
    if (!status)
        status = json_parse(survey->ctx, "a survey of ranks", text, strlen(text), json);
    memory_free(survey->ctx, text);
    return status;
}
