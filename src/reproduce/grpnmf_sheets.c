/* Table I: the averages for the command, and for each set and pipeline one sheet of the criteria of
 * which more is better and one of the others. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "reproduce/grpnmf.h"
#include "reproduce/tables.h"
#include "study/papers.h"

const char *const grpnmf_printed[] = {"CS", "ME", "NE", "O",  "CA",  "CO", "I",
                                      "EA", "MS", "RM", "CI", "GCE", NULL};
enum { PRINTED = sizeof grpnmf_printed / sizeof *grpnmf_printed - 1 };
enum { FEW = 10 }; /* mosaics whose standard error is itself unsure */

int grpnmf_criterion(const char *name, bool *higher_is_better)
{
    orthant_criterion_info info = {.size = sizeof info};
    for (int c = 0; !orthant_criterion_at(c, &info); c++)
        if (strcmp(info.name, name) == 0) {
            *higher_is_better = info.higher_is_better;
            return c;
        }
    *higher_is_better = false;
    return -1;
}

/* The paper's mosaics are coloured ones and its pipeline the published one, so that others have
 * nothing to stand beside. */
static double papers(int set, int pipeline, int method, const char *criterion)
{
    const paper_figure *figure =
        set == 0 && pipeline != GRPNMF_OURS
            ? paper_figure_find("grpnmf", "I", "Prague", -1, grpnmf_methods[method].name, criterion)
            : NULL;
    return figure ? paper_figure_value(figure) : (double)NAN;
}

/* ---- the averages ---- */

static void add_average(const grpnmf_work *w, sheet *page, int set, int pipeline, int method,
                        const char *name)
{
    bool higher;
    double mean, error;
    char data[32];
    const double paper = papers(set, pipeline, method, name), digit = 0.005;
    grpnmf_mean(w, set, pipeline, method, grpnmf_criterion(name, &higher), &mean, &error);
    const double difference = mean - paper, tolerance = AVERAGES_ALLOWED * error + digit;
    snprintf(data, sizeof data, "%s/%s", w->set[set].name, grpnmf_pipelines[pipeline].name);
    sheet_add_row(page, false);
    sheet_add_text(page, "I");
    sheet_add_text(page, data);
    sheet_add_text(page, grpnmf_methods[method].name);
    sheet_add_text(page, name);
    sheet_add_mean(page, mean, error);
    sheet_add_number(page, paper);
    sheet_add_number(page, difference);
    sheet_add_text(page, isnan(mean)                     ? "missing"
                         : isnan(paper)                  ? ""
                         : isnan(error)                  ? "one run"
                         : fabs(difference) <= tolerance ? "agrees"
                         : difference < 0.0 ? (higher ? "lower, worse" : "lower, better")
                                            : (higher ? "higher, better" : "higher, worse"));
}

/* Which way the criteria go, and how many mosaics stand behind the means. */
static void add_notes(const grpnmf_work *w, sheet *page)
{
    char text[200] = "Less is better for";
    bool higher, first = true;
    for (int c = 0; c < PRINTED; c++)
        if (grpnmf_criterion(grpnmf_printed[c], &higher) >= 0 && !higher) {
            text_append(text, sizeof text, "%s %s", first ? "" : ",", grpnmf_printed[c]);
            first = false;
        }
    text_append(text, sizeof text, "; more for the others.");
    sheet_add_note(page, text);
    snprintf(text, sizeof text, "Means over %d colour and %d grey mosaics%s.", w->set[0].count,
             w->set[1].count,
             w->set[0].count && w->set[0].count < FEW ? ": so few that a verdict tells little"
                                                      : "");
    sheet_add_note(page, text);
}

/* All of the paper's criteria where it has a figure; the two that tell most for the others. */
static orthant_status add_averages(const grpnmf_work *w, sheet_list *shown)
{
    sheet *page = averages_sheet(
        w->ctx, "Means over the mosaics that are there, with their standard errors, "
                "beside the paper's over its own; two standard errors of the difference "
                "decide, the paper's error taken as equal to ours.");
    for (int s = 0; s < GRPNMF_SETS; s++)
        for (int p = 0; p < GRPNMF_PIPELINES; p++)
            for (int c = 0; c < PRINTED; c++)
                for (int m = 0; m < GRPNMF_METHODS; m++)
                    if ((s == 0 && p != GRPNMF_OURS) || !strcmp(grpnmf_printed[c], "CS") ||
                        !strcmp(grpnmf_printed[c], "CO"))
                        add_average(w, page, s, p, m, grpnmf_printed[c]);
    add_notes(w, page);
    const orthant_status status = sheet_status(page), added = sheet_list_add(shown, page);
    return status ? status : added;
}

/* ---- Table I ---- */

static orthant_status add_sheet(const grpnmf_work *w, int set, int pipeline, bool higher_is_better,
                                sheet_list *shown)
{
    char name[64], caption[300];
    bool higher;
    snprintf(name, sizeof name, "table-I-%s-%s-%s", w->set[set].name,
             grpnmf_pipelines[pipeline].name, higher_is_better ? "higher" : "lower");
    snprintf(caption, sizeof caption,
             "%d %s mosaics, %s; %s is better (%%, mean and standard error%s).", w->set[set].count,
             w->set[set].name, grpnmf_pipelines[pipeline].remark,
             higher_is_better ? "more" : "less",
             set == 0 && pipeline != GRPNMF_OURS ? ", the paper's behind them" : "");
    sheet *page = sheet_new(w->ctx, name, caption);
    sheet_add_column(page, "method", -1);
    for (int c = 0; c < PRINTED; c++)
        if (grpnmf_criterion(grpnmf_printed[c], &higher) >= 0 && higher == higher_is_better)
            sheet_add_column(page, grpnmf_printed[c], 1);
    if (page) {
        page->lower_is_better = !higher_is_better;
        page->spread = "se";
    }
    for (int m = 0; m < GRPNMF_METHODS; m++) {
        sheet_add_row(page, false);
        sheet_add_text(page, grpnmf_methods[m].name);
        for (int c = 0; c < PRINTED; c++) {
            double mean, error;
            const int criterion = grpnmf_criterion(grpnmf_printed[c], &higher);
            if (higher != higher_is_better)
                continue;
            grpnmf_mean(w, set, pipeline, m, criterion, &mean, &error);
            sheet_add_compared(page, mean, error, papers(set, pipeline, m, grpnmf_printed[c]), 0);
        }
    }
    sheet_mark_best(page, true, !higher_is_better);
    const orthant_status status = sheet_status(page), added = sheet_list_add(shown, page);
    return status ? status : added;
}

/* ---- how many segments ---- */

static orthant_status add_numbers(const grpnmf_work *w, sheet_list *shown)
{
    sheet *page =
        sheet_new(w->ctx, "table-I-numbers",
                  "How many segments FSEG's two programs count: directions that leave "
                  "less than a twentieth of the histograms' energy (MATLAB), or less than "
                  "0.045 of a pixel's mean energy (Python), beside the true number.");
    static const int rules[] = {GRPNMF_COUNTED, GRPNMF_COUNTED_MEAN};
    char text[120];
    int right[2] = {0, 0}, all = 0;
    sheet_add_column(page, "mosaic", -1);
    sheet_add_column(page, "MATLAB", 0);
    sheet_add_column(page, "Python", 0);
    sheet_add_column(page, "true", 0);
    for (int s = 0; s < GRPNMF_SETS; s++)
        for (int i = 0; i < w->set[s].count; i++) {
            const mosaic_name *name = &w->set[s].mosaic[i];
            const double truth = w->scores[s][GRPNMF_COUNTED][GRPNMF_FSEG][i].regions_true;
            snprintf(text, sizeof text, "%s %d_%d_%d", w->set[s].name, name->set, name->mask,
                     name->textures);
            sheet_add_row(page, false);
            sheet_add_text(page, text);
            for (int r = 0; r < 2; r++) {
                const double counted = (double)w->counted[s][rules[r]][i];
                sheet_add_number(page, counted);
                right[r] += fabs(counted - truth) < 0.5;
            }
            sheet_add_number(page, truth);
            all++;
        }
    snprintf(text, sizeof text, "The true number for %d (MATLAB) and %d (Python) of %d mosaics.",
             right[0], right[1], all);
    sheet_add_note(page, text);
    const orthant_status status = sheet_status(page), added = sheet_list_add(shown, page);
    return status ? status : added;
}

orthant_status grpnmf_sheets(const grpnmf_work *w, sheet_list *shown)
{
    orthant_status status = add_averages(w, shown);
    for (int s = 0; s < GRPNMF_SETS; s++)
        for (int p = 0; p < GRPNMF_PIPELINES; p++)
            for (int higher = 1; higher >= 0 && !status; higher--)
                if (w->set[s].count || (s == 0 && p == 0))
                    status = add_sheet(w, s, p, higher, shown);
    return status ? status : add_numbers(w, shown);
}
