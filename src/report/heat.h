/* Heat maps: the coefficients of samples ordered by cluster, and how alike samples are. */
#ifndef REPORT_HEAT_H
#define REPORT_HEAT_H

#include "report/chart.h"
#include "report/sample_order.h"

#define HEAT_SAMPLES 300 /* at most, of all */

/* charts/similarity-data.csv: the cosines of the samples themselves. Written with the run, as they
 * are not stored. */
orthant_status heat_write_data(orthant_context *ctx, const char *folder,
                               const orthant_matrix *samples, const sample_order *order);

/* A map of charts/NAME.csv, which holds a number for every two samples in the order, -1 or 0 to 1.
 */
orthant_status heat_square(chart_place *place, const char *name, const char *caption, bool negative,
                           const sample_order *order);

/* The encodings of the samples, each scaled to its largest entry; parts in the order of the
 * clusters that they serve. */
orthant_status heat_of_coefficients(chart_place *place, const orthant_matrix *encoding,
                                    const sample_order *order);
/* The cosines of the samples, where they were written with the run, and of their encodings. */
orthant_status heat_of_similarity(chart_place *place, const orthant_matrix *encoding,
                                  const sample_order *order);

#endif
