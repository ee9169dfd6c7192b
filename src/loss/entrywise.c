#include "loss/entrywise.h"

#include <math.h>

static double entry_count(const sweep *s)
{
    const orthant_matrix *X = s->problem->samples;
    return (double)matrix_total(X) * (double)X->columns;
}

/* The rule in *own; NULL: the quotient. */
static const entry_rule *rule_of(const sweep *s, entry_rule *own)
{
    const loss *l = s->problem->loss;
    if (!l->rule)
        return NULL;
    *own =
        l->rule(s->ops, l->relative ? l->parameter * s->data_sum / entry_count(s) : l->parameter);
    own->of_entries = s->problem->weights;
    return own;
}

/* Each task on dense data transposes the basis: long ones, of a chunk an even number. */
int64_t entrywise_block_rows(const problem *p)
{
    const chunk_cut cut = samples_here(p->samples).cut;
    const int64_t n = smaller(cut.samples, cut.chunk);
    const kernels *ops = kernel_table(p->samples->precision);
    if (!p->loss->rule && (p->samples->sparse || p->rank <= ops->narrow))
        return 0;
    const int64_t most = n >= 256 ? KERNEL_RATIO_ROWS : KERNEL_RATIO_ROWS / 4;
    return pieces(n, 8 * pieces(n, 2 * most)) * 4;
}

static void products(const sweep *s, strip x, block b)
{
    if (s->plan.copies_products)
        s->plan.strips.x->product(s->ops, x, b, s->factors.W, s->factors.packed,
                                  sweep_products(s, b));
}

void entrywise_encoding(const sweep *s, strip x, block b, array from, array N, array D)
{
    const bool constant = s->problem->loss->constant_q;
    const array none = {0};
    entry_rule own;
    s->plan.strips.x->entry_product(s->ops, x, b, from, s->factors.W, s->factors.packed,
                                    rule_of(s, &own), N, constant ? none : D,
                                    sweep_kernel_scratch(s, b.thread));
    if (constant) {
        array_clear(s->ops, D);
        s->ops->add_columns(D, 1, s->factors.basis_sums);
    }
    products(s, x, b);
}

/* Solvers by coordinates go through the entries themselves. */
void entrywise_linear(const sweep *s, strip x, block b, array N)
{
    array_clear(s->ops, N);
    products(s, x, b);
}

void entrywise_basis(const sweep *s, block f, array W, array D)
{
    (void)W;
    if (s->sums.Q.data) {
        s->ops->copy(D, sweep_rows(s, s->sums.Q, f));
        return;
    }
    array_clear(s->ops, D);
    s->ops->add_columns(D, 1, s->sums.columns);
}

void entrywise_accumulate(const sweep *s, strip x, panel p, int thread, sums *to, double *value)
{
    const kernels *ops = s->ops;
    const int64_t features = p.end - p.first;
    const array S = sweep_strip_rows(s, s->factors.S, x);
    entry_rule own;
    s->plan.strips.x->entry_product_transposed(
        ops, x, p, S, s->factors.W, rule_of(s, &own), array_rows(ops, to->A, p.first, features),
        to->Q.data ? array_rows(ops, to->Q, p.first, features) : to->Q,
        sweep_kernel_scratch(s, thread), value);
    if (s->plan.keeps_products)
        s->plan.strips.x->product_transposed(ops, x, p, S,
                                             array_rows(ops, to->XS, p.first, features));
}

/* Of what a rule sums, whose slope is q - p, to the value, whose slope is (2 / gain) (q - p). */
static double by_gain(const sweep *s, double total)
{
    return 2 / s->problem->loss->gain * total;
}

double entrywise_rows_value(const sweep *s, strip x, block b)
{
    entry_rule own;
    return by_gain(s, s->plan.strips.x->entry_value(s->ops, x, b, sweep_rows(s, s->factors.S, b),
                                                    s->factors.W, rule_of(s, &own),
                                                    sweep_kernel_scratch(s, b.thread)));
}

double entrywise_value(const sweep *s)
{
    return fmax(by_gain(s, s->sums.value), 0);
}

/* Squares of residuals are small long before rounding is all there is; in other losses it is terms
 * of the size of the data that cancel. */
bool entrywise_at_limit(const sweep *s, double value)
{
    const bool single = s->problem->samples->precision == ORTHANT_SINGLE;
    const double degree = s->problem->loss->degree, count = entry_count(s),
                 part = degree == 2 ? (single ? 1e-10 : 1e-27) : (single ? 1e-6 : 1e-12);
    return value < part * count * pow(s->data_sum / count, degree) && (value > 0 || degree != 2);
}
