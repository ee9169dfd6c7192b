#include "solver/feature_panels.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Features of a panel: no more than this part of all, for the sake of `place`. */
#define MOST_PART 32

/* ------------------------------------------------------------------ an order */

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

orthant_status order_by_entries(orthant_context *ctx, const int64_t *start, int64_t first,
                                int64_t rows, int32_t *order)
{
    counted *sorted = memory_new(ctx, rows, sizeof *sorted, "an order");
    if (!sorted)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < rows; i++)
        sorted[i] = (counted){start[first + i + 1] - start[first + i], (int32_t)(first + i)};
    qsort(sorted, (size_t)rows, sizeof *sorted, more_entries);
    for (int64_t i = 0; i < rows; i++)
        order[first + i] = sorted[i].row;
    memory_free(ctx, sorted);
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ setup */

/* Where the entries of each feature would begin in the whole transpose. */
static int64_t *feature_starts(orthant_context *ctx, const orthant_matrix *samples)
{
    const csr X = matrix_csr(samples);
    int64_t *start = memory_new(ctx, samples->columns + 1, sizeof *start, "entries of features");
    if (!start)
        return NULL;
    for (int64_t e = X.row_start[0]; e < X.row_start[samples->rows]; e++)
        start[X.column[e] + 1]++;
    for (int64_t f = 0; f < samples->columns; f++)
        start[f + 1] += start[f];
    return start;
}

/* Where the panel that begins with a feature ends. */
static int64_t panel_end(const int64_t *start, int64_t first, int64_t features, int64_t most,
                         int64_t entries)
{
    int64_t end = first + 1;
    while (end < features && end - first < most && start[end + 1] - start[first] <= entries)
        end++;
    return end;
}

/* With no place for them, how many panels there are. */
static int64_t cut_panels(feature_panels *p, const int64_t *start, int64_t entries)
{
    const int64_t m = p->samples->columns,
                  most = entries < start[m] ? larger(pieces(m, MOST_PART), 64) : m;
    int64_t count = 0;
    for (int64_t first = 0, end; first < m; first = end, count++) {
        end = panel_end(start, first, m, most, entries);
        p->features = larger(p->features, end - first);
        if (p->first) {
            p->first[count] = first;
            p->first[count + 1] = end;
        }
    }
    return count;
}

/* Entries of the largest panel. */
static int64_t panel_entries(const feature_panels *p, const int64_t *start)
{
    int64_t most = 0;
    for (int64_t i = 0; i < p->count; i++)
        most = larger(most, start[p->first[i + 1]] - start[p->first[i]]);
    return most;
}

static orthant_status setup_arrays(feature_panels *p, const strips *s, const int64_t *start,
                                   int64_t entries)
{
    orthant_context *ctx = s->ctx;
    const int64_t m = p->samples->columns;
    p->count = cut_panels(p, start, entries);
    p->first = memory_new(ctx, p->count + 1, sizeof *p->first, "panels of features");
    if (!p->first)
        return ORTHANT_ERROR_MEMORY;
    cut_panels(p, start, entries);
    const int64_t most = larger(panel_entries(p, start), 1);
    p->order = memory_new(ctx, m, sizeof *p->order, "an order");
    p->start = memory_new(ctx, p->features + 1, sizeof *p->start, "panels of features");
    p->column = memory_new(ctx, most, sizeof *p->column, "panels of features");
    p->values = memory_new(ctx, most, s->ops->size, "panels of features");
    p->passed = memory_new(ctx, p->samples->rows, sizeof *p->passed, "panels of features");
    p->place = memory_new(ctx, s->threads * p->features, sizeof *p->place, "panels of features");
    if (!p->order || !p->start || !p->column || !p->values || !p->passed || !p->place)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = ORTHANT_OK;
    for (int64_t i = 0; i < p->count && !status; i++)
        status = order_by_entries(ctx, start, p->first[i], p->first[i + 1] - p->first[i], p->order);
    for (int64_t f = 0; f < m; f++)
        p->longest = larger(p->longest, start[f + 1] - start[f]);
    return status;
}

orthant_status feature_panels_setup(feature_panels *p, const strips *s,
                                    const orthant_matrix *samples, int64_t bytes)
{
    *p = (feature_panels){.samples = samples, .built = -1};
    int64_t *start = feature_starts(s->ctx, samples);
    const int64_t entry = (int64_t)(s->ops->size + sizeof *p->column);
    const orthant_status status =
        start ? setup_arrays(p, s, start, larger(bytes / entry, 1)) : ORTHANT_ERROR_MEMORY;
    memory_free(s->ctx, start);
    return status;
}

void feature_panels_free(orthant_context *ctx, feature_panels *p)
{
    void *all[] = {p->first, p->order, p->start, p->column, p->values, p->passed, p->place};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(ctx, all[i]);
    *p = (feature_panels){0};
}

/* ------------------------------------------------------------------ a panel */

typedef struct building {
    feature_panels *panels;
    int64_t tasks, first, end; /* features */
    size_t size;
} building;

/* The samples of a task. */
static block share_of(const building *b, int64_t index, int thread)
{
    const int64_t n = b->panels->samples->rows;
    return block_at(0, n, pieces(n, b->tasks), index, thread);
}

static void count_task(void *user, int64_t index, int thread)
{
    const building *b = user;
    const csr X = matrix_csr(b->panels->samples);
    const block share = share_of(b, index, thread);
    int64_t *count = b->panels->place + index * (b->end - b->first);
    memset(count, 0, (size_t)(b->end - b->first) * sizeof *count);
    for (int64_t i = share.first; i < share.first + share.rows; i++)
        for (int64_t e = X.row_start[i] + b->panels->passed[i];
             e < X.row_start[i + 1] && X.column[e] < b->end; e++)
            count[X.column[e] - b->first]++;
}

static inline void copy_entry(char *to, int64_t at, const void *from, int64_t e, size_t size)
{
    if (size == sizeof(float))
        ((float *)(void *)to)[at] = ((const float *)from)[e];
    else
        ((double *)(void *)to)[at] = ((const double *)from)[e];
}

static void place_task(void *user, int64_t index, int thread)
{
    const building *b = user;
    const feature_panels *p = b->panels;
    const csr X = matrix_csr(p->samples);
    const block share = share_of(b, index, thread);
    int64_t *place = p->place + index * (b->end - b->first);
    for (int64_t i = share.first; i < share.first + share.rows; i++) {
        int64_t e = X.row_start[i] + p->passed[i];
        for (; e < X.row_start[i + 1] && X.column[e] < b->end; e++) {
            const int64_t at = place[X.column[e] - b->first]++;
            p->column[at] = (int32_t)i;
            copy_entry(p->values, at, X.values, e, b->size);
        }
        p->passed[i] = (int32_t)(e - X.row_start[i]);
    }
}

/* Counts of the tasks to where each begins in each feature: the samples' order. */
static void count_to_place(const building *b)
{
    const int64_t features = b->end - b->first;
    int64_t total = 0;
    for (int64_t f = 0; f < features; f++) {
        b->panels->start[f] = total;
        for (int64_t t = 0; t < b->tasks; t++) {
            int64_t *place = b->panels->place + t * features + f;
            const int64_t count = *place;
            *place = total;
            total += count;
        }
    }
    b->panels->start[features] = total;
}

sparse_rows feature_panels_at(feature_panels *p, const strips *s, int64_t index)
{
    building b = {p, s->threads, p->first[index], p->first[index + 1], s->ops->size};
    if (p->built != index) {
        const int64_t entries = p->samples->row_start[p->samples->rows] / p->count;
        if (index == 0)
            memset(p->passed, 0, (size_t)p->samples->rows * sizeof *p->passed);
        b.tasks = smaller(b.tasks, larger(p->samples->rows, 1));
        b.tasks = pieces(p->samples->rows, pieces(p->samples->rows, b.tasks));
        strips_tasks(s, b.tasks, count_task, &b, entries);
        count_to_place(&b);
        strips_tasks(s, b.tasks, place_task, &b, entries);
        p->built = index;
    }
    return (sparse_rows){p->start, p->column, p->values, b.first};
}
