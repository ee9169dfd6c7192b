/* Summary, tables and figures of a reproduction as HTML. */
#include "reproduce/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file_checksum.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/html.h"
#include "report/text_file.h"
#include "reproduce/items.h"

/* ---- the summary ---- */

typedef struct tally {
    int agree, lower, higher;
} tally;

/* From the last column of the averages: "lower", "lower, by rows". */
static tally count_verdicts(const sheet *averages)
{
    tally count = {0};
    for (int r = 0; r < averages->rows; r++) {
        const char *text = averages->cell[r * averages->columns + averages->columns - 1].text;
        count.agree += text && !strncmp(text, "agrees", 6);
        count.lower += text && !strncmp(text, "lower", 5);
        count.higher += text && !strncmp(text, "higher", 6);
    }
    return count;
}

static void write_summary(FILE *page, const reproduction *made, const sheet *averages)
{
    char run[RUNS_WORDS];
    const tally count = count_verdicts(averages);
    const int all = count.agree + count.lower + count.higher;
    fputs("<p class=\"lead\">The experiments of <strong>", page);
    html_text(page, made->paper->title);
    if (all)
        fprintf(page,
                "</strong> again: of %d averages of the paper ours agree within two standard "
                "errors of the difference in %d, are higher in %d and lower in %d.",
                all, count.agree, count.higher, count.lower);
    else
        fputs("</strong> again: no average of ours has both a standard error and one of the "
              "paper's beside it.",
              page);
    for (int i = 0; i < made->paper->table_count; i++)
        if (made->tables[i].wanted && made->tables[i].runs.missing) {
            fprintf(page, " Table %s has no figures of ours: ", made->paper->tables[i].number);
            html_text(page, made->tables[i].runs.reason);
            fputc('.', page);
        }
    runs_words(made->request, run);
    if (made->request->quick)
        fprintf(page,
                " This was a quick run, to see that all works: %s. Its figures mean nothing, and "
                "the remarks below describe the full protocol, not this run.",
                run);
    else if (*run)
        fprintf(page, " Here: %s; the remarks below describe the full protocol.", run);
    fputs("</p>\n", page);
}

/* ---- tables and figures ---- */

/* "table-4-accuracy", and not "table-4-Xs-accuracy". */
static void write_sheets_of(FILE *page, const protocol_table *table, const sheet_list *sheets)
{
    char prefix[40];
    snprintf(prefix, sizeof prefix, "table-%.20s-", table->number);
    for (int i = 0; i < sheets->count; i++)
        if (!strncmp(sheets->table[i]->name, prefix, strlen(prefix)) &&
            !strchr(sheets->table[i]->name + strlen(prefix), '-'))
            sheet_write(sheets->table[i], SHEET_HTML, page);
}

static void write_tables(FILE *page, const reproduction *made, const sheet_list *sheets)
{
    for (int i = 0; i < made->paper->table_count; i++) {
        const protocol_table *table = &made->paper->tables[i];
        const table_runs *source = table_source(made->paper, made->tables, table, 0);
        if ((!source && !table->make) ||
            !items_want(made->request, made->of, ITEM_TABLE, table->number))
            continue;
        fprintf(page, "<h2>Table %s</h2>\n<p>%s", table->number,
                made->request->quick ? "The full protocol, not this quick run: " : "");
        html_text(page, table->remark);
        if (!table->from && source && !source->runs.missing)
            fprintf(page,
                    " <a href=\"table-%s/report.html\">Its study</a> has charts, ranks and runs.",
                    table->number);
        fputs("</p>\n", page);
        write_sheets_of(page, table, sheets);
    }
}

static const protocol_runs *table_runs_of(const reproduction *made, const char *number)
{
    for (int i = 0; i < made->paper->table_count; i++)
        if (!strcmp(made->paper->tables[i].number, number))
            return &made->tables[i].runs;
    return NULL;
}

const protocol_runs *figure_source(const reproduction *made, int index)
{
    const char *table = made->paper->figures[index].table;
    return table ? table_runs_of(made, table) : &made->figures[index].runs;
}

const protocol_runs *claim_source(const reproduction *made, int index)
{
    const protocol_claim *claim = &made->paper->claims[index];
    if (claim->table)
        return table_runs_of(made, claim->table);
    for (int i = 0; claim->figure && i < made->paper->figure_count; i++)
        if (!strcmp(made->paper->figures[i].number, claim->figure))
            return figure_source(made, i);
    return &made->claims[index].runs;
}

static orthant_status write_figures(chart_place *place, const reproduction *made)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < made->paper->figure_count && !status; i++) {
        const protocol_figure *figure = &made->paper->figures[i];
        const protocol_runs *runs = figure_source(made, i);
        if (!made->figures[i].shown)
            continue;
        fprintf(place->page, "<h2>Figure %s</h2>\n<p>", figure->number);
        html_text(place->page, figure->title);
        fputs(".", place->page);
        if (figure->remark) {
            fputc(' ', place->page);
            html_text(place->page, figure->remark);
        }
        if (strchr(figure->study.dataset ? figure->study.dataset : "", '|') && !runs->missing)
            fprintf(place->page, " Here: %s.", runs->dataset);
        fputs("</p>\n", place->page);
        if (runs->missing || !runs->results.count) {
            fputs("<p class=\"note\">Missing: ", place->page);
            html_text(place->page, runs->missing ? runs->reason : "no run ended");
            fputs("</p>\n", place->page);
            continue;
        }
        fputs("<div class=\"charts\">\n", place->page);
        status = figure_show(place, figure, runs, made->paper->paper);
        fputs("</div>\n", place->page);
    }
    return status;
}

static void write_claims(FILE *page, const sheet_list *sheets)
{
    for (int i = 0; i < sheets->count; i++)
        if (!strcmp(sheets->table[i]->name, "claims")) {
            fputs("<h2>Theorems and claims</h2>\n", page);
            sheet_write(sheets->table[i], SHEET_HTML, page);
        }
}

/* ---- the end ---- */

static orthant_status write_data(FILE *page, const protocol_runs *runs, const char *what)
{
    char digest[65] = "";
    orthant_status status = ORTHANT_OK;
    if (runs->data)
        status = file_sha256(runs->ctx, runs->data, digest);
    fputs("<tr><td>", page);
    html_text(page, what);
    fputs("</td><td>", page);
    html_text(page, runs->missing ? runs->reason : runs->data ? runs->data : runs->dataset);
    fprintf(page, "</td><td>%" PRId64 "</td><td>%.1f</td><td><code>%.16s</code></td></tr>\n",
            runs->results.count, runs->seconds, digest);
    return status;
}

static orthant_status write_end(FILE *page, const reproduction *made)
{
    orthant_status status = ORTHANT_OK;
    char what[64];
    fputs("<h2>How this was made</h2>\n<p><code>", page);
    html_text(page, made->request->command ? made->request->command : "");
    fprintf(page,
            "</code></p>\n<p>Orthant %s, %s kernels, %s, %d threads, seed %" PRId64
            ". The runs of each table and figure lie in a folder of their own with results.csv, a "
            "row for each run with its seed.</p>\n",
            orthant_version(), orthant_cpu_kernels(), orthant_blas_description(),
            orthant_context_threads(made->ctx), made->request->seed);
    fputs("<div class=\"scroll\"><table><thead><tr><th>for</th><th>data</th><th>runs</th><th>"
          "seconds of fits</th><th>SHA-256</th></tr></thead><tbody>\n",
          page);
    for (int i = 0; i < made->paper->table_count && !status; i++)
        if (made->tables[i].wanted) {
            snprintf(what, sizeof what, "Table %s", made->paper->tables[i].number);
            status = write_data(page, &made->tables[i].runs, what);
        }
    for (int i = 0; i < made->paper->figure_count && !status; i++)
        if (made->figures[i].wanted) {
            snprintf(what, sizeof what, "Figure %s", made->paper->figures[i].number);
            status = write_data(page, &made->figures[i].runs, what);
        }
    for (int i = 0; i < made->paper->claim_count && !status; i++)
        if (made->claims[i].runs.folder) {
            snprintf(what, sizeof what, "Claim %s", made->paper->claims[i].id);
            status = write_data(page, &made->claims[i].runs, what);
        }
    fputs("</tbody></table></div>\n", page);
    return status;
}

orthant_status reproduction_page(const reproduction *made, const sheet_list *sheets)
{
    file_writer writer;
    char title[160];
    char *path = path_join(made->ctx, made->request->output, "report.html");
    orthant_status status =
        path ? file_write_begin(made->ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    memory_free(made->ctx, path);
    if (status)
        return status;
    chart_place place;
    status = chart_place_begin(&place, made->ctx, writer.file, made->request->output);
    if (!status) {
        snprintf(title, sizeof title, "%s, again", made->paper->title);
        html_page_begin(place.page, title);
        write_summary(place.page, made, sheets->table[0]);
        html_contents(place.page);
        fputs("<h2>Averages</h2>\n", place.page);
        sheet_write(sheets->table[0], SHEET_HTML, place.page);
        write_tables(place.page, made, sheets);
        status = write_figures(&place, made);
        write_claims(place.page, sheets);
        if (!status)
            status = write_end(place.page, made);
        html_page_end(place.page);
    }
    return file_write_end(&writer, chart_place_end(&place, status));
}
