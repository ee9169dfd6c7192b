/* The map of the samples in a run's page, and what its script (samples.js) knows of each sample. */
#ifndef REPORT_SAMPLE_MAP_PAGE_H
#define REPORT_SAMPLE_MAP_PAGE_H

#include "report/chart.h"
#include "report/record.h"

/* Nothing where the run has no map.json. Labels and encoding may be NULL. */
orthant_status sample_map_show(chart_place *place, const run_record *record,
                               const orthant_labels *found, const orthant_labels *truth,
                               const orthant_matrix *encoding);

#endif
