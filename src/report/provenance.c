#include "report/provenance.h"

#include "core/file_checksum.h"
#include "method/fit.h"
#include "method/starts.h"

/* The member `xxh64`: of the file at that address, as of the data's. */
static orthant_status describe_checksum(orthant_context *ctx, json_writer *json,
                                        const char *address)
{
    char digest[XXH64_DIGITS + 1] = "";
    const orthant_status status = file_xxh64(ctx, address, digest);
    json_text(json, "xxh64", status ? NULL : digest);
    return status;
}

orthant_status provenance_starts(orthant_context *ctx, json_writer *json,
                                 const orthant_model *model)
{
    orthant_status status = ORTHANT_OK;
    json_open_array(json, "starts");
    for (int i = 0; i < model->start_count; i++) {
        const orthant_matrix *start = model->starts[i].matrix;
        json_open_object(json, NULL);
        json_text(json, "factor", model->starts[i].name);
        json_text(json, "file", start ? start->name : NULL);
        if (start && start->name && !status)
            status = describe_checksum(ctx, json, start->name);
        json_close(json);
    }
    json_close(json);
    return status;
}

void provenance_restarts(json_writer *json, const orthant_run *run)
{
    const int64_t count = orthant_result_start_count(run->result);
    int64_t chosen = 0;
    if (count < 2)
        return;
    json_open_array(json, "start_objectives");
    for (int64_t i = 0; i < count; i++) {
        const double objective = orthant_result_start_objective(run->result, i);
        json_number(json, NULL, objective);
        if (objective < orthant_result_start_objective(run->result, chosen))
            chosen = i;
    }
    json_close(json);
    if (run->model) {
        const uint64_t seed = (uint64_t)parameter_whole(&run->model->parameters, "seed");
        json_open_array(json, "start_seeds");
        for (int64_t i = 0; i < count; i++)
            json_integer(json, NULL, (int64_t)start_seed(seed, i));
        json_close(json);
    }
    /* A consensus is of all of them. */
    if (!run->result->consensus)
        json_integer(json, "start_chosen", chosen);
}

static orthant_status describe_file(orthant_context *ctx, json_writer *json, const char *path,
                                    const orthant_graph *graph)
{
    json_open_object(json, "graph_file");
    json_text(json, "path", path);
    if (graph) {
        json_integer(json, "nodes", orthant_graph_nodes(graph));
        json_integer(json, "edges", orthant_graph_edges(graph));
    }
    const orthant_status status = describe_checksum(ctx, json, path);
    json_close(json);
    return status;
}

orthant_status provenance_graph(orthant_context *ctx, json_writer *json, const orthant_run *run)
{
    char built[40];
    snprintf(built, sizeof built, "knn:%lld",
             run->result ? (long long)run->result->neighbours : 0LL);
    if (run->graph) {
        json_text(json, "graph", run->graph);
        return describe_file(ctx, json, run->graph, run->model->graph);
    }
    if (run->model->graph)
        json_text(json, "graph", "given");
    else
        json_text(json, "graph", run->result && run->result->neighbours ? built : "none");
    return ORTHANT_OK;
}

void provenance_truth(json_writer *json, const orthant_run *run)
{
    const char *found = orthant_labels_source(run->truth_labels);
    if (run->truth)
        json_text(json, "truth", run->truth);
    else if (*found)
        json_text(json, "truth", found);
    else
        json_text(json, "truth", run->truth_labels ? "given" : NULL);
}
