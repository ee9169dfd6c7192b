/* Entropies, mutual information and its expectation.
 *
 *     I = sum_ij n_ij / n log(n n_ij / (a_i b_j))
 *     E = sum_ij sum_x P(x; a_i, b_j, n) x / n log(n x / (a_i b_j)),   P hypergeometric
 *
 * (Vinh, Epps and Bailey, JMLR 2010, eq. 24). A term of E depends on the two sizes alone, so it is
 * found once for each pair of different sizes, and x goes from the most likely value outwards until
 * nothing is left to add: at most O(n) pairs, and O(sqrt(a b / n)) steps for each. */
#include "score/information.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/pieces.h"

/* Probabilities below this share of the largest add nothing to a sum in double. */
#define LEAST_SHARE 1e-24

static double entropy(const int64_t *size, int64_t count, double n)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum -= (double)size[i] / n * log((double)size[i] / n);
    return sum;
}

static double mutual(const table *t)
{
    const double n = (double)t->samples;
    double sum = 0.0;
    for (int64_t e = 0; e < t->cells; e++) {
        const table_cell c = t->cell[e];
        const double together = (double)c.count;
        sum += together / n *
               log(together * n /
                   ((double)t->cluster_size[c.cluster] * (double)t->class_size[c.class]));
    }
    return sum;
}

/* ------------------------------------------------------------------ by chance */

/* log x!, by Stirling's series from where it has all digits; lgamma() is not for several threads.
 */
static double log_factorial(int64_t x)
{
    const double halved_log_of_two_pi = 0.91893853320467274178;
    double sum = 0.0;
    for (int64_t i = 2; i <= x && x < 32; i++)
        sum += log((double)i);
    if (x < 32)
        return sum;
    const double y = (double)x, square = 1.0 / (y * y);
    return (y + 0.5) * log(y) - y + halved_log_of_two_pi +
           (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680))) / y;
}

typedef struct pair_sizes {
    double n, a, b;
} pair_sizes;

static double chance_term(const pair_sizes *s, double x)
{
    return x > 0 ? x / s->n * log(s->n * x / (s->a * s->b)) : 0;
}

/* The expectation of one cell of sizes a and b. */
static double expected_cell(int64_t n, int64_t a, int64_t b)
{
    const int64_t least = larger(0, a + b - n), most = smaller(a, b);
    const pair_sizes s = {(double)n, (double)a, (double)b};
    const int64_t likely =
        smaller(larger((int64_t)((s.a + 1) * (s.b + 1) / (s.n + 2)), least), most);
    const double rest = s.n - s.a - s.b,
                 largest = exp(log_factorial(a) + log_factorial(b) + log_factorial(n - a) +
                               log_factorial(n - b) - log_factorial(n) - log_factorial(likely) -
                               log_factorial(a - likely) - log_factorial(b - likely) -
                               log_factorial(n - a - b + likely));
    double sum = 0.0, p = largest;
    for (int64_t at = likely; at <= most && p > LEAST_SHARE * largest; at++) {
        const double x = (double)at;
        sum += p * chance_term(&s, x);
        p *= (s.a - x) * (s.b - x) / ((x + 1) * (rest + x + 1));
    }
    p = largest;
    for (int64_t at = likely; at > least && p > LEAST_SHARE * largest; at--) {
        const double x = (double)at;
        p *= x * (rest + x) / ((s.a - x + 1) * (s.b - x + 1));
        sum += p * chance_term(&s, x - 1);
    }
    return sum;
}

typedef struct counted_size {
    int64_t size, count;
} counted_size;

static int by_size(const void *left, const void *right)
{
    const counted_size *a = left, *b = right;
    return a->size < b->size ? -1 : a->size > b->size;
}

/* The different sizes, each with how many have it. */
static int64_t count_sizes(const int64_t *size, int64_t count, counted_size *different)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        different[i] = (counted_size){size[i], 1};
    qsort(different, (size_t)count, sizeof *different, by_size);
    for (int64_t i = 0; i < count; i++)
        if (found > 0 && different[found - 1].size == different[i].size)
            different[found - 1].count++;
        else
            different[found++] = different[i];
    return found;
}

static orthant_status expected(orthant_context *ctx, const table *t, double *sum)
{
    counted_size *all =
        memory_new(ctx, t->clusters + t->classes, sizeof *all, "sizes of clusters and classes");
    *sum = 0;
    if (!all)
        return ORTHANT_ERROR_MEMORY;
    counted_size *classes = all + t->clusters;
    const int64_t of_clusters = count_sizes(t->cluster_size, t->clusters, all),
                  of_classes = count_sizes(t->class_size, t->classes, classes);
    for (int64_t i = 0; i < of_clusters; i++)
        for (int64_t j = 0; j < of_classes; j++)
            *sum += (double)all[i].count * (double)classes[j].count *
                    expected_cell(t->samples, all[i].size, classes[j].size);
    memory_free(ctx, all);
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ what is asked */

orthant_status information_of(orthant_context *ctx, const table *t, information *found)
{
    const double n = (double)t->samples;
    *found = (information){
        .mutual = fmax(mutual(t), 0.0),
        .clusters = entropy(t->cluster_size, t->clusters, n),
        .classes = entropy(t->class_size, t->classes, n),
        .same = t->cells == t->clusters && t->cells == t->classes,
    };
    return expected(ctx, t, &found->expected);
}

double information_share(const information *found, double mean)
{
    if (found->same)
        return 1.0;
    return found->mutual > 0 && mean > 0 ? fmin(found->mutual / mean, 1.0) : 0.0;
}

double information_adjusted(const information *found)
{
    const double mean = 0.5 * (found->clusters + found->classes),
                 above = found->mutual - found->expected, most = mean - found->expected;
    if (found->same)
        return 1.0;
    /* One cluster or one class tells nothing, and nothing is what chance tells. */
    return fabs(most) > DBL_EPSILON ? above / most : 0.0;
}
