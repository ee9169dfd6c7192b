/* study.json: the plan of a study, and whether it is the one at hand. */
#ifndef REPORT_STUDY_RECORD_H
#define REPORT_STUDY_RECORD_H

#include "study/study.h"

/* What decides the results, line by line. */
typedef struct plan_lines {
    orthant_context *ctx;
    int count, capacity;
    char **line;
} plan_lines;

/* Data, variants, classes, repeats, seed, precision, version: two studies with the same lines give
 * the same rows. */
orthant_status plan_lines_make(const orthant_study *study, plan_lines *plan);
void plan_lines_free(plan_lines *plan);

orthant_status study_record_write(const orthant_study *study, const plan_lines *plan,
                                  const char *path);
/* Refuses a study.json of another plan; the message names the first difference. */
orthant_status study_record_check(const orthant_study *study, const plan_lines *plan,
                                  const char *path);

#endif
