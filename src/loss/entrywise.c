#include "loss/entrywise.h"

static const entry_rule *rule_of(const sweep *s)
{
    const loss *l = s->problem->loss;
    return s->problem->samples->precision == ORTHANT_SINGLE ? l->rule_single : l->rule_double;
}

/* Each task on dense data transposes the basis: long ones, of a chunk an even number. */
int64_t entrywise_block_rows(const problem *p)
{
    const chunk_cut cut = samples_here(p->samples).cut;
    const int64_t n = smaller(cut.samples, cut.chunk);
    const kernels *ops = kernel_table(p->samples->precision);
    if (p->samples->sparse || p->rank <= ops->narrow)
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
    s->plan.strips.x->entry_product(s->ops, x, b, from, s->factors.W, s->factors.packed, rule_of(s),
                                    N, constant ? none : D, sweep_kernel_scratch(s, b.thread));
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
    s->plan.strips.x->entry_product_transposed(
        ops, x, p, S, s->factors.W, rule_of(s), array_rows(ops, to->A, p.first, features),
        to->Q.data ? array_rows(ops, to->Q, p.first, features) : to->Q,
        sweep_kernel_scratch(s, thread), value);
    if (s->plan.keeps_products)
        s->plan.strips.x->product_transposed(ops, x, p, S,
                                             array_rows(ops, to->XS, p.first, features));
}

double entrywise_rows_value(const sweep *s, strip x, block b)
{
    return s->plan.strips.x->entry_value(s->ops, x, b, sweep_rows(s, s->factors.S, b), s->factors.W,
                                         rule_of(s), sweep_kernel_scratch(s, b.thread));
}

double entrywise_value(const sweep *s)
{
    return s->sums.value > 0 ? s->sums.value : 0;
}

bool entrywise_at_limit(const sweep *s, double value)
{
    return value < (s->problem->samples->precision == ORTHANT_SINGLE ? 1e-6 : 1e-12) * s->data_sum;
}
