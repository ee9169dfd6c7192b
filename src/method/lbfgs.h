/* Minimises a smooth function of many variables by limited-memory BFGS (Nocedal 1980; Liu and
 * Nocedal 1989), with a line search that keeps the Wolfe conditions by bisection. */
#ifndef ENGINE_LBFGS_H
#define ENGINE_LBFGS_H

#include "engine/checkpoint.h"

#define LBFGS_MEMORY 10

/* The value at x, and the gradient there. */
typedef double (*lbfgs_function)(void *user, const double *x, double *gradient);

typedef struct lbfgs {
    orthant_context *ctx;
    int64_t size;
    lbfgs_function function;
    void *user;

    double *x;        /* where it is; set by the caller before lbfgs_begin */
    double *gradient; /* there */
    double value;     /* there */
    bool stuck;       /* no step lowers the value any more */
    int64_t evaluations;

    double *trial, *trial_gradient, *direction;
    double *steps[LBFGS_MEMORY], *changes[LBFGS_MEMORY]; /* of x and of the gradient */
    double curvature[LBFGS_MEMORY];                      /* step . change, positive */
    int kept, next;
} lbfgs;

orthant_status lbfgs_setup(lbfgs *l, orthant_context *ctx, int64_t size, lbfgs_function function,
                           void *user);
void lbfgs_release(lbfgs *l);

/* For a checkpoint between two iterations. */
void lbfgs_parts(lbfgs *l, checkpoint_parts *parts);
/* After they have been read. */
void lbfgs_restored(lbfgs *l);

void lbfgs_begin(lbfgs *l); /* value and gradient at x */
/* One iteration; the value never rises. Does nothing where it is stuck. */
void lbfgs_step(lbfgs *l);

#endif
