/* Scaling in place; a sparse matrix stays sparse. */
#include "data/matrix.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

static const char *const scaling_names[] = {"none", "unit", "max", "tfidf"};

orthant_status orthant_scaling_parse(orthant_context *context, const char *name,
                                     orthant_scaling *scaling)
{
    const int count = (int)(sizeof scaling_names / sizeof *scaling_names);
    for (int i = 0; i < count; i++)
        if (strcmp(name, scaling_names[i]) == 0) {
            *scaling = (orthant_scaling)i;
            return ORTHANT_OK;
        }
    const char *nearest = text_nearest(name, scaling_names, count);
    return fail(context, ORTHANT_ERROR_ARGUMENT,
                "unknown scaling '%s'%s%s%s; known are none, unit, max, tfidf", name,
                nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static int64_t row_first(const orthant_matrix *matrix, int64_t row)
{
    return matrix->sparse ? matrix->row_start[row] : row * matrix->stride;
}

static int64_t row_end(const orthant_matrix *matrix, int64_t row)
{
    return matrix->sparse ? matrix->row_start[row + 1] : row * matrix->stride + matrix->columns;
}

/* The length of a row; where squares leave the range of doubles, of the row brought to a largest
 * entry of 1. */
static double row_length(const orthant_matrix *matrix, int64_t row)
{
    double squares = 0.0, largest = 0.0;
    for (int64_t p = row_first(matrix, row); p < row_end(matrix, row); p++) {
        const double value = matrix_value(matrix, p);
        squares += value * value;
        largest = fmax(largest, fabs(value));
    }
    if (largest == 0.0 || (squares >= 1e-280 && isfinite(squares)))
        return sqrt(squares);
    squares = 0.0;
    for (int64_t p = row_first(matrix, row); p < row_end(matrix, row); p++) {
        const double value = matrix_value(matrix, p) / largest;
        squares += value * value;
    }
    return largest * sqrt(squares);
}

static void divide(orthant_matrix *matrix, int64_t first, int64_t end, double divisor)
{
    for (int64_t p = first; p < end; p++)
        matrix_set_value(matrix, p, matrix_value(matrix, p) / divisor);
}

static void scale_unit(orthant_matrix *matrix)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        const double length = row_length(matrix, i);
        if (length > 0.0)
            divide(matrix, row_first(matrix, i), row_end(matrix, i), length);
    }
}

static void scale_max(orthant_matrix *matrix)
{
    const double largest = matrix_largest(matrix);
    if (largest > 0.0)
        for (int64_t i = 0; i < matrix->rows; i++)
            divide(matrix, row_first(matrix, i), row_end(matrix, i), largest);
}

/* x_ij log(n / documents with word j), then unit length. A word in no document has no entry that
 * could change. */
static orthant_status scale_tfidf(orthant_matrix *matrix)
{
    const orthant_status status = matrix_check(matrix, true, "the data", "tfidf");
    if (status != ORTHANT_OK)
        return status;
    double *weight = memory_new(matrix->ctx, matrix->columns, sizeof *weight, "weights of words");
    if (!weight)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t p = row_first(matrix, i), j = 0; p < row_end(matrix, i); p++, j++)
            weight[matrix->sparse ? matrix->column[p] : j] += matrix_value(matrix, p) > 0.0;
    for (int64_t j = 0; j < matrix->columns; j++)
        weight[j] = weight[j] > 0.0 ? log((double)matrix->rows / weight[j]) : 0.0;
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t p = row_first(matrix, i), j = 0; p < row_end(matrix, i); p++, j++)
            matrix_set_value(matrix, p,
                             matrix_value(matrix, p) *
                                 weight[matrix->sparse ? matrix->column[p] : j]);
    memory_free(matrix->ctx, weight);
    scale_unit(matrix);
    return ORTHANT_OK;
}

orthant_status orthant_matrix_scale(orthant_matrix *matrix, orthant_scaling scaling)
{
    if (!matrix)
        return ORTHANT_ERROR_ARGUMENT;
    switch (scaling) {
    case ORTHANT_SCALE_NONE: return ORTHANT_OK;
    case ORTHANT_SCALE_UNIT: scale_unit(matrix); return ORTHANT_OK;
    case ORTHANT_SCALE_MAX: scale_max(matrix); return ORTHANT_OK;
    case ORTHANT_SCALE_TFIDF: return scale_tfidf(matrix);
    }
    return fail(matrix->ctx, ORTHANT_ERROR_ARGUMENT, "unknown scaling %d", (int)scaling);
}
