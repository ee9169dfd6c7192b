/* Both ends of every neighbour and bridge are counted, written, then sorted and made unique. */
#include "graph/joins.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

#define SHORT_LIST 48

static int by_index(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

/* Most lists are so short that qsort's calls would cost more than the moves. */
static void sort_list(int32_t *list, int64_t length)
{
    if (length > SHORT_LIST) {
        qsort(list, (size_t)length, sizeof *list, by_index);
        return;
    }
    for (int64_t i = 1; i < length; i++) {
        const int32_t moved = list[i];
        int64_t to = i;
        for (; to > 0 && list[to - 1] > moved; to--)
            list[to] = list[to - 1];
        list[to] = moved;
    }
}

/* Sorts each list, leaves out what stands in it twice, and closes the gaps. */
static void tidy(joins *lists, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0, first = 0; i < n; i++) {
        const int64_t end = lists->start[i + 1];
        sort_list(lists->joined + first, end - first);
        lists->start[i] = kept;
        for (int64_t e = first; e < end; e++)
            if (e == first || lists->joined[e] != lists->joined[e - 1])
                lists->joined[kept++] = lists->joined[e];
        first = end;
    }
    lists->start[n] = kept;
}

void joins_free(orthant_context *ctx, joins *lists)
{
    memory_free(ctx, lists->start);
    memory_free(ctx, lists->joined);
    *lists = (joins){0};
}

static void join(joins *lists, int64_t *start, int32_t a, int32_t b)
{
    lists->joined[start[a]++] = b;
    lists->joined[start[b]++] = a;
}

orthant_status joins_make(orthant_context *ctx, int64_t n, int64_t neighbours,
                          const int32_t *nearest, int64_t bridges, const int32_t *bridge,
                          joins *lists)
{
    const int64_t pairs = n * neighbours;
    lists->start = memory_new(ctx, n + 2, sizeof *lists->start, "joined samples");
    lists->joined = memory_new(ctx, 2 * (pairs + bridges), sizeof *lists->joined, "joined samples");
    if (!lists->start || !lists->joined)
        return ORTHANT_ERROR_MEMORY;
    /* Each start is one entry too far until the filling loop has moved it on. */
    int64_t *start = lists->start + 1;
    for (int64_t e = 0; e < pairs; e++) {
        start[e / neighbours + 1]++;
        start[nearest[e] + 1]++;
    }
    for (int64_t e = 0; e < 2 * bridges; e++)
        start[bridge[e] + 1]++;
    for (int64_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (int64_t e = 0; e < pairs; e++)
        join(lists, start, (int32_t)(e / neighbours), nearest[e]);
    for (int64_t e = 0; e < bridges; e++)
        join(lists, start, bridge[2 * e], bridge[2 * e + 1]);
    tidy(lists, n);
    return ORTHANT_OK;
}

orthant_status joins_to_graph(orthant_context *ctx, orthant_precision precision, int64_t n,
                              const joins *lists, orthant_graph **graph)
{
    orthant_matrix *adjacency = NULL;
    const int64_t stored = lists->start[n];
    *graph = NULL;
    const orthant_status status = matrix_new_sparse(ctx, precision, n, n, stored, &adjacency);
    if (status != ORTHANT_OK)
        return status;
    memcpy(adjacency->row_start, lists->start, (size_t)(n + 1) * sizeof *lists->start);
    memcpy(adjacency->column, lists->joined, (size_t)stored * sizeof *lists->joined);
    for (int64_t e = 0; e < stored; e++)
        matrix_set_value(adjacency, e, 1.0);
    return graph_around(ctx, adjacency, graph);
}
