/* Judges each kind of claim by what its runs measured, and says by which criterion. */
#include "reproduce/claims.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "report/history.h"
#include "report/text_file.h"
#include "reproduce/figures.h"
#include "study/summary.h"

#define ROUNDING 1e-6 /* of the objective: factors are in single precision */
#define ROUNDED 0.5   /* points of accuracy that rounding may move */
#define NEAR 0.01     /* of the last objective: what counts as converged */

claim_methods claim_methods_of(const char *list)
{
    claim_methods found = {0};
    while (found.count < CLAIM_METHODS && next_name(&list, found.name[found.count], 64))
        found.count++;
    return found;
}

const char *claim_last(const claim_methods *methods)
{
    return methods->name[methods->count - 1];
}

/* ---- objectives over the iterations ---- */

static orthant_status read_objectives(const protocol_runs *runs, const char *method,
                                      history *objectives, int *column)
{
    char *folder =
        runs->results.count ? runs_kept(runs, method, runs->results.row[0].classes) : NULL;
    char *path = folder ? path_join(runs->ctx, folder, "history.csv") : NULL;
    orthant_status status = path ? history_read(runs->ctx, path, objectives) : ORTHANT_ERROR_MEMORY;
    memory_free(runs->ctx, path);
    memory_free(runs->ctx, folder);
    if (status)
        return status;
    *column = history_column(objectives, "objective");
    if (*column >= 0 && objectives->rows > 1)
        return ORTHANT_OK;
    history_free(runs->ctx, objectives);
    return fail(runs->ctx, ORTHANT_ERROR_FORMAT, "%s: %s has no history of objectives",
                runs->folder, method);
}

static double objective_at(const history *h, int column, int64_t row)
{
    return h->values[row * h->columns + column];
}

/* The largest relative rise from one iteration to the next. */
static orthant_status judge_descent(const protocol_claim *claim, const protocol_runs *runs,
                                    claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    found->verdict = VERDICT_HOLDS;
    for (int m = 0; m < methods.count; m++) {
        history h = {0};
        int column = -1;
        double rise = 0;
        const orthant_status status = read_objectives(runs, methods.name[m], &h, &column);
        if (status)
            return status;
        for (int64_t i = 1; i < h.rows; i++) {
            const double before = objective_at(&h, column, i - 1);
            rise = fmax(rise, (objective_at(&h, column, i) - before) / fabs(before));
        }
        CLAIM_SAY(found, "%s%s: largest rise %.1g of the objective in %" PRId64 " iterations",
                  m ? "; " : "", methods.name[m], rise, h.rows - 1);
        if (rise > ROUNDING)
            found->verdict = VERDICT_FAILS;
        history_free(runs->ctx, &h);
    }
    CLAIM_SAY(found, " (up to %g is rounding)", ROUNDING);
    return ORTHANT_OK;
}

/* The first iteration from which on the objective is within a hundredth of its last value. */
static orthant_status iterations_needed(const protocol_runs *runs, const char *method,
                                        int64_t *needed, int64_t *all)
{
    history h = {0};
    int column = -1;
    const orthant_status status = read_objectives(runs, method, &h, &column);
    if (status)
        return status;
    const double end = objective_at(&h, column, h.rows - 1);
    int64_t i = h.rows - 1;
    while (i > 0 && fabs(objective_at(&h, column, i - 1) - end) <= NEAR * fabs(end))
        i--;
    *needed = i;
    *all = h.rows - 1;
    history_free(runs->ctx, &h);
    return ORTHANT_OK;
}

static orthant_status judge_speed(const protocol_claim *claim, const protocol_runs *runs,
                                  claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    int64_t needed[CLAIM_METHODS] = {0}, all = 0;
    for (int m = 0; m < methods.count; m++) {
        const orthant_status status = iterations_needed(runs, methods.name[m], &needed[m], &all);
        if (status)
            return status;
        CLAIM_SAY(found, "%s%s within 1 %% of its end after %" PRId64, m ? "; " : "",
                  methods.name[m], needed[m]);
    }
    CLAIM_SAY(found, " of %" PRId64 " iterations", all);
    const int64_t last = needed[methods.count - 1];
    const bool holds =
        claim->kind == CLAIM_FASTER ? last < needed[0] : (double)last <= claim->number;
    found->verdict = holds ? VERDICT_HOLDS : VERDICT_FAILS;
    return ORTHANT_OK;
}

static orthant_status judge_lowest(const protocol_claim *claim, const protocol_runs *runs,
                                   claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    double lowest = INFINITY, last = NAN;
    for (int m = 0; m < methods.count; m++) {
        /* SNMF's and WNMF's objectives are whole squares, RMND's is half of one. */
        const double scale =
            !strcmp(claim_last(&methods), "rmnd") && strcmp(methods.name[m], "rmnd") ? 0.5 : 1;
        const runs_cell cell = runs_measure(&runs->results, methods.name[m], 0, MEASURE_OBJECTIVE);
        last = scale * cell.mean;
        if (m + 1 < methods.count)
            lowest = fmin(lowest, last);
        CLAIM_SAY(found, "%s%s %.5g", m ? ", " : "error: ", methods.name[m], last);
    }
    CLAIM_SAY(found, " (half the squared error)");
    found->verdict = isnan(last)     ? VERDICT_UNDECIDED
                     : last < lowest ? VERDICT_HOLDS
                                     : VERDICT_FAILS;
    return ORTHANT_OK;
}

/* ---- scores of a table's runs ---- */

/* The mean over the numbers of classes, in percent, and its squared standard error. */
static double table_average(const study_results *results, const char *classes, const char *method,
                            study_measure measure, double *variance)
{
    int64_t numbers[RUNS_MOST_CLASSES];
    const int count = class_numbers(classes, numbers, RUNS_MOST_CLASSES);
    double sum = 0;
    int rows = 0;
    *variance = 0;
    for (int i = 0; i < count; i++) {
        const runs_cell cell = runs_measure(results, method, numbers[i], measure);
        if (!cell.count)
            continue;
        sum += 100 * cell.mean;
        *variance += 1e4 * cell.deviation * cell.deviation / (double)cell.count;
        rows++;
    }
    *variance /= (double)rows * rows;
    return rows ? sum / rows : (double)NAN;
}

/* Every number of classes of the results. */
static void classes_of(const study_results *results, char *list, size_t size)
{
    list[0] = '\0';
    for (int64_t i = 0; i < results->count; i++) {
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, results->row[i].classes);
        if (!text_in_list(list, number))
            text_append(list, size, "%s%s", *list ? "," : "", number);
    }
}

static orthant_status judge_gain(const protocol_claim *claim, const protocol_runs *runs,
                                 claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    study_measure measure = MEASURE_ACCURACY;
    char classes[256];
    double best = -INFINITY, of_best = 0, variance, mean = NAN;
    const char *other = "";
    measure_find(claim->measure ? claim->measure : "accuracy", &measure);
    classes_of(&runs->results, classes, sizeof classes);
    for (int m = 0; m + 1 < methods.count; m++) {
        mean = table_average(&runs->results, classes, methods.name[m], measure, &variance);
        if (mean > best) {
            best = mean;
            of_best = variance;
            other = methods.name[m];
        }
    }
    mean = table_average(&runs->results, classes, claim_last(&methods), measure, &variance);
    const double gain = mean - best, error = sqrt(variance + of_best);
    CLAIM_SAY(found, "%s of %s %.1f, of the best other (%s) %.1f: %+.1f +- %.1f",
              measure_name(measure), claim_last(&methods), mean, other, best, gain, error);
    if (claim->number != 0)
        CLAIM_SAY(found, "; the paper %+.2f", claim->number);
    found->verdict = isnan(gain) || isnan(error) ? VERDICT_UNDECIDED
                     : gain > 2 * error          ? VERDICT_HOLDS
                     : gain < 0                  ? VERDICT_FAILS
                                                 : VERDICT_UNDECIDED;
    return ORTHANT_OK;
}

typedef struct paired {
    double mean, error; /* of the differences in percent */
    int64_t pairs;
} paired;

/* The accuracy of one variant less that of another over the same draws. */
static paired compare_pairs(const study_results *results, const char *one, const char *other)
{
    double sum = 0, squares = 0;
    int64_t pairs = 0;
    for (int64_t i = 0; i < results->count; i++)
        for (int64_t j = 0; j < results->count; j++) {
            const study_row *a = &results->row[i], *b = &results->row[j];
            if (strcmp(a->method, one) || strcmp(b->method, other) || a->classes != b->classes ||
                a->repeat != b->repeat)
                continue;
            const double gain = 100 * (a->value[MEASURE_ACCURACY] - b->value[MEASURE_ACCURACY]);
            sum += gain;
            squares += gain * gain;
            pairs++;
        }
    const double mean = sum / (double)pairs;
    const double error = pairs > 1 ? sqrt(fmax(0, squares - (double)pairs * mean * mean) /
                                          (double)(pairs - 1) / (double)pairs)
                                   : (double)NAN;
    return (paired){mean, error, pairs};
}

static orthant_status judge_above(const protocol_claim *claim, const protocol_runs *runs,
                                  claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    const paired gain = compare_pairs(&runs->results, claim_last(&methods), methods.name[0]);
    CLAIM_SAY(found,
              "accuracy of %s less that of %s over the same draws: %+.1f +- %.1f (%" PRId64 ")",
              claim_last(&methods), methods.name[0], gain.mean, gain.error, gain.pairs);
    found->verdict = !(fabs(gain.mean) > 2 * gain.error) ? VERDICT_UNDECIDED
                     : gain.mean > 0                     ? VERDICT_HOLDS
                                                         : VERDICT_FAILS;
    return ORTHANT_OK;
}

/* Rows "nmf" and "nmf scale=max": the first of a list is the plain one. */
static orthant_status judge_same(const protocol_claim *claim, const protocol_runs *runs,
                                 claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    found->verdict = VERDICT_HOLDS;
    CLAIM_SAY(found, "accuracy over the maximum less that of the data as they are:");
    for (int m = 0; m < methods.count; m++) {
        char variant[96];
        snprintf(variant, sizeof variant, "%s", methods.name[m]);
        text_append(variant, sizeof variant, " %s=max", claim->parameter);
        const paired gain = compare_pairs(&runs->results, variant, methods.name[m]);
        CLAIM_SAY(found, "%s %s %+.1f +- %.1f", m ? "," : "", methods.name[m], gain.mean,
                  gain.error);
        if (!(gain.pairs > 1))
            found->verdict = VERDICT_UNDECIDED;
        else if (fabs(gain.mean) > 2 * gain.error && fabs(gain.mean) > ROUNDED)
            found->verdict = VERDICT_FAILS;
    }
    CLAIM_SAY(found, " (the same: within %g, or two standard errors)", ROUNDED);
    return ORTHANT_OK;
}

static double rank_of(const study_summary *summary, const study_ranking *ranking,
                      const char *method)
{
    for (int64_t i = 0; i < ranking->methods; i++)
        if (!strcmp(summary->method[ranking->method[i]], method))
            return ranking->mean_rank[i];
    return NAN;
}

static orthant_status judge_ranked(const protocol_claim *claim, const protocol_runs *runs,
                                   claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    study_results some = {0};
    study_summary summary = {0};
    study_ranking ranking = {0};
    orthant_status status = runs_of_methods(&runs->results, claim->study.methods, &some);
    if (!status)
        status = summary_make(runs->ctx, &some, &summary);
    if (status) {
        results_free(&some);
        return status;
    }
    status = ranking_make(&summary, MEASURE_ACCURACY, 0.05, &ranking);
    if (status == ORTHANT_ERROR_ARGUMENT) {
        CLAIM_SAY(found, "there are too few rows to rank the methods");
        found->verdict = VERDICT_UNDECIDED;
        status = ORTHANT_OK;
    } else if (!status) {
        const double own = rank_of(&summary, &ranking, claim_last(&methods));
        bool holds = ranking.test.chi2_p < 0.05;
        CLAIM_SAY(found, "p = %.1g; mean ranks: %s %.2f", ranking.test.chi2_p, claim_last(&methods),
                  own);
        for (int m = 0; m + 1 < methods.count; m++) {
            const double rank = rank_of(&summary, &ranking, methods.name[m]);
            CLAIM_SAY(found, ", %s %.2f", methods.name[m], rank);
            holds = holds && rank - own >= ranking.test.critical_difference;
        }
        CLAIM_SAY(found, "; critical difference %.2f", ranking.test.critical_difference);
        found->verdict = holds ? VERDICT_HOLDS : VERDICT_FAILS;
    }
    ranking_free(runs->ctx, &ranking);
    summary_free(&summary);
    results_free(&some);
    return status;
}

static orthant_status judge_sparseness(const protocol_claim *claim, const protocol_runs *runs,
                                       claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    const runs_cell cell =
        runs_measure(&runs->results, claim_last(&methods), 0, MEASURE_SPARSENESS);
    CLAIM_SAY(found, "sparseness of %s: %.1f", claim_last(&methods), 100 * cell.mean);
    found->verdict = isnan(cell.mean)                  ? VERDICT_UNDECIDED
                     : 100 * cell.mean > claim->number ? VERDICT_HOLDS
                                                       : VERDICT_FAILS;
    return ORTHANT_OK;
}

static orthant_status judge_seconds(const protocol_claim *claim, const protocol_runs *runs,
                                    claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    const runs_cell first = runs_measure(&runs->results, methods.name[0], 0, MEASURE_SECONDS);
    const runs_cell last = runs_measure(&runs->results, claim_last(&methods), 0, MEASURE_SECONDS);
    CLAIM_SAY(found, "seconds: %s %.3g, %s %.3g", methods.name[0], first.mean, claim_last(&methods),
              last.mean);
    found->verdict = isnan(first.mean) || isnan(last.mean)     ? VERDICT_UNDECIDED
                     : last.mean <= claim->number * first.mean ? VERDICT_HOLDS
                                                               : VERDICT_FAILS;
    return ORTHANT_OK;
}

/* ---- encodings ---- */

static orthant_status judge_encodings(const protocol_claim *claim, const protocol_runs *runs,
                                      claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    double one = NAN, nearest = NAN;
    const orthant_status status = encodings_one_nonzero(runs, claim_last(&methods), &one, &nearest);
    if (status)
        return status;
    CLAIM_SAY(found,
              "%.0f %% of the encodings of %s have one entry above a hundredth of the largest",
              100 * one, claim_last(&methods));
    if (claim->kind == CLAIM_NEAREST)
        CLAIM_SAY(found, "; of %.0f %% of these it is that of the nearest basis vector",
                  100 * nearest);
    found->verdict = (claim->kind == CLAIM_NEAREST ? nearest >= 0.99 : one > 0.5) ? VERDICT_HOLDS
                                                                                  : VERDICT_FAILS;
    return ORTHANT_OK;
}

static orthant_status judge_shifted(const protocol_claim *claim, const protocol_runs *runs,
                                    claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    double cosine = NAN, first = NAN;
    CLAIM_SAY(found, "cosine of encodings of pictures and of the same moved by a pixel:");
    for (int m = 0; m < methods.count; m++) {
        const orthant_status status = encodings_shifted(runs, methods.name[m], &cosine);
        if (status)
            return status;
        if (m == 0)
            first = cosine;
        CLAIM_SAY(found, "%s %s %.4f", m ? "," : "", methods.name[m], cosine);
    }
    const double gain = cosine - first; /* of the last over the first */
    found->verdict = isnan(gain) ? VERDICT_UNDECIDED : gain > 0 ? VERDICT_HOLDS : VERDICT_FAILS;
    return ORTHANT_OK;
}

/* ---- all kinds ---- */

orthant_status claim_judge(const protocol_claim *claim, const protocol_runs *runs,
                           claim_finding *found)
{
    *found = (claim_finding){.verdict = VERDICT_UNDECIDED};
    if (runs->missing) {
        found->verdict = VERDICT_NO_DATA;
        CLAIM_SAY(found, "%s", runs->reason);
        return ORTHANT_OK;
    }
    if (!runs->results.count) {
        CLAIM_SAY(found, "no run ended");
        return ORTHANT_OK;
    }
    switch (claim->kind) {
    case CLAIM_DESCENT: return judge_descent(claim, runs, found);
    case CLAIM_WITHIN:
    case CLAIM_FASTER: return judge_speed(claim, runs, found);
    case CLAIM_LOWEST: return judge_lowest(claim, runs, found);
    case CLAIM_GAIN: return judge_gain(claim, runs, found);
    case CLAIM_ABOVE: return judge_above(claim, runs, found);
    case CLAIM_RANKED: return judge_ranked(claim, runs, found);
    case CLAIM_STABLE:
    case CLAIM_RISES:
    case CLAIM_FALLS: return claim_judge_sweep(claim, runs, found);
    case CLAIM_LEADS: return claim_judge_lead(claim, runs, found);
    case CLAIM_CHOSEN: return claim_judge_chosen(claim, runs, found);
    case CLAIM_SPARSENESS: return judge_sparseness(claim, runs, found);
    case CLAIM_SAME: return judge_same(claim, runs, found);
    case CLAIM_SECONDS: return judge_seconds(claim, runs, found);
    case CLAIM_ONE_NONZERO:
    case CLAIM_NEAREST: return judge_encodings(claim, runs, found);
    case CLAIM_SHIFTED: return judge_shifted(claim, runs, found);
    }
    return ORTHANT_OK;
}

const char *claim_verdict_name(claim_verdict verdict)
{
    switch (verdict) {
    case VERDICT_HOLDS: return "holds";
    case VERDICT_FAILS: return "does not hold";
    case VERDICT_UNDECIDED: return "not decided";
    case VERDICT_NO_DATA: return "data not here";
    }
    return "";
}

sheet *claims_sheet(orthant_context *ctx)
{
    static const char *const columns[] = {"claim", "the paper", "measured", "verdict"};
    sheet *table = sheet_new(ctx, "claims", "Theorems and claims of the paper, judged by runs.");
    for (int i = 0; i < 4; i++)
        sheet_add_column(table, columns[i], -1);
    return table;
}

void claims_add(sheet *table, const protocol_claim *claim, const claim_finding *found)
{
    sheet_add_row(table, false);
    sheet_add_text(table, claim->id);
    sheet_add_text(table, claim->says);
    sheet_add_text(table, found->measured);
    sheet_add_text(table, claim_verdict_name(found->verdict));
}
