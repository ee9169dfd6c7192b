/* The assignment problem by shortest augmenting paths (Jonker and Volgenant 1987) on a sparse
 * table: rows enter one by one, each along the cheapest path of reduced costs
 * -value(i, j) - row_price[i] - column_price[j] >= 0 that ends in a free column or at a row that
 * then stays alone, which costs 0. The paths are Dijkstra's, with a heap: where regions overlap
 * only a few others, a path is short however many regions there are. */
#include "score/assignment.h"

#include <math.h>

#include "core/memory.h"

typedef struct path {
    double length;
    int64_t column;
} path;

typedef struct matching {
    const assignment_pair *pair;
    const int64_t *start; /* row i's pairs are start[i] .. start[i + 1] - 1 */
    int64_t *column_of, *row_of;
    double *row_price, *column_price;
    /* The search for one row's path. */
    double *length; /* of the cheapest path to a column; infinite where there is none yet */
    int64_t *from;  /* the row before the column on that path */
    int64_t *seen;  /* the columns with a finite length */
    bool *settled;  /* no cheaper path can come; its row was looked at */
    path *heap;     /* of columns that are taken, the cheapest path first */
    int64_t seen_count, heap_count;
    double best;        /* length of the cheapest end so far ... */
    int64_t end_column; /* ... a free column, or -1: */
    int64_t end_row;    /* ... the row that stays alone */
} matching;

static bool is_before(path a, path b)
{
    return a.length < b.length || (a.length <= b.length && a.column < b.column);
}

static void heap_push(matching *m, path added)
{
    int64_t at = m->heap_count++;
    while (at > 0 && is_before(added, m->heap[(at - 1) / 2])) {
        m->heap[at] = m->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    m->heap[at] = added;
}

static path heap_pop(matching *m)
{
    const path first = m->heap[0], last = m->heap[--m->heap_count];
    int64_t at = 0;
    for (int64_t child = 1; child < m->heap_count; child = 2 * at + 1) {
        if (child + 1 < m->heap_count && is_before(m->heap[child + 1], m->heap[child]))
            child++;
        if (!is_before(m->heap[child], last))
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = last;
    return first;
}

/* Moves the lengths on through a row that is `length` away. */
static void look_at(matching *m, int64_t row, double length)
{
    if (length - m->row_price[row] < m->best) {
        m->best = length - m->row_price[row];
        m->end_column = -1;
        m->end_row = row;
    }
    for (int64_t p = m->start[row]; p < m->start[row + 1]; p++) {
        const int64_t column = m->pair[p].column;
        const double cost = -m->pair[p].value - m->row_price[row] - m->column_price[column];
        /* Rounding must not make a path shorter than its beginning. */
        const double reached = length + (cost > 0.0 ? cost : 0.0);
        if (m->settled[column] || reached >= m->length[column] || reached >= m->best)
            continue;
        if (isinf(m->length[column]))
            m->seen[m->seen_count++] = column;
        m->length[column] = reached;
        m->from[column] = row;
        if (m->row_of[column] < 0) {
            m->best = reached;
            m->end_column = column;
        } else {
            heap_push(m, (path){reached, column});
        }
    }
}

/* Dual prices that make every edge of the tree cost nothing; then the path is walked back. */
static void take_path(matching *m, int64_t row)
{
    m->row_price[row] += m->best;
    for (int64_t s = 0; s < m->seen_count; s++) {
        const int64_t column = m->seen[s];
        if (m->settled[column]) {
            m->row_price[m->row_of[column]] += m->best - m->length[column];
            m->column_price[column] -= m->best - m->length[column];
        }
    }
    int64_t column = m->end_column;
    if (column < 0) {
        column = m->column_of[m->end_row];
        m->column_of[m->end_row] = -1;
        if (m->end_row == row)
            return;
    }
    for (int64_t giver = -1; giver != row;) {
        giver = m->from[column];
        const int64_t given = m->column_of[giver];
        m->row_of[column] = giver;
        m->column_of[giver] = column;
        column = given;
    }
}

static void enter(matching *m, int64_t row)
{
    double price = 0.0;
    for (int64_t p = m->start[row]; p < m->start[row + 1]; p++)
        price = fmin(price, -m->pair[p].value - m->column_price[m->pair[p].column]);
    m->row_price[row] = price;
    m->best = INFINITY;
    m->seen_count = m->heap_count = 0;
    look_at(m, row, 0.0);
    while (m->heap_count > 0) {
        const path next = heap_pop(m);
        if (next.length >= m->best)
            break;
        if (m->settled[next.column])
            continue;
        m->settled[next.column] = true;
        look_at(m, m->row_of[next.column], next.length);
    }
    take_path(m, row);
    for (int64_t s = 0; s < m->seen_count; s++) {
        m->length[m->seen[s]] = INFINITY;
        m->settled[m->seen[s]] = false;
    }
}

static void match_all(matching *m, int64_t rows, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++) {
        m->row_of[j] = -1;
        m->length[j] = INFINITY;
    }
    for (int64_t i = 0; i < rows; i++)
        m->column_of[i] = -1;
    for (int64_t i = 0; i < rows; i++)
        enter(m, i);
}

orthant_status assignment_largest(orthant_context *ctx, int64_t rows, int64_t columns,
                                  const assignment_pair *pair, int64_t count, int64_t *column_of)
{
    matching m = {.pair = pair, .column_of = column_of};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int64_t *start = memory_new(ctx, rows + 1, sizeof *start, "a matching");
    m.start = start;
    m.row_of = memory_new(ctx, columns, sizeof *m.row_of, "a matching");
    m.row_price = memory_new(ctx, rows, sizeof *m.row_price, "a matching");
    m.column_price = memory_new(ctx, columns, sizeof *m.column_price, "a matching");
    m.length = memory_new(ctx, columns, sizeof *m.length, "a matching");
    m.from = memory_new(ctx, columns, sizeof *m.from, "a matching");
    m.seen = memory_new(ctx, columns, sizeof *m.seen, "a matching");
    m.settled = memory_new(ctx, columns, sizeof *m.settled, "a matching");
    m.heap = memory_new(ctx, count, sizeof *m.heap, "a matching"); /* a pair enters it once */
    if (!start || !m.row_of || !m.row_price || !m.column_price || !m.length || !m.from || !m.seen ||
        !m.settled || !m.heap)
        goto done;
    for (int64_t p = 0; p < count; p++)
        start[pair[p].row + 1]++;
    for (int64_t i = 0; i < rows; i++)
        start[i + 1] += start[i];
    match_all(&m, rows, columns);
    status = ORTHANT_OK;
done:
    memory_free(ctx, start);
    memory_free(ctx, m.row_of);
    memory_free(ctx, m.row_price);
    memory_free(ctx, m.column_price);
    memory_free(ctx, m.length);
    memory_free(ctx, m.from);
    memory_free(ctx, m.seen);
    memory_free(ctx, m.settled);
    memory_free(ctx, m.heap);
    return status;
}
