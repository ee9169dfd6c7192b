/* The Kullback-Leibler divergence by coordinates: a step of Newton's for each entry of a row of a
 * factor, the other factor held (src/kernel/newton.inc), and both factors extrapolated. A row goes
 * through the entries of its sample, or of its feature, and the rows of the other factor that these
 * meet, transposed, so that a vector holds one column of many of them: of a dense X all rows,
 * transposed once; of CSR data those that are listed. The basis is made from X itself, without
 * sums.
 *
 * What becomes of a row depends neither on the rows that it is made with nor on how many columns
 * are transposed at a time. So many threads take less of both, and all of them little beside X. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "engine/fixed.h"
#include "engine/loss.h"
#include "solver/extrapolate.h"
#include "solver/newton.h"
#include "solver/solvers.h"

#define GROUP 16            /* features of a task */
#define TRANSPOSED_ROWS 256 /* of a factor, that one task transposes */
#define FIRST_STEPS 10      /* multiplicative ones, with terms: see hals.c */
/* From so many bytes of X on memory counts: parts of X that all threads together may take for
 * rows of dense data and for transposed columns, and that a panel of features may take. */
#define COUNTED_BYTES 64000000
#define ROWS_PART 12
#define TILES_PART 50
#define PANEL_PART 96

/* ------------------------------------------------------------------ setup */

/* Where nothing fits an entry, squares of quotients must not overflow. As a part of the largest
 * entry: X in other units is fitted alike. Not 0 for an X of zeros. */
static double least_fitted(const orthant_matrix *samples)
{
    const bool single = samples->precision == ORTHANT_SINGLE;
    return fmax(matrix_largest(samples) * (single ? 1e-17 : 1e-100), single ? 1e-30 : 1e-200);
}

/* A part of X, or of the least that counts, for each thread. */
static int64_t thread_share(const sweep *s, int64_t part)
{
    return larger(matrix_bytes(s->problem->samples), COUNTED_BYTES) / part / s->plan.strips.threads;
}

static orthant_status setup_sparse(sweep *s)
{
    newton *t = s->solver_state;
    const orthant_matrix *X = s->problem->samples;
    const strips *all = &s->plan.strips;
    const int64_t bytes = matrix_bytes(X), size = (int64_t)s->ops->size;
    orthant_status status = feature_panels_setup(
        &t->features, all, X, bytes < COUNTED_BYTES ? bytes : bytes / PANEL_PART);
    if (status)
        return status;
    if (!(t->sample_order = memory_new(s->ctx, X->rows, sizeof *t->sample_order, "an order")))
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < X->rows && !status; i += all->block)
        status = order_by_entries(s->ctx, X->row_start, i, smaller(all->block, X->rows - i),
                                  t->sample_order);
    t->longest = t->features.longest;
    for (int64_t i = 0; i < X->rows; i++)
        t->longest = larger(t->longest, X->row_start[i + 1] - X->row_start[i]);
    /* fours of columns are transposed together */
    const int64_t four =
        4 * newton_stride(s, larger(KERNEL_WHOLE(t->longest), newton_short_entries(s))) * size;
    t->tile_bytes =
        smaller(larger(thread_share(s, TILES_PART) / four, 1), pieces(s->problem->rank, 4)) * four;
    return status;
}

static orthant_status setup_dense(sweep *s)
{
    newton *t = s->solver_state;
    const int64_t size = (int64_t)s->ops->size;
    t->longest = larger(s->plan.strips.n, s->plan.strips.m);
    t->stride = newton_stride(s, t->longest);
    t->together =
        smaller(larger(thread_share(s, ROWS_PART) / (2 * t->stride * size), 1), s->ops->lanes);
    t->transposed =
        memory_new(s->ctx, newton_parts(s) * t->stride, s->ops->size, "the transposed factor");
    return t->transposed ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status setup(sweep *s)
{
    scratch w;
    if (s->plan.strips.n > INT32_MAX - 64 || s->plan.strips.m > INT32_MAX - 64)
        return fail(s->ctx, ORTHANT_ERROR_ARGUMENT,
                    "solver 'newton' takes at most %d samples and features; take solver mu or emu",
                    INT32_MAX - 64);
    newton *t = s->solver_state = memory_new(s->ctx, 1, sizeof *t, "Newton's steps");
    if (!t)
        return ORTHANT_ERROR_MEMORY;
    t->least = least_fitted(s->problem->samples);
    const orthant_status status = s->problem->samples->sparse ? setup_sparse(s) : setup_dense(s);
    if (status)
        return status;
    t->scratch_bytes = newton_scratch(s, 0, &w);
    t->scratch = memory_new(s->ctx, s->plan.strips.threads * t->scratch_bytes, 1, "scratch");
    return t->scratch ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static void release(sweep *s)
{
    newton *t = s->solver_state;
    if (!t)
        return;
    feature_panels_free(s->ctx, &t->features);
    void *all[] = {t->sample_order, t->transposed, t->scratch, t};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(s->ctx, all[i]);
    s->solver_state = NULL;
}

/* ------------------------------------------------------------------ the factor that is held */

typedef struct transposing {
    const sweep *s;
    array factor;
} transposing;

static void transpose_task(void *user, int64_t index, int thread)
{
    const transposing *work = user;
    const sweep *s = work->s;
    const block b = block_at(0, work->factor.rows, TRANSPOSED_ROWS, index, thread);
    s->ops->transpose_listed(newton_state(s)->transposed + b.first * (int64_t)s->ops->size,
                             newton_state(s)->stride,
                             array_rows(s->ops, work->factor, b.first, b.rows), NULL, b.rows);
}

static void transpose(const sweep *s, array factor)
{
    transposing work = {s, factor};
    if (newton_state(s)->transposed)
        strips_tasks(&s->plan.strips, pieces(factor.rows, TRANSPOSED_ROWS), transpose_task, &work,
                     factor.rows * factor.stride);
}

static void basis_changed(const sweep *s)
{
    transpose(s, s->factors.W);
}

/* ------------------------------------------------------------------ the encodings */

/* New rows of the encodings of a block; without terms there are no majorisers. */
static void rows(const sweep *s, const sweep_step *now, const row_update *u)
{
    const newton *t = s->solver_state;
    const orthant_matrix *X = s->problem->samples;
    const array none = {0};
    const bool terms = s->problem->term_count > 0;
    row_work work = {.first = u->b.first,
                     .rows = u->to,
                     .other = s->factors.W,
                     .n = terms ? u->numerator : none,
                     .u = terms ? u->denominator : none,
                     .sums = s->factors.basis_sums};
    scratch w;
    newton_scratch(s, u->b.thread, &w);
    if (u->to.data != u->from.data)
        s->ops->copy(u->to, u->from);
    if (X->sparse) {
        work.data = (sparse_rows){X->row_start, X->column, X->values, 0};
        newton_listed_rows(s, &w, &work, t->sample_order + u->b.first, u->b.rows);
    }
    for (int64_t i = 0; i < u->b.rows && !X->sparse; i += t->together) {
        const int64_t count = smaller(t->together, u->b.rows - i);
        const array values = newton_entries(s, w.values, count, s->plan.strips.m);
        s->ops->copy_columns(values, array_rows(s->ops, matrix_array(X), u->b.first + i, count));
        newton_whole_rows(s, &w, &work, i, values);
    }
    extrapolate(s, now, u->b, false, u->to, true);
}

/* ------------------------------------------------------------------ the basis */

/* Features of a dense X. */
static void dense_task(void *user, int64_t index, int thread)
{
    const sweep *s = *(const sweep **)user;
    const newton *t = s->solver_state;
    const block f = block_at(0, s->plan.strips.m, GROUP, index, thread);
    const array X = matrix_array(s->problem->samples), none = {0};
    const row_work work = {.first = f.first,
                           .rows = sweep_rows(s, s->factors.W, f),
                           .other = s->factors.S,
                           .u = fixed_any(s) ? fixed_lines(s, f.rows) : none,
                           .sums = s->sums.columns};
    scratch w;
    newton_scratch(s, thread, &w);
    for (int64_t i = 0; i < f.rows; i += t->together) {
        const int64_t count = smaller(t->together, f.rows - i);
        const array values = newton_entries(s, w.values, count, s->plan.strips.n);
        s->ops->transpose(values, array_columns(s->ops, X, f.first + i, count));
        newton_whole_rows(s, &w, &work, i, values);
    }
}

/* Features of a panel, in their order: each long one is a task. */
typedef struct panel_work {
    const sweep *s;
    row_work work;
    const int32_t *ids;
    int64_t count, alone;
} panel_work;

static void sparse_task(void *user, int64_t index, int thread)
{
    const panel_work *p = user;
    scratch w;
    newton_scratch(p->s, thread, &w);
    const int64_t first =
                      index < p->alone ? index : p->alone + (index - p->alone) * p->s->ops->lanes,
                  count = index < p->alone ? 1 : smaller(p->s->ops->lanes, p->count - first);
    newton_listed_rows(p->s, &w, &p->work, p->ids + first, count);
}

static void sparse_basis(const sweep *s)
{
    const strips *all = &s->plan.strips;
    feature_panels *f = &newton_state(s)->features;
    const array none = {0}, held = fixed_any(s) ? fixed_lines(s, all->m) : none;
    for (int64_t i = 0; i < f->count; i++) {
        panel_work p = {s,
                        {.data = feature_panels_at(f, all, i),
                         .rows = s->factors.W,
                         .other = s->factors.S,
                         .u = held,
                         .sums = s->sums.columns},
                        f->order + f->first[i],
                        f->first[i + 1] - f->first[i],
                        0};
        while (p.alone < p.count && !newton_is_short(s, &p.work, p.ids[p.alone]))
            p.alone++;
        strips_tasks(all, p.alone + pieces(p.count - p.alone, s->ops->lanes), sparse_task, &p,
                     all->n * all->row_cost / f->count);
    }
}

typedef struct extrapolation {
    const sweep *s;
    const sweep_step *t;
} extrapolation;

static void extrapolate_basis(void *user, block f)
{
    const extrapolation *e = user;
    extrapolate(e->s, e->t, f, true, sweep_rows(e->s, e->s->factors.W, f), true);
}

static void basis(const sweep *s, const sweep_step *t)
{
    const strips *all = &s->plan.strips;
    extrapolation after = {s, t};
    transpose(s, s->factors.S);
    if (s->problem->samples->sparse)
        sparse_basis(s);
    else
        strips_tasks(all, pieces(all->m, GROUP), dense_task, &s, all->n * all->row_cost);
    sweep_over_features(s, extrapolate_basis, &after);
}

static bool accepts(const loss *l)
{
    return !strcmp(l->name, "kl");
}

const solver solver_newton = {
    .name = "newton",
    .title = "Newton's steps by coordinates",
    .majorises = true,
    .takes_no_sums = true,
    .arrays = 1,
    .may_rise = true,
    .fits_encodings_first = true,
    .first_steps = FIRST_STEPS,
    .first_solver = &solver_mu,
    .accepts = accepts,
    .losses = "kl",
    .setup = setup,
    .release = release,
    .basis_changed = basis_changed,
    .rows = rows,
    .basis = basis,
};
