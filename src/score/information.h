/* What a clustering tells of the classes, in nats, from the contingency table. */
#ifndef SCORE_INFORMATION_H
#define SCORE_INFORMATION_H

#include "score/table.h"

typedef struct information {
    double mutual;   /* of clusters and classes */
    double clusters; /* entropies */
    double classes;
    double expected; /* mutual information of random clusters and classes of the same sizes */
    bool same;       /* both are one partition */
} information;

orthant_status information_of(orthant_context *ctx, const table *t, information *found);

/* Mutual information over a mean of the entropies: 0 where there is none, 1 where both are one
 * partition. */
double information_share(const information *found, double mean);
/* (I - E) / (mean of the entropies - E): Vinh, Epps and Bailey 2010. */
double information_adjusted(const information *found);

#endif
