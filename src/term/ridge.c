/* Ridge: the sum of squares of the encodings, or of the basis. Half its gradient is the factor
 * itself. */
#include "term/terms.h"

/* ------------------------------------------------------------------ of the encodings */

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    (void)numerator;
    s->ops->add(denominator, t->gain, sweep_rows(s, s->factors.last, b));
}

static void majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    (void)b;
    (void)numerator;
    s->ops->add_constant(curvature, t->gain);
}

static double rows_value(const term *t, const sweep *s, block b)
{
    const array rows = sweep_rows(s, s->factors.S, b);
    (void)t;
    return s->ops->dot(rows, rows);
}

/* ---- one sample ---- */

static double code_value(const term *t, const code_sample *x, const double *s)
{
    double total = 0;
    for (int64_t j = 0; j < x->rank; j++)
        total += s[j] * s[j];
    return t->weight * total;
}

static void code_parts(const term *t, const code_sample *x, const double *s, double *positive,
                       double *negative)
{
    (void)negative;
    for (int64_t j = 0; j < x->rank; j++)
        positive[j] += 2 * t->weight * s[j];
}

static void code_curvature(const term *t, const code_sample *x, const double *s, double *curvature)
{
    (void)s;
    for (int64_t j = 0; j < x->rank; j++)
        curvature[j * x->rank + j] += 2 * t->weight;
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("ridge_weight", "0.1", 0, 1e12, "weight of the squares of the encodings"),
    PARAMETER_END,
};

const term_kind term_ridge = {
    .name = "ridge",
    .title = "the squares of the encodings: no large ones",
    .flags = TERM_LETS_SCALE_DRIFT,
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
    s->ops->add(denominator, t->gain, sweep_rows(s, s->factors.W, b));
}

static void majorise_basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                           array curvature)
{
    (void)data_sums;
    majorise(t, s, b, numerator, curvature);
}

static double whole_value(const term *t, const sweep *s)
{
    (void)t;
    return s->ops->dot(s->factors.W, s->factors.W);
}

static const orthant_parameter_info basis_parameters[] = {
    PARAMETER_NUMBER("ridge_basis_weight", "0.1", 0, 1e12, "weight of the squares of the basis"),
    PARAMETER_END,
};

const term_kind term_ridge_basis = {
    .name = "ridge-basis",
    .title = "the squares of the basis: no large entries",
    .flags = TERM_LETS_SCALE_DRIFT,
    .parameters = basis_parameters,
    .basis = basis,
    .majorise_basis = majorise_basis,
    .whole_value = whole_value,
};
