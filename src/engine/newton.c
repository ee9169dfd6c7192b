#include "engine/newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "engine/descent.h"
#include "engine/sweep_inside.h"

#define GROUP 16        /* features of a task */
#define TURNED_ROWS 256 /* of a factor, that one task turns */
/* What short rows meet together, and go through for every coordinate, stays in the second cache. */
#define SHORT_BYTES (256 << 10)

/* What a thread has. */
typedef struct workplace {
    char *fitted, *values;  /* of a row, or of rows together */
    int32_t *listed;        /* which rows of the other factor these meet, ... */
    char *tile;             /* ... and of a sparse X those, turned */
    char *rows, *n, *u;     /* rows together, turned */
    char *samples, *padded; /* of a dense X: samples, turned; before, where they are copied */
} workplace;

/* Rows of a factor, the other factor held. N and U: no data, no terms. */
typedef struct row_work {
    const orthant_matrix *data; /* sparse: whose rows they are fitted to */
    int64_t first;              /* the row of the data that `rows` begin with */
    array rows, other, n, u;
    const double *sums; /* of the other factor's columns */
} row_work;

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Parts that are turned with a factor: in whole vectors of 16 bytes. */
static int64_t turned_parts(const sweep *s)
{
    return pieces(s->W.columns, 4) * 4;
}

/* Entries of short rows, of all together. */
static int64_t short_entries(const sweep *s)
{
    return SHORT_BYTES / (int64_t)s->k->size / turned_parts(s) / s->k->lanes * s->k->lanes;
}

/* One more cache line than its columns need: columns of a power of two would share few places of a
 * cache. */
static int64_t turned_stride(const sweep *s, int64_t columns)
{
    return KERNEL_WHOLE(columns) + 64 / (int64_t)s->k->size;
}

/* Turning reads 16 bytes at a time: of rows that are no multiple, behind the last one. */
static bool copies_samples(const sweep *s)
{
    return s->m * (int64_t)s->k->size % 16 != 0;
}

/* ------------------------------------------------------------------ setup */

/* Of a thread; with no scratch yet, how much it takes. */
static int64_t workplace_at(const sweep *s, int thread, workplace *w)
{
    const newton *t = s->newton;
    const int64_t size = (int64_t)s->k->size, number = (int64_t)sizeof(int32_t);
    const bool sparse = s->samples->sparse;
    /* of a dense X, of all rows together */
    const int64_t entries = sparse ? most(t->longest, short_entries(s)) : t->longest * s->k->lanes;
    char *at = t->scratch ? t->scratch + thread * t->scratch_bytes : NULL, *listed;
    const int64_t turned = turned_parts(s) * s->k->lanes * size,
                  samples = sparse ? 0 : s->k->lanes * KERNEL_WHOLE(s->m) * size;
    const struct {
        char **place;
        int64_t bytes;
    } all[] = {
        {&w->fitted, turned_stride(s, entries) * size},
        {&w->values, entries * size},
        {&listed, (sparse ? entries : t->longest) * number},
        {&w->tile, sparse ? turned_parts(s) * turned_stride(s, entries) * size : 0},
        {&w->rows, turned},
        {&w->n, turned},
        {&w->u, turned},
        {&w->samples, samples},
        {&w->padded, copies_samples(s) ? samples : 0},
    };
    int64_t bytes = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].place = at ? at + bytes : NULL;
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
        s->newton->longest = most(s->newton->longest, KERNEL_WHOLE(sorted[0].count));
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
    newton *t = s->newton;
    orthant_status status = matrix_transpose(s->ctx, s->samples, &t->features);
    if (!status)
        status = order_rows(s, t->features, s->m, &t->feature_order);
    return status ? status : order_rows(s, s->samples, block_rows(s), &t->sample_order);
}

static orthant_status setup_dense(sweep *s)
{
    newton *t = s->newton;
    t->longest = KERNEL_WHOLE(most(s->n, s->m));
    t->stride = turned_stride(s, t->longest);
    t->turned = memory_new(s->ctx, turned_parts(s) * t->stride, s->k->size, "the turned factor");
    return t->turned ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

orthant_status newton_setup(sweep *s)
{
    workplace w;
    if (s->n > INT32_MAX - 64 || s->m > INT32_MAX - 64)
        return fail(s->ctx, ORTHANT_ERROR_ARGUMENT,
                    "solver 'newton' takes at most %d samples and features; take solver mu or emu",
                    INT32_MAX - 64);
    newton *t = s->newton = memory_new(s->ctx, 1, sizeof *t, "Newton's steps");
    if (!t)
        return ORTHANT_ERROR_MEMORY;
    t->least = least_fitted(s->samples);
    const orthant_status status = s->samples->sparse ? setup_sparse(s) : setup_dense(s);
    if (status)
        return status;
    t->scratch_bytes = workplace_at(s, 0, &w);
    t->scratch = memory_new(s->ctx, s->threads * t->scratch_bytes, 1, "scratch");
    return t->scratch ? extrapolation_setup(s) : ORTHANT_ERROR_MEMORY;
}

void newton_release(sweep *s)
{
    newton *t = s->newton;
    if (!t)
        return;
    orthant_matrix_free(t->features);
    void *all[] = {t->sample_order, t->feature_order, t->turned, t->scratch, t};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(s->ctx, all[i]);
    s->newton = NULL;
}

/* ------------------------------------------------------------------ the factor that is held */

typedef struct turning {
    const sweep *s;
    array factor;
} turning;

static void turn_task(void *user, int64_t index, int thread)
{
    const turning *turn = user;
    const sweep *s = turn->s;
    const block b = block_at(0, turn->factor.rows, TURNED_ROWS, index, thread);
    s->k->transpose_listed(s->newton->turned + b.first * (int64_t)s->k->size, s->newton->stride,
                           array_rows(s->k, turn->factor, b.first, b.rows), NULL, b.rows);
}

static void turn(const sweep *s, array factor)
{
    turning work = {s, factor};
    if (s->newton->turned)
        run_tasks(s, pieces(factor.rows, TURNED_ROWS), turn_task, &work,
                  factor.rows * factor.stride);
}

void newton_basis_changed(sweep *s)
{
    turn(s, s->W);
}

/* ------------------------------------------------------------------ rows */

static const void *row_data(const sweep *s, array a, int64_t row)
{
    return a.data ? array_rows(s->k, a, row, 1).data : NULL;
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
    return (entries){(const char *)X.values + first * (int64_t)s->k->size, X.column + first,
                     entries_of(data, row)};
}

/* A row by itself. */
static void long_row(const sweep *s, const workplace *w, const row_work *work, int64_t id)
{
    const kernels *k = s->k;
    const entries x = stored_entries(s, work->data, id);
    const int64_t row = id - work->first;
    const int64_t columns = KERNEL_WHOLE(x.count), stride = turned_stride(s, x.count);
    const array to = array_rows(k, work->rows, row, 1), fitted = {w->fitted, 1, columns, stride},
                tile = {w->tile, s->W.columns, columns, stride};
    k->transpose_listed(tile.data, stride, work->other, x.listed, x.count);
    if (x.count > 0)
        k->product(fitted, to, tile, false);
    memset(w->values, 0, (size_t)columns * k->size);
    memcpy(w->values, x.values, (size_t)x.count * k->size);
    k->newton(to, w->values, fitted.data, tile.data, stride, x.count, s->newton->least, work->sums,
              row_data(s, work->n, row), row_data(s, work->u, row));
}

/* Numbers of either precision, as they are, into every `step`th place or from there. */
static void copy_apart(const sweep *s, void *to, int64_t to_step, const void *from,
                       int64_t from_step, int64_t count)
{
    if (s->k->size == sizeof(float))
        for (int64_t i = 0; i < count; i++)
            ((float *)to)[i * to_step] = ((const float *)from)[i * from_step];
    else
        for (int64_t i = 0; i < count; i++)
            ((double *)to)[i * to_step] = ((const double *)from)[i * from_step];
}

/* Rows of the factor, with their N and U, turned; and back. */
static array turn_together(const sweep *s, const workplace *w, const row_work *work,
                           const int32_t *local, int64_t count)
{
    const kernels *k = s->k;
    k->transpose_listed(w->rows, k->lanes, work->rows, local, count);
    if (work->n.data)
        k->transpose_listed(w->n, k->lanes, work->n, local, count);
    if (work->u.data)
        k->transpose_listed(w->u, k->lanes, work->u, local, count);
    return (array){w->rows, s->W.columns, k->lanes, k->lanes};
}

static void turn_back(const sweep *s, const workplace *w, const row_work *work,
                      const int32_t *local, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        copy_apart(s, array_rows(s->k, work->rows, local[i], 1).data, 1,
                   w->rows + i * (int64_t)s->k->size, s->k->lanes, s->W.columns);
}

/* Rows `ids` of the data, at most as many as a vector has places and of at most `longest` entries
 * each. */
static void short_rows(const sweep *s, const workplace *w, const row_work *work, const int32_t *ids,
                       int64_t count, int64_t longest)
{
    const kernels *k = s->k;
    const int64_t lanes = k->lanes, all = longest * lanes, stride = turned_stride(s, all),
                  size = (int64_t)k->size;
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
    const array rows = turn_together(s, w, work, local, count);
    k->transpose_listed(w->tile, stride, work->other, w->listed, all);
    k->newton_short(rows, w->values, w->fitted, w->tile, stride, longest, s->newton->least,
                    work->sums, work->n.data ? w->n : NULL, work->u.data ? w->u : NULL);
    turn_back(s, w, work, local, count);
}

/* Rows `ids` of the data, in the order of their length. */
static void listed_rows(const sweep *s, const workplace *w, const row_work *work,
                        const int32_t *ids, int64_t count)
{
    for (int64_t i = 0; i < count;) {
        const int64_t longest = entries_of(work->data, ids[i]),
                      together = smaller(s->k->lanes, count - i);
        if (longest * s->k->lanes <= short_entries(s)) {
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
static void whole_rows(const sweep *s, const workplace *w, const row_work *work, int64_t first,
                       array X)
{
    int32_t local[KERNEL_MOST_LANES];
    for (int64_t i = 0; i < X.columns; i++)
        local[i] = (int32_t)(first + i);
    const array rows = turn_together(s, w, work, local, X.columns);
    s->k->newton_whole(rows, X, s->newton->turned, s->newton->stride, s->newton->least, work->sums,
                       work->n.data ? w->n : NULL, work->u.data ? w->u : NULL, w->values, w->fitted,
                       w->listed);
    turn_back(s, w, work, local, X.columns);
}

/* Some samples of a dense X, feature by feature. */
static array turned_samples(const sweep *s, const workplace *w, int64_t first, int64_t count)
{
    const kernels *k = s->k;
    array X = array_rows(k, matrix_array(s->samples), first, count);
    if (copies_samples(s)) {
        const array padded = {w->padded, count, s->m, KERNEL_WHOLE(s->m)};
        k->copy_columns(padded, X);
        X = padded;
    }
    k->transpose_listed(w->samples, k->lanes, X, NULL, count);
    return (array){w->samples, s->m, count, k->lanes};
}

void newton_encoding_block(const sweep *s, block b, array rows, array n, array u)
{
    const newton *t = s->newton;
    const row_work work = {s->samples, b.first, rows, s->W, n, u, s->basis_sums};
    workplace w;
    workplace_at(s, b.thread, &w);
    if (s->samples->sparse) {
        listed_rows(s, &w, &work, t->sample_order + b.first, b.rows);
        return;
    }
    for (int64_t i = 0; i < b.rows; i += s->k->lanes) {
        const int64_t count = smaller(s->k->lanes, b.rows - i);
        whole_rows(s, &w, &work, i, turned_samples(s, &w, b.first + i, count));
    }
}

/* ------------------------------------------------------------------ the basis */

static void group_task(void *user, int64_t index, int thread)
{
    const sweep *s = user;
    const newton *t = s->newton;
    const block f = block_at(0, s->m, GROUP, index, thread);
    const int64_t first = t->features ? 0 : f.first, rows = t->features ? s->m : f.rows;
    const row_work work = {
        t->features, first, array_rows(s->k, s->W, first, rows), s->S, {0}, {0}, s->encoding_sums};
    workplace w;
    workplace_at(s, thread, &w);
    if (t->features) {
        listed_rows(s, &w, &work, t->feature_order + f.first, f.rows);
        return;
    }
    for (int64_t i = 0; i < f.rows; i += s->k->lanes) {
        const int64_t count = smaller(s->k->lanes, f.rows - i);
        whole_rows(s, &w, &work, i,
                   array_columns(s->k, matrix_array(s->samples), f.first + i, count));
    }
}

static void beyond_task(void *user, int64_t index, int thread)
{
    const sweep *s = user;
    const block b = block_at(0, s->m, block_rows(s), index, thread);
    extrapolate_block(s, b, true, array_rows(s->k, s->W, b.first, b.rows));
}

void newton_basis(sweep *s)
{
    turn(s, s->S);
    run_tasks(s, pieces(s->m, GROUP), group_task, s, product_cost(s, s->n));
    run_tasks(s, pieces(s->m, block_rows(s)), beyond_task, s, s->m * s->W.stride);
}
