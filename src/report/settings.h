/* The end of a page: what was run, with which settings, and on which data. */
#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include <stdio.h>

#include "report/record.h"

/* "2,000 samples of 784 features (digits.mat)". */
void settings_data_words(FILE *page, const run_record *record);

/* What the method is, its notes, the command, and a table of everything else. */
void settings_write(orthant_context *ctx, FILE *page, const run_record *record);

/* The last part of a path. */
const char *path_name(const char *path);

#endif
