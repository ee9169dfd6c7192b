/* The encoding of one sample under a basis W that is held, for any loss, weights of entries and
 * terms: min over s >= 0 of
 *
 *     loss(x, W s) + sum over terms of weight * term(s)
 *
 * to the sample's own stationarity, by projected Newton's steps in double. Plain squares and
 * Kullback-Leibler have a quicker way (code.h). */
#ifndef METHOD_DESCEND_H
#define METHOD_DESCEND_H

#include "engine/term.h"

typedef struct descent {
    int64_t rank;
    const term *terms;
    int term_count;
    code_sample sample; /* what the terms see */

    /* Squares: |x|^2 - 2 n's + s'G s */
    const double *gram;  /* G = W'W, rank rows of the padded rank; NULL: entries, by a rule */
    const double *cross; /* n = W'x */

    /* Others: entries x with weights c, and the features of W where they are, transposed */
    entry_rule rule;
    double scale;              /* the loss is this times the rule's value */
    const double *x, *weights; /* count; no weights: 1 */
    const double *tile;        /* rank rows of `stride` */
    int64_t count, stride;
    double *entries; /* scratch: DESCENT_ENTRIES x (descent_room(count) + DESCENT_MORE) */
    double *panel;   /* scratch: DESCENT_PANEL x the padded rank */

    double *s;     /* rank: where it begins, and what is found */
    double *parts; /* scratch: descent_parts() */
    int64_t *free; /* scratch: rank */
} descent;

#define DESCENT_ENTRIES 5
#define DESCENT_PANEL 256 /* features at a time */
#define DESCENT_MORE 8    /* behind the entries of a row: no rows of a power of two */

/* Entries that arrays of `count` have room for. */
int64_t descent_room(int64_t count);
/* Numbers of d->parts. */
int64_t descent_parts(int64_t rank);

/* Steps from d->s until no part's slope is above `tolerance`, a share of the sum of its positive
 * and its negative part; false where `iterations` did not suffice. */
bool descent_run(descent *d, int64_t iterations, double tolerance);

/* The objective at d->s. */
double descent_value(descent *d);

#endif
