#include "data/gathered.h"

#include <string.h>

#include "core/memory.h"

static strip open_strip(void *state, int64_t first, int64_t rows)
{
    const gathered *g = state;
    const orthant_matrix *X = g->others;
    const int64_t head = g->head->rows;
    if (first < head)
        return strip_in_memory(g->head, first, first, rows);
    if (g->copy)
        return strip_in_memory(g->copy, first - head, first, rows);
    return (strip){
        .sparse = {g->start, g->end, X->column, X->values, g->source.samples - head, X->columns},
        .row = first - head,
        .first = first,
        .rows = rows};
}

static void release_strip(void *state, strip x)
{
    (void)state;
    (void)x;
}

static orthant_status copy_dense(gathered *g, const int64_t *row, int64_t count)
{
    const orthant_matrix *X = g->others;
    const size_t size = precision_size(X->precision);
    const orthant_status status =
        matrix_new_dense(g->ctx, X->precision, count, X->columns, &g->copy);
    for (int64_t i = 0; i < count && !status; i++)
        memcpy((char *)g->copy->values + (size_t)(i * g->copy->stride) * size,
               (const char *)X->values + (size_t)(row[i] * X->stride) * size,
               (size_t)X->columns * size);
    return status;
}

static orthant_status list_sparse(gathered *g, const int64_t *row, int64_t count)
{
    const orthant_matrix *X = g->others;
    g->start = memory_new(g->ctx, 2 * count, sizeof *g->start, "rows of samples");
    if (!g->start)
        return ORTHANT_ERROR_MEMORY;
    g->end = g->start + count;
    g->source.stored = g->head->row_start[g->head->rows];
    for (int64_t i = 0; i < count; i++) {
        g->start[i] = X->row_start[row[i]];
        g->end[i] = X->row_start[row[i] + 1];
        g->source.stored += g->end[i] - g->start[i];
    }
    return ORTHANT_OK;
}

orthant_status gathered_setup(gathered *g, orthant_context *ctx, const orthant_matrix *head,
                              const orthant_matrix *others, const int64_t *row, int64_t count)
{
    const int64_t samples = head->rows + count;
    *g = (gathered){.ctx = ctx, .head = head, .others = others};
    g->source = (source){.state = g,
                         .samples = samples,
                         .stored = samples * others->columns,
                         .head = head->rows,
                         .open = open_strip,
                         .release = release_strip};
    return others->sparse ? list_sparse(g, row, count) : copy_dense(g, row, count);
}

void gathered_release(gathered *g)
{
    orthant_matrix_free(g->copy);
    memory_free(g->ctx, g->start);
}
