/* Graph: tr(S'L S) = sum over edges of a_ij |s_i - s_j|^2, with L = E - A (GNMF; NLCF-G, eq. 12).
 *
 * Half its gradient is E S - A S: A S goes to the numerator, E S to the denominator, both with the
 * last iteration's encodings, which is the papers' joint update. The value is summed over edges:
 * tr(S'ES) - tr(S'AS) loses all digits when S is nearly constant.
 *
 * Edges between all members of a known class (sgnmf) are not stored: with the sum C and the mean of
 * a class's encodings, a member's share of A S is C - s_i, and the class's value is its size times
 * the sum of |s_i - mean|^2. */
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "term/terms.h"

typedef struct graph_state {
    const orthant_graph *graph;
    double *sums;  /* classes x k: of the encodings of each class; NULL: no classes */
    double *line;  /* k for each thread */
    double *value; /* of each class */
} graph_state;

static void release(term *t)
{
    graph_state *g = t->state;
    if (!g)
        return;
    memory_free(t->ctx, g->sums);
    memory_free(t->ctx, g->line);
    memory_free(t->ctx, g->value);
    memory_free(t->ctx, g);
    t->state = NULL;
}

static orthant_status setup(term *t, const problem *p)
{
    const int64_t rank = p->rank;
    graph_state *g = t->state = memory_new(t->ctx, 1, sizeof *g, "the graph term");
    if (!g)
        return ORTHANT_ERROR_MEMORY;
    g->graph = p->graph;
    if (p->samples->part.total)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the term 'graph' needs all samples in one process");
    if (!p->graph->classes)
        return ORTHANT_OK;
    const int64_t classes = p->graph->classes->count;
    g->sums = memory_new(t->ctx, classes * rank, sizeof *g->sums, "sums of classes");
    g->line =
        memory_new(t->ctx, parallel_threads(t->ctx) * rank, sizeof *g->line, "the graph term");
    g->value = memory_new(t->ctx, classes, sizeof *g->value, "the graph term");
    return g->sums && g->line && g->value ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* ------------------------------------------------------------------ sums of classes */

typedef struct class_work {
    const graph_state *g;
    const sweep *s;
    array encodings;
} class_work;

static void sum_task(void *user, int64_t class, int thread)
{
    const class_work *work = user;
    const graph_classes *c = work->g->graph->classes;
    const kernels *ops = work->s->ops;
    const int64_t rank = work->encodings.columns;
    double *sum = work->g->sums + class * rank;
    (void)thread;
    memset(sum, 0, (size_t)rank * sizeof *sum);
    for (int64_t i = c->start[class]; i < c->start[class + 1]; i++)
        ops->column_sums(array_rows(ops, work->encodings, c->member[i], 1), sum);
}

/* The sum of |s_i - mean|^2 over a class, times its size. */
static void spread_task(void *user, int64_t class, int thread)
{
    const class_work *work = user;
    const graph_classes *c = work->g->graph->classes;
    const kernels *ops = work->s->ops;
    const int64_t rank = work->encodings.columns;
    const double size = (double)(c->start[class + 1] - c->start[class]);
    const double *sum = work->g->sums + class * rank;
    double *line = work->g->line + thread * rank, total = 0;
    for (int64_t i = c->start[class]; i < c->start[class + 1]; i++) {
        ops->get_values(array_rows(ops, work->encodings, c->member[i], 1), line);
        for (int64_t j = 0; j < rank; j++) {
            const double away = line[j] - sum[j] / size;
            total += away * away;
        }
    }
    work->g->value[class] = size * total;
}

static void sum_classes(const graph_state *g, const sweep *s, array encodings)
{
    class_work work = {g, s, encodings};
    parallel_for(s->ctx, g->graph->classes->count, sum_task, &work);
}

/* Rows of C - s_i, zero for samples of no known class. */
static void add_class_rows(const graph_state *g, const sweep *s, block b, array to)
{
    const kernels *ops = s->ops;
    const graph_classes *c = g->graph->classes;
    const int64_t rank = to.columns;
    double *line = g->line + b.thread * rank;
    for (int64_t i = 0; i < b.rows; i++) {
        const int64_t class = c->class_of[b.first + i];
        if (class < 0)
            continue;
        ops->get_values(array_rows(ops, s->factors.last, b.first + i, 1), line);
        for (int64_t j = 0; j < rank; j++) {
            const double others = g->sums[class * rank + j] - line[j];
            line[j] = others > 0 ? others : 0;
        }
        ops->add_columns(array_rows(ops, to, i, 1), 1, line);
    }
}

/* ------------------------------------------------------------------ the term */

/* The encodings that the coming update starts from are still S. */
static void prepare(term *t, const sweep *s)
{
    const graph_state *g = t->state;
    if (g->sums)
        sum_classes(g, s, s->factors.S);
}

/* A S for a block of the last encodings. */
static array neighbour_sums(const term *t, const sweep *s, block b)
{
    const graph_state *g = t->state;
    const array totals = sweep_term_array(s, b, 0);
    s->ops->sparse_product(totals, matrix_csr(g->graph->adjacency), b.first, s->factors.last,
                           false);
    if (g->sums)
        add_class_rows(g, s, b, totals);
    return totals;
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    const graph_state *g = t->state;
    double counted[KERNEL_ROWS];
    s->ops->add(numerator, t->gain, neighbour_sums(t, s, b));
    s->ops->add_scaled_rows(denominator, t->gain, graph_degrees(g->graph, b.first, b.rows, counted),
                            sweep_rows(s, s->factors.last, b));
}

/* Both ends of an edge move at once: with c the middle of the last two,
 * |s_i - s_j|^2 <= 2 |s_i - c|^2 + 2 |s_j - c|^2. */
static void majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    const graph_state *g = t->state;
    double counted[KERNEL_ROWS];
    const double *degree = graph_degrees(g->graph, b.first, b.rows, counted);
    s->ops->add(numerator, t->gain, neighbour_sums(t, s, b));
    s->ops->add_scaled_rows(numerator, t->gain, degree, sweep_rows(s, s->factors.last, b));
    s->ops->add_rows(curvature, 2 * t->gain, degree);
}

static double rows_value(const term *t, const sweep *s, block b)
{
    const graph_state *g = t->state;
    return s->ops->edge_energy(matrix_csr(g->graph->adjacency), b.first, b.rows, s->factors.S);
}

static double whole_value(const term *t, const sweep *s)
{
    const graph_state *g = t->state;
    double total = 0;
    if (!g->sums)
        return 0;
    class_work work = {g, s, s->factors.S};
    sum_classes(g, s, s->factors.S);
    parallel_for(s->ctx, g->graph->classes->count, spread_task, &work);
    for (int64_t c = 0; c < g->graph->classes->count; c++)
        total += g->value[c];
    return total;
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("graph_weight", "100", 0, 1e12, "weight of the graph term"),
    PARAMETER_WHOLE("neighbours", "5", 1, 1e9,
                    "nearest neighbours of a sample, where no graph is given"),
    PARAMETER_WORD("weights", "binary", "binary|heat|cosine",
                   "weights of the edges, where no graph is given"),
    PARAMETER_NUMBER(
        "heat_width", "0", 0, 1e300,
        "width t of heat weights exp(-d^2/(2 t^2)); 0: the root of the mean squared distance"),
    PARAMETER_SEARCH,
    PARAMETER_END,
};

const term_kind term_graph = {
    .name = "graph",
    .title = "neighbours in a graph get similar encodings",
    .flags = TERM_NEEDS_GRAPH | TERM_READS_SAMPLES,
    .parameters = parameters,
    .setup = setup,
    .prepare = prepare,
    .encoding = encoding,
    .majorise = majorise,
    .rows_value = rows_value,
    .whole_value = whole_value,
    .release = release,
};
