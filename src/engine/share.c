/* What a user of a group calls: whose rows are whose, and bringing them together. */
#include <string.h>

#include "core/memory.h"
#include "engine/group.h"

orthant_status orthant_group_rows(orthant_context *context, int64_t samples, int64_t features,
                                  int64_t *first, int64_t *rows)
{
    const orthant_status refused = entry_check(context, first && rows, __func__);
    if (refused)
        return refused;
    if (samples < 1 || features < 1)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "%s: %lld samples with %lld features: expected at least one of each", __func__,
                    (long long)samples, (long long)features);
    const sample_share s = samples_here_of(context, samples, features, context->group.ranks > 0);
    *first = s.first;
    *rows = s.rows;
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ bringing them together */

static void rows_of(const sample_share *s, int rank, int64_t *first, int64_t *rows)
{
    *first = chunks_row(&s->cut, rank, s->ranks);
    *rows = chunks_row(&s->cut, rank + 1, s->ranks) - *first;
}

/* Bytes between every two ranks, where rows of so many go to rank 0 or to all. */
typedef struct gathering {
    const void **send;
    void **receive;
    int64_t *sent, *received;
} gathering;

static void gathering_free(orthant_context *ctx, gathering *g)
{
    memory_free(ctx, (void *)g->send);
    memory_free(ctx, g->receive);
    memory_free(ctx, g->sent);
    memory_free(ctx, g->received);
}

static bool gathering_new(const sample_share *s, gathering *g)
{
    const char *what = "what processes tell";
    *g = (gathering){.send = memory_new(s->ctx, s->ranks, sizeof *g->send, what)};
    if (g->send)
        g->receive = memory_new(s->ctx, s->ranks, sizeof *g->receive, what);
    if (g->receive)
        g->sent = memory_new(s->ctx, s->ranks, sizeof *g->sent, what);
    if (g->sent)
        g->received = memory_new(s->ctx, s->ranks, sizeof *g->received, what);
    return g->received != NULL;
}

/* Elements of `row` bytes for each sample. */
static orthant_status gather_rows(const sample_share *s, const void *own, int64_t row,
                                  bool everywhere, void *all)
{
    gathering g;
    if (!gathering_new(s, &g)) {
        gathering_free(s->ctx, &g);
        return group_abandon(s, ORTHANT_ERROR_MEMORY, s->ctx->message);
    }
    for (int r = 0; r < s->ranks; r++) {
        int64_t first, rows;
        rows_of(s, r, &first, &rows);
        g.send[r] = own;
        g.sent[r] = everywhere || r == 0 ? s->rows * row : 0;
        g.receive[r] = all ? (char *)all + first * row : NULL;
        g.received[r] = all ? rows * row : 0;
    }
    group_exchange(s, g.send, g.sent, g.receive, g.received);
    gathering_free(s->ctx, &g);
    return group_check(s->ctx);
}

orthant_status group_whole_numbers(const sample_share *s, const int64_t *own, int64_t *all)
{
    return gather_rows(s, own, sizeof *own, false, all);
}

static orthant_status whole_dense(const sample_share *s, const orthant_matrix *part,
                                  bool everywhere, orthant_matrix **whole)
{
    const bool here = everywhere || s->rank == 0,
               padded = part->stride == matrix_padded(part->precision, part->columns);
    const int64_t size = (int64_t)precision_size(part->precision);
    orthant_matrix *compact = NULL; /* of a borrowed matrix with a stride of its own */
    orthant_status status = ORTHANT_OK;
    if (!padded && part->stride != part->columns && part->rows > 0)
        status = matrix_copy(s->ctx, part, part->precision, &compact);
    if (here && !status)
        status = (padded ? matrix_new_factor : matrix_new_dense)(
            s->ctx, part->precision, s->cut.samples, part->columns, whole);
    if (!(status = group_agree(s, status)))
        status = gather_rows(s, compact ? compact->values : part->values,
                             (padded ? part->stride : part->columns) * size, everywhere,
                             here ? (*whole)->values : NULL);
    orthant_matrix_free(compact);
    return status;
}

/* Lengths of rows first; then columns and values, from ranks with as many as those say. */
static orthant_status whole_sparse(const sample_share *s, const orthant_matrix *part,
                                   bool everywhere, orthant_matrix **whole)
{
    const int64_t size = (int64_t)precision_size(part->precision), n = s->cut.samples,
                  own = part->row_start[part->rows], stored = group_total(s, own);
    const bool here = everywhere || s->rank == 0;
    orthant_status status = ORTHANT_OK;
    gathering g = {0};
    int64_t *length = memory_new(s->ctx, part->rows + 1, sizeof *length, "lengths of rows");
    if (!length || !gathering_new(s, &g))
        status = ORTHANT_ERROR_MEMORY;
    if (!status && here)
        status = matrix_new_sparse(s->ctx, part->precision, n, part->columns, stored, whole);
    if ((status = group_agree(s, status)))
        goto done;
    for (int64_t i = 0; i < part->rows; i++)
        length[i] = part->row_start[i + 1] - part->row_start[i];
    int64_t *start = here ? (*whole)->row_start : NULL;
    status = gather_rows(s, length, sizeof *length, everywhere, here ? start + 1 : NULL);
    for (int64_t i = 0; here && i < n; i++)
        start[i + 1] += start[i];
    for (int pass = 0; pass < 2 && !status; pass++) {
        const int64_t width = pass ? size : (int64_t)sizeof *part->column;
        const void *from = pass ? part->values : (void *)part->column;
        char *to = !here ? NULL : pass ? (char *)(*whole)->values : (char *)(*whole)->column;
        for (int r = 0; r < s->ranks; r++) {
            int64_t first, rows;
            rows_of(s, r, &first, &rows);
            g.send[r] = from;
            g.sent[r] = everywhere || r == 0 ? own * width : 0;
            g.receive[r] = here ? to + start[first] * width : NULL;
            g.received[r] = here ? (start[first + rows] - start[first]) * width : 0;
        }
        group_exchange(s, g.send, g.sent, g.receive, g.received);
        status = group_check(s->ctx);
    }
done:
    gathering_free(s->ctx, &g);
    memory_free(s->ctx, length);
    return status;
}

orthant_status group_whole_matrix(const sample_share *s, const orthant_matrix *part,
                                  bool everywhere, orthant_matrix **whole)
{
    *whole = NULL;
    const orthant_status status = part->sparse ? whole_sparse(s, part, everywhere, whole)
                                               : whole_dense(s, part, everywhere, whole);
    if (status) {
        orthant_matrix_free(*whole);
        *whole = NULL;
    }
    return status;
}

orthant_status orthant_group_agree(orthant_context *context, orthant_status status)
{
    if (!context || !context->group.ranks)
        return status;
    const sample_share s = samples_here_of(context, 1, 1, true);
    return group_agree(&s, status);
}
