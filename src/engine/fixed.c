#include "engine/fixed.h"

#include <math.h>

#include "core/memory.h"

orthant_status fixed_setup(sweep *s)
{
    const int64_t rank = s->problem->rank;
    fixed_parts *f = &s->fixed;
    if (!fixed_any(s))
        return ORTHANT_OK;
    f->basis = matrix_array(s->problem->fixed_basis);
    f->values = memory_new(s->ctx, rank, sizeof *f->values, "fixed parts");
    f->line = memory_new(s->ctx, s->plan.stride, s->ops->size, "fixed parts");
    return f->values && f->line ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

void fixed_release(sweep *s)
{
    memory_free(s->ctx, s->fixed.values);
    memory_free(s->ctx, s->fixed.line);
    s->fixed = (fixed_parts){0};
}

static array fixed_columns(const sweep *s, array rows)
{
    return array_columns(s->ops, rows, 0, s->fixed.basis.columns);
}

void fixed_restore(const sweep *s)
{
    if (fixed_any(s))
        s->ops->copy_columns(fixed_columns(s, s->factors.W), s->fixed.basis);
}

void fixed_begin(const sweep *s, const solver *by)
{
    const array B = s->sums.B;
    double *values = s->fixed.values;
    if (!fixed_any(s))
        return;
    for (int64_t j = 0; j < s->problem->rank; j++) {
        values[j] = 0;
        if (j >= s->fixed.basis.columns || !by->majorises)
            continue;
        /* finite where it goes with a Gram matrix: it is multiplied with a change of zero */
        values[j] = INFINITY;
        if (!by->takes_no_sums)
            s->ops->get_values(array_columns(s->ops, array_rows(s->ops, B, j, 1), j, 1),
                               &values[j]);
        values[j] *= -2;
    }
    s->ops->set_values((array){s->fixed.line, 1, s->problem->rank, s->plan.stride}, values);
}

array fixed_lines(const sweep *s, int64_t rows)
{
    return (array){s->fixed.line, rows, s->problem->rank, 0};
}

void fixed_hold(const sweep *s, array rows)
{
    s->ops->copy_columns(fixed_columns(s, rows), fixed_lines(s, rows.rows));
}
