#include "term/gram_inverse.h"

#include <lapacke.h>

#include "core/memory.h"
#include "kernel/blas.h"

static const char what[] = "the inverse of a Gram matrix";

void gram_inverse_free(orthant_context *ctx, gram_inverse *g)
{
    if (!g)
        return;
    orthant_matrix_free(g->positive);
    orthant_matrix_free(g->negative);
    memory_free(ctx, g->vectors);
    memory_free(ctx, g->values);
    memory_free(ctx, g->matrix);
    memory_free(ctx, g->work);
    memory_free(ctx, g);
}

orthant_status gram_inverse_new(orthant_context *ctx, const problem *p, double ridge,
                                gram_inverse **made)
{
    const int64_t rank = p->rank;
    double wanted = 0, none = 0;
    orthant_status status;
    gram_inverse *g = *made = memory_new(ctx, 1, sizeof *g, what);
    if (!g || blas_check_memory(ctx))
        return ORTHANT_ERROR_MEMORY;
    g->rank = rank;
    g->ridge = ridge;
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)rank, &none, (lapack_int)rank,
                           &none, &wanted, -1))
        return fail(ctx, ORTHANT_ERROR_NUMERIC, "LAPACK gives no eigenvectors of %lld columns",
                    (long long)rank);
    g->work_size = (int)wanted;
    g->vectors = memory_new(ctx, rank * rank, sizeof(double), what);
    g->values = memory_new(ctx, rank, sizeof(double), what);
    g->matrix = memory_new(ctx, rank * rank, sizeof(double), what);
    g->work = memory_new(ctx, g->work_size, sizeof(double), what);
    if (!g->vectors || !g->values || !g->matrix || !g->work)
        return ORTHANT_ERROR_MEMORY;
    if ((status = matrix_new_factor(ctx, p->samples->precision, rank, rank, &g->positive)))
        return status;
    return matrix_new_factor(ctx, p->samples->precision, rank, rank, &g->negative);
}

void gram_inverse_decompose(gram_inverse *g)
{
    const lapack_int rank = (lapack_int)g->rank;
    blas_enter();
    const lapack_int failed = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', rank, g->vectors, rank,
                                                 g->values, g->work, g->work_size);
    blas_leave();
    if (failed)
        for (lapack_int i = 0; i < rank; i++)
            g->values[i] = 0; /* not finite: the loop ends the fit with a message */
    for (lapack_int i = 0; i < rank; i++)
        g->values[i] = (g->values[i] > 0 ? g->values[i] : 0) + g->ridge;
}

void gram_inverse_make(gram_inverse *g, const kernels *ops, int power)
{
    const int64_t rank = g->rank;
    const array positive = matrix_array(g->positive), negative = matrix_array(g->negative);
    for (int64_t i = 0; i < rank; i++)
        for (int64_t j = 0; j <= i; j++) {
            double total = 0;
            for (int64_t e = 0; e < rank; e++)
                total += g->vectors[e * rank + i] * g->vectors[e * rank + j] /
                         (power == 2 ? g->values[e] * g->values[e] : g->values[e]);
            g->matrix[i * rank + j] = g->matrix[j * rank + i] = total;
        }
    ops->set_values(positive, g->matrix);
    array_clear(ops, negative);
    ops->add(negative, -1, positive);
    ops->positive_part(positive);
    ops->positive_part(negative);
}

void gram_inverse_add(const gram_inverse *g, const sweep *s, block b, double scale, array rows,
                      array positive, array negative)
{
    const array part = sweep_term_array(s, b, 0);
    s->ops->product(part, rows, matrix_array(g->positive), false);
    s->ops->add(positive, scale, part);
    s->ops->product(part, rows, matrix_array(g->negative), false);
    s->ops->add(negative, scale, part);
}
