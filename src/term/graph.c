/* Graph: tr(S'L S) = sum over edges of a_ij |s_i - s_j|^2, with L = E - A (GNMF; NLCF-G, eq. 12).
 *
 * Half its gradient is E S - A S: A S goes to the numerator, E S to the denominator, both with the
 * last iteration's encodings, which is the papers' joint update. The value is summed over edges:
 * tr(S'ES) - tr(S'AS) loses all digits when S is nearly constant. */
#include "engine/fit.h"
#include "term/term.h"

static orthant_status setup(term *t, fit *f)
{
    t->state = (void *)f->graph;
    return ORTHANT_OK;
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    const orthant_graph *graph = t->state;
    const kernels *k = s->k;
    const array neighbours = sweep_term_array(s, b.thread, 0, b.rows);
    k->sparse_product(neighbours, matrix_csr(graph->adjacency), b.first, s->last, false);
    k->add(numerator, t->gain, neighbours);
    k->add_scaled_rows(denominator, t->gain, graph->degree + b.first,
                       array_rows(k, s->last, b.first, b.rows));
}

static double rows_value(const term *t, const sweep *s, block b)
{
    const orthant_graph *graph = t->state;
    return s->k->edge_energy(matrix_csr(graph->adjacency), b.first, b.rows, s->S);
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
};

const term_kind term_graph = {
    .name = "graph",
    .title = "neighbours in a graph get similar encodings",
    .flags = TERM_NEEDS_GRAPH | TERM_READS_OTHERS,
    .parameters = parameters,
    .parameter_count = 4,
    .setup = setup,
    .encoding = encoding,
    .rows_value = rows_value,
};
