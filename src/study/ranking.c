/* Friedman's test over what a study found. */
#include <inttypes.h>
#include <math.h>

#include "core/memory.h"
#include "study/summary.h"

#define MOST_METHODS 1000 /* the test compares each with each in every row */

void ranking_free(orthant_context *ctx, study_ranking *ranking)
{
    memory_free(ctx, ranking->method);
    memory_free(ctx, ranking->mean_rank);
    *ranking = (study_ranking){0};
}

/* The plain methods where there are at least two, else all. */
static orthant_status choose_methods(const study_summary *summary, study_ranking *ranking)
{
    int64_t plain = 0;
    for (int64_t j = 0; j < summary->methods; j++)
        plain += method_is_plain(summary->method[j]);
    ranking->method =
        memory_new(summary->ctx, summary->methods, sizeof *ranking->method, "methods by rank");
    ranking->mean_rank =
        memory_new(summary->ctx, summary->methods, sizeof *ranking->mean_rank, "mean ranks");
    if (!ranking->method || !ranking->mean_rank)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t j = 0; j < summary->methods; j++)
        if (plain < 2 || method_is_plain(summary->method[j]))
            ranking->method[ranking->methods++] = j;
    if (ranking->methods < 2)
        return fail(summary->ctx, ORTHANT_ERROR_ARGUMENT,
                    "Friedman's test needs at least two methods, found %" PRId64, ranking->methods);
    if (ranking->methods > MOST_METHODS)
        return fail(summary->ctx, ORTHANT_ERROR_ARGUMENT,
                    "Friedman's test takes at most %d methods, found %" PRId64, MOST_METHODS,
                    ranking->methods);
    return ORTHANT_OK;
}

/* The row of one dataset and number of classes; false where a method has no such mean. */
static bool fill_row(const study_summary *summary, const study_ranking *ranking, int64_t dataset,
                     int64_t classes, study_measure measure, double *scores, bool *used)
{
    bool whole = true;
    *used = false;
    for (int64_t j = 0; j < ranking->methods; j++) {
        const study_cell *cell = summary_cell(summary, dataset, ranking->method[j], classes);
        *used = *used || cell;
        whole = whole && cell && isfinite(cell->mean[measure]);
        scores[j] = cell ? cell->mean[measure] : (double)NAN;
    }
    return whole;
}

static void sort_by_rank(study_ranking *ranking)
{
    for (int64_t i = 1; i < ranking->methods; i++)
        for (int64_t j = i; j > 0 && ranking->mean_rank[j] < ranking->mean_rank[j - 1]; j--) {
            const double rank = ranking->mean_rank[j];
            const int64_t method = ranking->method[j];
            ranking->mean_rank[j] = ranking->mean_rank[j - 1];
            ranking->method[j] = ranking->method[j - 1];
            ranking->mean_rank[j - 1] = rank;
            ranking->method[j - 1] = method;
        }
}

static orthant_status run_test(const study_summary *summary, study_measure measure, double alpha,
                               study_ranking *ranking)
{
    int64_t most = 0, entries = 0;
    double *scores = NULL;
    if (size_multiply(summary->datasets, summary->class_counts, &most) &&
        size_multiply(most, ranking->methods, &entries))
        scores = memory_new(summary->ctx, entries, sizeof *scores, "the table of Friedman's test");
    if (!scores)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < most; i++) {
        bool used;
        const bool whole =
            fill_row(summary, ranking, i / summary->class_counts, i % summary->class_counts,
                     measure, scores + ranking->rows * ranking->methods, &used);
        ranking->rows += whole;
        ranking->left_out += used && !whole;
    }
    orthant_status status = ORTHANT_OK;
    if (ranking->rows < 2)
        status = fail(summary->ctx, ORTHANT_ERROR_ARGUMENT,
                      "Friedman's test needs at least two rows (a dataset and a number of classes) "
                      "with every method, found %" PRId64,
                      ranking->rows);
    if (!status)
        status = orthant_score_friedman(summary->ctx, scores, ranking->rows, ranking->methods,
                                        alpha, ranking->mean_rank, &ranking->test);
    if (!status)
        sort_by_rank(ranking);
    memory_free(summary->ctx, scores);
    return status;
}

orthant_status ranking_make(const study_summary *summary, study_measure measure, double alpha,
                            study_ranking *ranking)
{
    *ranking = (study_ranking){.alpha = alpha, .test.size = sizeof ranking->test};
    orthant_status status = choose_methods(summary, ranking);
    if (!status)
        status = run_test(summary, measure, alpha, ranking);
    if (status)
        ranking_free(summary->ctx, ranking);
    return status;
}
