/* What stands in a matrix: checks with positions, sums, counts. Sums go row by row in double: long
 * ones lose fewer digits, and their order depends on the shape alone. */
#include "data/matrix.h"

#include <inttypes.h>
#include <math.h>

/* The stored entries of a row: positions [first, end) in `values`. */
typedef struct span {
    int64_t first, end;
} span;

static span row_span(const orthant_matrix *matrix, int64_t row)
{
    if (matrix->sparse)
        return (span){matrix->row_start[row], matrix->row_start[row + 1]};
    return (span){row * matrix->stride, row * matrix->stride + matrix->columns};
}

static orthant_status refuse_entry(const orthant_matrix *matrix, int64_t row, int64_t position,
                                   const char *name, const char *method)
{
    const double value = matrix_value(matrix, position);
    const int64_t column =
        matrix->sparse ? matrix->column[position] : position - row * matrix->stride;
    return fail(matrix->ctx, ORTHANT_ERROR_DATA,
                "%s: entry (%" PRId64 ", %" PRId64 ") is %.6g; '%s' needs %s data",
                name ? name : "data", row + 1, column + 1, value, method ? method : "the method",
                isfinite(value) ? "nonnegative" : "finite");
}

orthant_status matrix_check(const orthant_matrix *matrix, bool nonnegative, const char *name,
                            const char *method)
{
    const double least = nonnegative ? 0.0 : -HUGE_VAL;
    for (int64_t i = 0; i < matrix->rows; i++) {
        const span row = row_span(matrix, i);
        for (int64_t p = row.first; p < row.end; p++) {
            const double value = matrix_value(matrix, p);
            if (!(value >= least) || !isfinite(value))
                return refuse_entry(matrix, i, p, name, method);
        }
    }
    return ORTHANT_OK;
}

double matrix_sum(const orthant_matrix *matrix)
{
    double total = 0.0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        const span row = row_span(matrix, i);
        double sum = 0.0;
        for (int64_t p = row.first; p < row.end; p++)
            sum += matrix_value(matrix, p);
        total += sum;
    }
    return total;
}

static double row_squares(const orthant_matrix *matrix, int64_t i)
{
    const span row = row_span(matrix, i);
    double sum = 0.0;
    for (int64_t p = row.first; p < row.end; p++) {
        const double value = matrix_value(matrix, p);
        sum += value * value;
    }
    return sum;
}

double matrix_squares(const orthant_matrix *matrix)
{
    double total = 0.0;
    for (int64_t i = 0; i < matrix->rows; i++)
        total += row_squares(matrix, i);
    return total;
}

void matrix_row_squares(const orthant_matrix *matrix, double *squares)
{
    for (int64_t i = 0; i < matrix->rows; i++)
        squares[i] = row_squares(matrix, i);
}

double matrix_largest(const orthant_matrix *matrix)
{
    double largest = 0.0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        const span row = row_span(matrix, i);
        for (int64_t p = row.first; p < row.end; p++)
            largest = fmax(largest, fabs(matrix_value(matrix, p)));
    }
    return largest;
}

int64_t orthant_matrix_nonzeros(const orthant_matrix *matrix)
{
    if (matrix->sparse)
        return matrix->row_start[matrix->rows];
    int64_t count = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        const span row = row_span(matrix, i);
        for (int64_t p = row.first; p < row.end; p++)
            count += matrix_value(matrix, p) != 0.0;
    }
    return count;
}
