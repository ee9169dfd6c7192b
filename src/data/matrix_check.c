/* What stands in a matrix: checks with positions, sums, counts. Sums go row by row in double: long
 * ones lose fewer digits, and their order (chunks.h) depends on the shape alone. */
#include "data/chunks.h"
#include "data/matrix.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "data/pass.h"
#include "kernel/kernel.h"

/* Entries are looked at a few registers at a time: whether all of them lie within bounds (what is
 * not a number does not), the largest modulus (what is not a number does not count), and how many
 * are not zero. */
#define STEP 16
#define LOOK(REAL, INSIDE, LARGEST, NONZEROS)                                     \
    static bool INSIDE(const REAL *x, int64_t count, REAL least, REAL most)       \
    {                                                                             \
        int64_t e = 0;                                                            \
        bool inside = true;                                                       \
        for (; e + STEP <= count && inside; e += STEP) {                          \
            int outside = 0;                                                      \
            for (int lane = 0; lane < STEP; lane++)                               \
                outside += !(x[e + lane] >= least) + !(x[e + lane] <= most);      \
            inside = !outside;                                                    \
        }                                                                         \
        for (; e < count && inside; e++)                                          \
            inside = x[e] >= least && x[e] <= most;                               \
        return inside;                                                            \
    }                                                                             \
    static double LARGEST(const REAL *x, int64_t count)                           \
    {                                                                             \
        REAL largest[STEP] = {0};                                                 \
        int64_t e = 0;                                                            \
        for (; e + STEP <= count; e += STEP)                                      \
            for (int lane = 0; lane < STEP; lane++) {                             \
                const REAL size = x[e + lane] < 0 ? -x[e + lane] : x[e + lane];   \
                largest[lane] = size > largest[lane] ? size : largest[lane];      \
            }                                                                     \
        for (; e < count; e++) {                                                  \
            const REAL size = x[e] < 0 ? -x[e] : x[e];                            \
            largest[0] = size > largest[0] ? size : largest[0];                   \
        }                                                                         \
        for (int lane = 1; lane < STEP; lane++)                                   \
            largest[0] = largest[lane] > largest[0] ? largest[lane] : largest[0]; \
        return (double)largest[0];                                                \
    }                                                                             \
    static int64_t NONZEROS(const REAL *x, int64_t count)                         \
    {                                                                             \
        int64_t found = 0, e = 0;                                                 \
        for (; e + STEP <= count; e += STEP) {                                    \
            int here = 0;                                                         \
            for (int lane = 0; lane < STEP; lane++)                               \
                here += x[e + lane] != 0;                                         \
            found += here;                                                        \
        }                                                                         \
        for (; e < count; e++)                                                    \
            found += x[e] != 0;                                                   \
        return found;                                                             \
    }

LOOK(float, inside_single, largest_single, nonzeros_single)
LOOK(double, inside_double, largest_double, nonzeros_double)

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

static double most_of(orthant_precision precision)
{
    return precision == ORTHANT_DOUBLE ? DBL_MAX : (double)FLT_MAX;
}

static bool row_inside(const orthant_matrix *matrix, span row, double least)
{
    const double most = most_of(matrix->precision);
    return matrix->precision == ORTHANT_DOUBLE
               ? inside_double((double *)matrix->values + row.first, row.end - row.first, least,
                               most)
               : inside_single((float *)matrix->values + row.first, row.end - row.first,
                               (float)least, (float)most);
}

/* An entry that is refused. */
typedef struct bad_entry {
    double least;        /* that is not */
    int64_t row, column; /* row -1: none was found */
    double value;
} bad_entry;

/* The first of a strip, unless one was found before. */
static void find_bad(void *user, strip x)
{
    bad_entry *bad = user;
    const orthant_matrix *data = x.data;
    for (int64_t i = 0; i < x.rows && bad->row < 0; i++) {
        const span row = row_span(data, x.row + i);
        if (row_inside(data, row, bad->least))
            continue;
        for (int64_t p = row.first; p < row.end && bad->row < 0; p++) {
            const double value = matrix_value(data, p);
            if (!(value >= bad->least) || !isfinite(value))
                *bad = (bad_entry){bad->least, x.first + i,
                                   data->sparse ? data->column[p] : p - row.first, value};
        }
    }
}

static orthant_status refuse_entry(const orthant_matrix *matrix, const bad_entry *bad,
                                   const char *name, const char *method)
{
    const bool lost = matrix->file && !matrix->lossless && isinf(bad->value);
    const int64_t row = matrix->origin ? matrix->origin[bad->row] : bad->row;
    const int64_t column = matrix->origin_of_columns ? matrix->origin[bad->column] : bad->column;
    return fail(matrix->ctx, ORTHANT_ERROR_DATA,
                "%s: entry (%" PRId64 ", %" PRId64 ") is %.6g%s; '%s' needs %s data",
                name ? name : "data", matrix->part.first + row + 1, column + 1, bad->value,
                lost ? ", or more than single precision can hold" : "",
                method ? method : "the method", isfinite(bad->value) ? "nonnegative" : "finite");
}

orthant_status matrix_check(const orthant_matrix *matrix, bool nonnegative, const char *name,
                            const char *method)
{
    const matrix_summary *known = &matrix->summary;
    bad_entry bad = {.least = nonnegative ? 0.0 : -most_of(matrix->precision), .row = -1};
    if (known->known && known->finite && (!nonnegative || known->nonnegative))
        return ORTHANT_OK;
    if (matrix_file(matrix)) {
        const orthant_status status =
            rows_pass_run(matrix->ctx, matrix, &(rows_pass){&bad, NULL, find_bad});
        if (status)
            return status;
    } else {
        find_bad(&bad, (strip){.data = matrix, .rows = matrix->rows});
    }
    return bad.row < 0 ? ORTHANT_OK : refuse_entry(matrix, &bad, name, method);
}

/* The entries of a row as an array of its own. */
static array row_array(const orthant_matrix *matrix, int64_t i)
{
    const span row = row_span(matrix, i);
    const int64_t count = row.end - row.first;
    char *values = matrix->values;
    return (array){values + (size_t)row.first * precision_size(matrix->precision), 1, count, count};
}

double matrix_row_sum(const orthant_matrix *matrix, int64_t row)
{
    return kernel_table(matrix->precision)->sum(row_array(matrix, row));
}

double matrix_sum(const orthant_matrix *matrix)
{
    if (matrix->summary.known || matrix->file)
        return matrix->summary.sum;
    row_sums sums;
    row_sums_begin(&sums, matrix->rows, matrix->columns);
    for (int64_t i = 0; i < matrix->rows; i++)
        row_sums_add(&sums, matrix_row_sum(matrix, i), 0);
    return sums.now[0];
}

double matrix_row_square(const orthant_matrix *matrix, int64_t row)
{
    const array entries = row_array(matrix, row);
    return kernel_table(matrix->precision)->dot(entries, entries);
}

orthant_status matrix_check_mask(const orthant_matrix *matrix, const orthant_matrix *mask)
{
    if (mask->rows != matrix->rows || mask->columns != matrix->columns)
        return fail(matrix->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the mask is %" PRId64 " x %" PRId64 ", the data are %" PRId64 " x %" PRId64,
                    mask->rows, mask->columns, matrix->rows, matrix->columns);
    const orthant_status status = matrix_check(mask, true, "the mask", "a mask");
    return status || matrix_sum(mask) > 0 ? status
                                          : fail(matrix->ctx, ORTHANT_ERROR_ARGUMENT,
                                                 "the mask is 0 everywhere: no entry would count");
}

double matrix_squares(const orthant_matrix *matrix)
{
    if (matrix->summary.known || matrix->file)
        return matrix->summary.squares;
    row_sums sums;
    row_sums_begin(&sums, matrix->rows, matrix->columns);
    for (int64_t i = 0; i < matrix->rows; i++)
        row_sums_add(&sums, matrix_row_square(matrix, i), 0);
    return sums.now[0];
}

static void square_rows(void *user, strip x, block b)
{
    double *squares = user;
    for (int64_t i = b.first; i < b.first + b.rows; i++)
        squares[i] = matrix_row_square(x.data, x.row + i - x.first);
}

void matrix_row_squares(const orthant_matrix *matrix, double *squares)
{
    if (matrix_file(matrix))
        rows_pass_take(matrix->ctx, matrix, &(rows_pass){squares, square_rows, NULL});
    for (int64_t i = 0; i < matrix->rows && !matrix_file(matrix); i++)
        squares[i] = matrix_row_square(matrix, i);
}

double matrix_row_largest(const orthant_matrix *matrix, int64_t row)
{
    const span s = row_span(matrix, row);
    return matrix->precision == ORTHANT_DOUBLE
               ? largest_double((double *)matrix->values + s.first, s.end - s.first)
               : largest_single((float *)matrix->values + s.first, s.end - s.first);
}

double matrix_largest(const orthant_matrix *matrix)
{
    if (matrix->summary.known || matrix->file)
        return matrix->summary.largest;
    double largest = 0.0;
    for (int64_t i = 0; i < matrix->rows; i++)
        largest = fmax(largest, matrix_row_largest(matrix, i));
    return largest;
}

static int64_t row_nonzeros(const orthant_matrix *matrix, int64_t row)
{
    const span s = row_span(matrix, row);
    return matrix->precision == ORTHANT_DOUBLE
               ? nonzeros_double((double *)matrix->values + s.first, s.end - s.first)
               : nonzeros_single((float *)matrix->values + s.first, s.end - s.first);
}

int64_t orthant_matrix_nonzeros(const orthant_matrix *matrix)
{
    if (!matrix)
        return 0;
    if (matrix->sparse)
        return matrix_stored(matrix);
    if (matrix->summary.known || matrix->file)
        return matrix->summary.nonzeros;
    int64_t count = 0;
    for (int64_t i = 0; i < matrix->rows; i++)
        count += row_nonzeros(matrix, i);
    return count;
}

row_facts matrix_row_facts(const orthant_matrix *matrix, int64_t row)
{
    const span s = row_span(matrix, row);
    const bool nonnegative = row_inside(matrix, s, 0.0);
    return (row_facts){
        .nonnegative = nonnegative,
        .finite = nonnegative || row_inside(matrix, s, -most_of(matrix->precision)),
        .nonzeros = row_nonzeros(matrix, row),
        .sum = kernel_table(matrix->precision)->sum(row_array(matrix, row)),
        .squares = matrix_row_square(matrix, row),
        .largest = matrix_row_largest(matrix, row),
        .checksum = matrix_row_checksum(matrix, row),
    };
}
