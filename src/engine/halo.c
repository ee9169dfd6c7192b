#include "engine/halo.h"

#include <string.h>

#include "core/memory.h"

static const char what[] = "rows of other processes";

/* The first row of each rank, and the end of the last. */
static void find_bounds(const sample_share *s, int64_t *bound)
{
    for (int r = 0; r <= s->ranks; r++)
        bound[r] = chunks_row(&s->cut, r, s->ranks);
}

static int owner(const int64_t *bound, int ranks, int64_t row)
{
    int low = 0, high = ranks;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (bound[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_own(const sample_share *s, int64_t row)
{
    return row >= s->first && row < s->first + s->rows;
}

/* What this process sends: an own row goes to every rank that has a neighbour of it. With `sent`
 * NULL they are counted. `seen`: of each rank, the last row that was found for it. */
static void list_sent(halo *h, const orthant_matrix *graph, const int64_t *bound, int64_t *seen,
                      int64_t *next)
{
    const sample_share *s = &h->share;
    for (int r = 0; r < s->ranks; r++)
        seen[r] = -1;
    for (int64_t i = s->first; i < s->first + s->rows; i++)
        for (int64_t e = graph->row_start[i]; e < graph->row_start[i + 1]; e++) {
            if (is_own(s, graph->column[e]))
                continue;
            const int r = owner(bound, s->ranks, graph->column[e]);
            h->edges += !h->sent;
            if (seen[r] == i)
                continue;
            seen[r] = i;
            if (h->sent)
                h->sent[next[r]] = i - s->first;
            next[r]++;
        }
}

static orthant_status setup_sent(halo *h, const orthant_matrix *graph, const int64_t *bound)
{
    const int ranks = h->share.ranks;
    int64_t *seen = memory_new(h->share.ctx, 2 * ranks, sizeof *seen, what);
    if (!seen)
        return ORTHANT_ERROR_MEMORY;
    int64_t *next = seen + ranks;
    list_sent(h, graph, bound, seen, next);
    for (int r = 0; r < ranks; r++)
        h->sent_from[r + 1] = h->sent_from[r] + next[r];
    h->sent = memory_new(h->share.ctx, h->sent_from[ranks], sizeof *h->sent, what);
    memcpy(next, h->sent_from, (size_t)ranks * sizeof *next);
    if (h->sent)
        list_sent(h, graph, bound, seen, next);
    memory_free(h->share.ctx, seen);
    return h->sent ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* The graph's own rows; `place`: where each sample's row lies, or -1. */
static orthant_status copy_rows(const halo *h, const orthant_matrix *graph, const int32_t *place,
                                orthant_matrix **own)
{
    const sample_share *s = &h->share;
    const size_t size = precision_size(graph->precision);
    const int64_t columns = s->rows + h->first + h->rows;
    const int64_t begin = graph->row_start[s->first],
                  stored = graph->row_start[s->first + s->rows] - begin;
    orthant_matrix *made = NULL;
    const orthant_status status =
        matrix_new_sparse(s->ctx, graph->precision, s->rows > 0 ? s->rows : 1,
                          columns > 0 ? columns : 1, stored, &made);
    if (status)
        return status;
    *own = made;
    made->rows = s->rows;
    for (int64_t i = 0; i <= s->rows; i++)
        made->row_start[i] = graph->row_start[s->first + i] - begin;
    for (int64_t e = 0; e < stored; e++)
        made->column[e] = place[graph->column[begin + e]];
    if (graph->values) {
        memcpy(made->values, (const char *)graph->values + (size_t)begin * size,
               (size_t)stored * size);
    } else { /* all are 1 */
        memory_free(s->ctx, made->values);
        made->values = NULL;
    }
    return ORTHANT_OK;
}

orthant_status halo_setup(halo *h, const sample_share *s, const orthant_matrix *graph,
                          int64_t first, orthant_matrix **own)
{
    orthant_context *ctx = s->ctx;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int64_t *bound = memory_new(ctx, s->ranks + 1, sizeof *bound, what);
    int32_t *place = memory_new(ctx, s->cut.samples, sizeof *place, what);
    *h = (halo){.share = *s, .first = first};
    h->sent_from = memory_new(ctx, s->ranks + 1, sizeof *h->sent_from, what);
    h->taken_from = memory_new(ctx, s->ranks + 1, sizeof *h->taken_from, what);
    if (!bound || !place || !h->sent_from || !h->taken_from)
        goto done;
    find_bounds(s, bound);
    for (int64_t i = s->first; i < s->first + s->rows; i++) {
        place[i] = (int32_t)(i - s->first);
        for (int64_t e = graph->row_start[i]; e < graph->row_start[i + 1]; e++)
            if (!is_own(s, graph->column[e]))
                place[graph->column[e]] = 1; /* is wanted */
    }
    for (int r = 0; r < s->ranks; r++) {
        for (int64_t i = bound[r]; r != s->rank && i < bound[r + 1]; i++)
            if (place[i])
                place[i] = (int32_t)(s->rows + h->first + h->rows++);
        h->taken_from[r + 1] = h->rows;
    }
    if (!(status = setup_sent(h, graph, bound)))
        status = copy_rows(h, graph, place, own);
done:
    memory_free(ctx, bound);
    memory_free(ctx, place);
    return status;
}

orthant_status halo_new_rows(halo *h, int64_t row_bytes)
{
    orthant_context *ctx = h->share.ctx;
    const int ranks = h->share.ranks;
    h->row_bytes = row_bytes;
    if (!(h->send = memory_new(ctx, h->sent_from[ranks], (size_t)row_bytes, what)) ||
        !(h->received = memory_new(ctx, h->rows, (size_t)row_bytes, what)) ||
        !(h->to = memory_new(ctx, ranks, sizeof *h->to, what)) ||
        !(h->from = memory_new(ctx, ranks, sizeof *h->from, what)) ||
        !(h->to_bytes = memory_new(ctx, ranks, sizeof *h->to_bytes, what)) ||
        !(h->from_bytes = memory_new(ctx, ranks, sizeof *h->from_bytes, what)))
        return ORTHANT_ERROR_MEMORY;
    for (int r = 0; r < ranks; r++) {
        h->to[r] = h->send + h->sent_from[r] * row_bytes;
        h->from[r] = h->received + h->taken_from[r] * row_bytes;
        h->to_bytes[r] = (h->sent_from[r + 1] - h->sent_from[r]) * row_bytes;
        h->from_bytes[r] = (h->taken_from[r + 1] - h->taken_from[r]) * row_bytes;
    }
    return ORTHANT_OK;
}

void halo_release(halo *h)
{
    orthant_context *ctx = h->share.ctx;
    void *all[] = {h->sent,       h->sent_from, h->taken_from, h->send,      h->received,
                   (void *)h->to, h->from,      h->to_bytes,   h->from_bytes};
    if (!ctx)
        return;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(ctx, all[i]);
    *h = (halo){0};
}

int64_t halo_moved_bytes(const halo *h)
{
    return (h->sent_from[h->share.ranks] + h->rows) * h->row_bytes;
}

static char *row_at(const kernels *ops, array a, int64_t row)
{
    return (char *)a.data + (size_t)(row * a.stride) * ops->size;
}

void halo_exchange(halo *h, const kernels *ops, array factor)
{
    const size_t bytes = (size_t)h->row_bytes;
    for (int64_t i = 0; i < h->sent_from[h->share.ranks]; i++)
        memcpy(h->send + (size_t)i * bytes, row_at(ops, factor, h->sent[i]), bytes);
    group_exchange(&h->share, h->to, h->to_bytes, h->from, h->from_bytes);
    for (int64_t i = 0; i < h->rows; i++)
        memcpy(row_at(ops, factor, h->share.rows + h->first + i), h->received + (size_t)i * bytes,
               bytes);
}
