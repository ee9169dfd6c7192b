#include "method/principal.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "engine/products.h"
#include "engine/singular.h"

#define NEARLY_TIED 1e-6 /* entries so near the largest modulus count as it */

void principal_free(orthant_context *ctx, principal *p)
{
    memory_free(ctx, p->mean);
    memory_free(ctx, p->values);
    orthant_matrix_free(p->vectors);
    memset(p, 0, sizeof *p);
}

static void find_mean(const orthant_matrix *X, double *mean)
{
    for (int64_t i = 0; i < X->rows; i++) {
        const int64_t first = X->sparse ? X->row_start[i] : i * X->stride,
                      end = X->sparse ? X->row_start[i + 1] : first + X->columns;
        for (int64_t e = first; e < end; e++)
            mean[X->sparse ? X->column[e] : e - first] += matrix_value(X, e);
    }
    for (int64_t j = 0; j < X->columns; j++)
        mean[j] /= (double)X->rows;
}

/* A unit vector, with its entry of largest modulus positive: of nearly tied ones the first. */
static void set_column(orthant_matrix *vectors, int64_t j, const double *values)
{
    double largest = 0, sign = 0;
    for (int64_t i = 0; i < vectors->rows; i++)
        largest = fmax(largest, fabs(values[i]));
    for (int64_t i = 0; i < vectors->rows && sign == 0; i++)
        if (fabs(values[i]) >= (1 - NEARLY_TIED) * largest)
            sign = values[i] < 0 ? -1 : 1;
    for (int64_t i = 0; i < vectors->rows; i++)
        matrix_set_value(vectors, i * vectors->stride + j, sign * values[i]);
}

orthant_status principal_find(orthant_context *ctx, const orthant_matrix *X, int64_t wanted,
                              uint64_t seed, principal *p)
{
    const int64_t least = X->rows < X->columns ? X->rows : X->columns;
    memset(p, 0, sizeof *p);
    p->mean = memory_new(ctx, X->columns, sizeof *p->mean, "the mean sample");
    p->values = memory_new(ctx, wanted, sizeof *p->values, "eigenvalues");
    if (!p->mean || !p->values)
        return ORTHANT_ERROR_MEMORY;
    find_mean(X, p->mean);
    singular s = {.ctx = ctx,
                  .X = X,
                  .mean = p->mean,
                  .wanted = wanted < least ? wanted : least,
                  .seed = seed};
    orthant_status status = matrix_new_factor(ctx, X->precision, X->columns, wanted, &p->vectors);
    if (!status)
        status = singular_find(&s);
    for (int64_t j = 0; j < s.found; j++) {
        const double *left, *right;
        singular_triplet(&s, j, &left, &right);
        p->values[j] = s.values[j];
        set_column(p->vectors, j, right);
    }
    p->found = s.found;
    p->scatter = s.squares;
    p->restarts = s.restarts;
    singular_free(&s);
    return status;
}

/* X V - 1 mean'V. */
orthant_status principal_scores(orthant_context *ctx, const orthant_matrix *X, const principal *p,
                                orthant_matrix *scores)
{
    const kernels *ops = kernel_table(X->precision);
    orthant_matrix *offset = NULL;
    const orthant_status status = matrix_new_factor(ctx, X->precision, 1, scores->columns, &offset);
    if (status)
        return status;
    for (int64_t j = 0; j < scores->columns; j++) {
        double total = 0;
        for (int64_t i = 0; i < X->columns; i++)
            total -= p->mean[i] * matrix_value(p->vectors, i * p->vectors->stride + j);
        matrix_set_value(offset, j, total);
    }
    products_forward(ctx, X, matrix_array(p->vectors), matrix_array(scores));
    for (int64_t i = 0; i < X->rows; i++)
        ops->add(array_rows(ops, matrix_array(scores), i, 1), 1, matrix_array(offset));
    orthant_matrix_free(offset);
    return ORTHANT_OK;
}
