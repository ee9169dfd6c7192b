/* study.json: the plan of a study. */
#ifndef REPORT_STUDY_RECORD_H
#define REPORT_STUDY_RECORD_H

#include "report/plan_lines.h"
#include "study/study.h"

/* Data, variants, classes, repeats, seed, precision, version: two studies with the same lines give
 * the same rows. */
orthant_status study_plan_lines(const orthant_study *study, plan_lines *plan);

orthant_status study_record_write(const orthant_study *study, const plan_lines *plan,
                                  const char *path);
#endif
