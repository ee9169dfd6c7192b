/* The rank that the criteria speak for: that of most votes; where no two agree, the middle one, of
 * two the smaller. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "study/ranks.h"

#define STABLE 0.75 /* the smallest silhouette of parts that come back */

/* ---- votes ------------------------------------------------------------------------------------
 */

static double mean_of(const orthant_ranks *survey, int rank, int criterion, int measure)
{
    double deviation;
    return ranks_cell_value(survey, ranks_cell(survey, rank, criterion), measure, &deviation);
}

/* The mean of the first measure at `rank` less that at `best`, over the repeats, which have the
 * same draws; *error: its standard error. */
static double excess(const orthant_ranks *survey, int criterion, int rank, int best, double *error)
{
    const double *here = ranks_cell(survey, rank, criterion)->value;
    const double *there = ranks_cell(survey, best, criterion)->value;
    const double count = (double)survey->repeats;
    double mean = 0, squares = 0;
    for (int64_t r = 0; r < survey->repeats; r++)
        mean += (here[r * RANK_MEASURES] - there[r * RANK_MEASURES]) / count;
    for (int64_t r = 0; r < survey->repeats; r++) {
        const double difference = here[r * RANK_MEASURES] - there[r * RANK_MEASURES] - mean;
        squares += difference * difference;
    }
    *error = sqrt(squares / (count - 1) / count);
    return mean;
}

int ranks_vote_error(const orthant_ranks *survey, int criterion, char *reason, size_t size)
{
    int best = -1, chosen = 0;
    double error = 0;
    for (int k = 0; k < survey->ranks; k++) {
        const double mean = mean_of(survey, k, criterion, 0);
        if (!isnan(mean) && (best < 0 || mean < mean_of(survey, best, criterion, 0)))
            best = k;
    }
    if (best < 0)
        return -1;
    while (chosen < best && !(excess(survey, criterion, chosen, best, &error) <= error))
        chosen++;
    text_append(reason, size, "The %s is least at k = %" PRId64 " (%.4g)",
                ranks_cell(survey, best, criterion)->criterion->measure[0].title,
                survey->rank[best], mean_of(survey, best, criterion, 0));
    if (chosen != best)
        text_append(reason, size, ", and k = %" PRId64 " (%.4g) is within one standard error of it",
                    survey->rank[chosen], mean_of(survey, chosen, criterion, 0));
    if (chosen == survey->ranks - 1 && survey->ranks > 1)
        text_append(reason, size, ", the largest rank that was tried: larger ones may be better");
    text_append(reason, size, ".");
    return chosen;
}

int ranks_vote_stable(const orthant_ranks *survey, int criterion, char *reason, size_t size)
{
    int chosen = -1;
    double largest = -INFINITY;
    for (int k = 0; k < survey->ranks; k++) {
        const double least = mean_of(survey, k, criterion, 1);
        largest = fmax(largest, isnan(least) ? largest : least);
        if (least >= STABLE)
            chosen = k;
    }
    if (chosen >= 0)
        text_append(reason, size,
                    "k = %" PRId64 " is the largest rank whose parts all come back from perturbed "
                    "data (smallest silhouette %.2f).",
                    survey->rank[chosen], mean_of(survey, chosen, criterion, 1));
    else if (largest > -INFINITY)
        text_append(reason, size,
                    "At no rank do all parts come back from perturbed data (smallest silhouettes "
                    "up to %.2f, stable from %.2f on).",
                    largest, STABLE);
    return chosen;
}

/* The criterion's place in the survey, -1 where it was left out. */
static int place_of(const orthant_ranks *survey, const char *name)
{
    for (int c = 0; c < survey->criteria; c++)
        if (!strcmp(ranks_cell(survey, 0, c)->criterion->name, name))
            return c;
    return -1;
}

int ranks_vote_permuted(const orthant_ranks *survey, int criterion, char *reason, size_t size)
{
    const int starts = place_of(survey, "starts");
    int chosen = 0;
    if (starts < 0 || survey->ranks < 2)
        return -1;
    for (int k = 1; k < survey->ranks; k++) {
        const double own = mean_of(survey, k, starts, 1) - mean_of(survey, k - 1, starts, 1);
        const double permuted =
            mean_of(survey, k, criterion, 1) - mean_of(survey, k - 1, criterion, 1);
        if (!(own > permuted))
            break;
        chosen = k;
    }
    if (chosen == survey->ranks - 1)
        text_append(reason, size,
                    "Up to k = %" PRId64 ", the largest rank that was tried, further parts explain "
                    "more of the data than of permuted data.",
                    survey->rank[chosen]);
    else
        text_append(reason, size,
                    "Beyond k = %" PRId64 " further parts explain no more of the data than of "
                    "permuted data.",
                    survey->rank[chosen]);
    return chosen;
}

/* ---- the choice -------------------------------------------------------------------------------
 */

static orthant_status add_reason(orthant_ranks *survey, const char *text)
{
    return *text ? setting_list_add(survey->ctx, &survey->reasons, "reason", text) : ORTHANT_OK;
}

static orthant_status tell_starts(orthant_ranks *survey, int chosen)
{
    const int starts = place_of(survey, "starts");
    char text[256] = "";
    if (starts < 0 || isnan(mean_of(survey, chosen, starts, 2)))
        return ORTHANT_OK;
    text_append(text, sizeof text,
                "There the starts agree with a cophenetic correlation of %.3f and a dispersion of "
                "%.3f",
                mean_of(survey, chosen, starts, 2), mean_of(survey, chosen, starts, 3));
    if (ranks_consensus_samples(survey) < survey->rows)
        text_append(text, sizeof text, " (of %" PRId64 " of the %" PRId64 " samples, drawn)",
                    ranks_consensus_samples(survey), survey->rows);
    text_append(text, sizeof text, ".");
    return add_reason(survey, text);
}

/* The middle of the votes that there are, the lower one of an even number; -1 where there are none.
 */
static int middle_vote(const int *vote, int count, int voters)
{
    for (int c = 0; c < count; c++) {
        int below = 0, same = 0;
        for (int other = 0; other < count; other++) {
            below += vote[other] >= 0 && vote[other] < vote[c];
            same += vote[other] == vote[c];
        }
        if (vote[c] >= 0 && below <= (voters - 1) / 2 && below + same > (voters - 1) / 2)
            return vote[c];
    }
    return -1;
}

/* The place with the most votes, which are *most; the middle one where no two agree. */
static int count_votes(const int *vote, int count, int voters, int *most)
{
    int chosen = -1;
    *most = 0;
    for (int c = 0; c < count; c++) {
        int votes = 0;
        for (int other = 0; other < count; other++)
            votes += vote[c] >= 0 && vote[other] == vote[c];
        if (votes > *most) {
            *most = votes;
            chosen = vote[c];
        }
    }
    return *most > 1 ? chosen : middle_vote(vote, count, voters);
}

static orthant_status tell_choice(orthant_ranks *survey, int votes, int voters)
{
    char text[256] = "";
    if (voters > 1 && votes > 1)
        text_append(text, sizeof text,
                    "%d of %d criteria speak for k = %" PRId64 ", which is recommended.", votes,
                    voters, survey->recommended);
    else if (voters > 1)
        text_append(text, sizeof text,
                    "No two criteria speak for the same rank; k = %" PRId64 ", the %s of them, is "
                    "recommended.",
                    survey->recommended, voters > 2 ? "middle" : "smaller");
    else
        text_append(text, sizeof text, "k = %" PRId64 " is recommended.", survey->recommended);
    return add_reason(survey, text);
}

/* Of starts alone: where they agree best, the largest such rank. */
static int most_agreed(const orthant_ranks *survey)
{
    const int starts = place_of(survey, "starts");
    int chosen = 0;
    for (int k = 1; k < survey->ranks && starts >= 0; k++)
        if (!(mean_of(survey, k, starts, 2) < mean_of(survey, chosen, starts, 2)))
            chosen = k;
    return chosen;
}

orthant_status ranks_choose(orthant_ranks *survey)
{
    int *vote = memory_new(survey->ctx, survey->criteria, sizeof *vote, "votes"), voters = 0, votes;
    orthant_status status = vote ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    setting_list_free(survey->ctx, &survey->reasons);
    survey->reasons = (setting_list){0};
    for (int c = 0; c < survey->criteria && !status; c++) {
        const rank_criterion *criterion = ranks_cell(survey, 0, c)->criterion;
        char reason[512] = "";
        vote[c] = criterion->vote ? criterion->vote(survey, c, reason, sizeof reason) : -1;
        voters += vote[c] >= 0;
        status = add_reason(survey, reason);
    }
    if (!status) {
        int chosen = count_votes(vote, survey->criteria, voters, &votes);
        if (chosen < 0)
            chosen = most_agreed(survey);
        survey->recommended = survey->rank[chosen];
        status = tell_choice(survey, votes, voters);
        if (!status)
            status = tell_starts(survey, chosen);
    }
    memory_free(survey->ctx, vote);
    return status;
}
