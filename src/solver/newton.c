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
#include "engine/loss.h"
#include "solver/extrapolate.h"
#include "solver/feature_panels.h"
#include "solver/solvers.h"

#define GROUP 16            /* features of a task */
#define TRANSPOSED_ROWS 256 /* of a factor, that one task transposes */
#define FIRST_STEPS 10      /* multiplicative ones, with terms: see hals.c */
/* What short rows meet together, and go through for every coordinate, stays in the second cache. */
#define SHORT_BYTES (256 << 10)
/* From so many bytes of X on memory counts: parts of X that all threads together may take for
 * rows of dense data and for transposed columns, and that a panel of features may take. */
#define COUNTED_BYTES 64000000
#define ROWS_PART 12
#define TILES_PART 50
#define PANEL_PART 96

typedef struct newton {
    int32_t *sample_order;   /* of CSR data: in each block, those with many entries first */
    feature_panels features; /* of CSR data */
    double least;            /* that an entry counts as fitted with */
    int64_t longest;         /* entries of a row */
    int64_t together;        /* rows of dense data at a time */
    int64_t tile_bytes;      /* of a thread, for transposed rows of the other factor */
    int64_t stride;          /* elements from one column of the transposed factor to the next */
    char *transposed;        /* of a dense X: the other factor */
    char *scratch;
    int64_t scratch_bytes; /* per thread */
} newton;

/* What a thread has. */
typedef struct scratch {
    char *fitted, *values; /* of a row, or of rows together */
    uint64_t *some;        /* of a dense X: which vectors of these are not zeros */
    int32_t *listed;       /* of a sparse X: which rows of the other factor these meet, ... */
    char *tile;            /* ... and some columns of those, transposed */
    char *rows, *n, *u;    /* rows together, transposed */
} scratch;

/* Rows of a factor, the other factor held. N and U: no data, no terms. */
typedef struct row_work {
    sparse_rows data; /* sparse: whose rows they are fitted to */
    int64_t first;    /* the row of the data that `rows` begin with */
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

/* ------------------------------------------------------------------ setup */

/* Of a thread; with no scratch yet, how much it takes. */
static int64_t scratch_at(const sweep *s, int thread, scratch *w)
{
    const newton *t = s->solver_state;
    const int64_t size = (int64_t)s->ops->size, lanes = s->ops->lanes;
    const bool sparse = s->problem->samples->sparse;
    const int64_t entries =
        sparse ? larger(KERNEL_WHOLE(t->longest), short_entries(s)) : t->together * t->stride;
    char *at = t->scratch ? t->scratch + thread * t->scratch_bytes : NULL, *listed, *some;
    const struct {
        char **pointer;
        int64_t bytes;
    } all[] = {
        {&w->fitted, entries * size},
        {&w->values, entries * size},
        {&some, sparse ? 0 : t->together * KERNEL_MASKS(t->longest) * (int64_t)sizeof *w->some},
        {&listed, sparse ? entries * (int64_t)sizeof *w->listed : 0},
        {&w->tile, t->tile_bytes},
        {&w->rows, transposed_parts(s) * lanes * size},
        {&w->n, s->problem->term_count ? transposed_parts(s) * lanes * size : 0},
        {&w->u, s->problem->term_count ? transposed_parts(s) * lanes * size : 0},
    };
    int64_t bytes = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].pointer = at ? at + bytes : NULL;
        bytes += pieces(all[i].bytes, 64) * 64;
    }
    w->some = (uint64_t *)(void *)some;
    w->listed = (int32_t *)(void *)listed;
    return bytes;
}

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
        4 * transposed_stride(s, larger(KERNEL_WHOLE(t->longest), short_entries(s))) * size;
    t->tile_bytes =
        smaller(larger(thread_share(s, TILES_PART) / four, 1), pieces(s->problem->rank, 4)) * four;
    return status;
}

static orthant_status setup_dense(sweep *s)
{
    newton *t = s->solver_state;
    const int64_t size = (int64_t)s->ops->size;
    t->longest = larger(s->plan.strips.n, s->plan.strips.m);
    t->stride = transposed_stride(s, t->longest);
    t->together =
        smaller(larger(thread_share(s, ROWS_PART) / (2 * t->stride * size), 1), s->ops->lanes);
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

/* ------------------------------------------------------------------ rows of sparse data */

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

static entries stored_entries(const sweep *s, const sparse_rows *data, int64_t row)
{
    const int64_t first = data->start[row - data->first];
    return (entries){data->values + first * (int64_t)s->ops->size, data->column + first,
                     sparse_rows_entries(data, row)};
}

/* Columns of so many rows of the other factor that a thread transposes at a time. */
static int64_t tile_columns(const sweep *s, int64_t count)
{
    const int64_t column = transposed_stride(s, count) * (int64_t)s->ops->size;
    return smaller(state_of(s)->tile_bytes / column / 4 * 4, transposed_parts(s));
}

/* From column `first` on, as many as a tile has. */
typedef struct tile {
    int64_t first, columns, stride;
    bool more; /* columns follow */
} tile;

static tile transposed_tile(const sweep *s, const scratch *w, const row_work *work,
                            const int32_t *listed, int64_t count, int64_t first)
{
    const int64_t rank = s->problem->rank, left = rank - first,
                  columns = smaller(tile_columns(s, count), left),
                  stride = transposed_stride(s, count);
    s->ops->transpose_listed(w->tile, stride, array_columns(s->ops, work->other, first, columns),
                             listed, count);
    return (tile){first, columns, stride, columns < left};
}

/* The tiles of all columns, one after the other; one is left as it is. */
static tile fit_tiles(const sweep *s, const scratch *w, const row_work *work, array rows,
                      bool alone, const int32_t *listed, int64_t count)
{
    tile at;
    for (int64_t first = 0;; first += at.columns) {
        at = transposed_tile(s, w, work, listed, count, first);
        const array part = alone ? array_columns(s->ops, rows, first, at.columns)
                                 : array_rows(s->ops, rows, first, at.columns);
        s->ops->fit_listed(w->fitted, part, alone, w->tile, at.stride, pieces(count, s->ops->lanes),
                           first > 0);
        if (!at.more)
            return at;
    }
}

/* A row by itself. */
static void long_row(const sweep *s, const scratch *w, const row_work *work, int64_t id)
{
    const kernels *ops = s->ops;
    const entries x = stored_entries(s, &work->data, id);
    const int64_t row = id - work->first, size = (int64_t)ops->size;
    const array to = array_rows(ops, work->rows, row, 1);
    const char *n = row_data(s, work->n, row), *u = row_data(s, work->u, row);
    memset(w->values, 0, (size_t)KERNEL_WHOLE(x.count) * ops->size);
    memcpy(w->values, x.values, (size_t)x.count * ops->size);
    tile at = fit_tiles(s, w, work, to, true, x.listed, x.count);
    for (int64_t first = 0; first < s->problem->rank; first += at.columns) {
        if (at.first != first)
            at = transposed_tile(s, w, work, x.listed, x.count, first);
        ops->newton(array_columns(ops, to, first, at.columns), w->values, w->fitted, w->tile,
                    at.stride, x.count, state_of(s)->least, work->sums + first,
                    n ? n + first * size : NULL, u ? u + first * size : NULL, at.more);
    }
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

/* Entries of rows `ids`, those of one place in all rows side by side; where the rows are. */
static void list_entries(const sweep *s, const scratch *w, const row_work *work, const int32_t *ids,
                         int64_t count, int64_t longest, int32_t *local)
{
    const int64_t lanes = s->ops->lanes, all = longest * lanes, size = (int64_t)s->ops->size;
    memset(w->values, 0, (size_t)(all * size));
    memset(w->listed, 0, (size_t)all * sizeof *w->listed);
    for (int64_t i = 0; i < count; i++) {
        const entries x = stored_entries(s, &work->data, ids[i]);
        local[i] = (int32_t)(ids[i] - work->first);
        copy_apart(s, w->values + i * size, lanes, x.values, 1, x.count);
        for (int64_t e = 0; e < x.count; e++)
            w->listed[e * lanes + i] = x.listed[e];
    }
}

/* Rows `ids` of the data, at most as many as a vector has lanes and of at most `longest` entries
 * each. */
static void short_rows(const sweep *s, const scratch *w, const row_work *work, const int32_t *ids,
                       int64_t count, int64_t longest)
{
    const kernels *ops = s->ops;
    const int64_t all = longest * ops->lanes, size = (int64_t)ops->size;
    int32_t local[KERNEL_MOST_LANES];
    list_entries(s, w, work, ids, count, longest, local);
    const array rows = transpose_together(s, w, work, local, count);
    tile at = fit_tiles(s, w, work, rows, false, w->listed, all);
    for (int64_t first = 0; first < s->problem->rank; first += at.columns) {
        const int64_t from = first * ops->lanes * size;
        if (at.first != first)
            at = transposed_tile(s, w, work, w->listed, all, first);
        ops->newton_short(array_rows(ops, rows, first, at.columns), w->values, w->fitted, w->tile,
                          at.stride, longest, state_of(s)->least, work->sums + first,
                          work->n.data ? w->n + from : NULL, work->u.data ? w->u + from : NULL,
                          at.more);
    }
    transpose_back(s, w, work, local, count);
}

static bool is_short(const sweep *s, const row_work *work, int64_t row)
{
    return sparse_rows_entries(&work->data, row) * s->ops->lanes <= short_entries(s);
}

/* Rows `ids` of the data, in the order of their length. */
static void listed_rows(const sweep *s, const scratch *w, const row_work *work, const int32_t *ids,
                        int64_t count)
{
    for (int64_t i = 0; i < count;) {
        const int64_t together = smaller(s->ops->lanes, count - i);
        if (is_short(s, work, ids[i])) {
            short_rows(s, w, work, ids + i, together, sparse_rows_entries(&work->data, ids[i]));
            i += together;
        } else {
            long_row(s, w, work, ids[i]);
            i++;
        }
    }
}

/* ------------------------------------------------------------------ rows of dense data */

/* Scratch for entries of rows, as many as the other factor has rows. */
static array whole_array(const sweep *s, void *data, int64_t rows, int64_t columns)
{
    return (array){data, rows, columns, state_of(s)->stride};
}

/* Rows from `first` on; the values are theirs, and zeros are put after the last ones. */
static void whole_rows(const sweep *s, const scratch *w, const row_work *work, int64_t first,
                       array X)
{
    int32_t local[KERNEL_MOST_LANES];
    const size_t tail = (size_t)(KERNEL_WHOLE(X.columns) - X.columns) * s->ops->size;
    for (int64_t i = 0; i < X.rows; i++) {
        local[i] = (int32_t)(first + i);
        memset((char *)array_rows(s->ops, X, i, 1).data + X.columns * (int64_t)s->ops->size, 0,
               tail);
    }
    const array rows = transpose_together(s, w, work, local, X.rows);
    s->ops->newton_whole(rows, X, whole_array(s, w->fitted, X.rows, X.columns),
                         state_of(s)->transposed, state_of(s)->stride, state_of(s)->least,
                         work->sums, work->n.data ? w->n : NULL, work->u.data ? w->u : NULL,
                         w->some);
    transpose_back(s, w, work, local, X.rows);
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
    scratch_at(s, u->b.thread, &w);
    if (u->to.data != u->from.data)
        s->ops->copy(u->to, u->from);
    if (X->sparse) {
        work.data = (sparse_rows){X->row_start, X->column, X->values, 0};
        listed_rows(s, &w, &work, t->sample_order + u->b.first, u->b.rows);
    }
    for (int64_t i = 0; i < u->b.rows && !X->sparse; i += t->together) {
        const int64_t count = smaller(t->together, u->b.rows - i);
        const array values = whole_array(s, w.values, count, s->plan.strips.m);
        s->ops->copy_columns(values, array_rows(s->ops, matrix_array(X), u->b.first + i, count));
        whole_rows(s, &w, &work, i, values);
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
    const array X = matrix_array(s->problem->samples);
    const row_work work = {.first = f.first,
                           .rows = sweep_rows(s, s->factors.W, f),
                           .other = s->factors.S,
                           .sums = s->sums.columns};
    scratch w;
    scratch_at(s, thread, &w);
    for (int64_t i = 0; i < f.rows; i += t->together) {
        const int64_t count = smaller(t->together, f.rows - i);
        const array values = whole_array(s, w.values, count, s->plan.strips.n);
        s->ops->transpose(values, array_columns(s->ops, X, f.first + i, count));
        whole_rows(s, &w, &work, i, values);
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
    scratch_at(p->s, thread, &w);
    const int64_t first =
                      index < p->alone ? index : p->alone + (index - p->alone) * p->s->ops->lanes,
                  count = index < p->alone ? 1 : smaller(p->s->ops->lanes, p->count - first);
    listed_rows(p->s, &w, &p->work, p->ids + first, count);
}

static void sparse_basis(const sweep *s)
{
    const strips *all = &s->plan.strips;
    feature_panels *f = &state_of(s)->features;
    for (int64_t i = 0; i < f->count; i++) {
        panel_work p = {s,
                        {.data = feature_panels_at(f, all, i),
                         .rows = s->factors.W,
                         .other = s->factors.S,
                         .sums = s->sums.columns},
                        f->order + f->first[i],
                        f->first[i + 1] - f->first[i],
                        0};
        while (p.alone < p.count && !is_short(s, &p.work, p.ids[p.alone]))
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
