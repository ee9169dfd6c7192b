/* What fit and cluster refuse before the data is read, because it would be ignored or fail after
 * the fit. Each returns 0 or the exit status after the error was told. */
#ifndef APP_CHECK_H
#define APP_CHECK_H

#include "pipeline.h"

/* Labels or a graph for a model that uses none; to be called before words become parameters. */
int check_uses(const pipeline *line);
/* A graph's file for a model that takes neighbours alone; after all parameters are set. */
int check_graph_file(const pipeline *line);
/* Two starts of one factor. */
int check_starts(const arguments *given);
/* A rule for labels that is none, or of a factor without a row for each sample; numbers out of
 * range. */
int check_labelling(const pipeline *line);

#endif
