/* A run as it is stored, and all runs of a folder: what reports and tables are made from. */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include <limits.h>

#include "orthant/labels.h"
#include "orthant/matrix.h"
#include "report/history.h"
#include "report/json.h"

typedef struct run_record {
    char *name;   /* the folder's own name */
    char *folder; /* its path */
    json_value *json;
    history history;
    int group; /* of runs on the same data */
} run_record;

#define RUN_NO_GROUP INT_MAX /* the segmentations */

typedef struct run_list {
    orthant_context *ctx;
    bool single; /* the folder is a run itself */
    int count;
    run_record *record;
    int groups;           /* of data; 0 where the runs were added one by one */
    bool whole;           /* they are all on the same data */
    int studies, surveys; /* of ranks: how many subfolders hold one (inside.h) */
} run_list;

/* Refuses what is no folder. */
orthant_status record_check_folder(orthant_context *ctx, const char *folder);

/* The run in `folder`, or every run in its subfolders: runs on the same data one after the other,
 * the best accuracy first, segmentations last. None where there are studies or surveys alone. */
orthant_status run_list_read(orthant_context *ctx, const char *folder, run_list *list);
void run_list_free(run_list *list);
/* An empty list, to which runs are added one by one; `name` NULL: the folder's own. */
orthant_status run_list_begin(orthant_context *ctx, run_list *list);
orthant_status run_list_add(run_list *list, const char *folder, const char *name);

/* The runs of one group, a piece of the list: not to be freed. Only they can be ranked. */
run_list run_list_group(const run_list *list, int group);

/* Made by `orthant segment`: pictures instead of factors and a history. */
bool record_is_segmentation(const run_record *record);

/* What stands in run.json. "" and NaN where it does not. */
const char *record_text(const run_record *record, const char *key);
double record_number(const run_record *record, const char *key);
double record_score(const run_record *record, const char *key);
const char *record_data_text(const run_record *record, const char *key);
double record_data_number(const run_record *record, const char *key);
/* All 0 where it is not known. */
orthant_picture_shape record_picture(const run_record *record);

/* A matrix of the run's folder ("basis"); NULL, and no error, where it has none. */
orthant_status record_matrix(orthant_context *ctx, const run_record *record, const char *factor,
                             orthant_matrix **matrix);
/* labels.csv and truth.csv; NULL where there are none. */
orthant_status record_labels(orthant_context *ctx, const run_record *record, const char *file,
                             orthant_labels **labels);

#endif
