/* Charts, drawn by gnuplot as a program. Script and data stay beside the picture for the user's own
 * paper. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "report/record.h"

typedef enum chart_outcome { CHART_DRAWN, CHART_NO_GNUPLOT, CHART_NO_DATA } chart_outcome;

/* FOLDER/convergence.gp and convergence.svg. One run: the objective and its parts from history.csv.
 * Several: how far each objective is above its lowest, as a share of its whole fall, from
 * FOLDER/convergence.csv. */
orthant_status chart_convergence(orthant_context *ctx, const char *folder, const run_list *list,
                                 chart_outcome *outcome);

#endif
