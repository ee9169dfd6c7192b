#include "solver/newton.h"

#include <string.h>

/* What short rows meet together, and go through for every coordinate, stays in the second cache. */
#define SHORT_BYTES (256 << 10)

int64_t newton_parts(const sweep *s)
{
    return pieces(s->problem->rank, 4) * 4;
}

int64_t newton_short_entries(const sweep *s)
{
    return SHORT_BYTES / (int64_t)s->ops->size / newton_parts(s) / s->ops->lanes * s->ops->lanes;
}

/* One more cache line than its columns need: columns of a power of two would share few sets of a
 * cache. */
int64_t newton_stride(const sweep *s, int64_t columns)
{
    return KERNEL_WHOLE(columns) + 64 / (int64_t)s->ops->size;
}

/* ------------------------------------------------------------------ scratch */

int64_t newton_scratch(const sweep *s, int thread, scratch *w)
{
    const newton *t = s->solver_state;
    const int64_t size = (int64_t)s->ops->size, lanes = s->ops->lanes;
    const bool sparse = s->problem->samples->sparse;
    const int64_t entries = sparse ? larger(KERNEL_WHOLE(t->longest), newton_short_entries(s))
                                   : t->together * t->stride;
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
        {&w->rows, newton_parts(s) * lanes * size},
        {&w->n, s->problem->term_count ? newton_parts(s) * lanes * size : 0},
        {&w->u,
         s->problem->term_count || s->problem->fixed_basis ? newton_parts(s) * lanes * size : 0},
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
    const int64_t column = newton_stride(s, count) * (int64_t)s->ops->size;
    return smaller(newton_state(s)->tile_bytes / column / 4 * 4, newton_parts(s));
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
                  columns = smaller(tile_columns(s, count), left), stride = newton_stride(s, count);
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
                    at.stride, x.count, newton_state(s)->least, work->sums + first,
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
                          at.stride, longest, newton_state(s)->least, work->sums + first,
                          work->n.data ? w->n + from : NULL, work->u.data ? w->u + from : NULL,
                          at.more);
    }
    transpose_back(s, w, work, local, count);
}

bool newton_is_short(const sweep *s, const row_work *work, int64_t row)
{
    return sparse_rows_entries(&work->data, row) * s->ops->lanes <= newton_short_entries(s);
}

void newton_listed_rows(const sweep *s, const scratch *w, const row_work *work, const int32_t *ids,
                        int64_t count)
{
    for (int64_t i = 0; i < count;) {
        const int64_t together = smaller(s->ops->lanes, count - i);
        if (newton_is_short(s, work, ids[i])) {
            short_rows(s, w, work, ids + i, together, sparse_rows_entries(&work->data, ids[i]));
            i += together;
        } else {
            long_row(s, w, work, ids[i]);
            i++;
        }
    }
}

/* ------------------------------------------------------------------ rows of dense data */

array newton_entries(const sweep *s, void *data, int64_t rows, int64_t columns)
{
    return (array){data, rows, columns, newton_state(s)->stride};
}

void newton_whole_rows(const sweep *s, const scratch *w, const row_work *work, int64_t first,
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
    s->ops->newton_whole(rows, X, newton_entries(s, w->fitted, X.rows, X.columns),
                         newton_state(s)->transposed, newton_state(s)->stride,
                         newton_state(s)->least, work->sums, work->n.data ? w->n : NULL,
                         work->u.data ? w->u : NULL, w->some);
    transpose_back(s, w, work, local, X.rows);
}
