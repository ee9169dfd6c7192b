/* Graph: tr(S'L S) = sum over edges of a_ij |s_i - s_j|^2, with L = E - A (GNMF; NLCF-G, eq. 12).
 *
 * Half its gradient is E S - A S: A S goes to the numerator, E S to the denominator, both with the
 * last iteration's encodings, which is the papers' joint update. The value is summed over edges:
 * tr(S'ES) - tr(S'AS) loses all digits when S is nearly constant.
 *
 * Edges between all members of a known class (sgnmf) are not stored: with the sum C and the mean of
 * a class's encodings, a member's share of A S is C - s_i, and the class's value is its size times
 * the sum of |s_i - mean|^2, both times the weight of such an edge. */
#include <math.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "engine/device.h"
#include "engine/group.h"
#include "engine/halo.h"
#include "engine/loss.h"
#include "term/terms.h"

typedef struct graph_state {
    const orthant_graph *graph; /* of all samples */
    /* own rows of it, where processes share the samples; else the graph's */
    const orthant_matrix *adjacency;
    orthant_matrix *own_rows;
    halo halo;
    int64_t first;   /* own sample */
    double *sums;    /* classes x k: of the encodings of each class; NULL: no classes */
    double *line;    /* k for each thread */
    double *value;   /* of each class */
    double *slots;   /* of sums over chunks */
    int64_t *member; /* of each class: the next one */
} graph_state;

static void release(term *t)
{
    graph_state *g = t->state;
    if (!g)
        return;
    halo_release(&g->halo);
    orthant_matrix_free(g->own_rows);
    memory_free(t->ctx, g->sums);
    memory_free(t->ctx, g->line);
    memory_free(t->ctx, g->value);
    memory_free(t->ctx, g->slots);
    memory_free(t->ctx, g->member);
    memory_free(t->ctx, g);
    t->state = NULL;
}

/* Where processes share the samples: own rows of the graph, and what they read of others'. */
static orthant_status setup_share(term *t, const problem *p)
{
    graph_state *g = t->state;
    const sample_share s = samples_here(p->samples);
    g->adjacency = g->graph->adjacency;
    g->first = s.first;
    if (!p->samples->part.total)
        return ORTHANT_OK;
    const orthant_status status =
        halo_setup(&g->halo, &s, g->graph->adjacency, p->halo, &g->own_rows);
    if (status)
        return status;
    g->adjacency = g->own_rows;
    t->halo = &g->halo;
    return halo_new_rows(&g->halo, p->rank * (int64_t)precision_size(p->samples->precision));
}

/* Entries of the graph's matrix, both directions of an edge and those of classes. */
static double directed_edges(const orthant_graph *graph)
{
    const graph_classes *c = graph->classes;
    double total = (double)graph->adjacency->row_start[graph->adjacency->rows];
    for (int64_t i = 0; c && i < c->count; i++) {
        const double members = (double)(c->start[i + 1] - c->start[i]);
        total += members * (members - 1);
    }
    return total;
}

/* graph_weight = auto. Encodings and basis share the scale of X evenly at a random start, where k
 * times the square of an encoding's entry is the mean of X: an edge costs about that much, and all
 * of them together as much as the loss is measured against, |X|^2 or its like, whatever the unit of
 * X, the number of samples and the weights of the edges. That is taken times the samples per part
 * over the neighbours of a sample: the more neighbourhoods a cluster is made of, the more must each
 * edge do for encodings to agree along all of them. */
static double own_weight(const problem *p)
{
    const double samples = (double)matrix_total(p->samples),
                 entries = samples * (double)p->samples->columns,
                 neighbours = directed_edges(p->graph) / samples;
    double sum, squares, counted, edges = 0;
    share_data_sums(p->samples, &sum, &squares);
    for (int64_t i = 0; i < p->graph->adjacency->rows; i++)
        edges += *graph_degrees(p->graph, i, 1, &counted) / 2;
    const double mean = fabs(sum) / entries, degree = p->loss->degree;
    const double scale = p->loss->quadratic ? squares : entries * pow(mean, degree);
    return edges > 0 && mean > 0 ? scale / (mean * edges) * samples / ((double)p->rank * neighbours)
                                 : 0;
}

static orthant_status setup(term *t, const problem *p)
{
    const int64_t rank = p->rank;
    graph_state *g = t->state = memory_new(t->ctx, 1, sizeof *g, "the graph term");
    if (!g)
        return ORTHANT_ERROR_MEMORY;
    g->graph = p->graph;
    if (isnan(t->weight)) {
        t->weight = own_weight(p);
        t->gain = t->weight * p->loss->gain;
    }
    const orthant_status status = setup_share(t, p);
    if (status || !p->graph->classes)
        return status;
    const int64_t classes = p->graph->classes->count,
                  slots = samples_here(p->samples).cut.count > 1 ? CHUNK_SUM_SLOTS : 1;
    g->sums = memory_new(t->ctx, classes * rank, sizeof *g->sums, "sums of classes");
    g->line =
        memory_new(t->ctx, parallel_threads(t->ctx) * rank, sizeof *g->line, "the graph term");
    g->value = memory_new(t->ctx, classes, sizeof *g->value, "the graph term");
    g->slots = memory_new(t->ctx, slots * classes * rank, sizeof *g->slots, "sums of classes");
    g->member = memory_new(t->ctx, classes, sizeof *g->member, "the graph term");
    return g->sums && g->line && g->value && g->slots && g->member ? ORTHANT_OK
                                                                   : ORTHANT_ERROR_MEMORY;
}

static void refresh(term *t, const sweep *s)
{
    graph_state *g = t->state;
    if (g->halo.share.shared)
        halo_exchange(&g->halo, s->ops, s->factors.S);
}

/* ------------------------------------------------------------------ sums of classes */

typedef struct class_work {
    const graph_state *g;
    const sweep *s;
    array encodings;
    int64_t end;  /* sample that a chunk ends with */
    double *into; /* classes x k, or one of each class */
} class_work;

/* Members of a class in a chunk. */
static void sum_task(void *user, int64_t class, int thread)
{
    const class_work *work = user;
    const graph_classes *c = work->g->graph->classes;
    const kernels *ops = work->s->ops;
    int64_t *i = &work->g->member[class];
    (void)thread;
    for (; *i < c->start[class + 1] && c->member[*i] < work->end; ++*i)
        ops->column_sums(array_rows(ops, work->encodings, c->member[*i] - work->g->first, 1),
                         work->into + class * work->encodings.columns);
}

/* The sum of |s_i - mean|^2 over them. */
static void spread_task(void *user, int64_t class, int thread)
{
    const class_work *work = user;
    const graph_classes *c = work->g->graph->classes;
    const kernels *ops = work->s->ops;
    const int64_t rank = work->encodings.columns;
    const double size = (double)(c->start[class + 1] - c->start[class]);
    const double *sum = work->g->sums + class * rank;
    double *line = work->g->line + thread * rank, total = 0;
    int64_t *i = &work->g->member[class];
    for (; *i < c->start[class + 1] && c->member[*i] < work->end; ++*i) {
        ops->get_values(array_rows(ops, work->encodings, c->member[*i] - work->g->first, 1), line);
        for (int64_t j = 0; j < rank; j++) {
            const double away = line[j] - sum[j] / size;
            total += away * away;
        }
    }
    work->into[class] = total;
}

/* A task for each class and chunk, `width` numbers of each class; their sums over all samples. */
static void over_classes(const graph_state *g, const sweep *s, array encodings, parallel_task task,
                         int64_t width, double *total)
{
    const sample_share *part = &s->plan.strips.share;
    const graph_classes *c = g->graph->classes;
    class_work work = {.g = g, .s = s, .encodings = encodings};
    chunk_sum sum;
    for (int64_t class = 0; class < c->count; class ++) {
        g->member[class] = c->start[class];
        while (g->member[class] < c->start[class + 1] && c->member[g->member[class]] < g->first)
            g->member[class]++;
    }
    chunk_sum_begin(&sum, part, c->count * width, g->slots);
    for (int64_t chunk = part->first_chunk; chunk < part->end_chunk; chunk++) {
        work.end = g->first + share_chunk_end(part, chunk);
        work.into = chunk_sum_row(&sum);
        parallel_for(s->ctx, c->count, task, &work);
        chunk_sum_next(&sum);
    }
    chunk_sum_end(&sum, total);
}

static void sum_classes(const graph_state *g, const sweep *s, array encodings)
{
    over_classes(g, s, encodings, sum_task, encodings.columns, g->sums);
}

/* Rows of C - s_i times the weight of an edge, zero for samples of no known class. */
static void add_class_rows(const graph_state *g, const sweep *s, block b, array to)
{
    const kernels *ops = s->ops;
    const graph_classes *c = g->graph->classes;
    const int64_t rank = to.columns;
    double *line = g->line + b.thread * rank;
    for (int64_t i = 0; i < b.rows; i++) {
        const int64_t class = c->class_of[g->first + b.first + i];
        if (class < 0)
            continue;
        ops->get_values(array_rows(ops, s->factors.last, b.first + i, 1), line);
        for (int64_t j = 0; j < rank; j++) {
            const double others = g->sums[class * rank + j] - line[j];
            line[j] = others > 0 ? c->weight * others : 0;
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
    s->ops->sparse_product(totals, matrix_csr(g->adjacency), b.first, s->factors.last, false);
    if (g->sums)
        add_class_rows(g, s, b, totals);
    return totals;
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    const graph_state *g = t->state;
    double counted[KERNEL_ROWS];
    s->ops->add(numerator, t->gain, neighbour_sums(t, s, b));
    s->ops->add_scaled_rows(denominator, t->gain,
                            graph_degrees(g->graph, g->first + b.first, b.rows, counted),
                            sweep_rows(s, s->factors.last, b));
}

/* Both ends of an edge move at once: with c the middle of the last two,
 * |s_i - s_j|^2 <= 2 |s_i - c|^2 + 2 |s_j - c|^2. */
static void majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    const graph_state *g = t->state;
    double counted[KERNEL_ROWS];
    const double *degree = graph_degrees(g->graph, g->first + b.first, b.rows, counted);
    s->ops->add(numerator, t->gain, neighbour_sums(t, s, b));
    s->ops->add_scaled_rows(numerator, t->gain, degree, sweep_rows(s, s->factors.last, b));
    s->ops->add_rows(curvature, 2 * t->gain, degree);
}

static double rows_value(const term *t, const sweep *s, block b)
{
    const graph_state *g = t->state;
    return s->ops->edge_energy(matrix_csr(g->adjacency), b.first, b.rows, s->factors.S);
}

static double whole_value(const term *t, const sweep *s)
{
    const graph_state *g = t->state;
    double total = 0;
    if (!g->sums)
        return 0;
    const graph_classes *c = g->graph->classes;
    sum_classes(g, s, s->factors.S);
    over_classes(g, s, s->factors.S, spread_task, 1, g->value);
    for (int64_t class = 0; class < c->count; class ++)
        total += (double)(c->start[class + 1] - c->start[class]) * g->value[class];
    return c->weight * total;
}

static void describe(const term *t, device_term *to)
{
    const graph_state *g = t->state;
    const graph_classes *c = g->graph->classes;
    to->graph = (device_graph){.start = g->adjacency->row_start,
                               .column = g->adjacency->column,
                               .values = g->adjacency->values,
                               .degree = g->graph->degree};
    if (!c)
        return;
    to->graph.class_count = c->count;
    to->graph.class_of = c->class_of;
    to->graph.class_start = c->start;
    to->graph.member = c->member;
}

/* ------------------------------------------------------------------ one sample */

/* sum_j a_j |s - s_j|^2, with the training samples' encodings s_j held. */
static double code_value(const term *t, const code_sample *x, const double *s)
{
    double total = x->spread;
    for (int64_t j = 0; j < x->rank; j++)
        total += s[j] * (x->degree * s[j] - 2 * x->neighbours[j]);
    return t->weight * total;
}

static void code_parts(const term *t, const code_sample *x, const double *s, double *positive,
                       double *negative)
{
    for (int64_t j = 0; j < x->rank; j++) {
        positive[j] += 2 * t->weight * x->degree * s[j];
        negative[j] += 2 * t->weight * x->neighbours[j];
    }
}

static void code_curvature(const term *t, const code_sample *x, const double *s, double *curvature)
{
    (void)s;
    for (int64_t j = 0; j < x->rank; j++)
        curvature[j * x->rank + j] += 2 * t->weight * x->degree;
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("graph_weight", PARAMETER_AUTO, 0, 1e12,
                     "weight of the graph term; auto follows the data"),
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
    .refresh = refresh,
    .prepare = prepare,
    .encoding = encoding,
    .majorise = majorise,
    .rows_value = rows_value,
    .whole_value = whole_value,
    .release = release,
    .describe = describe,
    .code_value = code_value,
    .code_parts = code_parts,
    .code_curvature = code_curvature,
};
