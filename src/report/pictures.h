/* Montages in the page: the parts of a run whose samples are pictures, and their encodings. */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include <stdio.h>

#include "report/record.h"
#include "report/sample_order.h"

/* A figure of the basis, saved as basis.png in the run's folder; *shown where there was one. A run
 * without a basis, or of samples that are no pictures, has none. `before` is written before it. */
orthant_status pictures_basis(orthant_context *ctx, FILE *page, const run_record *record,
                              const orthant_matrix *basis, const char *name, const char *before,
                              bool *shown);
/* A figure of encodings, each a tile whose pixels are the parts, saved as encoding.png. Fewer than
 * 9 parts are no picture. */
orthant_status pictures_encoding(orthant_context *ctx, FILE *page, const run_record *record,
                                 const orthant_matrix *encoding, const sample_order *order,
                                 const char *before);

#endif
