/* ranks.json: the plan of a survey of ranks, and at its end what it found. */
#ifndef REPORT_RANKS_RECORD_H
#define REPORT_RANKS_RECORD_H

#include "report/json.h"
#include "report/plan_lines.h"
#include "study/ranks.h"

#define RANKS_FILE "ranks.json"

/* Data, settings, ranks, criteria, repeats, seed, precision and version. */
orthant_status ranks_plan_lines(const orthant_ranks *survey, plan_lines *plan);
/* Without a plan (NULL) that is left out; so is what was found where there is none yet. */
void ranks_record_describe(const orthant_ranks *survey, const plan_lines *plan, json_writer *json);
orthant_status ranks_record_write(const orthant_ranks *survey, const plan_lines *plan,
                                  const char *path);
/* ranks.csv: a line for each rank, numbers that read back as the same doubles. */
orthant_status ranks_table_write(const orthant_ranks *survey, const char *path);

/* Whether the folder holds a survey of ranks. */
orthant_status folder_is_ranks(orthant_context *ctx, const char *folder, bool *is_ranks);
/* The ranks.json of a folder, which must be finished (json_free). */
orthant_status ranks_record_read(orthant_context *ctx, const char *folder, json_value **json);
/* What a finished survey says, parsed (json_free). */
orthant_status ranks_record_of(const orthant_ranks *survey, json_value **json);

#endif
