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
/* Whether the study of the study.json at `path` is this one (`longer`: false), or a part of it that
 * can be extended: fewer repeats, fewer variants. Anything else is refused with the reason. */
orthant_status study_plan_extends(const orthant_study *study, const plan_lines *plan,
                                  const char *path, bool *longer);

#endif
