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
#include "data/pass.h"
#include "engine/device.h"
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

/* sum_ij s_ij (|x_i|^2 - 2 x_i'w_j + |w_j|^2) in double: for each column j over the samples of a
 * chunk in their order, then along the tree. */
typedef struct exact_work {
    const sweep *s;
    const double *squares; /* c */
    double *value;         /* of each chunk, for each column */
    double *basis;         /* k x m: columns of W */
    double *length;        /* k: their |w_j|^2 */
    double *products;      /* k x PASS_ROWS: x_i'w_j of a strip's samples, */
    double *encoding;      /* PASS_ROWS x k: and their encodings */
} exact_work;

static void exact_block(void *user, strip x, block b)
{
    const exact_work *work = user;
    const sweep *s = work->s;
    const int64_t row = x.row + b.first - x.first, at = b.first - x.first, m = s->plan.strips.m,
                  rank = s->factors.W.columns;
    s->ops->get_values(array_rows(s->ops, s->factors.S, b.first, b.rows),
                       work->encoding + at * rank);
    for (int64_t j = 0; j < rank; j++) {
        double *products = work->products + j * PASS_ROWS + at;
        const double *w = work->basis + j * m;
        if (x.data->sparse)
            s->ops->sparse_vector_product(matrix_csr(x.data), row, b.rows, w, products);
        else
            s->ops->vector_product(array_rows(s->ops, matrix_array(x.data), row, b.rows), w,
                                   products);
    }
}

static void exact_strip(void *user, strip x)
{
    const exact_work *work = user;
    const int64_t rank = work->s->factors.W.columns, chunk = work->s->plan.strips.chunk;
    for (int64_t j = 0; j < rank; j++)
        for (int64_t i = 0; i < x.rows; i++)
            work->value[(x.first + i) / chunk * rank + j] +=
                work->encoding[i * rank + j] *
                (work->squares[x.first + i] - 2 * work->products[j * PASS_ROWS + i] +
                 work->length[j]);
}

static void set_basis(const exact_work *work)
{
    const sweep *s = work->s;
    const int64_t m = s->plan.strips.m;
    for (int64_t j = 0; j < s->factors.W.columns; j++) {
        s->ops->get_values(array_columns(s->ops, s->factors.W, j, 1), work->basis + j * m);
        for (int64_t f = 0; f < m; f++)
            work->length[j] += work->basis[j * m + f] * work->basis[j * m + f];
    }
}

static double exact_value(const term *t, const sweep *s, double rounded)
{
    const sample_share *part = &s->plan.strips.share;
    const int64_t chunks = part->end_chunk - part->first_chunk, m = s->plan.strips.m,
                  rank = s->factors.W.columns;
    double *scratch =
               memory_new(s->ctx, (chunks + CHUNK_SUM_SLOTS + 1 + m + 1 + 2 * PASS_ROWS) * rank,
                          sizeof *scratch, "the local term's value"),
           total = 0;
    if (!scratch) {
        if (part->shared)
            group_abandon(part, ORTHANT_ERROR_MEMORY, "out of memory for the local term's value");
        return rounded;
    }
    double *columns = scratch + chunks * rank, *rest = columns + (CHUNK_SUM_SLOTS + 1) * rank;
    exact_work work = {.s = s,
                       .squares = t->state,
                       .value = scratch,
                       .basis = rest,
                       .length = rest + m * rank,
                       .products = rest + (m + 1) * rank,
                       .encoding = rest + (m + 1 + PASS_ROWS) * rank};
    chunk_sum sum;
    set_basis(&work);
    rows_pass_take(s->ctx, s->problem->samples, &(rows_pass){&work, exact_block, exact_strip});
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

static void describe(const term *t, device_term *to)
{
    to->squares = t->state;
}

/* ------------------------------------------------------------------ one sample */

static double code_value(const term *t, const code_sample *x, const double *s)
{
    double total = 0;
    for (int64_t j = 0; j < x->rank; j++)
        total += s[j] * (x->squares - 2 * x->cross[j] + x->basis_squares[j]);
    return t->weight * total;
}

static void code_parts(const term *t, const code_sample *x, const double *s, double *positive,
                       double *negative)
{
    (void)s;
    for (int64_t j = 0; j < x->rank; j++) {
        positive[j] += t->weight * (x->squares + x->basis_squares[j]);
        negative[j] += t->weight * 2 * x->cross[j];
    }
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
    .describe = describe,
    .code_value = code_value,
    .code_parts = code_parts,
};
