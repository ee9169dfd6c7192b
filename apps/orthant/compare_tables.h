/* What a study found, as tables of 80 columns on standard output. */
#ifndef APP_COMPARE_TABLES_H
#define APP_COMPARE_TABLES_H

#include "study/results.h"

/* Means and deviations, sweeps and settings, Friedman's test. */
orthant_status compare_print(orthant_context *ctx, const study_results *results);

#endif
