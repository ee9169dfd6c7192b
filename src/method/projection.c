/* Hoyer 2004, section 3.2: move to the hyperplane of the given sum, from there along the ray from
 * its centre to the sphere of the given length; entries that came out negative are fixed at zero
 * and the rest is done again without them. Each round fixes an entry, so it ends. */
#include "method/projection.h"

#include <math.h>

/* Distances from the centre below this share of it are rounding. */
#define ROUNDING 1e-15

static double sum_of(const double *values, int64_t count)
{
    double total = 0;
    for (int64_t i = 0; i < count; i++)
        total += values[i];
    return total;
}

/* Adds the same to each free entry so that the sum becomes l1. */
static void move_to_sum(double *values, int64_t count, double l1, const bool *fixed, int64_t free)
{
    const double shift = (l1 - sum_of(values, count)) / (double)free;
    for (int64_t i = 0; i < count; i++)
        if (!fixed[i])
            values[i] += shift;
}

/* All free entries are equal, so that every direction is as near: the first entry takes the most.
 */
static void break_tie(double *values, int64_t count, double centre, const bool *fixed)
{
    int64_t first = 0;
    while (first < count - 1 && fixed[first])
        first++;
    for (int64_t i = 0; i < count; i++)
        if (!fixed[i])
            values[i] = i == first ? 2 * centre : centre;
}

/* From the centre of the simplex through the values to the sphere. The distance from the centre is
 * at right angles to the centre itself, so its length is what Pythagoras leaves. */
static void move_to_sphere(double *values, int64_t count, double l1, double l2_squared,
                           const bool *fixed, int64_t free)
{
    const double centre = l1 / (double)free;
    const double wanted = l2_squared - l1 * centre;
    double square = 0;
    for (int64_t i = 0; i < count; i++)
        square += fixed[i] ? 0 : (values[i] - centre) * (values[i] - centre);
    if (square <= ROUNDING * ROUNDING * l1 * centre) {
        break_tie(values, count, centre, fixed);
        move_to_sum(values, count, l1, fixed, free);
        square = centre * centre * (1 - 1 / (double)free);
    }
    const double stretch = wanted > 0 && square > 0 ? sqrt(wanted / square) : 0;
    for (int64_t i = 0; i < count; i++)
        if (!fixed[i])
            values[i] = centre + stretch * (values[i] - centre);
}

void project_to_norms(double *values, int64_t count, double l1, double l2_squared, bool *fixed)
{
    int64_t free = count;
    bool negative = l1 > 0;
    for (int64_t i = 0; i < count; i++) {
        fixed[i] = false;
        if (!negative)
            values[i] = 0;
    }
    while (negative) {
        negative = false;
        move_to_sum(values, count, l1, fixed, free);
        move_to_sphere(values, count, l1, l2_squared, fixed, free);
        for (int64_t i = 0; i < count; i++)
            negative |= values[i] < 0;
        for (int64_t i = 0; i < count && negative; i++)
            if (!fixed[i] && values[i] <= 0) {
                values[i] = 0;
                fixed[i] = true;
                free--;
            }
    }
}

double sum_at_sparseness(int64_t count, double sparseness)
{
    const double root = sqrt((double)count);
    return root - (root - 1) * sparseness;
}
