/* The papers' figures from the runs behind them. */
#ifndef REPRODUCE_FIGURES_H
#define REPRODUCE_FIGURES_H

#include "report/chart.h"
#include "reproduce/runs.h"

/* Into the page at hand; the runs are there. */
orthant_status figure_show(chart_place *place, const protocol_figure *figure,
                           const protocol_runs *runs, const char *paper);

/* ---- one file per kind ---- */

/* With the paper's curves; `paper` and the table's number find them. */
orthant_status figure_classes(chart_place *place, const protocol_figure *figure,
                              const protocol_runs *runs, const char *paper);
orthant_status figure_sweep(chart_place *place, const protocol_figure *figure,
                            const protocol_runs *runs);
orthant_status figure_convergence(chart_place *place, const protocol_figure *figure,
                                  const protocol_runs *runs);
orthant_status figure_points(chart_place *place, const protocol_figure *figure,
                             const protocol_runs *runs);
orthant_status figure_bases(chart_place *place, const protocol_figure *figure,
                            const protocol_runs *runs);
orthant_status figure_similarity(chart_place *place, const protocol_figure *figure,
                                 const protocol_runs *runs);

/* "figure-1-and-3" of "1 and 3", with `part` behind it: a name for files. */
void figure_name(const protocol_figure *figure, const char *part, char *name, size_t size);
/* The next of "a,b,c"; false behind the last. */
bool next_name(const char **list, char *name, size_t size);
/* A factor that the study kept: FILE of the variant's run. */
orthant_status kept_matrix(const protocol_runs *runs, const char *method, const char *file,
                           orthant_matrix **matrix);
orthant_status kept_labels(const protocol_runs *runs, const char *method, const char *file,
                           orthant_labels **labels);

#endif
