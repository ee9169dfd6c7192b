/* How objectives fell, over iterations and over time. */
#ifndef REPORT_CONVERGENCE_H
#define REPORT_CONVERGENCE_H

#include "report/chart.h"
#include "report/record.h"

/* One run, with its heading: the objective and its parts, from history.csv. */
orthant_status convergence_of_run(chart_place *place, const run_record *record);

/* Several, side by side: how far each objective is above its lowest, as a share of its whole fall.
 * Both charts are drawn from charts/NAME.csv. */
orthant_status convergence_of_runs(chart_place *place, const run_list *list, const char *name);

#endif
