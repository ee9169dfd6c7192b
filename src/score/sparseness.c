/* Hoyer's sparseness of a matrix's rows. */
#include <math.h>

#include "data/matrix.h"
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

double orthant_score_sparseness(const orthant_matrix *encoding)
{
    double total = 0.0;
    int64_t defined = 0;
    if (!encoding || encoding->file || encoding->columns < 2)
        return NAN;
    for (int64_t i = 0; i < encoding->rows; i++) {
        const double sparseness = row_sparseness(encoding, i);
        if (isnan(sparseness))
            continue;
        total += sparseness;
        defined++;
    }
    return defined > 0 ? total / (double)defined : NAN;
}
