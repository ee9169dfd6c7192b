#include "engine/singular.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "data/pass.h"
#include "graph/search_clock.h"
#include "kernel/eigen.h"

#define EXACT_SIDE 2000 /* LAPACK works on a Gram matrix up to this size, */
#define EXACT_COST 1e11 /* as long as making it takes no more multiplications than this */
#define LINES 256       /* centred lines that are added to the Gram matrix at a time */
#define NOTHING 1e-13   /* eigenvalues below this share of the first are rounding */
#define SHIFT 0.01 /* added to the eigenvalues, of sum 1, that Lanczos's method works on: ... */
#define TOLERANCE \
    1e-12 /* ... to this share of one it can find those of a matrix without full rank */
#define RESTARTS 10000
#define FEATURES 256 /* of a task */

/* ------------------------------------------------------------------ products with one vector */

typedef struct vector_work {
    orthant_context *ctx;
    const orthant_matrix *X;
    const double *from;
    double *to;
} vector_work;

static void forward_block(void *user, strip x, block b)
{
    const vector_work *w = user;
    const kernels *ops = kernel_table(w->X->precision);
    const int64_t row = x.row + b.first - x.first;
    if (w->X->sparse)
        ops->sparse_vector_product(matrix_csr(x.data), row, b.rows, w->from, w->to + b.first);
    else
        ops->vector_product(array_rows(ops, matrix_array(x.data), row, b.rows), w->from,
                            w->to + b.first);
}

typedef struct strip_work {
    const vector_work *w;
    strip x;
} strip_work;

/* A range of features, over the samples of a strip in their order. */
static void backward_task(void *user, int64_t index, int thread)
{
    const strip_work *work = user;
    const vector_work *w = work->w;
    const orthant_matrix *X = work->x.data;
    const int64_t first = index * FEATURES, count = smaller(FEATURES, X->columns - first);
    double *restrict to = w->to + first;
    (void)thread;
    for (int64_t i = 0; i < work->x.rows; i++) {
        const int64_t at = (work->x.row + i) * X->stride + first;
        const double scale = w->from[work->x.first + i];
        if (X->precision == ORTHANT_SINGLE)
            for (int64_t j = 0; j < count; j++)
                to[j] += scale * (double)((const float *)X->values)[at + j];
        else
            for (int64_t j = 0; j < count; j++)
                to[j] += scale * ((const double *)X->values)[at + j];
    }
}

static void backward_strip(void *user, strip x)
{
    const vector_work *w = user;
    const orthant_matrix *X = x.data;
    if (!X->sparse)
        parallel_for(w->ctx, pieces(X->columns, FEATURES), backward_task, &(strip_work){w, x});
    for (int64_t i = 0; i < x.rows && X->sparse; i++)
        for (int64_t e = X->row_start[x.row + i]; e < X->row_start[x.row + i + 1]; e++)
            w->to[X->column[e]] += w->from[x.first + i] * matrix_value(X, e);
}

/* to = X_c from: X from - 1 mean'from. */
static void forward(const singular *s, const double *from, double *to)
{
    double offset = 0;
    rows_pass_take(s->ctx, s->X,
                   &(rows_pass){&(vector_work){s->ctx, s->X, from, to}, forward_block, NULL});
    for (int64_t j = 0; s->mean && j < s->X->columns; j++)
        offset += s->mean[j] * from[j];
    for (int64_t i = 0; s->mean && i < s->X->rows; i++)
        to[i] -= offset;
}

/* to = X_c'from: X'from - mean 1'from. */
static void backward(const singular *s, const double *from, double *to)
{
    const orthant_matrix *X = s->X;
    double sum = 0;
    memset(to, 0, (size_t)X->columns * sizeof *to);
    rows_pass_take(s->ctx, X,
                   &(rows_pass){&(vector_work){s->ctx, X, from, to}, NULL, backward_strip});
    for (int64_t i = 0; i < X->rows; i++)
        sum += from[i];
    for (int64_t j = 0; s->mean && j < X->columns; j++)
        to[j] -= s->mean[j] * sum;
}

/* ------------------------------------------------------------------ by Lanczos's method */

static void gram_product(void *user, const double *x, double *y)
{
    const singular *s = user;
    (s->by_features ? forward : backward)(s, x, s->other);
    (s->by_features ? backward : forward)(s, s->other, y);
    for (int64_t i = 0; i < s->shorter; i++)
        y[i] = y[i] / s->squares + SHIFT * x[i];
}

static orthant_status find_by_products(singular *s)
{
    double means = 0;
    for (int64_t j = 0; s->mean && j < s->X->columns; j++)
        means += s->mean[j] * s->mean[j];
    s->squares = fmax(matrix_squares(s->X) - (double)s->X->rows * means, 0);
    if (!(s->squares > 0))
        return ORTHANT_OK;
    eigen_problem search = {.ctx = s->ctx,
                            .n = s->shorter,
                            .wanted = s->wanted,
                            .product = gram_product,
                            .user = s,
                            .seed = s->seed,
                            .tolerance = TOLERANCE,
                            .restarts = RESTARTS};
    const orthant_status status = eigen_leading(&search, s->values, s->vectors);
    s->restarts = search.taken;
    for (int64_t j = 0; j < s->wanted && !status; j++)
        s->values[j] = (s->values[j] - SHIFT) * s->squares;
    return status;
}

/* ------------------------------------------------------------------ by LAPACK */

/* The shorter side indexes the Gram matrix; a line is an entry of the longer one. */
typedef struct gram_work {
    const singular *s;
    orthant_matrix *transposed; /* of a sparse X whose features are the lines */
    orthant_matrix *read;       /* the lines, where they are samples in a file */
    orthant_matrix *lines;      /* LINES x shorter, centred, */
    int64_t first;              /* from this line on */
    orthant_matrix *gram;       /* shorter x shorter */
} gram_work;

/* A centred sample, or a centred feature over all samples. */
static void line_task(void *user, int64_t index, int thread)
{
    const gram_work *g = user;
    const singular *s = g->s;
    const int64_t line = g->first + index;
    double *values = (double *)g->lines->values + index * g->lines->stride;
    (void)thread;
    if (g->read)
        matrix_copy_row(g->read, index, values);
    else if (s->by_features)
        matrix_copy_row(s->X, line, values);
    else if (g->transposed)
        matrix_copy_row(g->transposed, line, values);
    else
        for (int64_t i = 0; i < s->shorter; i++)
            values[i] = matrix_value(s->X, i * s->X->stride + line);
    for (int64_t i = 0; s->mean && i < s->shorter; i++)
        values[i] -= s->mean[s->by_features ? i : line];
}

static void panel_task(void *user, int64_t index, int thread)
{
    const gram_work *g = user;
    const kernels *k = kernel_table(ORTHANT_DOUBLE);
    const int64_t first = index * KERNEL_FEATURES,
                  columns = smaller(KERNEL_FEATURES, g->s->shorter - first);
    const array lines = matrix_array(g->lines);
    (void)thread;
    k->product_transposed(array_rows(k, matrix_array(g->gram), first, columns),
                          array_columns(k, lines, first, columns), lines, true);
}

static orthant_status read_lines(gram_work *g)
{
    int64_t line[LINES];
    for (int64_t i = 0; i < g->lines->rows; i++)
        line[i] = g->first + i;
    orthant_matrix_free(g->read);
    return matrix_read_rows(g->s->X, line, g->lines->rows, &g->read);
}

static orthant_status make_gram(gram_work *g)
{
    const singular *s = g->s;
    orthant_status status;
    if ((status = matrix_new_factor(s->ctx, ORTHANT_DOUBLE, LINES, s->shorter, &g->lines)) ||
        (status = matrix_new_factor(s->ctx, ORTHANT_DOUBLE, s->shorter, s->shorter, &g->gram)))
        return status;
    if (!s->by_features &&
        (status = matrix_check_here(s->X, "a singular value decomposition of fewer samples than "
                                          "features")))
        return status;
    if (!s->by_features && s->X->sparse &&
        (status = matrix_transpose(s->ctx, s->X, &g->transposed)))
        return status;
    for (g->first = 0; g->first < s->longer; g->first += LINES) {
        if ((status = stage_tell(s->ctx, NULL, "eigenvectors", g->first, s->longer)))
            return status;
        g->lines->rows = smaller(LINES, s->longer - g->first);
        if (matrix_file(s->X) && (status = read_lines(g)))
            return status;
        parallel_for(s->ctx, g->lines->rows, line_task, g);
        parallel_for(s->ctx, pieces(s->shorter, KERNEL_FEATURES), panel_task, g);
    }
    return ORTHANT_OK;
}

static orthant_status find_exactly(singular *s)
{
    gram_work g = {.s = s};
    orthant_status status = make_gram(&g);
    if (!status) {
        for (int64_t i = 0; i < s->shorter; i++)
            s->squares += matrix_value(g.gram, i * g.gram->stride + i);
        status = eigen_dense(s->ctx, g.gram->values, s->shorter, g.gram->stride, s->wanted,
                             s->values, s->vectors);
    }
    orthant_matrix_free(g.transposed);
    orthant_matrix_free(g.read);
    orthant_matrix_free(g.lines);
    orthant_matrix_free(g.gram);
    return status;
}

/* ------------------------------------------------------------------ either */

orthant_status singular_find(singular *s)
{
    const int64_t n = s->X->rows, m = s->X->columns;
    s->by_features = n > m;
    s->shorter = smaller(n, m);
    s->longer = larger(n, m);
    s->values = memory_new(s->ctx, s->wanted, sizeof *s->values, "singular values");
    s->vectors = memory_new(s->ctx, s->wanted * s->shorter, sizeof *s->vectors, "singular vectors");
    s->other = memory_new(s->ctx, s->longer, sizeof *s->other, "a singular vector");
    if (!s->values || !s->vectors || !s->other)
        return ORTHANT_ERROR_MEMORY;
    const bool exact =
        s->shorter <= EXACT_SIDE && (double)s->shorter * (double)n * (double)m <= EXACT_COST;
    const orthant_status status = exact ? find_exactly(s) : find_by_products(s);
    while (!status && s->found < s->wanted && s->values[s->found] > NOTHING * s->values[0])
        s->found++;
    return status;
}

double singular_triplet(singular *s, int64_t j, const double **left, const double **right)
{
    const double *vector = s->vectors + j * s->shorter;
    double squares = 0;
    (s->by_features ? forward : backward)(s, vector, s->other);
    for (int64_t i = 0; i < s->longer; i++)
        squares += s->other[i] * s->other[i];
    for (int64_t i = 0; i < s->longer && squares > 0; i++)
        s->other[i] /= sqrt(squares);
    *left = s->by_features ? s->other : vector;
    *right = s->by_features ? vector : s->other;
    return sqrt(squares);
}

void singular_free(singular *s)
{
    memory_free(s->ctx, s->values);
    memory_free(s->ctx, s->vectors);
    memory_free(s->ctx, s->other);
}
