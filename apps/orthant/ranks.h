/* The number of parts, found for fit and cluster. */
#ifndef APP_RANKS_H
#define APP_RANKS_H

#include "command.h"

/* Whether -k asks for it: auto, or a list of ranks. */
bool ranks_wanted(const arguments *given);
/* Refuses what can be refused before there are data. Returns 0 or the exit status. */
int ranks_check(const arguments *given, orthant_context *ctx);
/* The recommended rank of these samples, which notes tell with the reasons; these are also given,
 * one in a line, for the caller to free(). */
int ranks_find(const arguments *given, orthant_context *ctx, talk *speech,
               const orthant_matrix *samples, int64_t *rank, char **reasons);

#endif
