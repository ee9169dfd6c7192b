/* Graphs by themselves: made from entries or a matrix, with labels, read, written, looked at. */
#include "graph/graph.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/labels.h"

orthant_status graph_around(orthant_context *ctx, orthant_matrix *adjacency, orthant_graph **graph)
{
    *graph = NULL;
    orthant_graph *made = memory_new(ctx, 1, sizeof *made, "a graph");
    if (!made) {
        orthant_matrix_free(adjacency);
        return ORTHANT_ERROR_MEMORY;
    }
    made->ctx = ctx;
    made->adjacency = adjacency;
    made->degree = memory_new(ctx, adjacency->rows, sizeof *made->degree, "degrees of a graph");
    if (!made->degree) {
        orthant_graph_free(made);
        return ORTHANT_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < adjacency->rows; i++)
        for (int64_t e = adjacency->row_start[i]; e < adjacency->row_start[i + 1]; e++)
            made->degree[i] += matrix_value(adjacency, e);
    *graph = made;
    return ORTHANT_OK;
}

static void classes_release(orthant_context *ctx, graph_classes *m)
{
    memory_free(ctx, m->class_of);
    memory_free(ctx, m->start);
    memory_free(ctx, m->member);
}

void orthant_graph_free(orthant_graph *graph)
{
    if (!graph)
        return;
    orthant_context *ctx = graph->ctx;
    orthant_matrix_free(graph->adjacency);
    memory_free(ctx, graph->degree);
    if (graph->classes)
        classes_release(ctx, graph->classes);
    memory_free(ctx, graph->classes);
    memory_free(ctx, graph);
}

void graph_drop_ones(orthant_graph *graph)
{
    orthant_matrix *a = graph->adjacency;
    for (int64_t e = 0; e < a->row_start[a->rows]; e++) {
        const double weight = matrix_value(a, e);
        if (weight < 1.0 || weight > 1.0)
            return;
    }
    memory_free(a->ctx, a->values);
    memory_free(graph->ctx, graph->degree);
    a->values = NULL;
    graph->degree = NULL;
}

const double *graph_degrees(const orthant_graph *graph, int64_t first, int64_t rows,
                            double *scratch)
{
    const int64_t *start = graph->adjacency->row_start + first;
    const graph_classes *m = graph->classes;
    if (graph->degree)
        return graph->degree + first;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t class = m ? m->class_of[first + i] : -1;
        const int64_t mates = class < 0 ? 0 : m->start[class + 1] - m->start[class] - 1;
        scratch[i] = (double)(start[i + 1] - start[i]) + (m ? m->weight * (double)mates : 0);
    }
    return scratch;
}

/* Counts an edge, and writes it where `to` is not NULL. */
static void append(orthant_matrix *to, int64_t *count, int64_t column, double value)
{
    if (to) {
        to->column[*count] = (int32_t)column;
        matrix_set_value(to, *count, value);
    }
    (*count)++;
}

/* ---- from a matrix ---- */

/* Two entries that differ by no more than rounding count as one. */
static bool nearly_equal(orthant_precision precision, double a, double b)
{
    const double tolerance = precision == ORTHANT_DOUBLE ? 1e-14 : 1e-6;
    return fabs(a - b) <= tolerance * fmax(a, b);
}

typedef struct asymmetry {
    double size;
    int64_t row, column;
    double there, back;
} asymmetry;

static void compare_with_mirror(const orthant_matrix *matrix, int64_t i, int64_t j, double value,
                                asymmetry *worst)
{
    const double back = orthant_matrix_get(matrix, j, i);
    if (!nearly_equal(matrix->precision, value, back) && fabs(value - back) > worst->size)
        *worst = (asymmetry){fabs(value - back), i, j, value, back};
}

static orthant_status check_symmetric(const orthant_matrix *matrix, const char *name)
{
    asymmetry worst = {0};
    for (int64_t i = 0; i < matrix->rows; i++)
        if (matrix->sparse)
            for (int64_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++)
                compare_with_mirror(matrix, i, matrix->column[e], matrix_value(matrix, e), &worst);
        else
            for (int64_t j = 0; j < i; j++)
                compare_with_mirror(matrix, i, j, matrix_value(matrix, i * matrix->stride + j),
                                    &worst);
    if (worst.size > 0.0)
        return fail(matrix->ctx, ORTHANT_ERROR_DATA,
                    "%s is not symmetric: entry (%" PRId64 ", %" PRId64 ") is %g, entry (%" PRId64
                    ", %" PRId64 ") is %g, the largest difference of all; a graph needs a "
                    "symmetric matrix",
                    name, worst.row + 1, worst.column + 1, worst.there, worst.column + 1,
                    worst.row + 1, worst.back);
    return ORTHANT_OK;
}

/* The mean of both entries makes an edge symmetric to the bit. */
static void take_edge(const orthant_matrix *from, int64_t i, int64_t j, double value,
                      orthant_precision precision, orthant_matrix *to, int64_t *count)
{
    if (i == j || !(value > 0.0))
        return;
    const double weight = 0.5 * (value + orthant_matrix_get(from, j, i));
    if (graph_weight_counts(precision, weight))
        append(to, count, j, weight);
}

/* The edges of all rows in order; with `to` NULL they are only counted. */
static int64_t take_edges(const orthant_matrix *from, orthant_precision precision,
                          orthant_matrix *to)
{
    int64_t count = 0;
    for (int64_t i = 0; i < from->rows; i++) {
        if (to)
            to->row_start[i] = count;
        if (from->sparse)
            for (int64_t e = from->row_start[i]; e < from->row_start[i + 1]; e++)
                take_edge(from, i, from->column[e], matrix_value(from, e), precision, to, &count);
        else
            for (int64_t j = 0; j < from->columns; j++)
                take_edge(from, i, j, matrix_value(from, i * from->stride + j), precision, to,
                          &count);
    }
    if (to)
        to->row_start[from->rows] = count;
    return count;
}

static orthant_status graph_from(orthant_context *ctx, const orthant_matrix *matrix,
                                 orthant_precision precision, const char *name,
                                 orthant_graph **graph)
{
    orthant_matrix *adjacency = NULL;
    if (matrix->rows != matrix->columns)
        return fail(ctx, ORTHANT_ERROR_DATA,
                    "%s is %" PRId64 " x %" PRId64 "; a graph needs a square matrix", name,
                    matrix->rows, matrix->columns);
    orthant_status status = matrix_check(matrix, true, name, "graph");
    if (status == ORTHANT_OK && precision == ORTHANT_SINGLE && matrix_largest(matrix) > FLT_MAX)
        status = fail(ctx, ORTHANT_ERROR_DATA,
                      "%s has an entry %g, which single precision does not hold; "
                      "use precision = 'double'",
                      name, matrix_largest(matrix));
    if (status == ORTHANT_OK)
        status = check_symmetric(matrix, name);
    if (status == ORTHANT_OK)
        status = matrix_new_sparse(ctx, precision, matrix->rows, matrix->columns,
                                   take_edges(matrix, precision, NULL), &adjacency);
    if (status != ORTHANT_OK)
        return status;
    take_edges(matrix, precision, adjacency);
    return graph_around(ctx, adjacency, graph);
}

orthant_status orthant_graph_from_matrix(orthant_context *context, const orthant_matrix *matrix,
                                         orthant_graph **graph)
{
    if (graph)
        *graph = NULL;
    const orthant_status refused = entry_check(context, matrix && graph, __func__);
    if (refused)
        return refused;
    const orthant_status here = matrix_check_here(matrix, __func__);
    if (here)
        return here;
    return graph_from(context, matrix, matrix->precision, "the graph's matrix", graph);
}

orthant_status graph_in_precision(orthant_context *ctx, const orthant_graph *from,
                                  orthant_precision precision, orthant_graph **graph)
{
    *graph = NULL;
    return graph_from(ctx, from->adjacency, precision, "the graph", graph);
}

orthant_status orthant_graph_from_array(orthant_context *context, const orthant_array *given,
                                        orthant_graph **graph)
{
    orthant_matrix *matrix = NULL;
    if (graph)
        *graph = NULL;
    const orthant_status refused = entry_check(context, given && graph, __func__);
    if (refused)
        return refused;
    orthant_status status = orthant_matrix_wrap(context, given, NULL, NULL, &matrix);
    if (status == ORTHANT_OK)
        status = orthant_graph_from_matrix(context, matrix, graph);
    orthant_matrix_free(matrix);
    return status;
}

orthant_status orthant_graph_read(orthant_context *context, const char *path, orthant_graph **graph)
{
    orthant_matrix *matrix = NULL;
    if (graph)
        *graph = NULL;
    const orthant_status refused = entry_check(context, path && graph, __func__);
    if (refused)
        return refused;
    const orthant_read_options options = {.size = sizeof options, .truth = "none"};
    orthant_status status = orthant_matrix_read(context, path, &options, &matrix, NULL);
    if (status == ORTHANT_OK)
        status = graph_from(context, matrix, matrix->precision, path, graph);
    orthant_matrix_free(matrix);
    return status;
}

orthant_status orthant_graph_write(orthant_context *context, const orthant_graph *graph,
                                   const char *path)
{
    char ending[16];
    const orthant_status refused = entry_check(context, graph && path, __func__);
    if (refused)
        return refused;
    file_ending(path, ending);
    if (strcmp(ending, "mtx") != 0)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "%s: a graph is written as Matrix Market; give a name that ends in .mtx", path);
    return orthant_matrix_write(context, graph->adjacency, path);
}

/* ---- with labels ---- */

/* By counting sort. */
static orthant_status classes_make(orthant_context *ctx, const orthant_labels *labels,
                                   graph_classes *m)
{
    const int64_t n = labels->count;
    int64_t *class_of = memory_new(ctx, n, sizeof *class_of, "classes of samples");
    orthant_status status =
        class_of ? labels_to_classes(ctx, labels, class_of, &m->count) : ORTHANT_ERROR_MEMORY;
    if (status != ORTHANT_OK)
        goto done;
    status = ORTHANT_ERROR_MEMORY;
    m->class_of = memory_new(ctx, n, sizeof *m->class_of, "classes of samples");
    m->start = memory_new(ctx, m->count + 2, sizeof *m->start, "samples of classes");
    if (!m->class_of || !m->start)
        goto done;
    /* Each start is one entry too far until the filling loop has moved it on. */
    for (int64_t i = 0; i < n; i++) {
        m->class_of[i] = (int32_t)class_of[i];
        if (class_of[i] >= 0)
            m->start[class_of[i] + 2]++;
    }
    for (int64_t c = 0; c < m->count; c++)
        m->start[c + 2] += m->start[c + 1];
    m->member = memory_new(ctx, m->start[m->count + 1], sizeof *m->member, "samples of classes");
    if (!m->member)
        goto done;
    for (int64_t i = 0; i < n; i++)
        if (class_of[i] >= 0)
            m->member[m->start[class_of[i] + 1]++] = (int32_t)i;
    status = ORTHANT_OK;
done:
    memory_free(ctx, class_of);
    return status;
}

/* Row i, columns in order: edges of the base to or from unknown samples, and, where `within` asks
 * for them, 1 to the other members of a known sample's class. With `to` NULL the edges are only
 * counted. */
static void merge_row(const orthant_matrix *base, const graph_classes *m, bool within, int64_t i,
                      orthant_matrix *to, int64_t *count)
{
    const int64_t class = m->class_of[i], end = base->row_start[i + 1];
    int64_t next = class < 0 || !within ? 0 : m->start[class];
    const int64_t last = class < 0 || !within ? 0 : m->start[class + 1];
    for (int64_t e = base->row_start[i]; e < end; e++) {
        const int64_t j = base->column[e];
        if (class >= 0 && m->class_of[j] >= 0)
            continue;
        for (; next < last && m->member[next] < j; next++)
            if (m->member[next] != i)
                append(to, count, m->member[next], 1.0);
        append(to, count, j, matrix_value(base, e));
    }
    for (; next < last; next++)
        if (m->member[next] != i)
            append(to, count, m->member[next], 1.0);
}

static orthant_status merge(orthant_context *ctx, const orthant_graph *base,
                            const graph_classes *classes, bool within, orthant_graph **graph)
{
    const orthant_matrix *from = base->adjacency;
    orthant_matrix *adjacency = NULL;
    int64_t count = 0;
    for (int64_t i = 0; i < from->rows; i++)
        merge_row(from, classes, within, i, NULL, &count);
    const orthant_status status =
        matrix_new_sparse(ctx, from->precision, from->rows, from->columns, count, &adjacency);
    if (status != ORTHANT_OK)
        return status;
    count = 0;
    for (int64_t i = 0; i < from->rows; i++) {
        merge_row(from, classes, within, i, adjacency, &count);
        adjacency->row_start[i + 1] = count;
    }
    return graph_around(ctx, adjacency, graph);
}

static orthant_status check_labels(orthant_context *ctx, const orthant_graph *base,
                                   const orthant_labels *labels)
{
    if (labels->count == base->adjacency->rows)
        return ORTHANT_OK;
    return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                "%" PRId64 " labels for a graph over %" PRId64
                " samples; give one label per sample",
                labels->count, base->adjacency->rows);
}

orthant_status orthant_graph_with_labels(orthant_context *context, const orthant_graph *base,
                                         const orthant_labels *labels, orthant_graph **graph)
{
    graph_classes classes = {0};
    if (graph)
        *graph = NULL;
    const orthant_status refused = entry_check(context, base && labels && graph, __func__);
    if (refused)
        return refused;
    orthant_status status = check_labels(context, base, labels);
    if (status == ORTHANT_OK)
        status = classes_make(context, labels, &classes);
    if (status == ORTHANT_OK)
        status = merge(context, base, &classes, true, graph);
    classes_release(context, &classes);
    return status;
}

orthant_status graph_with_classes(orthant_context *ctx, const orthant_graph *base,
                                  const orthant_labels *labels, double weight,
                                  orthant_graph **graph)
{
    *graph = NULL;
    orthant_status status = check_labels(ctx, base, labels);
    if (status != ORTHANT_OK)
        return status;
    graph_classes *classes = memory_new(ctx, 1, sizeof *classes, "classes of samples");
    if (!classes)
        return ORTHANT_ERROR_MEMORY;
    status = classes_make(ctx, labels, classes);
    if (status == ORTHANT_OK)
        status = merge(ctx, base, classes, false, graph);
    if (status != ORTHANT_OK) {
        classes_release(ctx, classes);
        memory_free(ctx, classes);
        return status;
    }
    classes->weight = weight;
    (*graph)->classes = classes;
    for (int64_t i = 0; i < labels->count; i++) {
        const int64_t class = classes->class_of[i];
        if (class >= 0)
            (*graph)->degree[i] +=
                weight * (double)(classes->start[class + 1] - classes->start[class] - 1);
    }
    return ORTHANT_OK;
}

/* ---- looking at a graph ---- */

orthant_status orthant_graph_view(const orthant_graph *graph, orthant_array *view)
{
    return graph ? orthant_matrix_view(graph->adjacency, view) : ORTHANT_ERROR_ARGUMENT;
}

int64_t orthant_graph_nodes(const orthant_graph *graph)
{
    return graph ? graph->adjacency->rows : 0;
}

int64_t orthant_graph_edges(const orthant_graph *graph)
{
    return graph ? graph->adjacency->row_start[graph->adjacency->rows] / 2 : 0;
}

int64_t orthant_graph_isolated(const orthant_graph *graph)
{
    const orthant_matrix *A = graph ? graph->adjacency : NULL;
    int64_t isolated = 0;
    for (int64_t i = 0; A && i < A->rows; i++)
        isolated += A->row_start[i] == A->row_start[i + 1];
    return isolated;
}

double orthant_graph_edge(const orthant_graph *graph, int64_t i, int64_t j)
{
    return graph ? orthant_matrix_get(graph->adjacency, i, j) : 0.0;
}

static int64_t root_of(int64_t *parent, int64_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

int64_t orthant_graph_components(const orthant_graph *graph)
{
    if (!graph)
        return 0;
    const orthant_matrix *adjacency = graph->adjacency;
    int64_t *parent = memory_new(graph->ctx, adjacency->rows, sizeof *parent, "components");
    int64_t components = adjacency->rows;
    if (!parent)
        return -1; /* no memory: the message says so */
    for (int64_t i = 0; i < adjacency->rows; i++)
        parent[i] = i;
    for (int64_t i = 0; i < adjacency->rows; i++)
        for (int64_t e = adjacency->row_start[i]; e < adjacency->row_start[i + 1]; e++) {
            const int64_t a = root_of(parent, i), b = root_of(parent, adjacency->column[e]);
            components -= a != b;
            parent[a > b ? a : b] = a > b ? b : a;
        }
    memory_free(graph->ctx, parent);
    return components;
}
