/* A-optimality: tr((S'S + gamma I)^-1), after A-optimal nonnegative projection (ANP): the mean
 * error of a ridge regression on the encodings, so that they become a good design for one. Half its
 * gradient is -S M with M = (S'S + gamma I)^-2, split into the positive and the negative entries of
 * M: S M+ goes to the numerator, S M- to the denominator.
 *
 * S'S comes from the last sweep, and M from its eigenvectors, in double. The value is convex in
 * S'S, so no bound of the usual kind makes the multiplicative rule descend: the engine watches the
 * objective. The paper's constants were not at hand. */
#include <lapacke.h>

#include "core/memory.h"
#include "kernel/blas.h"
#include "term/terms.h"

typedef struct design {
    orthant_matrix *positive, *negative; /* M+ and M-, k x k */
    double *vectors, *square;            /* k x k */
    double *values;                      /* k: eigenvalues of S'S */
    double *work;
    lapack_int work_size;
    double gamma;
} design;

static void release(term *t)
{
    design *d = t->state;
    if (!d)
        return;
    orthant_matrix_free(d->positive);
    orthant_matrix_free(d->negative);
    memory_free(t->ctx, d->vectors);
    memory_free(t->ctx, d->square);
    memory_free(t->ctx, d->values);
    memory_free(t->ctx, d->work);
    memory_free(t->ctx, d);
    t->state = NULL;
}

static orthant_status setup(term *t, const problem *p)
{
    const int64_t rank = p->rank;
    double wanted = 0, none = 0;
    orthant_status status;
    design *d = t->state = memory_new(t->ctx, 1, sizeof *d, "the a-optimal term");
    if (!d || blas_check_memory(t->ctx))
        return ORTHANT_ERROR_MEMORY;
    d->gamma = parameter_number(p->parameters, "gamma");
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)rank, &none, (lapack_int)rank,
                           &none, &wanted, -1))
        return fail(t->ctx, ORTHANT_ERROR_NUMERIC, "LAPACK gives no eigenvectors of %lld columns",
                    (long long)rank);
    d->work_size = (lapack_int)wanted;
    d->vectors = memory_new(t->ctx, rank * rank, sizeof(double), "the a-optimal term");
    d->square = memory_new(t->ctx, rank * rank, sizeof(double), "the a-optimal term");
    d->values = memory_new(t->ctx, rank, sizeof(double), "the a-optimal term");
    d->work = memory_new(t->ctx, d->work_size, sizeof(double), "the a-optimal term");
    if (!d->vectors || !d->square || !d->values || !d->work)
        return ORTHANT_ERROR_MEMORY;
    if ((status = matrix_new_factor(t->ctx, p->samples->precision, rank, rank, &d->positive)))
        return status;
    return matrix_new_factor(t->ctx, p->samples->precision, rank, rank, &d->negative);
}

/* Eigenvalues of S'S + gamma I and their vectors; rounding must not make one smaller than gamma. */
static void decompose(design *d, const sweep *s)
{
    const lapack_int rank = (lapack_int)s->sums.B.columns;
    s->ops->get_values(s->sums.B, d->vectors);
    blas_enter();
    const lapack_int failed = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', rank, d->vectors, rank,
                                                 d->values, d->work, d->work_size);
    blas_leave();
    if (failed)
        for (lapack_int i = 0; i < rank; i++)
            d->values[i] = 0; /* not finite: the loop ends the fit with a message */
    for (lapack_int i = 0; i < rank; i++)
        d->values[i] = (d->values[i] > 0 ? d->values[i] : 0) + d->gamma;
}

static void prepare(term *t, const sweep *s)
{
    design *d = t->state;
    const int64_t rank = s->sums.B.columns;
    decompose(d, s);
    for (int64_t i = 0; i < rank; i++)
        for (int64_t j = 0; j <= i; j++) {
            double total = 0;
            for (int64_t e = 0; e < rank; e++)
                total += d->vectors[e * rank + i] * d->vectors[e * rank + j] /
                         (d->values[e] * d->values[e]);
            d->square[i * rank + j] = d->square[j * rank + i] = total;
        }
    s->ops->set_values(matrix_array(d->positive), d->square);
    s->ops->positive_part(matrix_array(d->positive));
    for (int64_t e = 0; e < rank * rank; e++)
        d->square[e] = -d->square[e];
    s->ops->set_values(matrix_array(d->negative), d->square);
    s->ops->positive_part(matrix_array(d->negative));
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    const design *d = t->state;
    const array part = sweep_term_array(s, b, 0);
    const array from = sweep_rows(s, s->factors.last, b);
    s->ops->product(part, from, matrix_array(d->positive), false);
    s->ops->add(numerator, t->gain, part);
    s->ops->product(part, from, matrix_array(d->negative), false);
    s->ops->add(denominator, t->gain, part);
}

static double whole_value(const term *t, const sweep *s)
{
    design *d = t->state;
    double total = 0;
    decompose(d, s);
    for (int64_t i = 0; i < s->sums.B.columns; i++)
        total += 1 / d->values[i];
    return total;
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("optimality_weight", "0.01", 0, 1e12,
                     "weight of the A-optimality of the encodings"),
    PARAMETER_NUMBER("gamma", "0.01", 1e-12, 1e12, "ridge added to the encodings' Gram matrix"),
    PARAMETER_END,
};

const term_kind term_a_optimal = {
    .name = "a-optimal",
    .title = "encodings are a good design for a regression on them",
    .flags = TERM_USES_GRAM | TERM_MAY_RISE,
    .parameters = parameters,
    .setup = setup,
    .prepare = prepare,
    .encoding = encoding,
    .whole_value = whole_value,
    .release = release,
};
