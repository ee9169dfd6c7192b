/* Kuhn-Munkres by shortest augmenting paths (Jonker and Volgenant 1987): rows enter one by one,
 * each along the cheapest path of reduced costs cost(i, j) - row_price[i] - column_price[j] >= 0
 * from a free row to a free column. */
#include "score/assignment.h"

#include <math.h>

#include "core/memory.h"

/* Places count from 1; place 0 of the columns stands for the row that is entering. */
typedef struct matching {
    int64_t columns;
    const double *value;
    double *row_price, *column_price, *slack; /* slack: cheapest way to the column from the tree */
    int64_t *row_of, *from;                   /* from: the column before on that way */
    bool *reached;
} matching;

/* Takes `column` into the tree, moves the slacks on, and returns the next column, the cheapest one
 * outside. */
static int64_t grow(matching *m, int64_t column)
{
    const int64_t row = m->row_of[column];
    const double *value = m->value + (row - 1) * m->columns;
    double least = INFINITY;
    int64_t next = 0;
    m->reached[column] = true;
    for (int64_t j = 1; j <= m->columns; j++) {
        if (m->reached[j])
            continue;
        const double cost = -value[j - 1] - m->row_price[row] - m->column_price[j];
        if (cost < m->slack[j]) {
            m->slack[j] = cost;
            m->from[j] = column;
        }
        if (m->slack[j] < least) {
            least = m->slack[j];
            next = j;
        }
    }
    for (int64_t j = 0; j <= m->columns; j++)
        if (m->reached[j]) {
            m->row_price[m->row_of[j]] += least;
            m->column_price[j] -= least;
        } else {
            m->slack[j] -= least;
        }
    return next;
}

static void enter(matching *m, int64_t row)
{
    int64_t column = 0;
    m->row_of[0] = row;
    for (int64_t j = 0; j <= m->columns; j++) {
        m->slack[j] = INFINITY;
        m->reached[j] = false;
    }
    do
        column = grow(m, column);
    while (m->row_of[column] != 0);
    for (; column != 0; column = m->from[column])
        m->row_of[column] = m->row_of[m->from[column]];
}

orthant_status assignment_largest(orthant_context *ctx, int64_t rows, int64_t columns,
                                  const double *value, int64_t *column_of)
{
    matching m = {.columns = columns, .value = value};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    m.row_price = memory_new(ctx, rows + 1, sizeof *m.row_price, "a matching");
    m.column_price = memory_new(ctx, columns + 1, sizeof *m.column_price, "a matching");
    m.slack = memory_new(ctx, columns + 1, sizeof *m.slack, "a matching");
    m.row_of = memory_new(ctx, columns + 1, sizeof *m.row_of, "a matching");
    m.from = memory_new(ctx, columns + 1, sizeof *m.from, "a matching");
    m.reached = memory_new(ctx, columns + 1, sizeof *m.reached, "a matching");
    if (!m.row_price || !m.column_price || !m.slack || !m.row_of || !m.from || !m.reached)
        goto done;
    for (int64_t row = 1; row <= rows; row++)
        enter(&m, row);
    for (int64_t column = 1; column <= columns; column++)
        if (m.row_of[column] != 0)
            column_of[m.row_of[column] - 1] = column - 1;
    status = ORTHANT_OK;
done:
    memory_free(ctx, m.row_price);
    memory_free(ctx, m.column_price);
    memory_free(ctx, m.slack);
    memory_free(ctx, m.row_of);
    memory_free(ctx, m.from);
    memory_free(ctx, m.reached);
    return status;
}
