/* Sparsity: the sum of the encodings (NNSC, Hoyer 2002), or of the basis. Half its gradient is 1/2
 * everywhere. */
#include "term/terms.h"

/* ------------------------------------------------------------------ of the encodings */

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    (void)b;
    (void)numerator;
    s->ops->add_constant(denominator, 0.5 * t->gain);
}

static void majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    (void)b;
    (void)curvature;
    s->ops->add_constant(numerator, -0.5 * t->gain);
}

static double rows_value(const term *t, const sweep *s, block b)
{
    (void)t;
    return s->ops->sum(sweep_rows(s, s->factors.S, b));
}

/* ---- one sample ---- */

static double code_value(const term *t, const code_sample *x, const double *s)
{
    double total = 0;
    for (int64_t j = 0; j < x->rank; j++)
        total += s[j];
    return t->weight * total;
}

static void code_parts(const term *t, const code_sample *x, const double *s, double *positive,
                       double *negative)
{
    (void)s;
    (void)negative;
    for (int64_t j = 0; j < x->rank; j++)
        positive[j] += t->weight;
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("sparsity_weight", "0.1", 0, 1e12, "weight of the sum of the encodings"),
    PARAMETER_END,
};

const term_kind term_sparsity = {
    .name = "sparsity",
    .title = "the sum of the encodings: few active parts a sample",
    .flags = TERM_DESCENDS_WITH_KL | TERM_LETS_SCALE_DRIFT,
    .parameters = parameters,
    .encoding = encoding,
    .majorise = majorise,
    .rows_value = rows_value,
    .code_value = code_value,
    .code_parts = code_parts,
};

/* ------------------------------------------------------------------ of the basis */

static void basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                  array denominator)
{
    (void)data_sums;
    encoding(t, s, b, numerator, denominator);
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
    return s->ops->sum(s->factors.W);
}

static const orthant_parameter_info basis_parameters[] = {
    PARAMETER_NUMBER("sparsity_basis_weight", "0.1", 0, 1e12, "weight of the sum of the basis"),
    PARAMETER_END,
};

const term_kind term_sparsity_basis = {
    .name = "sparsity-basis",
    .title = "the sum of the basis: few features a part",
    .flags = TERM_DESCENDS_WITH_KL | TERM_LETS_SCALE_DRIFT,
    .parameters = basis_parameters,
    .basis = basis,
    .majorise_basis = majorise_basis,
    .whole_value = whole_value,
};
