/* Scaling in place; a sparse matrix stays sparse. */
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

/* The length of a row by its entries that are known (no NaN); where squares leave the range of
 * doubles, of the row brought to a largest entry of 1. */
static double row_length(const orthant_matrix *matrix, int64_t row)
{
    double squares = matrix_row_square(matrix, row);
    if (squares >= 1e-280 && isfinite(squares))
        return sqrt(squares);
    const double largest = matrix_row_largest(matrix, row);
    if (largest == 0.0)
        return sqrt(squares);
    squares = 0.0;
    for (int64_t p = row_first(matrix, row); p < row_end(matrix, row); p++) {
        const double value = matrix_value(matrix, p) / largest;
        squares += isnan(value) ? 0.0 : value * value;
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
    int64_t rows;   /* of a task */
    double divisor; /* 0: each row's own length */
} division;

static void divide_rows(void *user, int64_t task, int thread)
{
    const division *d = user;
    const int64_t first = task * d->rows, left = d->matrix->rows - first;
    (void)thread;
    for (int64_t i = first; i < first + (left < d->rows ? left : d->rows); i++) {
        const double divisor = d->divisor > 0.0 ? d->divisor : row_length(d->matrix, i);
        if (divisor > 0.0)
            divide(d->matrix, row_first(d->matrix, i), row_end(d->matrix, i), divisor);
    }
}

/* By `divisor`; 0: each row by its own length. */
static void divide_all(orthant_matrix *matrix, double divisor)
{
    const int64_t tasks = 1 + row_first(matrix, matrix->rows) / TASK_ENTRIES;
    division d = {.matrix = matrix, .rows = (matrix->rows + tasks - 1) / tasks, .divisor = divisor};
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

orthant_status orthant_matrix_scale_by(orthant_matrix *matrix, orthant_scaling scaling,
                                       const orthant_matrix *statistics)
{
    const orthant_status refused = entry_check(matrix ? matrix->ctx : NULL, true, __func__);
    if (refused)
        return refused;
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
        divide_all(matrix, 0.0);
    else if (matrix_value(statistics, 0) > 0.0)
        divide_all(matrix, matrix_value(statistics, 0));
    return summarised ? matrix_summarise(matrix) : ORTHANT_OK;
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
