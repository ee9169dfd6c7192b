/* What a run's clusters look like: of each its size, its main class, its strongest part, the
 * samples that are most typical of it and those that it is least sure of. Written with the run, as
 * the page does not have the samples: clusters.json, and their pictures as rows of clusters.npy. */
#ifndef REPORT_CLUSTER_CARDS_H
#define REPORT_CLUSTER_CARDS_H

#include "orthant/run.h"
#include "report/chart.h"
#include "report/record.h"

#define CARDS_SAMPLES 6 /* of each kind */
#define CARDS_MOST 60   /* clusters; with more there are no cards */

/* Nothing where samples, labels or encodings are not at hand. */
orthant_status cluster_cards_write(orthant_context *ctx, const orthant_run *run,
                                   const char *folder);

/* The section of the page; nothing where the run has no clusters.json. */
orthant_status cluster_cards_show(chart_place *place, const run_record *record,
                                  const orthant_matrix *basis);

#endif
