#include "engine/plan.h"

#include "core/memory.h"
#include "engine/loss.h"
#include "engine/solver.h"
#include "engine/term.h"
#include "engine/unit_basis.h"

/* What all terms together use. */
static int term_flags(const problem *q)
{
    int flags = 0;
    for (int t = 0; t < q->term_count; t++)
        flags |= q->terms[t].kind->flags;
    return flags;
}

/* Only products with a dense X are quicker with a packed basis. */
static int64_t packed_bytes(const plan *p, const problem *q)
{
    const kernels *ops = p->strips.ops;
    if (q->samples->sparse || (!q->loss->quadratic && !p->copies_products && q->rank > ops->narrow))
        return 0;
    return ops->packed_bytes(p->strips.m, q->rank);
}

/* What the kernels work in: tiles of a dense X, rows that are descended. */
static int64_t kernel_bytes(const plan *p, const problem *q)
{
    const int64_t tiles = q->samples->sparse && !q->loss->rule
                              ? 0
                              : kernel_scratch(q->samples->precision, p->stride),
                  rows =
                      q->solver->majorises && p->keeps_sums ? kernel_descent_scratch(q->rank) : 0;
    return pieces(larger(tiles, rows), 64) * 64;
}

static double entry_weight(const entry_weights *w, int64_t i, int64_t j)
{
    if (w->known && !(w->known[i * w->known_stride + j / 8] >> j % 8 & 1))
        return 0;
    return (w->mask ? orthant_matrix_get(w->mask, i, j) : 1) * (w->samples ? w->samples[i] : 1) *
           (w->features ? w->features[j] : 1);
}

/* Whether an entry that counts is zero, in any process. */
static bool has_zeros(const problem *q)
{
    const orthant_matrix *X = q->samples;
    const sample_share part = samples_here(X);
    const bool none =
        group_total(&part, orthant_matrix_nonzeros(X)) == matrix_total(X) * X->columns;
    if (none || !q->weights || matrix_file(X))
        return !none;
    if (q->weights->missing_zeros)
        return orthant_matrix_nonzeros(X) < matrix_stored(X);
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t j = 0; j < X->columns; j++)
            if (orthant_matrix_get(X, i, j) == 0 && entry_weight(q->weights, i, j) > 0)
                return true;
    return false;
}

static orthant_status check_loss(const problem *q)
{
    if (!q->loss->positive || !has_zeros(q))
        return ORTHANT_OK;
    return fail(
        q->ctx, ORTHANT_ERROR_DATA,
        "the loss '%s' is infinite where the data are zero, and some are: take kl or beta:B "
        "with B above 0, or add a small number to the data",
        q->loss->name);
}

/* On a device the host has the factors and the sums, and of an entrywise loss what it measures the
 * squared error with in the end: the scratch of the kernels and the slots of the tasks. */
static void leave_to_device(plan *p, const problem *q)
{
    p->keeps_basis_gram = p->keeps_last = false;
    p->array_bytes = p->packed_bytes = 0;
    if (q->loss->quadratic)
        p->kernel_bytes = 0;
    p->levels = 0;
}

orthant_status plan_make(plan *p, const problem *q)
{
    const orthant_precision precision = q->samples->precision;
    const int flags = term_flags(q);
    *p = (plan){.stride = matrix_padded(precision, q->rank)};
    orthant_status status = check_loss(q);
    if (status || (status = strips_setup(
                       &p->strips, q->ctx, q->samples, p->stride,
                       q->loss->block_rows && !q->solver->majorises ? q->loss->block_rows(q) : 0)))
        return status;
    if (q->loss->quadratic)
        panel_list_align(q->samples, &p->strips.panels);
    p->feature_block = task_rows(p->strips.m);
    p->keeps_sums = !q->solver->takes_no_sums;
    p->keeps_weights = !q->loss->quadratic && !q->loss->constant_q;
    p->copies_products = flags & TERM_USES_PRODUCTS;
    p->keeps_products = p->copies_products && !q->loss->quadratic;
    p->keeps_squares = flags & TERM_USES_COLUMN_SUMS;
    p->keeps_columns = q->loss->constant_q || flags & TERM_USES_COLUMN_SUMS;
    p->keeps_basis_gram = q->loss->quadratic;
    p->keeps_gram = q->loss->quadratic || flags & TERM_USES_GRAM;
    p->keeps_last = flags & TERM_READS_SAMPLES;
    p->extrapolates = q->solver->may_rise;
    p->lends_basis = !p->keeps_sums && p->extrapolates && !q->term_count && !q->on_device;
    p->kernel_bytes = kernel_bytes(p, q);
    p->arrays = SCRATCH_TERM + (int)larger(q->solver->arrays, q->term_count ? TERM_ARRAYS : 1);
    p->array_bytes =
        larger(p->strips.block, p->feature_block) * p->stride * (int64_t)p->strips.ops->size;
    p->packed_bytes = packed_bytes(p, q);
    p->levels = strips_levels(&p->strips);
    if (q->on_device)
        leave_to_device(p, q);
    return ORTHANT_OK;
}

bool plan_new_array(const plan *p, bool wanted, int64_t rows, int64_t rank, array *a)
{
    if (!wanted)
        return true;
    *a = (array){memory_new(p->strips.ctx, rows * p->stride, p->strips.ops->size, "an array"), rows,
                 rank, p->stride};
    return a->data != NULL;
}

void plan_release(plan *p)
{
    if (p->strips.ctx)
        strips_release(&p->strips);
}

int64_t plan_slots(const plan *p, const problem *q)
{
    const int64_t blocks = strips_slots(&p->strips),
                  features = pieces(p->strips.m, p->feature_block);
    if (q->on_device && q->loss->quadratic)
        return 0;
    /* the projected gradient has two sums of each block, the terms one each */
    const int64_t width = larger(larger(2, q->term_count), unit_basis_slots(q));
    return larger(p->strips.panels.count, larger(2 * features, blocks * width));
}

int64_t plan_rows_bytes(const plan *p, int64_t rows)
{
    return rows * p->stride * (int64_t)p->strips.ops->size;
}

int64_t plan_sums_bytes(const plan *p, int64_t rank)
{
    const int64_t arrays = 1 + (p->keeps_weights ? 1 : 0) + (p->keeps_products ? 1 : 0);
    return arrays * plan_rows_bytes(p, p->strips.m) +
           (p->keeps_gram ? plan_rows_bytes(p, rank) : 0) + rank * (int64_t)sizeof(double);
}

void plan_memory(const plan *p, const problem *q, orthant_plan_memory *memory)
{
    const int64_t samples = plan_rows_bytes(p, p->strips.n),
                  features = plan_rows_bytes(p, p->strips.m), gram = plan_rows_bytes(p, q->rank);
    *memory = (orthant_plan_memory){
        .data = matrix_bytes(q->samples),
        .factors = samples + features,
        .sums = p->lends_basis ? 0 : features,
        .weights = p->keeps_weights ? features : 0,
        .products = p->keeps_products ? features : 0,
        .grams = (p->keeps_gram ? gram : 0) + (p->keeps_basis_gram ? gram : 0) +
                 (3 * q->rank + unit_basis_numbers(q)) * (int64_t)sizeof(double),
        .accumulators = p->levels * plan_sums_bytes(p, q->rank),
        .last = p->keeps_last ? samples : 0,
        .extrapolation = p->extrapolates ? samples + features : 0,
        .packed = p->packed_bytes,
        .thread_scratch = plan_scratch(p),
        .scratch = p->strips.threads * plan_scratch(p) + plan_slots(p, q) * (int64_t)sizeof(double),
    };
}
