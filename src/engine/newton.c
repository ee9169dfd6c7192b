#include "engine/newton.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "engine/descent.h"
#include "engine/sweep_inside.h"

#define GROUP 16        /* rows whose fitted values are formed together; features of a task */
#define TURNED_ROWS 256 /* of a factor, that one task turns */
#define STAGED 64       /* samples whose features are turned at a time */
/* What short rows meet together, and go through for every coordinate, stays in the second cache. */
#define SHORT_BYTES (256 << 10)

/* What a thread has. */
typedef struct workplace {
    char *fitted, *values; /* of a row, or of short rows together */
    int32_t *listed;
    char *tile;              /* what these meet */
    char *row_values;        /* of one row of a dense X ... */
    int32_t *row_listed;     /* ... whose entries are listed */
    char *rows, *n, *u;      /* short rows, turned */
    char *features, *staged; /* of a dense X: GROUP columns as rows */
} workplace;

/* Rows that are fitted to a side's data, the other factor held. N and U: no data, no terms. */
typedef struct row_work {
    const newton_side *side;
    int64_t first; /* the side's row that `rows` begin with */
    array rows, other, n, u;
    const double *sums; /* of the other factor's columns */
} row_work;

typedef struct entries {
    const char *values;
    const int32_t *listed;
    int64_t count;
} entries;

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

/* ------------------------------------------------------------------ setup */

/* Of a thread; with no scratch yet, how much it takes. */
static int64_t workplace_at(const sweep *s, int thread, workplace *w)
{
    const newton *t = s->newton;
    const int64_t size = (int64_t)s->k->size, number = (int64_t)sizeof(int32_t),
                  parts = turned_parts(s) * size;
    const int64_t together = t->listed ? most(t->longest, short_entries(s)) : t->longest;
    char *at = t->scratch ? t->scratch + thread * t->scratch_bytes : NULL, *listed, *row_listed;
    const struct {
        char **place;
        int64_t bytes;
    } places[] = {
        {&w->fitted, t->listed ? turned_stride(s, together) * size : GROUP * t->stride * size},
        {&w->values, together * size},
        {&listed, t->listed ? together * number : 0},
        {&w->tile, t->listed ? parts * turned_stride(s, together) : 0},
        {&w->row_values, t->listed && !t->features ? t->longest * size : 0},
        {&row_listed, t->listed && !t->features ? t->longest * number : 0},
        {&w->rows, t->listed ? parts * s->k->lanes : 0},
        {&w->n, t->listed ? parts * s->k->lanes : 0},
        {&w->u, t->listed ? parts * s->k->lanes : 0},
        {&w->features, t->features ? 0 : GROUP * KERNEL_WHOLE(s->n) * size},
        {&w->staged, t->features ? 0 : STAGED * GROUP * size},
    };
    int64_t bytes = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *places[i].place = at ? at + bytes : NULL;
        bytes += pieces(places[i].bytes, 64) * 64;
    }
    w->listed = (int32_t *)(void *)listed;
    w->row_listed = (int32_t *)(void *)row_listed;
    return bytes;
}

static int64_t entries_of(const newton_side *side, int64_t row)
{
    return side->count ? side->count[row]
                       : side->data->row_start[row + 1] - side->data->row_start[row];
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
static orthant_status order_rows(sweep *s, newton_side *side, int64_t rows, int64_t span)
{
    counted *sorted = memory_new(s->ctx, smaller(span, rows), sizeof *sorted, "an order");
    side->order = memory_new(s->ctx, rows, sizeof *side->order, "an order");
    for (int64_t first = 0; sorted && side->order && first < rows; first += span) {
        const int64_t count = smaller(span, rows - first);
        for (int64_t i = 0; i < count; i++)
            sorted[i] = (counted){entries_of(side, first + i), (int32_t)(first + i)};
        qsort(sorted, (size_t)count, sizeof *sorted, more_entries);
        for (int64_t i = 0; i < count; i++)
            side->order[first + i] = sorted[i].row;
        s->newton->longest = most(s->newton->longest, KERNEL_WHOLE(sorted[0].count));
    }
    const bool made = sorted && side->order;
    memory_free(s->ctx, sorted);
    return made ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* How many entries of a sample of a dense X are not zero. */
static void count_task(void *user, int64_t index, int thread)
{
    const sweep *s = user;
    workplace w;
    workplace_at(s, thread, &w);
    s->newton->samples.count[index] = (int32_t)s->k->list_entries(
        w.row_values, w.row_listed, array_rows(s->k, matrix_array(s->samples), index, 1).data,
        s->m);
}

/* Where nothing fits an entry, squares of quotients must not overflow. As a part of the largest
 * entry: X in other units is fitted alike. */
static double least_fitted(const orthant_matrix *samples)
{
    return matrix_largest(samples) * (samples->precision == ORTHANT_SINGLE ? 1e-13 : 1e-100);
}

/* A sparse X by features, and how long its rows are. */
static orthant_status setup_sparse(sweep *s)
{
    newton *t = s->newton;
    orthant_status status = matrix_transpose(s->ctx, s->samples, &t->features);
    t->by_feature.data = t->features;
    if (!status)
        status = order_rows(s, &t->by_feature, s->m, s->m);
    return status ? status : order_rows(s, &t->samples, s->n, block_rows(s));
}

static orthant_status setup_dense(sweep *s)
{
    newton *t = s->newton;
    if (!t->listed) {
        t->turned =
            memory_new(s->ctx, turned_parts(s) * t->stride, s->k->size, "the turned factor");
        return t->turned ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    t->samples.count = memory_new(s->ctx, s->n, sizeof(int32_t), "counts of entries");
    if (!t->samples.count)
        return ORTHANT_ERROR_MEMORY;
    run_tasks(s, s->n, count_task, s, product_cost(s, s->n));
    return order_rows(s, &t->samples, s->n, block_rows(s));
}

orthant_status newton_setup(sweep *s)
{
    orthant_status status = ORTHANT_OK;
    workplace w;
    if (s->n > INT32_MAX || s->m > INT32_MAX)
        return fail(s->ctx, ORTHANT_ERROR_ARGUMENT,
                    "solver 'newton' takes at most %d samples and features; take solver mu or emu",
                    INT32_MAX);
    newton *t = s->newton = memory_new(s->ctx, 1, sizeof *t, "Newton's steps");
    if (!t)
        return ORTHANT_ERROR_MEMORY;
    t->least = least_fitted(s->samples);
    t->listed = s->samples->sparse || orthant_matrix_nonzeros(s->samples) < s->n * s->m / 2;
    t->samples.data = s->samples;
    if (s->samples->sparse)
        status = setup_sparse(s);
    else
        t->longest = KERNEL_WHOLE(most(s->n, s->m));
    if (status)
        return status;
    t->stride = turned_stride(s, t->longest);
    t->scratch_bytes = workplace_at(s, 0, &w);
    t->scratch = memory_new(s->ctx, s->threads * t->scratch_bytes, 1, "scratch");
    if (!t->scratch)
        return ORTHANT_ERROR_MEMORY;
    if (!s->samples->sparse && (status = setup_dense(s)))
        return status;
    return extrapolation_setup(s);
}

void newton_release(sweep *s)
{
    newton *t = s->newton;
    if (!t)
        return;
    orthant_matrix_free(t->features);
    void *all[] = {t->samples.order, t->samples.count, t->by_feature.order,
                   t->turned,        t->scratch,       t};
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
    s->k->turn_listed(s->newton->turned + b.first * (int64_t)s->k->size, s->newton->stride,
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

static void zeros_behind(const sweep *s, char *values, int64_t count)
{
    const int64_t size = (int64_t)s->k->size;
    memset(values + count * size, 0, (size_t)((KERNEL_WHOLE(count) - count) * size));
}

static const char *padded_values(const sweep *s, const workplace *w, const void *values,
                                 int64_t count)
{
    memcpy(w->values, values, (size_t)count * s->k->size);
    zeros_behind(s, w->values, count);
    return w->values;
}

/* What is not zero of a sample or of a feature of a sparse X, or of a dense one's sample. */
static entries listed_entries(const sweep *s, const workplace *w, const newton_side *side,
                              int64_t row)
{
    if (!side->data->sparse) {
        const void *values = array_rows(s->k, matrix_array(side->data), row, 1).data;
        return (entries){w->row_values, w->row_listed,
                         s->k->list_entries(w->row_values, w->row_listed, values, s->m)};
    }
    const csr X = matrix_csr(side->data);
    const int64_t first = X.row_start[row];
    return (entries){(const char *)X.values + first * (int64_t)s->k->size, X.column + first,
                     X.row_start[row + 1] - first};
}

/* A row by itself. */
static void long_row(const sweep *s, const workplace *w, const row_work *work, int64_t row,
                     entries x)
{
    const kernels *k = s->k;
    const int64_t columns = KERNEL_WHOLE(x.count), stride = turned_stride(s, x.count);
    const array to = array_rows(k, work->rows, row, 1), fitted = {w->fitted, 1, columns, stride},
                tile = {w->tile, s->W.columns, columns, stride};
    k->turn_listed(tile.data, stride, work->other, x.listed, x.count);
    if (x.count > 0)
        k->product(fitted, to, tile, false);
    k->newton(to, padded_values(s, w, x.values, x.count), fitted.data, tile.data, stride, x.count,
              s->newton->least, work->sums, row_data(s, work->n, row), row_data(s, work->u, row));
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

/* Rows `ids` of the side, at most as many as a vector has places and of at most `longest` entries
 * each. */
static void short_rows(const sweep *s, const workplace *w, const row_work *work, const int32_t *ids,
                       int64_t count, int64_t longest)
{
    const kernels *k = s->k;
    const int64_t lanes = k->lanes, all = longest * lanes, stride = turned_stride(s, all),
                  size = (int64_t)k->size;
    const array rows = {w->rows, s->W.columns, lanes, lanes};
    int32_t local[64];
    memset(w->values, 0, (size_t)(all * size));
    memset(w->listed, 0, (size_t)all * sizeof *w->listed);
    for (int64_t i = 0; i < count; i++) {
        const entries x = listed_entries(s, w, work->side, ids[i]);
        local[i] = (int32_t)(ids[i] - work->first);
        copy_apart(s, w->values + i * size, lanes, x.values, 1, x.count);
        for (int64_t e = 0; e < x.count; e++)
            w->listed[e * lanes + i] = x.listed[e];
    }
    k->turn_listed(w->rows, lanes, work->rows, local, count);
    if (work->n.data)
        k->turn_listed(w->n, lanes, work->n, local, count);
    if (work->u.data)
        k->turn_listed(w->u, lanes, work->u, local, count);
    k->turn_listed(w->tile, stride, work->other, w->listed, all);
    k->newton_short(rows, w->values, w->fitted, w->tile, stride, longest, s->newton->least,
                    work->sums, work->n.data ? w->n : NULL, work->u.data ? w->u : NULL);
    for (int64_t i = 0; i < count; i++)
        copy_apart(s, array_rows(k, work->rows, local[i], 1).data, 1, w->rows + i * size, lanes,
                   s->W.columns);
}

/* Rows that list their entries, in the side's order. */
static void listed_rows(const sweep *s, const workplace *w, const row_work *work,
                        const int32_t *ids, int64_t count)
{
    for (int64_t i = 0; i < count;) {
        const int64_t longest = entries_of(work->side, ids[i]),
                      together = smaller(s->k->lanes, count - i);
        if (longest * s->k->lanes <= short_entries(s)) {
            short_rows(s, w, work, ids + i, together, longest);
            i += together;
        } else {
            long_row(s, w, work, ids[i] - work->first, listed_entries(s, w, work->side, ids[i]));
            i++;
        }
    }
}

/* Rows that take all of the data, whose rows of `length` values lie `apart` elements from each
 * other; with zeros behind them where they are `padded`. */
static void whole_rows(const sweep *s, const workplace *w, const row_work *work, const char *data,
                       int64_t apart, int64_t length, bool padded)
{
    const kernels *k = s->k;
    const newton *t = s->newton;
    const array turned = {t->turned, s->W.columns, KERNEL_WHOLE(length), t->stride};
    for (int64_t first = 0; first < work->rows.rows; first += GROUP) {
        const int64_t rows = smaller(GROUP, work->rows.rows - first);
        const array fitted = {w->fitted, rows, turned.columns, t->stride};
        k->product(fitted, array_rows(k, work->rows, first, rows), turned, false);
        for (int64_t i = first; i < first + rows; i++) {
            const void *values = data + i * apart * (int64_t)k->size;
            k->newton(array_rows(k, work->rows, i, 1),
                      padded ? values : padded_values(s, w, values, length),
                      array_rows(k, fitted, i - first, 1).data, turned.data, t->stride, length,
                      t->least, work->sums, row_data(s, work->n, i), row_data(s, work->u, i));
        }
    }
}

void newton_encoding_block(const sweep *s, block b, array rows, array n, array u)
{
    const newton *t = s->newton;
    const row_work work = {&t->samples, b.first, rows, s->W, n, u, s->basis_sums};
    workplace w;
    workplace_at(s, b.thread, &w);
    if (t->listed) {
        listed_rows(s, &w, &work, t->samples.order + b.first, b.rows);
        return;
    }
    const array X = array_rows(s->k, matrix_array(s->samples), b.first, b.rows);
    whole_rows(s, &w, &work, X.data, X.stride, s->m, false);
}

/* ------------------------------------------------------------------ the basis */

/* Some columns of X as rows, KERNEL_WHOLE(n) elements apart, with zeros behind them. */
static void turn_features(const sweep *s, const workplace *w, block f)
{
    const kernels *k = s->k;
    const int64_t apart = KERNEL_WHOLE(s->n);
    const array X = array_columns(k, matrix_array(s->samples), f.first, f.rows);
    const bool staged = f.rows * (int64_t)k->size % 16 != 0; /* not to read behind the last row */
    for (int64_t i = 0; i < s->n; i += STAGED) {
        const int64_t rows = smaller(STAGED, s->n - i);
        array part = array_rows(k, X, i, rows);
        if (staged) {
            part = (array){w->staged, rows, f.rows, GROUP};
            k->copy_columns(part, array_rows(k, X, i, rows));
        }
        k->turn_listed(w->features + i * (int64_t)k->size, apart, part, NULL, rows);
    }
    for (int64_t i = 0; i < f.rows; i++)
        zeros_behind(s, w->features + i * apart * (int64_t)k->size, s->n);
}

static void group_task(void *user, int64_t index, int thread)
{
    const sweep *s = user;
    const newton *t = s->newton;
    const block f = block_at(0, s->m, GROUP, index, thread);
    const int64_t first = t->features ? 0 : f.first, rows = t->features ? s->m : f.rows;
    const row_work work = {
        &t->by_feature,  first, array_rows(s->k, s->W, first, rows), s->S, {0}, {0},
        s->encoding_sums};
    workplace w;
    workplace_at(s, thread, &w);
    if (t->features) {
        listed_rows(s, &w, &work, t->by_feature.order + f.first, f.rows);
        return;
    }
    turn_features(s, &w, f);
    if (!t->listed) {
        whole_rows(s, &w, &work, w.features, KERNEL_WHOLE(s->n), s->n, true);
        return;
    }
    for (int64_t i = 0; i < f.rows; i++) {
        const void *values = w.features + i * KERNEL_WHOLE(s->n) * (int64_t)s->k->size;
        const int64_t count = s->k->list_entries(w.row_values, w.row_listed, values, s->n);
        long_row(s, &w, &work, i, (entries){w.row_values, w.row_listed, count});
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
