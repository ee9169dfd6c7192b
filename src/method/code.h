/* The encoding ("code") of one sample x under a basis W that is held: min over s >= 0 of
 * |x - W s|^2, or of the Kullback-Leibler divergence, to the sample's own stationarity.
 *
 * All is done in double. The columns of W have unit length (KL: unit sum), and the sample is scaled
 * too, so that the gradient has no units and one tolerance fits every sample. */
#ifndef METHOD_CODE_H
#define METHOD_CODE_H

#include "kernel/kernel.h"

struct code;

/* What the solver asks of a loss. */
typedef struct code_loss {
    void (*gradient)(struct code *c); /* at c->s, into c->gradient */
    /* A step for each coordinate, one after the other, none of which raises the loss. The gradient
     * is not kept. */
    void (*coordinates)(struct code *c);
    /* Second derivatives of the parts c->free, into the lower triangle of c->curvature. */
    void (*curvature)(struct code *c);
    /* How much of c->step may be taken, at most `most`, without a higher loss. */
    double (*length)(struct code *c, double most);
} code_loss;

extern const code_loss code_frobenius, code_kl;

typedef struct code {
    const code_loss *loss;
    int64_t rank, padded;        /* padded: the rank, as matrix_padded() has it */
    double *s, *gradient, *step; /* rank each */
    double *column;              /* scratch: 3 x padded */
    double *curvature;           /* rank x padded */
    int64_t *free;               /* the parts that are positive, ... */
    int64_t free_count;          /* ... so many */

    /* Frobenius: half the gradient is G s - n */
    array gram;          /* G = W'W */
    const double *cross; /* n = W'x */

    /* KL: the entries of x that are not zero, in features that some part has */
    const double *x;
    const double *tile;               /* these features of W, transposed: rank rows of `stride` */
    int64_t count, stride;            /* entries */
    double *fitted, *change, *weight; /* W s, and scratch: KERNEL_WHOLE(count) each */
    const double *sums;               /* ones: of W's columns */
} code;

/* A code whose arrays of parts lie in `numbers`, of code_numbers(), and `free`, of the rank. */
int64_t code_numbers(int64_t rank);
code code_new(const code_loss *loss, int64_t rank, double *numbers, int64_t *free);

/* Iterates from c->s until no part's projected gradient is above the tolerance; false where
 * `iterations` did not suffice. */
bool code_solve(code *c, int64_t iterations, double tolerance);

#endif
