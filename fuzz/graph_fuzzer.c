/* Graphs as Matrix Market: any bytes give a result or an error. */
#include <stdlib.h>

#include "input.h"
#include "orthant/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    orthant_graph *graph = NULL;
    if (fuzz_is_hdf5(data, size) && fuzz_choice(data, size) % 16)
        return 0;
    const orthant_status status =
        orthant_graph_read(fuzz_context(), fuzz_file("input.mtx", data, size), &graph);
    fuzz_check(status, graph);
    if (graph && (orthant_graph_components(graph) < 1 ||
                  orthant_graph_components(graph) > orthant_graph_nodes(graph)))
        abort();
    orthant_graph_free(graph);
    fuzz_check_freed();
    return 0;
}
