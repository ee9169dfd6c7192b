/* The summary of a study as its user sees it. */
#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/sized.h"
#include "study/gains.h"
#include "study/study.h"
#include "study/summary.h"

#define ALPHA 0.05

struct orthant_study_summary {
    orthant_context *ctx;
    study_summary summary;
    study_gains gains;
    study_ranking ranking; /* without methods where there is nothing to rank */
};

static orthant_status find_measure(orthant_context *ctx, const char *name, study_measure *measure)
{
    static const study_measure scores[] = {MEASURE_ACCURACY, MEASURE_NMI, MEASURE_ARI,
                                           MEASURE_PURITY};
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
        if (!strcmp(name, measure_name(scores[i]))) {
            *measure = scores[i];
            return ORTHANT_OK;
        }
    return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                "measure '%.60s': expected accuracy, nmi, ari or purity", name);
}

/* Too few methods or rows to rank are no failure. */
static orthant_status rank_methods(orthant_study_summary *made, study_measure measure)
{
    const orthant_status status = ranking_make(&made->summary, measure, ALPHA, &made->ranking);
    if (status)
        ranking_free(made->ctx, &made->ranking);
    return status == ORTHANT_ERROR_ARGUMENT ? ORTHANT_OK : status;
}

orthant_status orthant_study_summarise(const orthant_study *study, const char *measure,
                                       orthant_study_summary **summary)
{
    orthant_context *ctx = study ? study->ctx : NULL;
    study_measure of = MEASURE_ACCURACY;
    if (summary)
        *summary = NULL;
    if (!study || !measure || !summary)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "orthant_study_summarise: an argument is NULL");
    orthant_status status = find_measure(ctx, measure, &of);
    if (status)
        return status;
    orthant_study_summary *made = memory_new(ctx, 1, sizeof *made, "the summary of a study");
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->ctx = made->summary.ctx = made->gains.ctx = ctx;
    status = summary_make(ctx, &study->results, &made->summary);
    if (!status)
        status = gains_make(ctx, &study->results, of, &made->gains);
    if (!status)
        status = rank_methods(made, of);
    if (status)
        orthant_study_summary_free(made);
    else
        *summary = made;
    return status;
}

void orthant_study_summary_free(orthant_study_summary *summary)
{
    if (!summary)
        return;
    ranking_free(summary->ctx, &summary->ranking);
    gains_free(&summary->gains);
    summary_free(&summary->summary);
    memory_free(summary->ctx, summary);
}

static orthant_status check_index(const orthant_study_summary *summary, const char *what,
                                  int64_t index, int64_t count)
{
    if (summary && index >= 0 && index < count)
        return ORTHANT_OK;
    return fail(summary ? summary->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                "%s %" PRId64 ": the summary has %" PRId64, what, index, count);
}

int64_t orthant_study_cell_count(const orthant_study_summary *summary)
{
    return summary ? summary->summary.count : 0;
}

orthant_status orthant_study_cell_at(const orthant_study_summary *summary, int64_t index,
                                     orthant_study_cell *cell)
{
    orthant_status status = check_index(summary, "cell", index, orthant_study_cell_count(summary));
    if (status)
        return status;
    const study_summary *s = &summary->summary;
    const study_cell *c = &s->cell[index];
    const orthant_study_cell found = {.size = sizeof found,
                                      .dataset = s->dataset[c->dataset],
                                      .method = s->method[c->method],
                                      .classes = s->classes[c->classes],
                                      .runs = c->runs,
                                      .mean = study_measures(c->mean),
                                      .deviation = study_measures(c->deviation)};
    return sized_give(summary->ctx, "orthant_study_cell_at", &found, sizeof found, cell);
}

int64_t orthant_study_gain_count(const orthant_study_summary *summary)
{
    return summary ? summary->gains.count : 0;
}

orthant_status orthant_study_gain_at(const orthant_study_summary *summary, int64_t index,
                                     orthant_study_gain *gain)
{
    orthant_status status = check_index(summary, "gain", index, orthant_study_gain_count(summary));
    if (status)
        return status;
    const study_gain *g = &summary->gains.gain[index];
    const orthant_study_gain found = {sizeof found, g->dataset, g->method, g->setting,
                                      g->pairs,     g->mean,    g->error};
    return sized_give(summary->ctx, "orthant_study_gain_at", &found, sizeof found, gain);
}

int64_t orthant_study_rank_count(const orthant_study_summary *summary)
{
    return summary ? summary->ranking.methods : 0;
}

orthant_status orthant_study_rank_at(const orthant_study_summary *summary, int64_t index,
                                     orthant_study_rank *rank)
{
    orthant_status status = check_index(summary, "rank", index, orthant_study_rank_count(summary));
    if (status)
        return status;
    const study_ranking *r = &summary->ranking;
    const orthant_study_rank found = {sizeof found, summary->summary.method[r->method[index]],
                                      r->mean_rank[index]};
    return sized_give(summary->ctx, "orthant_study_rank_at", &found, sizeof found, rank);
}

orthant_status orthant_study_friedman(const orthant_study_summary *summary,
                                      orthant_friedman *outcome)
{
    if (!summary || !outcome || !summary->ranking.methods)
        return fail(summary ? summary->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "orthant_study_friedman: there are no ranks: they take two methods and two "
                    "rows");
    return sized_give(summary->ctx, "orthant_study_friedman", &summary->ranking.test,
                      sizeof *outcome, outcome);
}
