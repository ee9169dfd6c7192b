/* Friedman's test over a table of methods on data sets, and Nemenyi's critical difference (Demsar
 * 2006).
 *
 *   chi2 = [12 / (N k (k + 1)) sum_j R_j^2 - 3 N (k + 1)] / (1 - sum (t^3 - t) / (N k (k^2 - 1)))
 *   F = (N - 1) chi2 / (N (k - 1) - chi2), with k - 1 and (k - 1)(N - 1) degrees of freedom
 *   CD = q sqrt(k (k + 1) / (6 N)), q the quantile of the studentised range over sqrt(2)
 *
 * for N rows and k methods, R_j the sum of a method's ranks, t the sizes of groups of equal scores.
 */
#include <math.h>
#include <string.h>

#include "core/sized.h"
#include "core/context.h"
#include "orthant/score.h"
#include "score/tails.h"

/* ---- ranks ---- */

/* Adds a row's ranks, 1 for the highest score, equal ones sharing theirs; returns sum of t^3 - t.
 */
static double add_ranks(const double *row, int64_t methods, double *ranks)
{
    double ties = 0;
    for (int64_t j = 0; j < methods; j++) {
        double above = 0, equal = 0;
        for (int64_t i = 0; i < methods; i++) {
            above += row[i] > row[j];
            equal += row[i] == row[j];
        }
        ranks[j] += above + (equal + 1) / 2;
        ties += equal * equal - 1; /* over a group of t: t (t^2 - 1) */
    }
    return ties;
}

static orthant_status check(orthant_context *ctx, const double *scores, int64_t rows,
                            int64_t methods, double alpha)
{
    if (rows < 2 || methods < 2)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "Friedman's test wants at least 2 rows and 2 methods, found %lld and %lld",
                    (long long)rows, (long long)methods);
    if (!(alpha > 0 && alpha < 1))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "alpha = %g: must be between 0 and 1", alpha);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < methods; j++)
            if (!isfinite(scores[i * methods + j]))
                return fail(ctx, ORTHANT_ERROR_DATA, "score (%lld, %lld) is not a finite number",
                            (long long)i + 1, (long long)j + 1);
    return ORTHANT_OK;
}

orthant_status orthant_score_friedman(orthant_context *context, const double *scores, int64_t rows,
                                      int64_t methods, double alpha, double *mean_ranks,
                                      orthant_friedman *outcome)
{
    const double N = (double)rows, k = (double)methods;
    double squares = 0, ties = 0;
    const orthant_status refused = entry_check(context, scores && mean_ranks && outcome, __func__);
    if (refused)
        return refused;
    const orthant_status status = check(context, scores, rows, methods, alpha);
    if (status)
        return status;
    memset(mean_ranks, 0, (size_t)methods * sizeof *mean_ranks);
    for (int64_t i = 0; i < rows; i++)
        ties += add_ranks(scores + i * methods, methods, mean_ranks);
    for (int64_t j = 0; j < methods; j++) {
        squares += mean_ranks[j] * mean_ranks[j];
        mean_ranks[j] /= N;
    }
    const double spread = 1 - ties / (N * k * (k * k - 1));
    const double plain = 12 / (N * k * (k + 1)) * squares - 3 * N * (k + 1);
    orthant_friedman found = {.size = sizeof found, .chi2_p = 1};
    if (spread > 0 && plain > 0) { /* else all methods are alike */
        found.chi2 = plain / spread;
        found.chi2_p = gamma_tail((k - 1) / 2, found.chi2 / 2);
    }
    const double left = N * (k - 1) - found.chi2;
    found.f = left > 0 ? (N - 1) * found.chi2 / left : INFINITY;
    found.f_p = left > 0 ? f_tail(found.f, k - 1, (k - 1) * (N - 1)) : 0;
    found.critical_difference =
        range_quantile(1 - alpha, k) / sqrt(2) * sqrt(k * (k + 1) / (6 * N));
    return sized_give(context, "orthant_score_friedman", &found, sizeof found, outcome);
}
