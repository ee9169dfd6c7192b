/* What the files of the table of subcommands share: options that go together, and the subcommands.
 */
#ifndef APP_SUBCOMMANDS_H
#define APP_SUBCOMMANDS_H

#include "command.h"

#define DATA_OPTIONS                                                                        \
    OPTION_SCALE, OPTION_VARIABLE, OPTION_TRUTH, OPTION_TRANSPOSE, OPTION_MAP, OPTION_SIZE, \
        OPTION_ORDER, OPTION_COLOR, OPTION_LABEL_COLUMN, OPTION_ID_COLUMN, OPTION_DROP
/* Of a model that is fitted from starts of its own; and from one that may be given. */
#define MODEL_OPTIONS_OF_STARTS                                                                    \
    OPTION_METHOD, OPTION_RANK, OPTION_OUTPUT, OPTION_FORCE, OPTION_PARAMETER, OPTION_LOSS,        \
        OPTION_TERM, OPTION_ITERATIONS, OPTION_TOLERANCE, OPTION_TIME_LIMIT, OPTION_SEED,          \
        OPTION_INIT, OPTION_SOLVER, OPTION_GRAPH, OPTION_WEIGHTS, OPTION_SEARCH, OPTION_POOLING,   \
        OPTION_MASK, OPTION_MISSING, OPTION_SAMPLE_WEIGHTS, OPTION_FEATURE_WEIGHTS, OPTION_LABELS, \
        OPTION_LABELLED_FRACTION, OPTION_LABELLED_PER_CLASS, OPTION_FIX
#define MODEL_OPTIONS \
    MODEL_OPTIONS_OF_STARTS, OPTION_START, OPTION_SIMILARITY, OPTION_BATCH, OPTION_CLASSES
#define PROCESS_OPTIONS \
    OPTION_PRECISION, OPTION_THREADS, OPTION_MEMORY, OPTION_JSON, OPTION_QUIET, OPTION_PROGRESS

extern const subcommand methods_command, info_command, convert_command, fit_command,
    cluster_command, ranks_command, consensus_command, transform_command, predict_command,
    inverse_command, complete_command, score_command, graph_command, segment_command,
    features_command, words_command, compare_command, reproduce_command, report_command,
    bench_command, demo_command;

#endif
