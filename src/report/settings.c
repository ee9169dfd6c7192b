/* The command, parameters, references and checksums at the end of a page. */
#include "report/settings.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "orthant/method.h"
#include "report/html.h"
#include "report/run.h"
#include "report/segment_page.h"

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void settings_data_words(FILE *page, const run_record *record)
{
    html_count(page, record_data_number(record, "samples"));
    fputs(" samples of ", page);
    html_count(page, record_data_number(record, "features"));
    fputs(" features (", page);
    html_text(page, path_name(record_data_text(record, "path")));
    fputs(")", page);
}

static void write_terms(FILE *page, const run_record *record)
{
    const json_value *terms = json_member(record->json, "terms");
    fputs("<tr><th>terms</th><td>", page);
    if (!terms || !terms->child)
        fputs("none", page);
    for (const json_value *term = terms ? terms->child : NULL; term; term = term->next) {
        html_text(page, json_member_text(term, "name", ""));
        fputs(" (weight ", page);
        html_value(page, json_member(term, "weight"));
        fputs(term->next ? "), " : ")", page);
    }
    fputs("</td></tr>\n", page);
}

/* The default of a parameter, of the method or of one of the run's terms; NULL: none is known. */
static const char *default_of(const run_record *record, const char *name)
{
    const json_value *terms = json_member(record->json, "terms");
    orthant_parameter_info info = {.size = sizeof info};
    for (int i = 0; !orthant_method_parameter(record_text(record, "method"), i, &info); i++)
        if (!strcmp(info.name, name))
            return info.default_text;
    for (const json_value *term = terms ? terms->child : NULL; term; term = term->next)
        for (int i = 0; !orthant_term_parameter(json_member_text(term, "name", ""), i, &info); i++)
            if (!strcmp(info.name, name))
                return info.default_text;
    return NULL;
}

static bool is_default(const run_record *record, const json_value *parameter)
{
    const char *usual = default_of(record, parameter->key);
    double number;
    if (!usual)
        return false;
    if (parameter->kind == JSON_NUMBER)
        return text_to_double(usual, &number) && number == parameter->number;
    return parameter->kind == JSON_TEXT && !strcmp(usual, parameter->text);
}

/* What stands in a row of its own, as it was in force: a parameter that says `auto` does not. The
 * weights of terms stand beside their names. */
static bool has_own_row(const run_record *record, const char *name)
{
    const json_value *terms = json_member(record->json, "terms");
    orthant_parameter_info info = {.size = sizeof info};
    for (const json_value *term = terms ? terms->child : NULL; term; term = term->next)
        if (!orthant_term_parameter(json_member_text(term, "name", ""), 0, &info) &&
            !strcmp(info.name, name))
            return true;
    return !strcmp(name, "loss") || (!strcmp(name, "solver") && *record_text(record, "solver"));
}

static void write_parameters(FILE *page, const run_record *record, bool usual)
{
    const json_value *parameters = json_member(record->json, "parameters");
    for (const json_value *p = parameters ? parameters->child : NULL; p; p = p->next)
        if (p->key && !has_own_row(record, p->key) && is_default(record, p) == usual)
            html_row(page, p->key, p);
}

static void write_members(FILE *page, const run_record *record, const char *const *names,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_value *value = json_member(record->json, names[i]);
        if (value && value->kind != JSON_NULL && !(value->kind == JSON_TEXT && !*value->text))
            html_row(page, names[i], value);
    }
}

/* Factors that were given, with their files. */
static void write_starts(FILE *page, const run_record *record)
{
    const json_value *starts = json_member(record->json, "starts");
    if (!starts || !starts->child)
        return;
    fputs("<tr><th>starts</th><td>", page);
    for (const json_value *start = starts->child; start; start = start->next) {
        html_text(page, json_member_text(start, "factor", ""));
        fputs(" of ", page);
        html_text(page, json_member_text(start, "file", "memory"));
        fputs(start->next ? ", " : "", page);
    }
    fputs("</td></tr>\n", page);
}

/* Where the rank was not given: why it is this one. */
static void write_reasons(FILE *page, const run_record *record)
{
    const json_value *reasons = json_member(record->json, "rank_reasons");
    if (!reasons || !reasons->child)
        return;
    fputs("<tr><th>why this rank</th><td>", page);
    for (const json_value *reason = reasons->child; reason; reason = reason->next) {
        html_value(page, reason);
        fputs(reason->next ? "<br>" : "", page);
    }
    fputs("</td></tr>\n", page);
}

static void write_device(FILE *page, const run_record *record)
{
    const char *device = record_text(record, "device");
    fputs("<tr><th>device</th><td>", page);
    html_text(page, *device ? device : "CPU");
    fputs(" (", page);
    html_value(page, json_member(record->json, "threads"));
    fputs(record_number(record, "threads") == 1 ? " thread, " : " threads, ", page);
    html_text(page, record_text(record, "precision"));
    fputs(" precision)</td></tr>\n", page);
}

/* A fit that a checkpoint carried over an interruption: its bits are those of one that ran through.
 */
static void write_resumed(FILE *page, const run_record *record)
{
    const double after = record_number(record, "resumed_after");
    if (isnan(after))
        return;
    fputs("<tr><th>resumed</th><td>from a checkpoint, after ", page);
    html_count(page, after);
    fputs(after == 1 ? " iteration" : " iterations", page);
    fputs("; the factors are those of a fit that ran through</td></tr>\n", page);
}

static void write_data(FILE *page, const run_record *record)
{
    static const char *const data[] = {"path",     "samples",     "features",
                                       "nonzeros", DATA_CHECKSUM, "sha256"};
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        const json_value *value = json_member(json_member(record->json, "data"), data[i]);
        char name[32];
        snprintf(name, sizeof name, "data: %s", data[i]);
        if (value)
            html_row(page, name, value);
    }
}

/* How the file was read, where not everything was found in it: "truth = species, drop = id". */
static void write_reading(FILE *page, const run_record *record)
{
    const json_value *read = json_member(json_member(record->json, "data"), "read");
    if (!read || !read->child)
        return;
    fputs("<tr><th>data: read with</th><td>", page);
    for (const json_value *option = read->child; option; option = option->next) {
        html_text(page, option->key);
        fputs(" = ", page);
        html_value(page, option);
        fputs(option->next ? ", " : "", page);
    }
    fputs("</td></tr>\n", page);
}

/* What was asked for and what came of it; what is as it always is, folded. */
static void write_factorisation(FILE *page, const run_record *record)
{
    static const char *const before[] = {"method", "loss", "solver", "rank"};
    static const char *const after[] = {
        "fixed_basis",     "fixed_parts",  "mask",     "missing_entries", "sample_weights",
        "feature_weights", "graph",        "labelled", "truth",           "drawn_classes",
        "labels_rule",     "labels_scale", "scale"};
    static const char *const ended[] = {"objective", "projected_gradient",
                                        "converged", "minimal_encodings",
                                        "stopped",   "dead_columns"};
    static const char *const machine[] = {"version", "cpu_kernels", "blas"};
    fputs("<table class=\"settings\">\n", page);
    write_members(page, record, before, sizeof before / sizeof *before);
    write_reasons(page, record);
    write_terms(page, record);
    write_parameters(page, record, false);
    write_starts(page, record);
    write_members(page, record, after, sizeof after / sizeof *after);
    write_device(page, record);
    write_resumed(page, record);
    write_members(page, record, ended, sizeof ended / sizeof *ended);
    write_data(page, record);
    write_reading(page, record);
    fputs("</table>\n<details><summary>Parameters at their defaults, and versions</summary>\n"
          "<table class=\"settings\">\n",
          page);
    write_parameters(page, record, true);
    write_members(page, record, machine, sizeof machine / sizeof *machine);
    fputs("</table></details>\n", page);
}

static void write_command(FILE *page, const run_record *record)
{
    const char *command = record_text(record, "command");
    if (!*command)
        return;
    fputs("<pre>", page);
    html_text(page, command);
    fputs("</pre>\n", page);
}

static void write_notes(FILE *page, const run_record *record)
{
    const json_value *notes = json_member(record->json, "notes");
    for (const json_value *note = notes ? notes->child : NULL; note; note = note->next) {
        fputs("<p class=\"note\">", page);
        html_value(page, note);
        fputs("</p>\n", page);
    }
}

static void write_reference(FILE *page, orthant_context *ctx, const run_record *record)
{
    orthant_method_info method = {.size = sizeof method};
    if (orthant_method_info_by_name(ctx, record_text(record, "method"), &method))
        return;
    fputs("<p class=\"soft\">", page);
    html_text(page, method.title);
    if (method.reference && *method.reference) {
        fputs(". ", page);
        html_text(page, method.reference);
    }
    fputs("</p>\n", page);
}

void settings_write(orthant_context *ctx, FILE *page, const run_record *record)
{
    write_reference(page, ctx, record);
    write_notes(page, record);
    write_command(page, record);
    if (record_is_segmentation(record))
        segment_page_settings(page, record);
    else
        write_factorisation(page, record);
}
