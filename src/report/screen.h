/* Stored runs and studies as tables of 80 columns for a terminal. */
#ifndef REPORT_SCREEN_H
#define REPORT_SCREEN_H

#include <stdio.h>

#include "core/context.h"

/* A row for each run in `folder`, or for each method of the study in it. */
orthant_status screen_folder(orthant_context *ctx, const char *folder, FILE *out);

#endif
