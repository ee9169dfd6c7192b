#include "engine/group.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "data/pass.h"

/* ------------------------------------------------------------------ the share */

sample_share samples_here_of(orthant_context *ctx, int64_t samples, int64_t features, bool shared)
{
    sample_share s = {.ctx = ctx, .ranks = 1, .cut = chunks_cut(samples, features)};
    if (shared) {
        s.rank = ctx->group.rank;
        s.ranks = ctx->group.ranks;
    }
    s.shared = s.ranks > 1;
    s.first_chunk = chunks_first(&s.cut, s.rank, s.ranks);
    s.end_chunk = chunks_first(&s.cut, s.rank + 1, s.ranks);
    s.first = chunks_row(&s.cut, s.rank, s.ranks);
    s.rows = chunks_row(&s.cut, s.rank + 1, s.ranks) - s.first;
    return s;
}

sample_share samples_here(const orthant_matrix *X)
{
    return samples_here_of(X->ctx, matrix_total(X), X->columns,
                           X->part.total && X->ctx->group.ranks);
}

orthant_status share_check(const orthant_matrix *X)
{
    const sample_share s = samples_here(X);
    if (!X->part.total || (s.first == X->part.first && s.rows == X->rows))
        return ORTHANT_OK;
    return fail(X->ctx, ORTHANT_ERROR_ARGUMENT,
                "the data are %lld rows from row %lld on, of %lld; process %d of %d has %lld from "
                "%lld on (orthant_group_rows)",
                (long long)X->rows, (long long)X->part.first, (long long)X->part.total, s.rank,
                s.ranks, (long long)s.rows, (long long)s.first);
}

/* ------------------------------------------------------------------ what the processes tell */

static const char broken_message[] = "the processes that share the samples lost each other";

/* What failed here alone the others would wait for. */
static void break_group(orthant_context *ctx)
{
    fail(ctx, ORTHANT_ERROR_IO, broken_message);
    ctx->group_broken = true;
    ctx->group.abort(ctx->group.user, broken_message);
}

orthant_status group_check(orthant_context *ctx)
{
    return ctx->group_broken ? fail(ctx, ORTHANT_ERROR_IO, broken_message) : ORTHANT_OK;
}

orthant_status group_abandon(const sample_share *s, orthant_status status, const char *message)
{
    orthant_context *ctx = s->ctx;
    char own[sizeof ctx->message]; /* it may be the context's */
    snprintf(own, sizeof own, "%s", message);
    if (s->shared && !ctx->group_broken) {
        ctx->group_broken = true;
        ctx->group.abort(ctx->group.user, own);
    }
    return fail(ctx, status, "%s", own);
}

void group_gather(const sample_share *s, const void *own, void *all, const int64_t *bytes)
{
    const orthant_group *group = &s->ctx->group;
    int64_t total = 0;
    if (!s->shared) {
        memcpy(all, own, (size_t)bytes[0]);
        return;
    }
    for (int r = 0; r < s->ranks; r++)
        total += bytes[r];
    if (!s->ctx->group_broken && !group->gather(group->user, own, all, bytes))
        break_group(s->ctx);
    if (s->ctx->group_broken)
        memset(all, 0, (size_t)total);
}

void group_exchange(const sample_share *s, const void *const *send, const int64_t *send_bytes,
                    void *const *receive, const int64_t *receive_bytes)
{
    const orthant_group *group = &s->ctx->group;
    if (!s->ctx->group_broken &&
        !group->exchange(group->user, send, send_bytes, receive, receive_bytes))
        break_group(s->ctx);
    for (int r = 0; r < s->ranks && s->ctx->group_broken; r++)
        if (receive_bytes[r] > 0)
            memset(receive[r], 0, (size_t)receive_bytes[r]);
}

/* A number of each rank. NULL where there is no memory: then the group is abandoned. */
static void *gather_each(const sample_share *s, const void *own, int64_t size)
{
    int64_t *bytes = memory_new(s->ctx, s->ranks, sizeof *bytes, "what processes tell");
    char *all = memory_new(s->ctx, s->ranks, (size_t)size, "what processes tell");
    for (int r = 0; bytes && r < s->ranks; r++)
        bytes[r] = size;
    if (all && bytes)
        group_gather(s, own, all, bytes);
    else
        group_abandon(s, ORTHANT_ERROR_MEMORY, s->ctx->message);
    memory_free(s->ctx, bytes);
    return all;
}

void group_tell(const sample_share *s, void *data, int64_t bytes)
{
    char *all = s->shared ? gather_each(s, data, bytes) : NULL;
    if (all)
        memcpy(data, all, (size_t)bytes);
    memory_free(s->ctx, all);
}

orthant_status group_agree(const sample_share *s, orthant_status status)
{
    orthant_context *ctx = s->ctx;
    int failed = -1;
    if (!s->shared || ctx->group_broken)
        return status ? status : group_check(ctx);
    orthant_status *all = gather_each(s, &status, sizeof status);
    for (int r = s->ranks - 1; all && r >= 0; r--)
        failed = all[r] ? r : failed;
    orthant_status found = failed >= 0 ? all[failed] : ORTHANT_OK;
    memory_free(ctx, all);
    if (failed >= 0) {
        char(*message)[sizeof ctx->message] = gather_each(s, ctx->message, sizeof ctx->message);
        if (message && !ctx->group_broken)
            memcpy(ctx->message, message[failed], sizeof ctx->message);
        memory_free(ctx, message);
    }
    return found ? found : group_check(ctx);
}

double group_largest(const sample_share *s, double value)
{
    double *all = s->shared ? gather_each(s, &value, sizeof value) : NULL;
    for (int r = 0; all && r < s->ranks; r++)
        value = fmax(value, all[r]);
    memory_free(s->ctx, all);
    return value;
}

bool group_any(const sample_share *s, bool value)
{
    return group_largest(s, value ? 1 : 0) > 0;
}

int64_t group_total(const sample_share *s, int64_t value)
{
    int64_t *all = s->shared ? gather_each(s, &value, sizeof value) : NULL;
    for (int r = 0; all && r < s->ranks; r++)
        value = r ? value + all[r] : all[r];
    memory_free(s->ctx, all);
    return value;
}

void group_add_wholes(const sample_share *s, int64_t *values, int64_t count)
{
    if (!s->shared)
        return;
    int64_t *bytes = memory_new(s->ctx, s->ranks, sizeof *bytes, "what processes tell");
    int64_t *all = memory_new(s->ctx, s->ranks * count, sizeof *all, "what processes tell");
    if (!bytes || !all) {
        group_abandon(s, ORTHANT_ERROR_MEMORY, s->ctx->message);
    } else {
        for (int r = 0; r < s->ranks; r++)
            bytes[r] = count * (int64_t)sizeof *all;
        group_gather(s, values, all, bytes);
        for (int64_t i = 0; i < count; i++) {
            values[i] = 0;
            for (int r = 0; r < s->ranks; r++)
                values[i] += all[r * count + i];
        }
    }
    memory_free(s->ctx, bytes);
    memory_free(s->ctx, all);
}

/* In halves, whose sums are whole numbers that fit. */
void group_add_checksums(const sample_share *s, uint64_t *checksums, int count)
{
    int64_t halves[2 * GROUP_MOST_CHECKSUMS];
    for (int i = 0; i < count; i++) {
        halves[2 * i] = (int64_t)(checksums[i] >> 32);
        halves[2 * i + 1] = (int64_t)(checksums[i] & UINT32_MAX);
    }
    group_add_wholes(s, halves, 2 * count);
    for (int i = 0; i < count; i++)
        checksums[i] = ((uint64_t)halves[2 * i] << 32) + (uint64_t)halves[2 * i + 1];
}

/* ------------------------------------------------------------------ sums over chunks */

void chunk_sum_begin(chunk_sum *sum, const sample_share *s, int64_t width, double *slots)
{
    *sum = (chunk_sum){.s = s, .width = width, .slots = slots, .chunk = s->first_chunk};
    memset(slots, 0, (size_t)width * sizeof *slots);
}

double *chunk_sum_row(const chunk_sum *sum)
{
    return sum->slots + sum->stack.depth * sum->width;
}

typedef struct row_pair {
    double *slots, *now;
    int64_t width;
} row_pair;

static void add_row(void *user, int slot)
{
    const row_pair *pair = user;
    for (int64_t i = 0; i < pair->width; i++)
        pair->now[i] += pair->slots[slot * pair->width + i];
}

/* The row at hand, which lies at `now`, joins those on the stack and ends on top of it. */
static void put_row(chunk_sum *sum, chunk_node node, double *now)
{
    row_pair pair = {sum->slots, now, sum->width};
    node = chunks_join(&sum->s->cut, &sum->stack, node, add_row, &pair);
    memmove(chunk_sum_row(sum), now, (size_t)sum->width * sizeof *now);
    sum->stack.node[sum->stack.depth++] = node;
}

void chunk_sum_next(chunk_sum *sum)
{
    put_row(sum, (chunk_node){0, sum->chunk++}, chunk_sum_row(sum));
    if (sum->chunk < sum->s->end_chunk)
        memset(chunk_sum_row(sum), 0, (size_t)sum->width * sizeof *sum->slots);
}

/* The nodes of all processes, from the first sample on. */
static void join_all(const sample_share *s, const double *rows, int64_t width, chunk_sum *sum)
{
    chunk_node node[CHUNKS_MOST_NODES];
    int64_t at = 0;
    for (int r = 0; r < s->ranks; r++) {
        const int count = chunks_nodes(&s->cut, chunks_first(&s->cut, r, s->ranks),
                                       chunks_first(&s->cut, r + 1, s->ranks), node);
        for (int i = 0; i < count; i++, at++) {
            memcpy(chunk_sum_row(sum), rows + at * width, (size_t)width * sizeof *rows);
            put_row(sum, node[i], chunk_sum_row(sum));
        }
    }
}

/* What every process has of them; how many numbers in all. */
static int64_t count_bytes(const sample_share *s, int64_t width, int64_t *bytes)
{
    chunk_node node[CHUNKS_MOST_NODES];
    int64_t all = 0;
    for (int r = 0; r < s->ranks; r++) {
        const int64_t count = width * chunks_nodes(&s->cut, chunks_first(&s->cut, r, s->ranks),
                                                   chunks_first(&s->cut, r + 1, s->ranks), node);
        bytes[r] = count * (int64_t)sizeof(double);
        all += count;
    }
    return all;
}

void chunk_sum_end(chunk_sum *sum, double *total)
{
    const sample_share *s = sum->s;
    double *rows = NULL;
    if (s->shared) {
        int64_t *bytes = memory_new(s->ctx, s->ranks, sizeof *bytes, "sums of processes");
        const int64_t all = bytes ? count_bytes(s, sum->width, bytes) : 0;
        rows = bytes ? memory_new(s->ctx, all, sizeof *rows, "sums of processes") : NULL;
        if (rows) {
            group_gather(s, sum->slots, rows, bytes);
            sum->stack.depth = 0;
            join_all(s, rows, sum->width, sum);
        } else {
            group_abandon(s, ORTHANT_ERROR_MEMORY, s->ctx->message);
        }
        memory_free(s->ctx, bytes);
        memory_free(s->ctx, rows);
    }
    memcpy(total, sum->slots, (size_t)sum->width * sizeof *total);
}

/* ------------------------------------------------------------------ the data */

typedef struct data_work {
    const sample_share *s;
    const orthant_matrix *X;
    double *values; /* two of each chunk */
} data_work;

/* Its rows in their order. */
static void chunk_task(void *user, int64_t index, int thread)
{
    const data_work *w = user;
    const int64_t chunk = w->s->first_chunk + index, end = share_chunk_end(w->s, chunk);
    (void)thread;
    for (int64_t i = share_chunk_first(w->s, chunk); i < end; i++) {
        w->values[2 * index] += matrix_row_sum(w->X, i);
        w->values[2 * index + 1] += matrix_row_square(w->X, i);
    }
}

/* The same of the rows of a file, a strip at a time. */
static void add_strip(void *user, strip x)
{
    const data_work *w = user;
    for (int64_t i = 0; i < x.rows; i++) {
        double *values = w->values + 2 * ((x.first + i) / w->s->cut.chunk);
        values[0] += matrix_row_sum(x.data, x.row + i);
        values[1] += matrix_row_square(x.data, x.row + i);
    }
}

void share_data_sums(const orthant_matrix *X, double *sum, double *squares)
{
    const sample_share s = samples_here(X);
    const int64_t chunks = s.end_chunk - s.first_chunk;
    double values[2 * CHUNKS_MOST] = {0}, slots[2 * CHUNK_SUM_SLOTS], total[2];
    chunk_sum all;
    if (X->summary.known && !s.shared) {
        *sum = X->summary.sum;
        *squares = X->summary.squares;
        return;
    }
    data_work work = {&s, X, values};
    if (matrix_file(X))
        rows_pass_take(s.ctx, X, &(rows_pass){&work, NULL, add_strip});
    else
        parallel_for(s.ctx, chunks, chunk_task, &work);
    chunk_sum_begin(&all, &s, 2, slots);
    for (int64_t c = 0; c < chunks; c++) {
        memcpy(chunk_sum_row(&all), values + 2 * c, sizeof total);
        chunk_sum_next(&all);
    }
    chunk_sum_end(&all, total);
    *sum = total[0];
    *squares = total[1];
}
