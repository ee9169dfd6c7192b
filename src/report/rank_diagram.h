/* The critical-difference diagram: methods on an axis of mean ranks, with bars that join those
 * which Nemenyi's test does not tell apart. */
#ifndef REPORT_RANK_DIAGRAM_H
#define REPORT_RANK_DIAGRAM_H

#include "report/chart.h"

typedef struct rank_group {
    int first, last; /* of the methods, by rank */
} rank_group;

/* The largest groups within which no two mean ranks (rising) are `difference` apart or more; groups
 * of one are left out. Returns how many; group takes `methods`. */
int rank_groups(const double *rank, int methods, double difference, rank_group *group);

/* charts/ranks.*: `name` and `rank` by rising rank. */
orthant_status rank_diagram_draw(chart_place *place, const char *const *name, const double *rank,
                                 int methods, double difference, const char *caption);

#endif
