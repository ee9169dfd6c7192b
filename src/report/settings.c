/* The command, parameters, references and checksums at the end of a page. */
#include "report/settings.h"

#include <string.h>

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

static void write_factorisation(FILE *page, const run_record *record)
{
    static const char *const before[] = {"method", "loss", "rank"};
    static const char *const after[] = {"graph",
                                        "labelled",
                                        "truth",
                                        "labels_rule",
                                        "scale",
                                        "precision",
                                        "threads",
                                        "objective",
                                        "solver",
                                        "device",
                                        "projected_gradient",
                                        "converged",
                                        "stopped",
                                        "dead_columns",
                                        "version",
                                        "cpu_kernels",
                                        "blas"};
    static const char *const data[] = {"path",     "samples",     "features",
                                       "nonzeros", DATA_CHECKSUM, "sha256"};
    const json_value *parameters = json_member(record->json, "parameters");
    fputs("<table class=\"settings\">\n", page);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        html_row(page, before[i], json_member(record->json, before[i]));
    write_terms(page, record);
    for (const json_value *p = parameters ? parameters->child : NULL; p; p = p->next)
        if (p->key && strcmp(p->key, "loss") != 0)
            html_row(page, p->key, p);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        if (json_member(record->json, after[i]))
            html_row(page, after[i], json_member(record->json, after[i]));
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        const json_value *value = json_member(json_member(record->json, "data"), data[i]);
        char name[32];
        snprintf(name, sizeof name, "data: %s", data[i]);
        if (value)
            html_row(page, name, value);
    }
    fputs("</table>\n", page);
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
