/* Hoyer's sparseness of a matrix's rows. */
#include <math.h>

#include "engine/group.h"
#include "orthant/score.h"

/* (sqrt(k) - sum|s| / |s|) / (sqrt(k) - 1) of one row of k entries (Hoyer 2004); NaN for a zero
 * row. */
static double row_sparseness(const orthant_matrix *encoding, int64_t i)
{
    const bool sparse = encoding->sparse;
    const int64_t first = sparse ? encoding->row_start[i] : i * encoding->stride;
    const int64_t end = sparse ? encoding->row_start[i + 1] : first + encoding->columns;
    const double root = sqrt((double)encoding->columns);
    const double largest = matrix_row_largest(encoding, i);
    double sum = 0.0, squares = 0.0;
    /* Divided by the largest entry, so that no square vanishes or overflows. */
    for (int64_t e = first; e < end && largest > 0.0; e++) {
        const double value = fabs(matrix_value(encoding, e)) / largest;
        sum += value;
        squares += value * value;
    }
    return squares > 0.0 ? (root - sum / sqrt(squares)) / (root - 1.0) : NAN;
}

/* Sums of whole numbers do not depend on their order, so that processes find what one does. A
 * sparseness counts in steps of 2^-52, its upper and its lower half by themselves. */
#define HALF_BITS 26

double orthant_score_sparseness(const orthant_matrix *encoding)
{
    int64_t upper = 0, lower = 0, defined = 0;
    if (!encoding || encoding->file || encoding->columns < 2)
        return NAN;
    for (int64_t i = 0; i < encoding->rows; i++) {
        const double sparseness = row_sparseness(encoding, i);
        if (isnan(sparseness))
            continue;
        const double whole = rint(ldexp(sparseness, 2 * HALF_BITS)),
                     above = floor(ldexp(whole, -HALF_BITS));
        upper += (int64_t)above;
        lower += (int64_t)(whole - ldexp(above, HALF_BITS));
        defined++;
    }
    int64_t sums[] = {upper, lower, defined};
    const sample_share s = samples_here(encoding);
    group_add_wholes(&s, sums, 3);
    const double total =
        ldexp((double)sums[0], -HALF_BITS) + ldexp((double)sums[1], -2 * HALF_BITS);
    return sums[2] > 0 ? total / (double)sums[2] : NAN;
}
