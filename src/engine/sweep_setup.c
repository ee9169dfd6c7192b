/* The sweep's memory, from its plan. */
#include "core/memory.h"
#include "engine/fixed.h"
#include "engine/loss.h"
#include "engine/solver.h"
#include "engine/sweep_device.h"
#include "engine/unit_basis.h"

static bool new_factors(sweep *s, const plan *p)
{
    factors *f = &s->factors;
    const int64_t rank = s->problem->rank;
    f->basis_sums = memory_new(s->ctx, 2 * rank, sizeof *f->basis_sums, "sums of columns");
    f->basis_squares = f->basis_sums ? f->basis_sums + rank : NULL;
    if (p->packed_bytes > 0 &&
        !(f->packed = memory_new(s->ctx, p->packed_bytes, 1, "the packed basis")))
        return false;
    return f->basis_sums && plan_new_array(p, p->keeps_basis_gram, rank, rank, &f->G) &&
           plan_new_array(p, p->keeps_last, p->strips.n + s->problem->halo, rank, &f->last) &&
           plan_new_array(p, p->extrapolates, p->strips.m, rank, &f->updated_basis) &&
           plan_new_array(p, p->extrapolates, p->strips.n, rank, &f->updated_encoding);
}

static bool new_workspace(sweep *s, const plan *p)
{
    const int64_t parts = unit_basis_numbers(s->problem);
    workspace *w = &s->workspace;
    w->value_count = plan_slots(p, s->problem);
    w->values = memory_new(s->ctx, w->value_count, sizeof *w->values, "partial sums");
    w->scratch = memory_new(s->ctx, p->strips.threads * plan_scratch(p), 1, "scratch");
    if (parts > 0 && !(s->basis_parts = memory_new(s->ctx, parts, sizeof *s->basis_parts,
                                                   "penalties by the basis")))
        return false;
    return w->values && w->scratch;
}

orthant_status sweep_plan(sweep *s, const problem *p)
{
    *s = (sweep){.problem = p, .ctx = p->ctx, .ops = kernel_table(p->samples->precision)};
    const orthant_status status = plan_make(&s->plan, p);
    return status || !p->solver->setup ? status : p->solver->setup(s);
}

orthant_status sweep_setup(sweep *s, const problem *p, orthant_matrix *basis,
                           orthant_matrix *encoding)
{
    orthant_status status = sweep_plan(s, p);
    if (status)
        return status;
    s->factors.W = matrix_array(basis);
    s->factors.S = matrix_array(encoding);
    share_data_sums(p->samples, &s->data_sum, &s->data_squares);
    if (!new_factors(s, &s->plan) || !new_workspace(s, &s->plan))
        return ORTHANT_ERROR_MEMORY;
    if (!s->plan.keeps_last)
        s->factors.last = s->factors.S;
    const array none = {0};
    if ((status = sums_new(s->ctx, &s->plan, p->rank,
                           s->plan.lends_basis ? s->factors.updated_basis : none, &s->sums)))
        return status;
    if ((status = sums_tree_new(s->ctx, &s->plan, p->rank, &s->tree)) || (status = fixed_setup(s)))
        return status;
    return sweep_device_open(s);
}

void sweep_parts(sweep *s, checkpoint_parts *parts)
{
    const factors *f = &s->factors;
    const orthant_matrix *X = s->problem->samples;
    const int64_t first = X->part.first, all = matrix_total(X);
    if (s->device)
        sweep_device_fetch(s);
    parts_add_array(parts, "basis", s->ops, f->W);
    parts_add_rows(parts, "encoding", s->ops, f->S, first, all);
    parts_add_array(parts, "updated basis", s->ops, f->updated_basis);
    parts_add_rows(parts, "updated encoding", s->ops, f->updated_encoding, first, all);
    sums_parts(s->ops, &s->sums, parts);
}

void sweep_restored(sweep *s)
{
    if (s->device)
        sweep_device_restored(s);
    else
        sweep_basis_changed(s);
}

orthant_status sweep_check(const sweep *s)
{
    return s->device ? sweep_device_check(s) : ORTHANT_OK;
}

int64_t sweep_ahead(sweep *s, const sweep_step *t, int64_t most, double *values)
{
    return s->device ? sweep_device_ahead(s, t, most, values) : 0;
}

void sweep_back(sweep *s, int64_t count)
{
    if (s->device)
        sweep_device_back(s, count);
}

orthant_status sweep_guard(sweep *s)
{
    const bool here = !s->device;
    return plan_new_array(&s->plan, here, s->plan.strips.m, s->problem->rank, &s->kept_basis) &&
                   plan_new_array(&s->plan, here, s->plan.strips.n, s->problem->rank,
                                  &s->kept_encoding)
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

void sweep_hand_over(sweep *s, orthant_matrix *encoding)
{
    if (s->device)
        sweep_device_show(s);
    if (!s->plan.keeps_last || s->factors.S.data == encoding->values)
        return;
    s->factors.last.data = encoding->values;
    encoding->values = s->factors.S.data;
}

void sweep_release(sweep *s)
{
    factors *f = &s->factors;
    if (!s->problem)
        return;
    sweep_device_close(s);
    if (s->problem->solver->release)
        s->problem->solver->release(s);
    if (s->plan.keeps_last)
        memory_free(s->ctx, f->last.data);
    void *all[] = {f->basis_sums,
                   f->packed,
                   f->G.data,
                   s->workspace.values,
                   f->updated_encoding.data,
                   s->workspace.scratch,
                   s->basis_parts,
                   s->kept_basis.data,
                   s->kept_encoding.data};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(s->ctx, all[i]);
    if (!s->plan.lends_basis || !s->sums.A.data) /* one of the sums' otherwise */
        memory_free(s->ctx, f->updated_basis.data);
    fixed_release(s);
    sums_free(s->ctx, &s->sums);
    sums_tree_free(s->ctx, &s->tree);
    plan_release(&s->plan);
    *s = (sweep){.problem = NULL};
}
