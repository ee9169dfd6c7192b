#include "engine/unit_basis.h"

#include <string.h>

bool unit_basis_counts(const term_kind *kind)
{
    return kind->encoding && !kind->basis && !(kind->flags & TERM_MAY_RISE);
}

static bool any(const problem *p)
{
    bool found = false;
    for (int i = 0; i < p->term_count; i++)
        found |= unit_basis_counts(p->terms[i].kind);
    return p->unit_basis && found;
}

/* p and n, and the slots of their sums over the chunks. */
int64_t unit_basis_numbers(const problem *p)
{
    return any(p) ? 2 * p->rank * (1 + CHUNK_SUM_SLOTS) : 0;
}

int64_t unit_basis_slots(const problem *p)
{
    return any(p) ? 2 * p->rank : 0;
}

/* The columns' sums of S .* parts. */
static void add_column_products(const sweep *s, block b, array parts, double *totals)
{
    const array products = sweep_term_array(s, b, 0);
    array_clear(s->ops, products);
    s->ops->add_product(products, 1, sweep_rows(s, s->factors.S, b), parts);
    s->ops->column_sums(products, totals);
}

static void sum_block(void *user, strip x, block b)
{
    const sweep *s = user;
    const problem *p = s->problem;
    const array N = sweep_array(s, b, SCRATCH_NUMERATOR),
                D = sweep_array(s, b, SCRATCH_DENOMINATOR);
    double *totals = s->workspace.values + strips_slot(&s->plan.strips, b.first) * 2 * p->rank;
    (void)x;
    memset(totals, 0, 2 * (size_t)p->rank * sizeof *totals);
    array_clear(s->ops, N);
    array_clear(s->ops, D);
    for (int i = 0; i < p->term_count; i++)
        if (unit_basis_counts(p->terms[i].kind))
            p->terms[i].kind->encoding(&p->terms[i], s, b, N, D);
    add_column_products(s, b, D, totals);
    add_column_products(s, b, N, totals + p->rank);
}

void unit_basis_sums(sweep *s)
{
    const problem *p = s->problem;
    if (!any(p))
        return;
    for (int i = 0; i < p->term_count; i++) {
        term *t = &p->terms[i];
        if (unit_basis_counts(t->kind) && t->kind->refresh)
            t->kind->refresh(t, s);
        if (unit_basis_counts(t->kind) && t->kind->prepare)
            t->kind->prepare(t, s);
    }
    sweep still = *s;
    still.factors.last = s->factors.S;
    strips_run(&s->plan.strips,
               &(strip_pass){.user = &still, .encode = sum_block, .without_data = true});
    strips_add_rows(&s->plan.strips, s->workspace.values, 2 * p->rank, s->basis_parts + 2 * p->rank,
                    s->basis_parts);
}

void unit_basis_add(const sweep *s, bool majorises, array W, array numerator, array denominator)
{
    const problem *p = s->problem;
    if (!any(p))
        return;
    if (majorises)
        s->ops->add_columns(denominator, 1, s->basis_parts);
    else
        s->ops->add_scaled_columns(denominator, 1, s->basis_parts, W);
    s->ops->add_scaled_columns(numerator, 1, s->basis_parts + p->rank, W);
}
