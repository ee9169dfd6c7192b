/* The Kullback-Leibler divergence by coordinates: a step of Newton's for each entry of a row of a
 * factor, the other factor held (src/kernel/newton.inc), and both factors extrapolated. A row goes
 * through the entries of its sample, or of its feature, and the rows of the other factor that these
 * meet, transposed, so that a vector holds one column of many of them: of a dense X all rows,
 * transposed once; of CSR data those that are listed. The basis is made from X itself, without
 * sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "engine/fixed.h"
#include "engine/loss.h"
#include "solver/extrapolate.h"
#include "solver/solvers.h"

#define GROUP 16            /* features of a task */
#define TRANSPOSED_ROWS 256 /* of a factor, that one task transposes */
#define FIRST_STEPS 10      /* multiplicative ones, with terms: see hals.c */
/* What short rows meet together, and go through for every coordinate, stays in the second cache. */
#define SHORT_BYTES (256 << 10)

typedef struct newton {
    /* of CSR data: the transpose, and the samples of each block and all features in the order of
     * their entries' number, so that rows of one length come together */
    orthant_matrix *features;
    int32_t *sample_order, *feature_order;
    double least;     /* that an entry counts as fitted with */
    int64_t longest;  /* entries of a row, in whole vectors */
    int64_t stride;   /* elements from one column of the transposed factor to the next */
    char *transposed; /* of a dense X: the other factor */
    char *scratch;
    int64_t scratch_bytes; /* per thread */
} newton;

/* What a thread has. */
typedef struct scratch {
    char *fitted, *values;  /* of a row, or of rows together */
    int32_t *listed;        /* which rows of the other factor these meet, ... */
    char *tile;             /* ... and of a sparse X those, transposed */
    char *rows, *n, *u;     /* rows together, transposed */
    char *samples, *padded; /* of a dense X: samples, transposed; before, where they are copied */
} scratch;

/* Rows of a factor, the other factor held. N and U: no data, no terms. */
typedef struct row_work {
    const orthant_matrix *data; /* sparse: whose rows they are fitted to */
    int64_t first;              /* the row of the data that `rows` begin with */
    array rows, other, n, u;
    const double *sums; /* of the other factor's columns */
} row_work;

static newton *state_of(const sweep *s)
{
    return s->solver_state;
}

/* Parts that are transposed with a factor: in whole vectors of 16 bytes. */
static int64_t transposed_parts(const sweep *s)
{
    return pieces(s->problem->rank, 4) * 4;
}

/* Entries of short rows, of all together. */
static int64_t short_entries(const sweep *s)
{
    return SHORT_BYTES / (int64_t)s->ops->size / transposed_parts(s) / s->ops->lanes *
           s->ops->lanes;
}

/* One more cache line than its columns need: columns of a power of two would share few sets of a
 * cache. */
static int64_t transposed_stride(const sweep *s, int64_t columns)
{
    return KERNEL_WHOLE(columns) + 64 / (int64_t)s->ops->size;
}

/* Transposing reads 16 bytes at a time: of rows that are no multiple, behind the last one. */
static bool copies_samples(const sweep *s)
{
    return s->plan.strips.m * (int64_t)s->ops->size % 16 != 0;
}

/* ------------------------------------------------------------------ setup */

/* Of a thread; with no scratch yet, how much it takes. */
static int64_t scratch_at(const sweep *s, int thread, scratch *w)
{
    const newton *t = s->solver_state;
    const int64_t size = (int64_t)s->ops->size, number = (int64_t)sizeof(int32_t);
    const bool sparse = s->problem->samples->sparse;
    /* of a dense X, of all rows together */
    const int64_t entries =
        sparse ? larger(t->longest, short_entries(s)) : t->longest * s->ops->lanes;
    char *at = t->scratch ? t->scratch + thread * t->scratch_bytes : NULL, *listed;
    const int64_t transposed = transposed_parts(s) * s->ops->lanes * size,
                  samples = sparse ? 0 : s->ops->lanes * KERNEL_WHOLE(s->plan.strips.m) * size;
    const struct {
        char **pointer;
        int64_t bytes;
    } all[] = {
        {&w->fitted, transposed_stride(s, entries) * size},
        {&w->values, entries * size},
        {&listed, (sparse ? entries : t->longest) * number},
        {&w->tile, sparse ? transposed_parts(s) * transposed_stride(s, entries) * size : 0},
        {&w->rows, transposed},
        {&w->n, transposed},
        {&w->u, transposed},
        {&w->samples, samples},
        {&w->padded, copies_samples(s) ? samples : 0},
    };
    int64_t bytes = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].pointer = at ? at + bytes : NULL;
        bytes += pieces(all[i].bytes, 64) * 64;
    }
    w->listed = (int32_t *)(void *)listed;
    return bytes;
}

static int64_t entries_of(const orthant_matrix *data, int64_t row)
{
    return data->row_start[row + 1] - data->row_start[row];
}

typedef struct counted {
    int64_t count;
    int32_t row;
} counted;

static int more_entries(const void *a, const void *b)
{
    const counted *first = a, *second = b;
    if (first->count != second->count)
        return first->count > second->count ? -1 : 1;
    return first->row < second->row ? -1 : first->row > second->row;
}

/* Rows with many entries first, in each `span` of them. */
static orthant_status order_rows(sweep *s, const orthant_matrix *data, int64_t span,
                                 int32_t **order)
{
    const int64_t rows = data->rows;
    counted *sorted = memory_new(s->ctx, smaller(span, rows), sizeof *sorted, "an order");
    *order = memory_new(s->ctx, rows, sizeof **order, "an order");
    for (int64_t first = 0; sorted && *order && first < rows; first += span) {
        const int64_t count = smaller(span, rows - first);
        for (int64_t i = 0; i < count; i++)
            sorted[i] = (counted){entries_of(data, first + i), (int32_t)(first + i)};
        qsort(sorted, (size_t)count, sizeof *sorted, more_entries);
        for (int64_t i = 0; i < count; i++)
            (*order)[first + i] = sorted[i].row;
        state_of(s)->longest = larger(state_of(s)->longest, KERNEL_WHOLE(sorted[0].count));
    }
    const bool done = sorted && *order;
    memory_free(s->ctx, sorted);
    return done ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* Where nothing fits an entry, squares of quotients must not overflow. As a part of the largest
 * entry: X in other units is fitted alike. Not 0 for an X of zeros. */
static double least_fitted(const orthant_matrix *samples)
{
    const bool single = samples->precision == ORTHANT_SINGLE;
    return fmax(matrix_largest(samples) * (single ? 1e-17 : 1e-100), single ? 1e-30 : 1e-200);
}

static orthant_status setup_sparse(sweep *s)
{
    newton *t = s->solver_state;
    orthant_status status = matrix_transpose(s->ctx, s->problem->samples, &t->features);
    if (!status)
        status = order_rows(s, t->features, s->plan.strips.m, &t->feature_order);
    return status ? status
                  : order_rows(s, s->problem->samples, s->plan.strips.block, &t->sample_order);
}

static orthant_status setup_dense(sweep *s)
{
    newton *t = s->solver_state;
    t->longest = KERNEL_WHOLE(larger(s->plan.strips.n, s->plan.strips.m));
    t->stride = transposed_stride(s, t->longest);
    t->transposed =
        memory_new(s->ctx, transposed_parts(s) * t->stride, s->ops->size, "the transposed factor");
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
    t->scratch_bytes = scratch_at(s, 0, &w);
    t->scratch = memory_new(s->ctx, s->plan.strips.threads * t->scratch_bytes, 1, "scratch");
    return t->scratch ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static void release(sweep *s)
{
    newton *t = s->solver_state;
    if (!t)
        return;
    orthant_matrix_free(t->features);
    void *all[] = {t->sample_order, t->feature_order, t->transposed, t->scratch, t};
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
    s->ops->transpose_listed(state_of(s)->transposed + b.first * (int64_t)s->ops->size,
                             state_of(s)->stride, array_rows(s->ops, work->factor, b.first, b.rows),
                             NULL, b.rows);
}

static void transpose(const sweep *s, array factor)
{
    transposing work = {s, factor};
    if (state_of(s)->transposed)
        strips_tasks(&s->plan.strips, pieces(factor.rows, TRANSPOSED_ROWS), transpose_task, &work,
                     factor.rows * factor.stride);
}

static void basis_changed(const sweep *s)
{
    transpose(s, s->factors.W);
}

/* ------------------------------------------------------------------ rows */

static const void *row_data(const sweep *s, array a, int64_t row)
{
    return a.data ? array_rows(s->ops, a, row, 1).data : NULL;
}

/* Of a row of sparse data. */
typedef struct entries {
    const char *values;
    const int32_t *listed;
    int64_t count;
} entries;

static entries stored_entries(const sweep *s, const orthant_matrix *data, int64_t row)
{
    const csr X = matrix_csr(data);
    const int64_t first = X.row_start[row];
    return (entries){(const char *)X.values + first * (int64_t)s->ops->size, X.column + first,
                     entries_of(data, row)};
}

/* A row by itself. */
static void long_row(const sweep *s, const scratch *w, const row_work *work, int64_t id)
{
    const kernels *ops = s->ops;
    const entries x = stored_entries(s, work->data, id);
    const int64_t row = id - work->first;
    const int64_t columns = KERNEL_WHOLE(x.count), stride = transposed_stride(s, x.count);
    const array to = array_rows(ops, work->rows, row, 1), fitted = {w->fitted, 1, columns, stride},
                tile = {w->tile, s->problem->rank, columns, stride};
    ops->transpose_listed(tile.data, stride, work->other, x.listed, x.count);
    if (x.count > 0)
        ops->product(fitted, to, tile, false);
    memset(w->values, 0, (size_t)columns * ops->size);
    memcpy(w->values, x.values, (size_t)x.count * ops->size);
    ops->newton(to, w->values, fitted.data, tile.data, stride, x.count, state_of(s)->least,
                work->sums, row_data(s, work->n, row), row_data(s, work->u, row));
}

/* Numbers of either precision, as they are, into every `step`th element or from there. */
static void copy_apart(const sweep *s, void *to, int64_t to_step, const void *from,
                       int64_t from_step, int64_t count)
{
    if (s->ops->size == sizeof(float))
        for (int64_t i = 0; i < count; i++)
            ((float *)to)[i * to_step] = ((const float *)from)[i * from_step];
    else
        for (int64_t i = 0; i < count; i++)
            ((double *)to)[i * to_step] = ((const double *)from)[i * from_step];
}

/* Rows of the factor, with their N and U, transposed; and back. */
static array transpose_together(const sweep *s, const scratch *w, const row_work *work,
                                const int32_t *local, int64_t count)
{
    const kernels *ops = s->ops;
    ops->transpose_listed(w->rows, ops->lanes, work->rows, local, count);
    if (work->n.data)
        ops->transpose_listed(w->n, ops->lanes, work->n, local, count);
    if (work->u.data)
        ops->transpose_listed(w->u, ops->lanes, work->u, local, count);
    return (array){w->rows, s->problem->rank, ops->lanes, ops->lanes};
}

static void transpose_back(const sweep *s, const scratch *w, const row_work *work,
                           const int32_t *local, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        copy_apart(s, array_rows(s->ops, work->rows, local[i], 1).data, 1,
                   w->rows + i * (int64_t)s->ops->size, s->ops->lanes, s->problem->rank);
}

/* Rows `ids` of the data, at most as many as a vector has lanes and of at most `longest` entries
 * each. */
static void short_rows(const sweep *s, const scratch *w, const row_work *work, const int32_t *ids,
                       int64_t count, int64_t longest)
{
    const kernels *ops = s->ops;
    const int64_t lanes = ops->lanes, all = longest * lanes, stride = transposed_stride(s, all),
                  size = (int64_t)ops->size;
    int32_t local[KERNEL_MOST_LANES];
    memset(w->values, 0, (size_t)(all * size));
    memset(w->listed, 0, (size_t)all * sizeof *w->listed);
    for (int64_t i = 0; i < count; i++) {
        const entries x = stored_entries(s, work->data, ids[i]);
        local[i] = (int32_t)(ids[i] - work->first);
        copy_apart(s, w->values + i * size, lanes, x.values, 1, x.count);
        for (int64_t e = 0; e < x.count; e++)
            w->listed[e * lanes + i] = x.listed[e];
    }
    const array rows = transpose_together(s, w, work, local, count);
    ops->transpose_listed(w->tile, stride, work->other, w->listed, all);
    ops->newton_short(rows, w->values, w->fitted, w->tile, stride, longest, state_of(s)->least,
                      work->sums, work->n.data ? w->n : NULL, work->u.data ? w->u : NULL);
    transpose_back(s, w, work, local, count);
}

/* Rows `ids` of the data, in the order of their length. */
static void listed_rows(const sweep *s, const scratch *w, const row_work *work, const int32_t *ids,
                        int64_t count)
{
    for (int64_t i = 0; i < count;) {
        const int64_t longest = entries_of(work->data, ids[i]),
                      together = smaller(s->ops->lanes, count - i);
        if (longest * s->ops->lanes <= short_entries(s)) {
            short_rows(s, w, work, ids + i, together, longest);
            i += together;
        } else {
            long_row(s, w, work, ids[i]);
            i++;
        }
    }
}

/* Rows from `first` on, that meet all rows of the other factor, with a line of X for each of these.
 */
static void whole_rows(const sweep *s, const scratch *w, const row_work *work, int64_t first,
                       array X)
{
    int32_t local[KERNEL_MOST_LANES];
    for (int64_t i = 0; i < X.columns; i++)
        local[i] = (int32_t)(first + i);
    const array rows = transpose_together(s, w, work, local, X.columns);
    s->ops->newton_whole(rows, X, state_of(s)->transposed, state_of(s)->stride, state_of(s)->least,
                         work->sums, work->n.data ? w->n : NULL, work->u.data ? w->u : NULL,
                         w->values, w->fitted, w->listed);
    transpose_back(s, w, work, local, X.columns);
}

/* Some samples of a dense X, feature by feature. */
static array transposed_samples(const sweep *s, const scratch *w, int64_t first, int64_t count)
{
    const kernels *ops = s->ops;
    array X = array_rows(ops, matrix_array(s->problem->samples), first, count);
    if (copies_samples(s)) {
        const array padded = {w->padded, count, s->plan.strips.m, KERNEL_WHOLE(s->plan.strips.m)};
        ops->copy_columns(padded, X);
        X = padded;
    }
    ops->transpose_listed(w->samples, ops->lanes, X, NULL, count);
    return (array){w->samples, s->plan.strips.m, count, ops->lanes};
}

/* New rows of the encodings of a block; without terms there are no majorisers. */
static void rows(const sweep *s, const sweep_step *now, const row_update *u)
{
    const newton *t = s->solver_state;
    const array none = {0};
    const bool terms = s->problem->term_count > 0;
    const row_work work = {s->problem->samples,
                           u->b.first,
                           u->to,
                           s->factors.W,
                           terms ? u->numerator : none,
                           terms ? u->denominator : none,
                           s->factors.basis_sums};
    scratch w;
    scratch_at(s, u->b.thread, &w);
    if (u->to.data != u->from.data)
        s->ops->copy(u->to, u->from);
    if (s->problem->samples->sparse)
        listed_rows(s, &w, &work, t->sample_order + u->b.first, u->b.rows);
    for (int64_t i = 0; i < u->b.rows && !s->problem->samples->sparse; i += s->ops->lanes) {
        const int64_t count = smaller(s->ops->lanes, u->b.rows - i);
        whole_rows(s, &w, &work, i, transposed_samples(s, &w, u->b.first + i, count));
    }
    extrapolate(s, now, u->b, false, u->to, true);
}

/* ------------------------------------------------------------------ the basis */

static void group_task(void *user, int64_t index, int thread)
{
    const sweep *s = *(const sweep **)user;
    const newton *t = s->solver_state;
    const block f = block_at(0, s->plan.strips.m, GROUP, index, thread);
    const array none = {0};
    const int64_t first = t->features ? 0 : f.first, rows = t->features ? s->plan.strips.m : f.rows;
    const row_work work = {t->features,    first, array_rows(s->ops, s->factors.W, first, rows),
                           s->factors.S,   {0},   fixed_any(s) ? fixed_lines(s, rows) : none,
                           s->sums.columns};
    scratch w;
    scratch_at(s, thread, &w);
    if (t->features) {
        listed_rows(s, &w, &work, t->feature_order + f.first, f.rows);
        return;
    }
    for (int64_t i = 0; i < f.rows; i += s->ops->lanes) {
        const int64_t count = smaller(s->ops->lanes, f.rows - i);
        whole_rows(s, &w, &work, i,
                   array_columns(s->ops, matrix_array(s->problem->samples), f.first + i, count));
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
    strips_tasks(all, pieces(all->m, GROUP), group_task, &s, all->n * all->row_cost);
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
