/* Incomplete gamma and beta functions, and what tests and intervals need of them. */
#include "score/tails.h"

#include <math.h>

#define STEPS 2000 /* of Simpson's rule */

/* By its series or continued fraction. */
double gamma_tail(double a, double x) /* x > 0 */
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

double f_tail(double f, double first, double second)
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

double range_quantile(double share, double k)
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

/* P(|t| > q) is the tail of F = t^2 with 1 and `freedom` degrees of freedom. */
double student_quantile(double freedom, double alpha)
{
    double low = 0, high = 1;
    while (f_tail(high * high, 1, freedom) > alpha && high < 1e9)
        high *= 2;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (f_tail(middle * middle, 1, freedom) > alpha)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
