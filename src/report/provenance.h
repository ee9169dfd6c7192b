/* Where a run's start, graph and truth came from, for its run.json. */
#ifndef REPORT_PROVENANCE_H
#define REPORT_PROVENANCE_H

#include "orthant/run.h"
#include "report/json.h"

/* `starts`: the factors that were given, with their files and the files' checksums. */
orthant_status provenance_starts(orthant_context *ctx, json_writer *json,
                                 const orthant_model *model);
/* `start_objectives`, `start_seeds` and `start_chosen`, where there were several. */
void provenance_restarts(json_writer *json, const orthant_run *run);
/* `graph`, and `graph_file` with its checksum where it came from one. */
orthant_status provenance_graph(orthant_context *ctx, json_writer *json, const orthant_run *run);
/* `truth`. */
void provenance_truth(json_writer *json, const orthant_run *run);

#endif
