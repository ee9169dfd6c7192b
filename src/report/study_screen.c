/* Lays out the results of a study by classes, methods, sweeps and ranks within 80 columns. */
#include "report/study_screen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "study/gains.h"
#include "study/summary.h"

#define LINE_WIDTH 80
#define LINE_BYTES 512
#define CELL_WIDTH 15 /* "  81.23 +- 4.56*" */
#define NAME_MOST 34
#define ALPHA 0.05

/* A table of one dataset and measure, either way around. */
typedef struct grid {
    FILE *out;
    const study_summary *summary;
    int64_t dataset;
    study_measure measure;
    const int64_t *methods; /* that are shown */
    int64_t method_count;
    int64_t classes[1024]; /* places; -1: the average */
    int class_count;
} grid;

static bool has_classes(const grid *g, int64_t classes)
{
    for (int64_t m = 0; m < g->method_count; m++)
        if (summary_cell(g->summary, g->dataset, g->methods[m], classes))
            return true;
    return false;
}

static void find_classes(grid *g)
{
    g->class_count = 0;
    for (int64_t c = 0; c < g->summary->class_counts && g->class_count < 1023; c++)
        if (has_classes(g, c))
            g->classes[g->class_count++] = c;
    if (g->class_count > 1)
        g->classes[g->class_count++] = -1;
}

static double mean_of(const grid *g, int64_t method, int64_t classes)
{
    if (classes < 0)
        return summary_average(g->summary, g->dataset, method, g->measure);
    const study_cell *cell = summary_cell(g->summary, g->dataset, method, classes);
    return cell ? cell->mean[g->measure] : (double)NAN;
}

static double best_of(const grid *g, int64_t classes)
{
    double best = (double)NAN;
    for (int64_t m = 0; m < g->method_count; m++) {
        const double mean = mean_of(g, g->methods[m], classes);
        best = isnan(best) || mean > best ? mean : best;
    }
    return best;
}

/* "87.93 ±1.23*", right-aligned; the sign is one column and two bytes. */
static void add_cell(const grid *g, int64_t method, int64_t classes, double best, char *line)
{
    const double mean = mean_of(g, method, classes);
    const study_cell *cell =
        classes < 0 ? NULL : summary_cell(g->summary, g->dataset, method, classes);
    const double deviation = cell ? cell->deviation[g->measure] : (double)NAN;
    char number[32], text[64];
    if (isnan(mean))
        snprintf(number, sizeof number, "-");
    else
        snprintf(number, sizeof number, "%.2f", 100 * mean);
    if (isnan(deviation))
        snprintf(text, sizeof text, "%s%s", number, mean >= best ? "*" : " ");
    else
        snprintf(text, sizeof text, "%s \xc2\xb1%5.2f%s", number, 100 * deviation,
                 mean >= best ? "*" : " ");
    const int after = isnan(deviation) ? 7 : 0, bytes = isnan(deviation) ? 0 : 1;
    text_append(line, LINE_BYTES, "%*s%*s", CELL_WIDTH - after + bytes, text, after, "");
}

static void name_classes(const grid *g, int64_t classes, char name[24])
{
    if (classes < 0)
        snprintf(name, 24, "average");
    else
        snprintf(name, 24, "%" PRId64, g->summary->classes[classes]);
}

/* The head of a column stands over its means. */
static void add_head(const char *name, char *line)
{
    const int after = strlen(name) > 6 ? CELL_WIDTH - 2 - (int)strlen(name) : 8;
    text_append(line, LINE_BYTES, "%*s%*s", CELL_WIDTH - after, name, after, "");
}

/* Prints a line without the spaces at its end, and empties it. */
static void end_line(FILE *out, char *line)
{
    size_t length = strlen(line);
    while (length && line[length - 1] == ' ')
        length--;
    fprintf(out, "%.*s\n", (int)length, line);
    line[0] = '\0';
}

static void print_by_classes(const grid *g)
{
    char line[LINE_BYTES] = "N       ";
    for (int64_t m = 0; m < g->method_count; m++)
        add_head(g->summary->method[g->methods[m]], line);
    end_line(g->out, line);
    for (int c = 0; c < g->class_count; c++) {
        char name[24];
        name_classes(g, g->classes[c], name);
        text_append(line, sizeof line, "%-8s", name);
        const double best = best_of(g, g->classes[c]);
        for (int64_t m = 0; m < g->method_count; m++)
            add_cell(g, g->methods[m], g->classes[c], best, line);
        end_line(g->out, line);
    }
}

static int name_width(const grid *g)
{
    size_t longest = 8;
    for (int64_t m = 0; m < g->method_count; m++) {
        const size_t length = strlen(g->summary->method[g->methods[m]]);
        longest = length > longest ? length : longest;
    }
    return longest > NAME_MOST ? NAME_MOST : (int)longest;
}

/* As many numbers of classes beside each other as fit. */
static void print_by_methods(const grid *g)
{
    const int width = name_width(g), most = (LINE_WIDTH - width) / CELL_WIDTH;
    for (int first = 0; first < g->class_count; first += most) {
        const int end = first + most < g->class_count ? first + most : g->class_count;
        char line[LINE_BYTES] = "";
        if (first)
            fprintf(g->out, "\n");
        text_append(line, sizeof line, "%-*s", width, "N");
        for (int c = first; c < end; c++) {
            char name[24];
            name_classes(g, g->classes[c], name);
            add_head(name, line);
        }
        end_line(g->out, line);
        for (int64_t m = 0; m < g->method_count; m++) {
            text_append(line, sizeof line, "%-*.*s", width, width,
                        g->summary->method[g->methods[m]]);
            for (int c = first; c < end; c++)
                add_cell(g, g->methods[m], g->classes[c], best_of(g, g->classes[c]), line);
            end_line(g->out, line);
        }
    }
}

static bool heads_fit(const grid *g)
{
    bool fit = 8 + g->method_count * CELL_WIDTH <= LINE_WIDTH;
    for (int64_t m = 0; m < g->method_count; m++)
        fit = fit && strlen(g->summary->method[g->methods[m]]) < CELL_WIDTH - 2;
    return fit;
}

static void print_grid(grid *g, const char *title)
{
    find_classes(g);
    if (!g->class_count)
        return;
    fprintf(g->out, "\n%s, %s\n", g->summary->dataset[g->dataset], title);
    if (heads_fit(g))
        print_by_classes(g);
    else
        print_by_methods(g);
}

/* ---- sets of methods --------------------------------------------------------------------------
 */

/* "tnmf pooling_weight=0.1": the same method and one parameter. */
static bool same_sweep(const char *a, const char *b)
{
    const size_t length = strcspn(a, "=");
    return a[length] == '=' && length == strcspn(b, "=") && !strncmp(a, b, length) &&
           !strchr(a + length, ' ') && !strchr(b + length, ' ');
}

/* A parameter with several values, none of the settings that the list of variants has. */
static bool is_sweep(const study_summary *summary, int64_t method)
{
    const char *label = summary->method[method], *space = strchr(label, ' ');
    static const char *const lists[] = {"init=", "scale=", "solver=", "start="};
    if (method_is_plain(label))
        return false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!strncmp(space + 1, lists[i], strlen(lists[i])))
            return false;
    for (int64_t m = 0; m < summary->methods; m++)
        if (m != method && same_sweep(label, summary->method[m]))
            return true;
    return false;
}

/* The methods that are in no sweep, or those of the sweep that starts at `first`. */
static int64_t choose_methods(const study_summary *summary, int64_t first, int64_t *methods)
{
    int64_t count = 0;
    for (int64_t m = 0; m < summary->methods; m++)
        if (first < 0 ? !is_sweep(summary, m)
                      : m == first || same_sweep(summary->method[first], summary->method[m]))
            methods[count++] = m;
    return count;
}

static bool sweep_begins(const study_summary *summary, int64_t method)
{
    if (!is_sweep(summary, method))
        return false;
    for (int64_t m = 0; m < method; m++)
        if (same_sweep(summary->method[method], summary->method[m]))
            return false;
    return true;
}

/* The accuracies of each sweep, with the plain method first. */
static void print_sweeps(const study_summary *summary, int64_t dataset, int64_t *methods, FILE *out)
{
    for (int64_t first = 0; first < summary->methods; first++) {
        if (!sweep_begins(summary, first))
            continue;
        char title[256];
        const char *label = summary->method[first];
        int64_t count = 0;
        for (int64_t m = 0; m < summary->methods; m++)
            if (strlen(summary->method[m]) == strcspn(label, " ") &&
                !strncmp(label, summary->method[m], strcspn(label, " ")))
                methods[count++] = m;
        count += choose_methods(summary, first, methods + count);
        snprintf(title, sizeof title, "accuracy (%%) by %.*s", (int)strcspn(label, "="), label);
        grid g = {out, summary, dataset, MEASURE_ACCURACY, methods, count, {0}, 0};
        print_grid(&g, title);
    }
}

/* ---- settings and ranks -----------------------------------------------------------------------
 */

static orthant_status print_gains(orthant_context *ctx, const study_results *results, FILE *out)
{
    study_gains gains;
    const orthant_status status = gains_make(ctx, results, MEASURE_ACCURACY, &gains);
    if (status)
        return status;
    if (gains.count)
        fprintf(
            out,
            "\nGain of each setting: accuracy beside the plain method's, same draws and seeds\n");
    for (int64_t i = 0; i < gains.count; i++) {
        const study_gain *gain = &gains.gain[i];
        if (!i || strcmp(gain->dataset, gains.gain[i - 1].dataset))
            fprintf(out, "%s\n", gain->dataset);
        fprintf(out, "  %-12.12s %-33.33s %+7.2f", gain->method, gain->setting, 100 * gain->mean);
        if (!isnan(gain->error))
            fprintf(out, " \xc2\xb1%5.2f", 100 * gain->error);
        fprintf(out, " (%" PRId64 " pair%s)\n", gain->pairs, gain->pairs == 1 ? "" : "s");
    }
    if (gains.count)
        fprintf(out, "Mean difference in percentage points \xc2\xb1 its standard error.\n");
    gains_free(&gains);
    return ORTHANT_OK;
}

/* Fewer than two methods or rows have no ranks: that is no failure of a study. */
static orthant_status print_ranks(orthant_context *ctx, const study_summary *summary, FILE *out)
{
    study_ranking ranking;
    const orthant_status status = ranking_make(summary, MEASURE_ACCURACY, ALPHA, &ranking);
    if (status == ORTHANT_ERROR_ARGUMENT) {
        fprintf(out, "\nNo test of ranks: %s.\n", orthant_message(ctx));
        return ORTHANT_OK;
    }
    if (status)
        return status;
    fprintf(out, "\nRanks by accuracy: %" PRId64 " methods, %" PRId64 " rows", ranking.methods,
            ranking.rows);
    if (ranking.left_out)
        fprintf(out, " (%" PRId64 " without every method left out)", ranking.left_out);
    fprintf(out, "\n");
    for (int64_t i = 0; i < ranking.methods; i++)
        fprintf(out, "  %-40.40s %6.3f\n", summary->method[ranking.method[i]],
                ranking.mean_rank[i]);
    fprintf(out, "Friedman chi2 %.4f (p %.3g)", ranking.test.chi2, ranking.test.chi2_p);
    if (isfinite(ranking.test.f))
        fprintf(out, ", F %.4f (p %.3g)\n", ranking.test.f, ranking.test.f_p);
    else
        fprintf(out, "; all rows rank alike, so F has no value\n");
    fprintf(out, "Nemenyi: mean ranks differ at %g where they are %.4f apart\n", ALPHA,
            ranking.test.critical_difference);
    ranking_free(ctx, &ranking);
    return ORTHANT_OK;
}

static void print_dataset(const study_summary *summary, int64_t dataset, int64_t *methods,
                          FILE *out)
{
    static const struct {
        study_measure measure;
        const char *title;
    } shown[] = {{MEASURE_ACCURACY, "accuracy (%)"}, {MEASURE_NMI, "NMI (%)"}};
    const int64_t count = choose_methods(summary, -1, methods);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        grid g = {out, summary, dataset, shown[i].measure, methods, count, {0}, 0};
        print_grid(&g, shown[i].title);
    }
    print_sweeps(summary, dataset, methods, out);
}

/* "-" for what the results do not have. */
static void print_mean(double mean, int digits, FILE *out)
{
    if (isnan(mean))
        fprintf(out, " %12s", "-");
    else
        fprintf(out, " %12.*f", digits, mean);
}

/* Seconds and iterations of a run, over all datasets and numbers of classes. */
static void print_costs(const study_summary *summary, FILE *out)
{
    fprintf(out, "\n%-40s %12s %12s\n", "Cost of a run", "iterations", "seconds");
    for (int64_t m = 0; m < summary->methods; m++) {
        double iterations = 0, seconds = 0;
        int64_t runs = 0;
        for (int64_t c = 0; c < summary->count; c++)
            if (summary->cell[c].method == m) {
                const study_cell *cell = &summary->cell[c];
                iterations += cell->mean[MEASURE_ITERATIONS] * (double)cell->runs;
                seconds += cell->mean[MEASURE_SECONDS] * (double)cell->runs;
                runs += cell->runs;
            }
        fprintf(out, "%-40.40s", summary->method[m]);
        print_mean(iterations / (double)runs, 1, out);
        print_mean(seconds / (double)runs, 4, out);
        fprintf(out, "\n");
    }
}

orthant_status study_screen(orthant_context *ctx, const study_results *results, FILE *out)
{
    study_summary summary;
    orthant_status status = summary_make(ctx, results, &summary);
    if (status)
        return status;
    int64_t *methods = memory_new(ctx, 2 * summary.methods, sizeof *methods, "methods to show");
    if (!methods)
        status = ORTHANT_ERROR_MEMORY;
    for (int64_t d = 0; d < summary.datasets && !status; d++)
        print_dataset(&summary, d, methods, out);
    if (!status) {
        print_costs(&summary, out);
        status = print_gains(ctx, results, out);
    }
    if (!status)
        status = print_ranks(ctx, &summary, out);
    memory_free(ctx, methods);
    summary_free(&summary);
    return status;
}
