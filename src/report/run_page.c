/* Summary, scores, charts, parts and words of one run. */
#include "report/run_page.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "orthant/segmentation.h"
#include "report/cluster_cards.h"
#include "report/confusion.h"
#include "report/consensus_page.h"
#include "report/convergence.h"
#include "report/heat.h"
#include "report/html.h"
#include "report/pictures.h"
#include "report/sample_map_page.h"
#include "report/settings.h"
#include "report/words.h"

/* The spread of what several starts ended with. */
static void write_starts(FILE *page, const json_value *run)
{
    const json_value *objectives = json_member(run, "start_objectives");
    double lowest = INFINITY, highest = -INFINITY;
    int count = 0;
    for (const json_value *v = objectives ? objectives->child : NULL; v; v = v->next, count++) {
        lowest = fmin(lowest, v->number);
        highest = fmax(highest, v->number);
    }
    if (count > 1)
        fprintf(page, " It is the %s of %d starts, which ended with objectives from %.6g to %.6g.",
                json_member(run, "consensus") ? "consensus" : "best", count, lowest, highest);
}

/* What was not known, and how it is filled in. */
static void write_missing(FILE *page, const run_record *record)
{
    const double missing = record_number(record, "missing_entries");
    const double entries =
        record_data_number(record, "samples") * record_data_number(record, "features");
    if (!(missing > 0) || !(entries > 0))
        return;
    fputs("<p class=\"soft\">", page);
    html_count(page, missing);
    fprintf(page,
            " of its entries (%.1f&nbsp;%%) were not known: the error is of the others. "
            "<code>orthant complete</code> writes the data with fitted values in their "
            "places.</p>\n",
            100 * missing / entries);
}

static void write_summary(FILE *page, const run_record *record)
{
    const double accuracy = record_score(record, "accuracy");
    const bool stopped = json_member_truth(record->json, "stopped");
    const bool converged = json_member_truth(record->json, "converged");
    fputs("<p class=\"lead\"><strong>", page);
    html_text(page, record_text(record, "method"));
    fputs("</strong> brought ", page);
    settings_data_words(page, record);
    fputs(" to ", page);
    html_count(page, record_number(record, "rank"));
    fputs(record_number(record, "rank") == 1 ? " part in " : " parts in ", page);
    html_count(page, record_number(record, "iterations"));
    fputs(record_number(record, "iterations") == 1 ? " iteration and " : " iterations and ", page);
    html_seconds(page, record_number(record, "seconds"));
    fprintf(page, "; %s.",
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
    write_starts(page, record->json);
    fputs("</p>\n", page);
    write_missing(page, record);
}

/* ---- scores -----------------------------------------------------------------------------------
 */

static void add_score(sheet *table, const char *name, double value, const char *meaning)
{
    if (isnan(value))
        return;
    sheet_add_row(table, false);
    sheet_add_text(table, name);
    sheet_add_number(table, value);
    sheet_add_text(table, meaning);
}

static void add_clustering(sheet *table, const run_record *record)
{
    static const struct {
        const char *key, *title, *meaning;
    } rows[] = {
        {"accuracy", "Accuracy",
         "share of samples under the best matching of clusters and classes"},
        {"nmi", "NMI", "mutual information over the larger entropy (max)"},
        {"v_measure", "V-measure", "mutual information over the mean entropy (NMI, arithmetic)"},
        {"homogeneity", "Homogeneity", "100 where a cluster has samples of one class alone"},
        {"completeness", "Completeness", "100 where a class lies in one cluster"},
        {"ari", "ARI", "adjusted Rand index"},
        {"ami", "AMI", "mutual information beyond chance"},
        {"purity", "Purity", "share of samples in their cluster's main class"},
        {"silhouette", "Silhouette", NULL},
        {"cohesion", "Cohesion", "share of the encodings' scatter that lies between the clusters"},
        {"sparseness", "Sparseness", "of the encodings: 0 equal entries, 100 a single one"},
    };
    const json_value *scores = json_member(record->json, "scores");
    const bool known = *record_text(record, "error_of");
    const bool exact = !strcmp(json_member_text(scores, "silhouette_kind", ""), "exact");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_score(table, rows[i].title, 100 * record_score(record, rows[i].key),
                  rows[i].meaning ? rows[i].meaning
                  : exact         ? "how far clusters lie apart, by all pairs of encodings"
                                  : "how far clusters lie apart, by distances to their centres");
    add_score(table, "Explained variance", 100 * record_number(record, "explained_variance"),
              known ? "share of the squares of the known entries, by their weights, that the "
                      "factors explain"
                    : "share of the data's squares that the factors explain");
    add_score(table, "Relative error", 100 * record_number(record, "relative_error"),
              known ? "length of what the factors leave of the known entries beside theirs"
                    : "length of what the factors leave beside that of the data");
}

static void add_criteria(sheet *table, const run_record *record)
{
    orthant_criterion_info info = {.size = sizeof info};
    for (int i = 0; !orthant_criterion_at(i, &info); i++) {
        char meaning[200];
        snprintf(meaning, sizeof meaning, "%.120s; %s is better%s", info.title,
                 info.higher_is_better ? "higher" : "lower",
                 info.percent ? "" : " (no percentage)");
        add_score(table, info.name, record_score(record, info.name), meaning);
    }
}

sheet *run_page_scores(orthant_context *ctx, const run_record *record)
{
    const bool segmentation = record_is_segmentation(record);
    sheet *table = sheet_new(ctx, "scores",
                             segmentation ? "Criteria of the segmentation beside the truth."
                                          : "Scores of the clusters and of the fit, in percent.");
    sheet_add_column(table, segmentation ? "criterion" : "score", -1);
    sheet_add_column(table, segmentation ? "value" : "%", segmentation ? 2 : 1);
    sheet_add_column(table, "meaning", -1);
    if (segmentation)
        add_criteria(table, record);
    else
        add_clustering(table, record);
    return table;
}

static orthant_status write_scores(orthant_context *ctx, FILE *page, const run_record *record)
{
    sheet *table = run_page_scores(ctx, record);
    const orthant_status status = sheet_status(table);
    if (!status && table->rows) {
        fputs("<h2>Scores</h2>\n", page);
        sheet_write(table, SHEET_HTML, page);
    }
    sheet_free(table);
    return status;
}

/* ---- what the factors show --------------------------------------------------------------------
 */

/* What the folder holds beside run.json and the history. */
typedef struct stored {
    orthant_matrix *basis, *encoding;
    orthant_labels *found, *truth;
    sample_order order;
} stored;

static void stored_free(stored *s)
{
    orthant_matrix_free(s->basis);
    orthant_matrix_free(s->encoding);
    orthant_labels_free(s->found);
    orthant_labels_free(s->truth);
    sample_order_free(&s->order);
}

static orthant_status stored_read(orthant_context *ctx, const run_record *record, stored *s)
{
    *s = (stored){0};
    orthant_status status = record_matrix(ctx, record, "basis", &s->basis);
    if (!status)
        status = record_matrix(ctx, record, "encoding", &s->encoding);
    if (!status)
        status = record_labels(ctx, record, "labels.csv", &s->found);
    if (!status)
        status = record_labels(ctx, record, "truth.csv", &s->truth);
    /* Files that do not belong together are not shown together. */
    const bool fits = s->found && s->encoding &&
                      orthant_labels_count(s->found) == orthant_matrix_rows(s->encoding);
    if (!status && s->encoding)
        status =
            sample_order_make(ctx, fits ? s->found : NULL, s->encoding, HEAT_SAMPLES, &s->order);
    if (status)
        stored_free(s);
    return status;
}

static orthant_status write_parts(chart_place *place, const run_record *record, const stored *s)
{
    bool shown = false;
    sheet *words = NULL;
    orthant_status status =
        pictures_basis(place->ctx, place->page, record, s->basis, record_text(record, "method"),
                       "<h2>Basis pictures</h2>\n", &shown);
    if (!status && shown)
        fputs("<p class=\"soft\">Each part is scaled to its own largest entry.</p>\n", place->page);
    if (!status)
        status = pictures_encoding(place->ctx, place->page, record, s->encoding, &s->order,
                                   "<h2>Encodings</h2>\n");
    if (!status)
        status = words_table(place->ctx, record, shown ? NULL : s->basis, &words);
    if (!status && words) {
        fputs("<h2>Parts in words</h2>\n", place->page);
        sheet_write(words, SHEET_HTML, place->page);
    }
    sheet_free(words);
    return status;
}

orthant_status run_page_write(chart_place *place, const run_record *record)
{
    stored s;
    orthant_status status = stored_read(place->ctx, record, &s);
    if (status)
        return status;
    write_summary(place->page, record);
    html_contents(place->page);
    status = cluster_cards_show(place, record, s.basis);
    if (!status)
        status = sample_map_show(place, record, s.found, s.truth, s.encoding);
    if (!status)
        status = write_scores(place->ctx, place->page, record);
    if (!status && s.found && s.truth)
        status = confusion_show(place, "confusion", "<h2>Confusion</h2>\n", s.found, s.truth);
    if (!status)
        status = convergence_of_run(place, record);
    chart_last(place);
    if (!status)
        status = consensus_page_write(place, record);
    if (!status)
        status = heat_of_coefficients(place, s.encoding, &s.order);
    if (!status && s.order.count)
        status = heat_of_similarity(place, s.encoding, &s.order);
    if (!status)
        status = write_parts(place, record, &s);
    stored_free(&s);
    return status;
}
