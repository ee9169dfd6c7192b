#include "report/page.h"

#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "orthant/method.h"
#include "orthant/run.h"
#include "report/convergence.h"
#include "report/html.h"
#include "report/montage.h"
#include "report/segment_page.h"
#include "report/text_file.h"

/* What a tile should measure on the page. */
#define TILE_PIXELS 48

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* ---- what the page says -----------------------------------------------------------------------
 */

static void write_data_words(FILE *page, const run_record *record)
{
    html_count(page, record_data_number(record, "samples"));
    fputs(" samples of ", page);
    html_count(page, record_data_number(record, "features"));
    fputs(" features (", page);
    html_text(page, file_name(record_data_text(record, "path")));
    fputs(")", page);
}

static void write_single_summary(FILE *page, const run_record *record)
{
    const double accuracy = record_score(record, "accuracy");
    const bool stopped = json_member_truth(record->json, "stopped");
    const bool converged = json_member_truth(record->json, "converged");
    fputs("<p class=\"lead\"><strong>", page);
    html_text(page, record_text(record, "method"));
    fputs("</strong> brought ", page);
    write_data_words(page, record);
    fputs(" to ", page);
    html_count(page, record_number(record, "rank"));
    fputs(" parts in ", page);
    html_count(page, record_number(record, "iterations"));
    fputs(" iterations and ", page);
    html_number(page, record_number(record, "seconds"), 2);
    fprintf(page, " s; %s.",
            converged ? "it converged"
            : stopped ? "it was stopped before it converged"
                      : "it has not converged yet");
    if (!isnan(accuracy)) {
        fprintf(page,
                " Beside the truth its clusters have an accuracy of %.1f&nbsp;%% and an NMI of ",
                100 * accuracy);
        html_number(page, 100 * record_score(record, "nmi"), 1);
        fputs("&nbsp;%.", page);
    }
    fputs("</p>\n", page);
}

static void write_several_summary(FILE *page, const run_list *list)
{
    const run_record *best = &list->record[0];
    fprintf(page, "<p class=\"lead\">%d runs on ", list->count);
    write_data_words(page, best);
    if (!isnan(record_score(best, "accuracy"))) {
        fputs(": the best accuracy, ", page);
        html_number(page, 100 * record_score(best, "accuracy"), 1);
        fputs("&nbsp;%, is that of <strong>", page);
        html_text(page, best->name);
        fputs("</strong>", page);
    }
    fputs(".</p>\n", page);
}

/* ---- tables -----------------------------------------------------------------------------------
 */

static void write_score_table(FILE *page, const run_record *record)
{
    static const struct {
        const char *key, *title, *meaning;
    } rows[] = {
        {"accuracy", "Accuracy",
         "share of samples under the best matching of clusters and classes"},
        {"nmi", "NMI", "mutual information over the larger entropy"},
        {"ari", "ARI", "adjusted Rand index"},
        {"purity", "Purity", "share of samples in their cluster's main class"},
        {"sparseness", "Sparseness", "of the encodings: 0 equal entries, 100 a single one"},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double score = record_score(record, rows[i].key);
        if (isnan(score))
            continue;
        fputs(any ? "" : "<h2>Scores</h2>\n<div class=\"scroll\"><table>\n", page);
        any = true;
        fprintf(
            page,
            "<tr><th>%s</th><td class=\"n\">%.1f&nbsp;%%</td><td class=\"why soft\">%s</td></tr>\n",
            rows[i].title, 100 * score, rows[i].meaning);
    }
    fputs(any ? "</table></div>\n" : "", page);
}

static void write_score_cell(FILE *page, const run_list *list, const run_record *record,
                             const char *key)
{
    double best = -INFINITY;
    for (int i = 0; i < list->count; i++)
        best = fmax(best, record_score(&list->record[i], key));
    const double score = record_score(record, key);
    fprintf(page, "<td class=\"n%s\">", score >= best ? " best" : "");
    html_number(page, 100 * score, 1);
    fputs("</td>", page);
}

/* Runs are often named after their method, and then it need not be said twice. */
static bool names_are_methods(const run_list *list)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->record[i].name, record_text(&list->record[i], "method")) != 0)
            return false;
    return true;
}

static void write_run_table(FILE *page, const run_list *list)
{
    const bool methods = !names_are_methods(list);
    fprintf(page,
            "<h2>Results</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>run</th>%s"
            "<th class=\"n\">accuracy&nbsp;%%</th><th class=\"n\">NMI&nbsp;%%</th>"
            "<th class=\"n\">sparseness&nbsp;%%</th><th class=\"n\">iterations</th>"
            "<th class=\"n\">seconds</th></tr></thead>\n<tbody>\n",
            methods ? "<th>method</th>" : "");
    for (int i = 0; i < list->count; i++) {
        const run_record *record = &list->record[i];
        fputs("<tr><th>", page);
        html_text(page, record->name);
        fputs(methods ? "</th><td>" : "</th>", page);
        if (methods)
            html_text(page, record_text(record, "method"));
        fputs(methods ? "</td>" : "", page);
        write_score_cell(page, list, record, "accuracy");
        write_score_cell(page, list, record, "nmi");
        write_score_cell(page, list, record, "sparseness");
        fputs("<td class=\"n\">", page);
        html_count(page, record_number(record, "iterations"));
        fputs("</td><td class=\"n\">", page);
        html_number(page, record_number(record, "seconds"), 2);
        fputs("</td></tr>\n", page);
    }
    fputs("</tbody></table></div>\n", page);
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

static void write_settings(FILE *page, const run_record *record)
{
    static const char *const before[] = {"method", "loss", "rank"};
    static const char *const after[] = {
        "graph",     "labelled",  "truth",   "labels_rule",  "scale",   "precision",   "threads",
        "objective", "converged", "stopped", "dead_columns", "version", "cpu_kernels", "blas"};
    static const char *const data[] = {"path", "samples", "features", "nonzeros", "sha256"};
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
        char name[32];
        snprintf(name, sizeof name, "data: %s", data[i]);
        html_row(page, name, json_member(json_member(record->json, "data"), data[i]));
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
    orthant_method_info method;
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

/* ---- pictures ---------------------------------------------------------------------------------
 */

static orthant_status save_png(orthant_context *ctx, const run_record *record, const montage *made)
{
    file_writer writer;
    char *path = path_join(ctx, record->folder, "basis.png");
    orthant_status status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        fwrite(made->png, 1, made->bytes, writer.file);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, path);
    return status;
}

/* A run without a basis, or of samples that are no pictures, has none. */
static orthant_status make_montage(orthant_context *ctx, const run_record *record, montage *made)
{
    orthant_matrix *basis = NULL;
    orthant_status status = ORTHANT_OK;
    const orthant_picture_shape shape = record_picture(record);
    *made = (montage){0};
    char *path = path_join(ctx, record->folder, "basis.npy");
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    if (shape.height && file_exists(path)) {
        status = orthant_matrix_read(ctx, path, NULL, &basis, NULL);
        if (!status)
            status = montage_make(ctx, basis, shape, made);
        if (!status && made->png)
            status = save_png(ctx, record, made);
    }
    orthant_matrix_free(basis);
    memory_free(ctx, path);
    return status;
}

/* A single run is named by its method: its folder may not have its name yet. */
static orthant_status write_basis(orthant_context *ctx, FILE *page, const run_record *record,
                                  const char *name, bool *any)
{
    montage made;
    char description[256];
    const orthant_picture_shape shape = record_picture(record);
    const orthant_status status = make_montage(ctx, record, &made);
    if (!status && made.png) {
        const int zoom = (TILE_PIXELS + shape.width - 1) / shape.width;
        snprintf(description, sizeof description, "The %lld basis pictures of %.100s as tiles",
                 (long long)made.shown, name);
        fputs(*any ? "" : "<h2>Basis pictures</h2>\n<div class=\"parts\">\n", page);
        *any = true;
        fputs("<figure>", page);
        html_png(page, made.png, made.bytes, made.width, zoom, description);
        fputs("<figcaption>", page);
        html_text(page, name);
        if ((double)made.shown < record_number(record, "rank"))
            fprintf(page, ": the first %lld parts", (long long)made.shown);
        fputs("</figcaption></figure>\n", page);
    }
    memory_free(ctx, made.png);
    return status;
}

static orthant_status write_all_bases(orthant_context *ctx, FILE *page, const run_list *list)
{
    bool any = false;
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < list->count && !status; i++)
        status = write_basis(
            ctx, page, &list->record[i],
            list->single ? record_text(&list->record[i], "method") : list->record[i].name, &any);
    if (any)
        fputs("</div>\n<p class=\"soft\">Each part is scaled to its own largest entry.</p>\n",
              page);
    return status;
}

/* ---- the page ---------------------------------------------------------------------------------
 */

static void write_details(orthant_context *ctx, FILE *page, const run_list *list)
{
    fputs("<h2>Settings</h2>\n", page);
    for (int i = 0; i < list->count; i++) {
        const run_record *record = &list->record[i];
        if (!list->single) {
            fputs("<details><summary>", page);
            html_text(page, record->name);
            fputs("</summary>\n", page);
        }
        write_reference(page, ctx, record);
        write_notes(page, record);
        write_command(page, record);
        if (record_is_segmentation(record))
            segment_page_settings(page, record);
        else
            write_settings(page, record);
        fputs(list->single ? "" : "</details>\n", page);
    }
}

static void write_title(FILE *page, const char *folder, const run_list *list)
{
    char title[512];
    const run_record *first = &list->record[0];
    const char *data = file_name(record_data_text(first, "path"));
    if (list->single)
        snprintf(title, sizeof title, "%.100s on %.300s", record_text(first, "method"), data);
    else
        snprintf(title, sizeof title, "%.100s: %d runs", file_name(folder), list->count);
    html_page_begin(page, title);
}

static orthant_status write_segmentation(orthant_context *ctx, FILE *page, const run_record *record)
{
    segment_page_summary(page, record);
    const orthant_status status = segment_page_pictures(ctx, page, record);
    segment_page_scores(page, record);
    fputs("<h2>Settings</h2>\n", page);
    write_reference(page, ctx, record);
    write_command(page, record);
    segment_page_settings(page, record);
    return status;
}

static orthant_status write_factorisations(orthant_context *ctx, FILE *page, const char *folder,
                                           const run_list *list)
{
    if (list->single) {
        write_single_summary(page, &list->record[0]);
        write_score_table(page, &list->record[0]);
    } else {
        write_several_summary(page, list);
        write_run_table(page, list);
    }
    chart_place place = {.ctx = ctx, .page = page, .folder = folder};
    orthant_status status = list->single ? convergence_of_run(&place, &list->record[0])
                                         : convergence_of_runs(&place, list);
    if (!status)
        status = write_all_bases(ctx, page, list);
    return status;
}

/* The runs that are no segmentations: they stand first. */
static run_list factorisations_of(const run_list *list)
{
    run_list others = *list;
    others.count = 0;
    while (others.count < list->count && !record_is_segmentation(&list->record[others.count]))
        others.count++;
    return others;
}

static orthant_status write_body(orthant_context *ctx, FILE *page, const char *folder,
                                 const run_list *list)
{
    const run_list others = factorisations_of(list);
    orthant_status status = ORTHANT_OK;
    if (list->single && !others.count)
        return write_segmentation(ctx, page, &list->record[0]);
    if (others.count)
        status = write_factorisations(ctx, page, folder, &others);
    if (!status)
        status = segment_page_section(ctx, page, list);
    write_details(ctx, page, list);
    return status;
}

orthant_status page_write(orthant_context *ctx, const char *folder, const run_list *list)
{
    file_writer writer;
    char *path = path_join(ctx, folder, "report.html");
    orthant_status status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        FILE *page = writer.file;
        write_title(page, folder, list);
        status = write_body(ctx, page, folder, list);
        html_page_end(page);
        status = file_write_end(&writer, status);
    }
    memory_free(ctx, path);
    return status;
}

orthant_status orthant_run_report(orthant_context *context, const char *folder)
{
    run_list list;
    orthant_status status = run_list_read(context, folder, &list);
    if (status)
        return status;
    status = page_write(context, folder, &list);
    run_list_free(&list);
    return status;
}
