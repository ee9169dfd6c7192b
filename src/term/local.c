/* Local coordinates: sum_i sum_k s_ik |w_k - x_i|^2 (NLCF, eqs. 7 and 8). With c_i = |x_i|^2 and
 * d_k = |w_k|^2, half its gradient is
 *
 *   for S:  (c_i + d_k) / 2 - X'W          for W:  W diag(sum of S) - X S
 *
 * The value is sum_i c_i sum_k s_ik - 2 <W, X S> + sum_k d_k sum_i s_ik: all from sums that the
 * sweep has. Where every sample lies near its basis vectors these cancel: <w_k, x_i> is then summed
 * in double. */
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "term/terms.h"

static orthant_status setup(term *t, const problem *p)
{
    double *squares = t->state =
        memory_new(t->ctx, p->samples->rows, sizeof *squares, "squared lengths of samples");
    if (!squares)
        return ORTHANT_ERROR_MEMORY;
    matrix_row_squares(p->samples, squares);
    return ORTHANT_OK;
}

static void release(term *t)
{
    memory_free(t->ctx, t->state);
    t->state = NULL;
}

static void basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                  array denominator)
{
    s->ops->add(numerator, t->gain, data_sums);
    s->ops->add_scaled_columns(denominator, t->gain, s->sums.columns,
                               sweep_rows(s, s->factors.W, b));
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    const double *squares = t->state;
    s->ops->add(numerator, t->gain, sweep_products(s, b));
    s->ops->add_rows(denominator, 0.5 * t->gain, squares + b.first);
    s->ops->add_columns(denominator, 0.5 * t->gain, s->factors.basis_squares);
}

static void majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    const double *squares = t->state;
    (void)curvature;
    s->ops->add(numerator, t->gain, sweep_products(s, b));
    s->ops->add_rows(numerator, -0.5 * t->gain, squares + b.first);
    s->ops->add_columns(numerator, -0.5 * t->gain, s->factors.basis_squares);
}

static void majorise_basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                           array curvature)
{
    (void)b;
    s->ops->add(numerator, t->gain, data_sums);
    s->ops->add_columns(curvature, t->gain, s->sums.columns);
}

static double rows_value(const term *t, const sweep *s, block b)
{
    const double *squares = t->state;
    double totals[KERNEL_ROWS], total = 0;
    s->ops->row_sums(sweep_rows(s, s->factors.S, b), totals);
    for (int64_t i = 0; i < b.rows; i++)
        total += squares[b.first + i] * totals[i];
    return total;
}

static double whole_value(const term *t, const sweep *s)
{
    double total = -2 * sweep_cross(s);
    (void)t;
    for (int64_t j = 0; j < s->factors.W.columns; j++)
        total += s->factors.basis_squares[j] * s->sums.columns[j];
    return total;
}

typedef struct exact_work {
    const sweep *s;
    const double *squares; /* c */
    double *scratch;       /* for each thread: a column of W, one of S, products with X */
    double *value;         /* of each chunk, for each column */
} exact_work;

static void exact_task(void *user, int64_t column, int thread)
{
    const exact_work *work = user;
    const sweep *s = work->s;
    const kernels *ops = s->ops;
    double *w = work->scratch + thread * (s->plan.strips.m + 2 * s->plan.strips.n),
           *encoding = w + s->plan.strips.m, *products = encoding + s->plan.strips.n, length = 0;
    const sample_share *part = &s->plan.strips.share;
    ops->get_values(array_columns(ops, s->factors.W, column, 1), w);
    ops->get_values(array_columns(ops, s->factors.S, column, 1), encoding);
    if (s->problem->samples->sparse)
        ops->sparse_vector_product(matrix_csr(s->problem->samples), 0, s->plan.strips.n, w,
                                   products);
    else
        ops->vector_product(matrix_array(s->problem->samples), w, products);
    for (int64_t j = 0; j < s->plan.strips.m; j++)
        length += w[j] * w[j];
    for (int64_t chunk = part->first_chunk; chunk < part->end_chunk; chunk++) {
        double total = 0;
        for (int64_t i = share_chunk_first(part, chunk); i < share_chunk_end(part, chunk); i++)
            total += encoding[i] * (work->squares[i] - 2 * products[i] + length);
        work->value[(chunk - part->first_chunk) * s->factors.W.columns + column] = total;
    }
}

static double exact_value(const term *t, const sweep *s, double rounded)
{
    const sample_share *part = &s->plan.strips.share;
    const int64_t chunks = part->end_chunk - part->first_chunk, rank = s->factors.W.columns,
                  of_threads = parallel_threads(s->ctx) * (s->plan.strips.m + 2 * s->plan.strips.n);
    double *scratch = memory_new(s->ctx, of_threads + (chunks + CHUNK_SUM_SLOTS + 1) * rank,
                                 sizeof *scratch, "the local term's value"),
           total = 0;
    if (!scratch) {
        if (part->shared)
            group_abandon(part, ORTHANT_ERROR_MEMORY, "out of memory for the local term's value");
        return rounded;
    }
    exact_work work = {s, t->state, scratch, scratch + of_threads};
    double *columns = work.value + chunks * rank;
    chunk_sum sum;
    parallel_for(s->ctx, rank, exact_task, &work);
    chunk_sum_begin(&sum, part, rank, columns + rank);
    for (int64_t c = 0; c < chunks; c++) {
        memcpy(chunk_sum_row(&sum), work.value + c * rank, (size_t)rank * sizeof(double));
        chunk_sum_next(&sum);
    }
    chunk_sum_end(&sum, columns);
    for (int64_t j = 0; j < rank; j++)
        total += columns[j];
    memory_free(s->ctx, scratch);
    return total;
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("local_weight", "0.1", 0, 1e12, "weight mu of the local coordinate term"),
    PARAMETER_END,
};

const term_kind term_local = {
    .name = "local",
    .title = "samples are coded by basis vectors near them",
    .flags = TERM_USES_PRODUCTS | TERM_USES_COLUMN_SUMS,
    .parameters = parameters,
    .setup = setup,
    .basis = basis,
    .encoding = encoding,
    .majorise = majorise,
    .majorise_basis = majorise_basis,
    .rows_value = rows_value,
    .whole_value = whole_value,
    .exact_value = exact_value,
    .release = release,
};
