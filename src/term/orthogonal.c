/* Orthogonality: the sum of the entries of S'S, or of W'W, beside its diagonal (as in local NMF,
 * Li, Hou, Zhang, Cheng 2001). Of a row r >= 0 that is (sum of r)^2 - |r|^2 = r M r', M = 11' - I,
 * so that every row is by itself, and half its gradient, the sum of the row's other entries, is
 * never negative: where all are zero, each sample has one part, or each feature.
 *
 * Majoriser: for any shares p > 0 with sum 1, (sum of r)^2 <= sum of r_j^2 / p_j. The shares are
 * those of the row's entries, half and half with equal ones, as an entry at zero must be able to
 * leave it. */
#include "term/terms.h"

/* M r' of each row: the sum of its other entries. That of one entry alone is zero to the last bit.
 */
static array others(const sweep *s, block b, array rows, const double *totals)
{
    const array to = sweep_term_array(s, b, 0);
    array_clear(s->ops, to);
    s->ops->add_rows(to, 1, totals);
    s->ops->add(to, -1, rows);
    return to;
}

static void add_parts(const term *t, const sweep *s, block b, array rows, array denominator)
{
    double totals[KERNEL_ROWS];
    s->ops->row_sums(rows, totals);
    s->ops->add(denominator, t->gain, others(s, b, rows, totals));
}

/* 1 / p - 1 for each entry. */
static array curvature_of(const sweep *s, block b, array rows, const double *totals)
{
    const kernels *ops = s->ops;
    const array root = sweep_term_array(s, b, 0), to = sweep_term_array(s, b, 1);
    const double k = (double)rows.columns;
    double scale[KERNEL_ROWS], equal[KERNEL_ROWS];
    for (int64_t i = 0; i < rows.rows; i++) {
        scale[i] = totals[i] > 0 ? 0.5 / totals[i] : 0;
        equal[i] = totals[i] > 0 ? 0.5 / k : 1 / k;
    }
    ops->copy(root, rows);
    ops->scale_rows(root, scale);
    ops->add_rows(root, 1, equal);
    ops->inverse_root(root, 0);
    ops->square(to, root);
    ops->add_constant(to, -1);
    ops->positive_part(to);
    return to;
}

/* With half the gradient curvature .* r - numerator: numerator = curvature .* last - M last. */
static void add_majoriser(const term *t, const sweep *s, block b, array rows, array numerator,
                          array curvature)
{
    double totals[KERNEL_ROWS];
    s->ops->row_sums(rows, totals);
    const array bound = curvature_of(s, b, rows, totals);
    s->ops->add(curvature, t->gain, bound);
    s->ops->add_product(numerator, t->gain, bound, rows);
    s->ops->add(numerator, -t->gain, others(s, b, rows, totals));
}

static double value(const kernels *ops, array rows)
{
    double totals[KERNEL_ROWS], total = 0;
    for (int64_t first = 0; first < rows.rows; first += KERNEL_ROWS) {
        const int64_t count = smaller(KERNEL_ROWS, rows.rows - first);
        const array some = array_rows(ops, rows, first, count);
        ops->row_sums(some, totals);
        for (int64_t i = 0; i < count; i++)
            total += totals[i] * totals[i];
        total -= ops->dot(some, some);
    }
    return total;
}

/* ------------------------------------------------------------------ of the encodings */

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    (void)numerator;
    add_parts(t, s, b, sweep_rows(s, s->factors.last, b), denominator);
}

static void majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    add_majoriser(t, s, b, sweep_rows(s, s->factors.last, b), numerator, curvature);
}

static double rows_value(const term *t, const sweep *s, block b)
{
    (void)t;
    return value(s->ops, sweep_rows(s, s->factors.S, b));
}

/* ---- one sample ---- */

static double total_of(const code_sample *x, const double *s)
{
    double total = 0;
    for (int64_t j = 0; j < x->rank; j++)
        total += s[j];
    return total;
}

static double code_value(const term *t, const code_sample *x, const double *s)
{
    const double total = total_of(x, s);
    double products = 0;
    for (int64_t j = 0; j < x->rank; j++)
        products += s[j] * (total - s[j]);
    return t->weight * products;
}

static void code_parts(const term *t, const code_sample *x, const double *s, double *positive,
                       double *negative)
{
    const double total = total_of(x, s);
    (void)negative;
    for (int64_t j = 0; j < x->rank; j++)
        positive[j] += 2 * t->weight * (total - s[j]);
}

/* That of 11' alone: M = 11' - I has negative eigenvalues. */
static void code_curvature(const term *t, const code_sample *x, const double *s, double *curvature)
{
    (void)s;
    for (int64_t i = 0; i < x->rank; i++)
        for (int64_t j = 0; j <= i; j++)
            curvature[i * x->rank + j] += 2 * t->weight;
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("orthogonal_weight", "0.1", 0, 1e12,
                     "weight of the products of different columns of the encodings"),
    PARAMETER_END,
};

const term_kind term_orthogonal = {
    .name = "orthogonal",
    .title = "columns of the encodings are orthogonal: one part a sample",
    .flags = TERM_LETS_SCALE_DRIFT | TERM_NOT_CONVEX,
    .parameters = parameters,
    .encoding = encoding,
    .majorise = majorise,
    .rows_value = rows_value,
    .code_value = code_value,
    .code_parts = code_parts,
    .code_curvature = code_curvature,
};

/* ------------------------------------------------------------------ of the basis */

static void basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                  array denominator)
{
    (void)data_sums;
    (void)numerator;
    add_parts(t, s, b, sweep_rows(s, s->factors.W, b), denominator);
}

static void majorise_basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                           array curvature)
{
    (void)data_sums;
    add_majoriser(t, s, b, sweep_rows(s, s->factors.W, b), numerator, curvature);
}

static double whole_value(const term *t, const sweep *s)
{
    (void)t;
    return value(s->ops, s->factors.W);
}

static const orthant_parameter_info basis_parameters[] = {
    PARAMETER_NUMBER("orthogonal_basis_weight", "0.1", 0, 1e12,
                     "weight of the products of different parts"),
    PARAMETER_END,
};

const term_kind term_orthogonal_basis = {
    .name = "orthogonal-basis",
    .title = "parts are orthogonal: no feature in two of them",
    .flags = TERM_LETS_SCALE_DRIFT,
    .parameters = basis_parameters,
    .basis = basis,
    .majorise_basis = majorise_basis,
    .whole_value = whole_value,
};
