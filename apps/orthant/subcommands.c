/* All subcommands, in the order in which help lists them. */
#include "subcommands.h"

const subcommand *const subcommands[] = {
    &methods_command,  &info_command,      &convert_command,   &fit_command,     &cluster_command,
    &ranks_command,    &consensus_command, &transform_command, &predict_command, &inverse_command,
    &complete_command, &score_command,     &graph_command,     &segment_command, &features_command,
    &words_command,    &compare_command,   &reproduce_command, &report_command,  &view_command,
    &bench_command,    &demo_command};
const int subcommand_count = sizeof subcommands / sizeof *subcommands;
