/* The labelled samples of cnmf, a class of them as one: n_c^(-1/2) y_c, KL: y_c, of the sum y_c of
 * the class's n_c samples (cnmf.c). */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/labels.h"
#include "data/pass.h"
#include "engine/loss.h"
#include "method/cnmf_state.h"

static double count_of(const cnmf_state *c, int64_t row)
{
    return (double)(c->start[row + 1] - c->start[row]);
}

double cnmf_weight(const cnmf_state *c, int64_t row)
{
    return c->problem.loss->quadratic ? sqrt(count_of(c, row)) : count_of(c, row);
}

/* The samples in the order of their rows of Z; row_of holds the classes' numbers, or -1. */
static void order_samples(cnmf_state *c)
{
    const int64_t n = c->f->samples->rows;
    int64_t *row_of = c->row_of;
    c->rows = c->classes;
    for (int64_t i = 0; i < n; i++) {
        if (row_of[i] < 0)
            row_of[i] = c->rows++;
        c->start[row_of[i] + 1]++;
    }
    for (int64_t r = 0; r < c->rows; r++)
        c->start[r + 1] += c->start[r];
    for (int64_t i = n - 1; i >= 0; i--) /* start[r + 1] goes down to where row r begins */
        c->sample[--c->start[row_of[i] + 1]] = i;
    memmove(c->start, c->start + 1, (size_t)c->rows * sizeof *c->start);
    c->start[c->rows] = n;
}

orthant_status cnmf_number_rows(cnmf_state *c)
{
    orthant_context *ctx = c->f->ctx;
    const int64_t n = c->f->samples->rows;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    c->row_of = memory_new(ctx, n, sizeof *c->row_of, "rows of samples");
    c->sample = memory_new(ctx, n, sizeof *c->sample, "samples of rows");
    c->start = memory_new(ctx, n + 1, sizeof *c->start, "samples of rows");
    if (c->row_of && c->sample && c->start)
        status = labels_to_classes(ctx, c->f->model->labels, c->row_of, &c->classes);
    if (!status && c->classes == 0)
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT, "no sample has a label: every one is -1");
    if (!status)
        order_samples(c);
    if (status || c->start[c->classes] > c->classes)
        return status;
    return fit_note(c->f, "each class has one labelled sample, so that the labels bind nothing: "
                          "this is plain NMF. Label at least two of a class");
}

/* What x, or of a class's samples their merged one, adds to the part of the objective that the
 * factors have no part in. */
static double rest_of(const cnmf_state *c, double x, double count)
{
    if (!c->problem.on_device || c->problem.loss->quadratic)
        return x * x;
    return x > 0 ? x * log(x / count) : 0;
}

typedef struct class_sums {
    cnmf_state *c;
    double *sums; /* classes x m */
} class_sums;

/* Adds the labelled samples of a strip to the sums of their classes. */
static void add_strip(void *user, strip x)
{
    const class_sums *work = user;
    const orthant_matrix *X = x.data;
    for (int64_t i = 0; i < x.rows; i++) {
        const int64_t class = work->c->row_of[x.first + i], row = x.row + i,
                      first = X->sparse ? X->row_start[row] : row * X->stride,
                      end = X->sparse ? X->row_start[row + 1] : first + X->columns;
        double *sum = work->sums + class * X->columns;
        for (int64_t e = first; e < end && class < work->c->classes; e++) {
            const double entry = matrix_value(X, e);
            sum[X->sparse ? X->column[e] : e - first] += entry;
            work->c->rest += rest_of(work->c, entry, 1);
        }
    }
}

static orthant_status new_merged(cnmf_state *c, const double *entries)
{
    const orthant_matrix *X = c->f->samples;
    int64_t stored = 0;
    if (!X->sparse)
        return matrix_new_dense(c->f->ctx, X->precision, c->merged_rows, X->columns, &c->merged);
    for (int64_t e = 0; e < c->classes * X->columns; e++)
        stored += entries[e] != 0;
    for (int64_t r = c->classes; r < c->merged_rows; r++)
        stored += X->row_start[c->sample[c->start[r]] + 1] - X->row_start[c->sample[c->start[r]]];
    return matrix_new_sparse(c->f->ctx, X->precision, c->merged_rows, X->columns, stored,
                             &c->merged);
}

/* A class's sum as the rule wants it: see the opening. */
static void merge_class(cnmf_state *c, int64_t class, const double *sum, int64_t *at)
{
    const double scale = c->problem.loss->quadratic ? cnmf_weight(c, class) : 1,
                 count = count_of(c, class);
    *at = c->merged->sparse ? *at : class * c->merged->stride;
    for (int64_t j = 0; j < c->merged->columns; j++) {
        if (c->merged->sparse && sum[j] == 0)
            continue;
        if (c->merged->sparse)
            c->merged->column[*at] = (int32_t)j;
        matrix_set_value(c->merged, *at, sum[j] / scale);
        c->rest -= rest_of(c, matrix_value(c->merged, (*at)++), count);
    }
    if (c->merged->sparse)
        c->merged->row_start[class + 1] = *at;
}

/* A sample without a label, as it is. */
static void take_sample(const cnmf_state *c, int64_t row, int64_t *at)
{
    const orthant_matrix *X = c->f->samples;
    orthant_matrix *to = c->merged;
    const int64_t i = c->sample[c->start[row]], first = X->sparse ? X->row_start[i] : i * X->stride,
                  count = X->sparse ? X->row_start[i + 1] - first : X->columns;
    const size_t size = precision_size(X->precision);
    *at = to->sparse ? *at : row * to->stride;
    memcpy((char *)to->values + (size_t)*at * size, (const char *)X->values + (size_t)first * size,
           (size_t)count * size);
    if (!to->sparse)
        return;
    memcpy(to->column + *at, X->column + first, (size_t)count * sizeof *to->column);
    to->row_start[row + 1] = *at += count;
}

orthant_status cnmf_merge(cnmf_state *c)
{
    const int64_t m = c->f->samples->columns;
    class_sums work = {
        c, memory_new(c->f->ctx, c->classes * m, sizeof *work.sums, "the sums of classes")};
    orthant_status status = work.sums ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    int64_t at = 0;
    if (!status)
        status = rows_pass_run(c->f->ctx, c->f->samples, &(rows_pass){&work, NULL, add_strip});
    if (!status)
        status = new_merged(c, work.sums);
    for (int64_t class = 0; class < c->classes && !status; class ++)
        merge_class(c, class, work.sums + class * m, &at);
    for (int64_t row = c->classes; row < c->merged_rows && !status; row++)
        take_sample(c, row, &at);
    memory_free(c->f->ctx, work.sums);
    return status;
}
