/* Scaling in place; a sparse matrix stays sparse. Entries that are not known (NaN, or weight 0 of a
 * mask) are scaled with the others, and have no part in what these are divided by. */
#include "data/matrix.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/text.h"
#include "data/pass.h"
#include "data/row_file.h"

#define TASK_ENTRIES 65536

static const char *const scaling_names[] = {"none", "unit", "max", "tfidf"};

orthant_status orthant_scaling_parse(orthant_context *context, const char *name,
                                     orthant_scaling *scaling)
{
    const orthant_status refused = entry_check(context, name && scaling, __func__);
    if (refused)
        return refused;
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

/* Whether the mask counts the entry at place p of a row; NULL: all. */
static bool is_known(const orthant_matrix *matrix, const orthant_matrix *mask, int64_t row,
                     int64_t p)
{
    const int64_t column = matrix->sparse ? matrix->column[p] : p - row_first(matrix, row);
    return !mask || orthant_matrix_get(mask, row, column) > 0.0;
}

static bool row_is_known(const orthant_matrix *matrix, const orthant_matrix *mask, int64_t row)
{
    for (int64_t p = row_first(matrix, row); p < row_end(matrix, row) && mask; p++)
        if (!is_known(matrix, mask, row, p))
            return false;
    return true;
}

/* The largest modulus of the entries of a row that are known. */
static double row_largest(const orthant_matrix *matrix, const orthant_matrix *mask, int64_t row)
{
    double largest = 0.0;
    if (!mask)
        return matrix_row_largest(matrix, row);
    for (int64_t p = row_first(matrix, row); p < row_end(matrix, row); p++)
        if (is_known(matrix, mask, row, p))
            largest = fmax(largest, fabs(matrix_value(matrix, p))); /* NaN is left out */
    return largest;
}

/* The length of a row by its entries that are known; where some are not, or squares leave the range
 * of doubles, of the row brought to a largest entry of 1. A mask gives the bits that NaN in its
 * places give. */
static double row_length(const orthant_matrix *matrix, const orthant_matrix *mask, int64_t row)
{
    double squares = row_is_known(matrix, mask, row) ? matrix_row_square(matrix, row) : (double)NAN;
    if (squares >= 1e-280 && isfinite(squares))
        return sqrt(squares);
    const double largest = row_largest(matrix, mask, row);
    if (largest == 0.0)
        return 0.0;
    squares = 0.0;
    for (int64_t p = row_first(matrix, row); p < row_end(matrix, row); p++) {
        const double value = matrix_value(matrix, p) / largest;
        squares += isnan(value) || !is_known(matrix, mask, row, p) ? 0.0 : value * value;
    }
    return largest * sqrt(squares);
}

/* Steps of a constant width, which the compiler turns into vectors. */
#define STEP 16
#define DIVIDE(REAL, NAME)                                           \
    static void NAME(REAL *x, int64_t count, double divisor)         \
    {                                                                \
        int64_t e = 0;                                               \
        for (; e + STEP <= count; e += STEP)                         \
            for (int lane = 0; lane < STEP; lane++)                  \
                x[e + lane] = (REAL)((double)x[e + lane] / divisor); \
        for (; e < count; e++)                                       \
            x[e] = (REAL)((double)x[e] / divisor);                   \
    }

DIVIDE(float, divide_single)
DIVIDE(double, divide_double)

static void divide(orthant_matrix *matrix, int64_t first, int64_t end, double divisor)
{
    if (matrix->precision == ORTHANT_DOUBLE)
        divide_double((double *)matrix->values + first, end - first, divisor);
    else
        divide_single((float *)matrix->values + first, end - first, divisor);
}

typedef struct division {
    orthant_matrix *matrix;
    const orthant_matrix *mask; /* NULL: all entries count */
    int64_t rows;               /* of a task */
    double divisor;             /* 0: each row's own length */
} division;

static void divide_rows(void *user, int64_t task, int thread)
{
    const division *d = user;
    const int64_t first = task * d->rows, left = d->matrix->rows - first;
    (void)thread;
    for (int64_t i = first; i < first + (left < d->rows ? left : d->rows); i++) {
        const double divisor = d->divisor > 0.0 ? d->divisor : row_length(d->matrix, d->mask, i);
        if (divisor > 0.0)
            divide(d->matrix, row_first(d->matrix, i), row_end(d->matrix, i), divisor);
    }
}

/* By `divisor`; 0: each row by its own length. */
static void divide_all(orthant_matrix *matrix, const orthant_matrix *mask, double divisor)
{
    const int64_t tasks = 1 + row_first(matrix, matrix->rows) / TASK_ENTRIES;
    division d = {.matrix = matrix,
                  .mask = mask,
                  .rows = (matrix->rows + tasks - 1) / tasks,
                  .divisor = divisor};
    if (matrix->rows > 0)
        parallel_for(matrix->ctx, (matrix->rows + d.rows - 1) / d.rows, divide_rows, &d);
}

/* Adds the samples of a strip that have each word. */
static void add_documents(void *user, strip x)
{
    double *documents = user;
    const orthant_matrix *data = x.data;
    for (int64_t i = x.row; i < x.row + x.rows; i++)
        for (int64_t p = row_first(data, i), j = 0; p < row_end(data, i); p++, j++)
            documents[data->sparse ? data->column[p] : j] += matrix_value(data, p) > 0.0;
}

/* x_ij log(n / documents with word j): the second factor. A word in no document has no entry that
 * could change. */
static orthant_status count_documents(const orthant_matrix *matrix, orthant_matrix *weight)
{
    const orthant_status status = matrix_check(matrix, true, "the data", "tfidf");
    if (status != ORTHANT_OK)
        return status;
    double *documents = weight->values;
    const orthant_status read =
        rows_pass_run(matrix->ctx, matrix, &(rows_pass){documents, NULL, add_documents});
    if (read != ORTHANT_OK)
        return read;
    for (int64_t j = 0; j < matrix->columns; j++)
        documents[j] = documents[j] > 0.0 ? log((double)matrix->rows / documents[j]) : 0.0;
    return ORTHANT_OK;
}

static void weigh_words(orthant_matrix *matrix, const orthant_matrix *weight)
{
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t p = row_first(matrix, i), j = 0; p < row_end(matrix, i); p++, j++)
            matrix_set_value(matrix, p,
                             matrix_value(matrix, p) *
                                 matrix_value(weight, matrix->sparse ? matrix->column[p] : j));
}

orthant_status orthant_matrix_scale_statistics(const orthant_matrix *matrix,
                                               orthant_scaling scaling, orthant_matrix **statistics)
{
    if (statistics)
        *statistics = NULL;
    const orthant_status refused =
        entry_check(matrix ? matrix->ctx : NULL, statistics != NULL, __func__);
    if (refused)
        return refused;
    if (scaling != ORTHANT_SCALE_MAX && scaling != ORTHANT_SCALE_TFIDF)
        return ORTHANT_OK;
    const bool words = scaling == ORTHANT_SCALE_TFIDF;
    orthant_matrix *made = NULL;
    if (matrix->part.total)
        return fail(
            matrix->ctx, ORTHANT_ERROR_ARGUMENT,
            "scaling by '%s' needs all samples in one process: scale before they are shared",
            words ? "tfidf" : "max");
    orthant_status status =
        matrix_new_dense(matrix->ctx, ORTHANT_DOUBLE, 1, words ? matrix->columns : 1, &made);
    if (status == ORTHANT_OK && words)
        status = count_documents(matrix, made);
    else if (status == ORTHANT_OK)
        matrix_set_value(made, 0, matrix_largest(matrix));
    if (status == ORTHANT_OK)
        *statistics = made;
    else
        orthant_matrix_free(made);
    return status;
}

static orthant_status check_statistics(const orthant_matrix *matrix, orthant_scaling scaling,
                                       const orthant_matrix *statistics)
{
    const int64_t expected = scaling == ORTHANT_SCALE_MAX ? 1 : matrix->columns;
    const char *name = statistics && statistics->name ? statistics->name : "the scale";
    if (!statistics || statistics->sparse || statistics->rows != 1 ||
        statistics->columns != expected)
        return fail(matrix->ctx, ORTHANT_ERROR_DATA,
                    "%s: found %lld x %lld numbers to scale by, expected 1 x %lld", name,
                    (long long)(statistics ? statistics->rows : 0),
                    (long long)(statistics ? statistics->columns : 0), (long long)expected);
    return matrix_check(statistics, true, name, scaling_names[scaling]);
}

void scale_rows(orthant_matrix *rows, orthant_scaling scaling, const orthant_matrix *statistics)
{
    division d = {.matrix = rows, .rows = rows->rows};
    if (scaling == ORTHANT_SCALE_TFIDF)
        weigh_words(rows, statistics);
    if (scaling == ORTHANT_SCALE_MAX)
        d.divisor = matrix_value(statistics, 0);
    if (scaling != ORTHANT_SCALE_MAX || d.divisor > 0.0)
        divide_rows(&d, 0, 0);
}

/* Its rows are scaled whenever they are read. */
static orthant_status scale_file(orthant_matrix *matrix, orthant_scaling scaling,
                                 const orthant_matrix *statistics)
{
    row_file *file = matrix->file;
    if (file->scaling != ORTHANT_SCALE_NONE)
        return fail(matrix->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: data that stay in their file are scaled once, and these are already",
                    file->name);
    if (statistics) {
        const orthant_status status =
            matrix_copy(matrix->ctx, statistics, ORTHANT_DOUBLE, &file->statistics);
        if (status != ORTHANT_OK)
            return status;
    }
    file->scaling = scaling;
    return matrix_summarise(matrix);
}

/* By statistics where the scaling has some; of a row's length, by the entries that count. */
static orthant_status scale(orthant_matrix *matrix, orthant_scaling scaling,
                            const orthant_matrix *mask, const orthant_matrix *statistics)
{
    if (scaling == ORTHANT_SCALE_NONE)
        return ORTHANT_OK;
    matrix->device_copy.values = NULL; /* it keeps what the entries were */
    if (scaling != ORTHANT_SCALE_UNIT && scaling != ORTHANT_SCALE_MAX &&
        scaling != ORTHANT_SCALE_TFIDF)
        return fail(matrix->ctx, ORTHANT_ERROR_ARGUMENT, "unknown scaling %d", (int)scaling);
    if (scaling == ORTHANT_SCALE_MAX || scaling == ORTHANT_SCALE_TFIDF) {
        orthant_status status = check_statistics(matrix, scaling, statistics);
        if (status == ORTHANT_OK && scaling == ORTHANT_SCALE_TFIDF)
            status = matrix_check(matrix, true, matrix->name ? matrix->name : "the data", "tfidf");
        if (status != ORTHANT_OK)
            return status;
    }
    if (orthant_matrix_is_streamed(matrix))
        return scale_file(matrix, scaling, statistics);
    const bool summarised = matrix->summary.known;
    const orthant_status status = matrix_own_values(matrix);
    if (status != ORTHANT_OK)
        return status;
    matrix->summary.known = false;
    if (scaling == ORTHANT_SCALE_TFIDF)
        weigh_words(matrix, statistics);
    if (scaling != ORTHANT_SCALE_MAX)
        divide_all(matrix, mask, 0.0);
    else if (matrix_value(statistics, 0) > 0.0)
        divide_all(matrix, NULL, matrix_value(statistics, 0));
    return summarised ? matrix_summarise(matrix) : ORTHANT_OK;
}

orthant_status orthant_matrix_scale_by(orthant_matrix *matrix, orthant_scaling scaling,
                                       const orthant_matrix *statistics)
{
    const orthant_status refused = entry_check(matrix ? matrix->ctx : NULL, true, __func__);
    return refused ? refused : scale(matrix, scaling, NULL, statistics);
}

orthant_status orthant_matrix_scale(orthant_matrix *matrix, orthant_scaling scaling)
{
    orthant_matrix *statistics = NULL;
    orthant_status status = orthant_matrix_scale_statistics(matrix, scaling, &statistics);
    if (status == ORTHANT_OK)
        status = orthant_matrix_scale_by(matrix, scaling, statistics);
    orthant_matrix_free(statistics);
    return status;
}

/* ------------------------------------------------------------------ by known entries */

static orthant_status check_masked(const orthant_matrix *matrix, orthant_scaling scaling,
                                   const orthant_matrix *mask)
{
    orthant_status status;
    if (scaling == ORTHANT_SCALE_TFIDF)
        return fail(matrix->ctx, ORTHANT_ERROR_ARGUMENT,
                    "scaling by 'tfidf' counts the samples that have a word, which a mask leaves "
                    "unknown: weigh the words without it, or scale by 'unit' or 'max'");
    if ((status = matrix_check_here(matrix, "scaling by the entries that a mask counts")) ||
        (status = matrix_check_here(mask, "a mask")))
        return status;
    return matrix_check_mask(matrix, mask);
}

static orthant_status known_statistics(const orthant_matrix *matrix, const orthant_matrix *mask,
                                       orthant_matrix **statistics)
{
    double largest = 0.0;
    const orthant_status status = matrix_new_dense(matrix->ctx, ORTHANT_DOUBLE, 1, 1, statistics);
    for (int64_t i = 0; i < matrix->rows && status == ORTHANT_OK; i++)
        largest = fmax(largest, row_largest(matrix, mask, i));
    if (status == ORTHANT_OK)
        matrix_set_value(*statistics, 0, largest);
    return status;
}

orthant_status orthant_matrix_scale_masked(orthant_matrix *matrix, orthant_scaling scaling,
                                           const orthant_matrix *mask,
                                           const orthant_matrix *statistics, orthant_matrix **taken)
{
    orthant_matrix *own = NULL;
    if (taken)
        *taken = NULL;
    orthant_status status = entry_check(matrix ? matrix->ctx : NULL, true, __func__);
    if (status != ORTHANT_OK || scaling == ORTHANT_SCALE_NONE)
        return status;
    if (mask)
        status = check_masked(matrix, scaling, mask);
    if (status == ORTHANT_OK && !statistics && mask && scaling == ORTHANT_SCALE_MAX)
        status = known_statistics(matrix, mask, &own);
    else if (status == ORTHANT_OK && !statistics)
        status = orthant_matrix_scale_statistics(matrix, scaling, &own);
    if (status == ORTHANT_OK)
        status = scale(matrix, scaling, mask, statistics ? statistics : own);
    if (status == ORTHANT_OK && taken)
        *taken = own;
    else
        orthant_matrix_free(own);
    return status;
}
