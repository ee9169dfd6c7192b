/* What decides the results of an experiment, line by line: two with the same lines give the same
 * results, so that one can go on where another stopped. */
#ifndef REPORT_PLAN_LINES_H
#define REPORT_PLAN_LINES_H

#include "data/matrix.h"
#include "report/json.h"

typedef struct plan_lines {
    orthant_context *ctx;
    int count, capacity;
    char **line;
} plan_lines;

orthant_status plan_lines_add(plan_lines *plan, const char *text);
void plan_lines_free(plan_lines *plan);
/* Of the entries as they are in memory, whatever file and options they came from, and of labels. */
void plan_lines_hash(const orthant_matrix *samples, const int64_t *label, int64_t labels,
                     char digest[65]);

bool plan_lines_have(const plan_lines *plan, const char *text);

/* "plan" and "fingerprint" of an object that is being written. */
void plan_lines_write(const plan_lines *plan, json_writer *json);
/* Refuses a file with other lines; the message names the first difference. `what` they are the plan
 * of: "study". */
orthant_status plan_lines_check(const plan_lines *plan, const char *what, const char *path);

#endif
