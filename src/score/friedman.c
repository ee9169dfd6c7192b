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

#define STEPS 2000 /* of Simpson's rule */

/* ---- distributions ---- */

/* The upper tail of the regularised incomplete gamma function, by its series or continued fraction.
 */
static double gamma_tail(double a, double x) /* x > 0 */
{
    const double front = exp(-x + a * log(x) - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int i = 1; i < 10000 && term > 1e-17 * sum; i++)
            sum += term *= x / (a + i);
        return 1 - front * sum;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, product = d;
    for (int i = 1; i < 10000; i++) {
        const double step = -i * (i - a);
        b += 2;
        d = 1 / (step * d + b);
        c = b + step / c;
        product *= d * c;
        if (fabs(d * c - 1) < 1e-16)
            break;
    }
    return front * product;
}

/* The continued fraction of the incomplete beta function (Lentz). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), product = d;
    for (int m = 1; m < 10000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        product *= d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        product *= d * c;
        if (fabs(d * c - 1) < 1e-16)
            break;
    }
    return product;
}

/* The regularised incomplete beta function. */
static double beta_share(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static double f_tail(double f, double first, double second)
{
    return beta_share(second / 2, first / 2, second / (second + first * f));
}

static double normal_below(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}

/* P(range of k standard normals < q) = k times the integral of phi(z) (Phi(z) - Phi(z - q))^(k -
 * 1). */
static double range_below(double q, double k)
{
    const double low = -8.5, high = 8.5, width = (high - low) / STEPS;
    double total = 0;
    for (int i = 0; i <= STEPS; i++) {
        const double z = low + i * width, weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        const double density = exp(-z * z / 2) / sqrt(2 * 3.14159265358979323846);
        total += weight * density * pow(normal_below(z) - normal_below(z - q), k - 1);
    }
    return k * total * width / 3;
}

static double range_quantile(double share, double k)
{
    double low = 0, high = 100;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (range_below(middle, k) < share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

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
