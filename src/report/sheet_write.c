/* The five faces of a table. */
#include <math.h>
#include <string.h>

#include "data/csv_text.h"
#include "report/html.h"
#include "report/json.h"
#include "report/sheet.h"

#define WIDE_COLUMNS 10 /* from which a table is set smaller */

static const sheet_cell *cell_at(const sheet *table, int row, int column)
{
    return &table->cell[row * table->columns + column];
}

void sheet_mark_text(int mark, char text[SHEET_MARK_SIZE])
{
    if (mark <= 26)
        snprintf(text, SHEET_MARK_SIZE, "%c", (char)('a' + mark - 1));
    else
        snprintf(text, SHEET_MARK_SIZE, "%d", mark);
}

static void write_figure(FILE *out, const sheet_column *column, double value)
{
    if (column->compact)
        html_count(out, value);
    else /* what rounds to zero has no sign */
        fprintf(out, "%.*f", column->decimals,
                fabs(value) < 0.5 * pow(10, -column->decimals) ? 0.0 : value);
}

/* ---- HTML -------------------------------------------------------------------------------------
 */

static void html_mark(FILE *out, int mark)
{
    char text[SHEET_MARK_SIZE];
    if (mark <= 0)
        return;
    sheet_mark_text(mark, text);
    fprintf(out, "<sup>%s</sup>", text);
}

/* How far ours are from the paper's: a class, and the share of full colour. */
static void html_difference(FILE *out, const sheet *table, const sheet_cell *cell)
{
    if (isnan(cell->value) || isnan(cell->paper))
        return;
    const double difference = (cell->value - cell->paper) / table->full_difference;
    const bool better = table->lower_is_better ? difference < 0 : difference > 0;
    fprintf(out, " %s\" style=\"--d:%.2f", better ? "up" : "down", fmin(1, fabs(difference)));
}

static void html_cell(FILE *out, const sheet *table, int row, int c)
{
    const sheet_column *column = &table->column[c];
    const sheet_cell *cell = cell_at(table, row, c);
    const char *tag = c < table->head_columns ? "th" : "td";
    fprintf(out, "<%s%s class=\"%s%s", tag, c < table->head_columns ? " scope=\"row\"" : "",
            column->decimals < 0 ? "t" : "n", cell->best ? " best" : "");
    html_difference(out, table, cell);
    fputs("\"", out);
    if (!cell->text && !isnan(cell->value))
        fprintf(out, " data-v=\"%.17g\"", cell->value);
    fputs(">", out);
    if (cell->text)
        html_text(out, cell->text);
    else if (isnan(cell->value))
        fputs("&ndash;", out);
    else
        write_figure(out, column, cell->value);
    if (!isnan(cell->spread))
        fprintf(out, "<span class=\"pm\">&#8239;&plusmn;&#8239;%.*f</span>", column->decimals,
                cell->spread);
    if (!isnan(cell->paper)) {
        fputs("<span class=\"paper\">", out);
        write_figure(out, column, cell->paper);
        html_mark(out, cell->mark);
        fputs("</span>", out);
    } else {
        html_mark(out, cell->mark);
    }
    fprintf(out, "</%s>", tag);
}

/* The rows that are summaries, or those that are not. Returns how many. */
static int html_rows(FILE *out, const sheet *table, bool summary)
{
    int count = 0;
    for (int r = 0; r < table->rows; r++) {
        if (table->summary[r] != summary)
            continue;
        fputs(count++ ? "<tr>" : summary ? "<tfoot>\n<tr>" : "<tbody>\n<tr>", out);
        for (int c = 0; c < table->columns; c++)
            html_cell(out, table, r, c);
        fputs("</tr>\n", out);
    }
    if (count)
        fputs(summary ? "</tfoot>\n" : "</tbody>\n", out);
    return count;
}

static void write_html(const sheet *table, FILE *out)
{
    fputs("<figure class=\"sheet\"><figcaption>", out);
    html_text(out, table->caption);
    fputs("</figcaption>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
    html_text(out, table->caption);
    fprintf(out, "\">\n<table class=\"sheet%s\">\n<thead><tr>",
            table->columns >= WIDE_COLUMNS ? " wide" : "");
    for (int c = 0; c < table->columns; c++) {
        fprintf(out, "<th scope=\"col\" class=\"%s\">", table->column[c].decimals < 0 ? "t" : "n");
        html_text(out, table->column[c].title);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n", out);
    html_rows(out, table, false);
    html_rows(out, table, true);
    fputs("</table></div>\n", out);
    for (int i = 0; i < table->notes; i++) {
        fputs("<p class=\"soft\">", out);
        html_mark(out, i + 1);
        fputs(" ", out);
        html_text(out, table->note[i]);
        fputs("</p>\n", out);
    }
    fputs("</figure>\n", out);
}

/* ---- Markdown ---------------------------------------------------------------------------------
 */

static void markdown_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|\\`*_<>", *text))
            fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void markdown_mark(FILE *out, int mark)
{
    char text[SHEET_MARK_SIZE];
    if (mark <= 0)
        return;
    sheet_mark_text(mark, text);
    fprintf(out, " [%s]", text);
}

static void markdown_cell(FILE *out, const sheet *table, int row, int c)
{
    const sheet_column *column = &table->column[c];
    const sheet_cell *cell = cell_at(table, row, c);
    fputs(cell->best ? " **" : " ", out);
    if (cell->text)
        markdown_text(out, cell->text);
    else if (isnan(cell->value))
        fputs("-", out);
    else
        write_figure(out, column, cell->value);
    if (!isnan(cell->spread))
        fprintf(out, " ± %.*f", column->decimals, cell->spread);
    fputs(cell->best ? "**" : "", out);
    if (!isnan(cell->paper)) {
        fputs(" (", out);
        write_figure(out, column, cell->paper);
        markdown_mark(out, cell->mark);
        fputs(")", out);
    } else {
        markdown_mark(out, cell->mark);
    }
    fputs(" |", out);
}

static void write_markdown(const sheet *table, FILE *out)
{
    markdown_text(out, table->caption);
    fputs("\n\n|", out);
    for (int c = 0; c < table->columns; c++) {
        fputc(' ', out);
        markdown_text(out, table->column[c].title);
        fputs(" |", out);
    }
    fputs("\n|", out);
    for (int c = 0; c < table->columns; c++)
        fputs(table->column[c].decimals < 0 ? "---|" : "---:|", out);
    fputc('\n', out);
    for (int r = 0; r < table->rows; r++) {
        fputc('|', out);
        for (int c = 0; c < table->columns; c++)
            markdown_cell(out, table, r, c);
        fputc('\n', out);
    }
    for (int i = 0; i < table->notes; i++) {
        char mark[SHEET_MARK_SIZE];
        sheet_mark_text(i + 1, mark);
        fprintf(out, "\n[%s] ", mark);
        markdown_text(out, table->note[i]);
        fputc('\n', out);
    }
}

/* ---- LaTeX ------------------------------------------------------------------------------------
 */

static void latex_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
        case '%':
        case '$':
        case '#':
        case '_':
        case '{':
        case '}': fprintf(out, "\\%c", *text); break;
        case '~': fputs("\\textasciitilde{}", out); break;
        case '^': fputs("\\textasciicircum{}", out); break;
        case '\\': fputs("\\textbackslash{}", out); break;
        case '<': fputs("\\textless{}", out); break;
        case '>': fputs("\\textgreater{}", out); break;
        case '\n': fputc(' ', out); break;
        default: fputc(*text, out);
        }
    }
}

static void latex_mark(FILE *out, int mark)
{
    char text[SHEET_MARK_SIZE];
    if (mark <= 0)
        return;
    sheet_mark_text(mark, text);
    fprintf(out, "\\textsuperscript{%s}", text);
}

static void latex_cell(FILE *out, const sheet *table, int row, int c)
{
    const sheet_column *column = &table->column[c];
    const sheet_cell *cell = cell_at(table, row, c);
    fputs(cell->best ? "\\textbf{" : "", out);
    if (cell->text)
        latex_text(out, cell->text);
    else if (isnan(cell->value))
        fputs("--", out);
    else
        write_figure(out, column, cell->value);
    fputs(cell->best ? "}" : "", out);
    if (!isnan(cell->spread))
        fprintf(out, "\\,$\\pm$\\,%.*f", column->decimals, cell->spread);
    if (!isnan(cell->paper)) {
        fputs(" (", out);
        write_figure(out, column, cell->paper);
        latex_mark(out, cell->mark);
        fputs(")", out);
    } else {
        latex_mark(out, cell->mark);
    }
    fputs(c + 1 < table->columns ? " & " : " \\\\\n", out);
}

static void write_latex(const sheet *table, FILE *out)
{
    fputs("% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n\\caption{", out);
    latex_text(out, table->caption);
    fprintf(out, "}\n\\label{tab:%s}\n\\begin{tabular}{", table->name);
    for (int c = 0; c < table->columns; c++)
        fputc(table->column[c].decimals < 0 ? 'l' : 'r', out);
    fputs("}\n\\toprule\n", out);
    for (int c = 0; c < table->columns; c++) {
        latex_text(out, table->column[c].title);
        fputs(c + 1 < table->columns ? " & " : " \\\\\n", out);
    }
    fputs("\\midrule\n", out);
    for (int r = 0; r < table->rows; r++) {
        if (r && table->summary[r] && !table->summary[r - 1])
            fputs("\\midrule\n", out);
        for (int c = 0; c < table->columns; c++)
            latex_cell(out, table, r, c);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", out);
    for (int i = 0; i < table->notes; i++) {
        fputs(i ? "\\\\ " : "\\par\\smallskip{\\footnotesize ", out);
        latex_mark(out, i + 1);
        fputs("~", out);
        latex_text(out, table->note[i]);
        fputs(i + 1 == table->notes ? "}\n" : "\n", out);
    }
    fputs("\\end{table}\n", out);
}

/* ---- CSV --------------------------------------------------------------------------------------
 */

static void csv_number(FILE *out, double value)
{
    char text[32];
    number_to_text(value, text);
    fputs(isnan(value) ? "" : text, out);
}

/* Whether a column holds spreads, or figures of a paper: they are columns of their own. */
static bool has_spread(const sheet *table, int c)
{
    for (int r = 0; r < table->rows; r++)
        if (!isnan(cell_at(table, r, c)->spread))
            return true;
    return false;
}

static bool has_paper(const sheet *table, int c)
{
    for (int r = 0; r < table->rows; r++)
        if (!isnan(cell_at(table, r, c)->paper))
            return true;
    return false;
}

#define TITLE_BYTES 256

static void suffixed_title(const char *title, const char *suffix, char whole[TITLE_BYTES])
{
    snprintf(whole, TITLE_BYTES, "%.200s %.20s", title, suffix);
}

static void csv_title(FILE *out, const char *title, const char *suffix)
{
    char whole[TITLE_BYTES];
    suffixed_title(title, suffix, whole);
    csv_write_string(out, whole);
}

static void csv_head(const sheet *table, FILE *out)
{
    for (int c = 0; c < table->columns; c++) {
        const char *title = table->column[c].title;
        fputs(c ? "," : "", out);
        csv_write_string(out, title);
        if (has_spread(table, c)) {
            fputc(',', out);
            csv_title(out, title, table->spread);
        }
        if (has_paper(table, c)) {
            fputc(',', out);
            csv_title(out, title, "paper");
        }
    }
    fputc('\n', out);
}

static void write_csv(const sheet *table, FILE *out)
{
    fprintf(out, "# %s\n", table->caption);
    csv_head(table, out);
    for (int r = 0; r < table->rows; r++) {
        for (int c = 0; c < table->columns; c++) {
            const sheet_cell *cell = cell_at(table, r, c);
            fputs(c ? "," : "", out);
            if (cell->text)
                csv_write_string(out, cell->text);
            else
                csv_number(out, cell->value);
            if (has_spread(table, c)) {
                fputc(',', out);
                csv_number(out, cell->spread);
            }
            if (has_paper(table, c)) {
                fputc(',', out);
                csv_number(out, cell->paper);
            }
        }
        fputc('\n', out);
    }
    for (int i = 0; i < table->notes; i++)
        fprintf(out, "# %s\n", table->note[i]);
}

/* ---- JSON -------------------------------------------------------------------------------------
 */

/* Each row by the titles that CSV has. */
static void json_row(json_writer *json, const sheet *table, int row)
{
    char title[TITLE_BYTES];
    json_open_object(json, NULL);
    for (int c = 0; c < table->columns; c++) {
        const sheet_cell *cell = cell_at(table, row, c);
        if (cell->text)
            json_text(json, table->column[c].title, cell->text);
        else
            json_number(json, table->column[c].title, cell->value);
        if (has_spread(table, c)) {
            suffixed_title(table->column[c].title, table->spread, title);
            json_number(json, title, cell->spread);
        }
        if (has_paper(table, c)) {
            suffixed_title(table->column[c].title, "paper", title);
            json_number(json, title, cell->paper);
        }
    }
    json_close(json);
}

static void put_json(json_writer *json, const sheet *table)
{
    json_open_object(json, NULL);
    json_text(json, "name", table->name);
    json_text(json, "caption", table->caption);
    json_open_array(json, "rows");
    for (int r = 0; r < table->rows; r++)
        json_row(json, table, r);
    json_close(json);
    json_open_array(json, "notes");
    for (int i = 0; i < table->notes; i++)
        json_text(json, NULL, table->note[i]);
    json_close(json);
    json_close(json);
}

static void write_json(const sheet *const *table, int count, FILE *out)
{
    json_writer json = {.file = out, .compact = true};
    json_open_array(&json, NULL);
    for (int i = 0; i < count; i++)
        put_json(&json, table[i]);
    json_close(&json);
}

/* ---- all --------------------------------------------------------------------------------------
 */

bool sheet_format_of(const char *name, sheet_format *format)
{
    static const struct {
        const char *name;
        sheet_format format;
    } formats[] = {{"md", SHEET_MARKDOWN},
                   {"tex", SHEET_LATEX},
                   {"csv", SHEET_CSV},
                   {"json", SHEET_JSON},
                   {"html", SHEET_HTML}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(name, formats[i].name) == 0) {
            *format = formats[i].format;
            return true;
        }
    return false;
}

void sheet_write(const sheet *table, sheet_format format, FILE *out)
{
    switch (format) {
    case SHEET_HTML: write_html(table, out); break;
    case SHEET_MARKDOWN: write_markdown(table, out); break;
    case SHEET_LATEX: write_latex(table, out); break;
    case SHEET_CSV: write_csv(table, out); break;
    case SHEET_JSON: write_json(&table, 1, out); break;
    }
}

void sheet_list_write(const sheet_list *list, sheet_format format, FILE *out)
{
    if (format == SHEET_JSON) {
        write_json((const sheet *const *)list->table, list->count, out);
        return;
    }
    for (int i = 0; i < list->count; i++) {
        if (i && format != SHEET_HTML)
            fputc('\n', out);
        sheet_write(list->table[i], format, out);
    }
}
