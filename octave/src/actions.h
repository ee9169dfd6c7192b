/* What the actions of the MEX function share. */
#ifndef ORTHANT_ACTIONS_H
#define ORTHANT_ACTIONS_H

#include "values.h"

extern binding call; /* the one that is under way */

/* The host's error where the library refused. */
void check(orthant_status status);
/* Sets those of `own`, and refuses what is neither one of them nor of `others`. */
void expect_options(const mxArray *options, const char *own, const char *others);
double number_option(const mxArray *options, const char *name, double otherwise);
int64_t whole_option(const mxArray *options, const char *name, int64_t otherwise);
const char *text_option(const mxArray *options, const char *name, const char *otherwise);

/* studies.c */
mxArray *starts_value(const orthant_result *result);    /* a row of objectives */
mxArray *consensus_value(const orthant_result *result); /* [] where it is none */
mxArray *reasons_value(const orthant_ranks *survey);    /* a column of texts; {} where NULL */
void run_read(int nlhs, mxArray **plhs, const mxArray **prhs);
void run_compare(int nlhs, mxArray **plhs, const mxArray **prhs);
void run_ranks(int nlhs, mxArray **plhs, const mxArray **prhs);
void run_words(int nlhs, mxArray **plhs, const mxArray **prhs);
void run_silhouette(int nlhs, mxArray **plhs, const mxArray **prhs);

#endif
