/* What a study found, as tables of 80 columns for a terminal. */
#ifndef REPORT_STUDY_SCREEN_H
#define REPORT_STUDY_SCREEN_H

#include <stdio.h>

#include "study/results.h"

/* Means and deviations, sweeps and settings, Friedman's test. */
orthant_status study_screen(orthant_context *ctx, const study_results *results, FILE *out);

#endif
