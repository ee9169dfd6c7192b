/* A loss, of one of two kinds, which is all that the sweep knows of it:
 *
 *   quadratic   |X - W S'|^2: numerators are products with X, denominators come from Gram matrices
 *
 *   entrywise   a sum over the entries x and their fits y of some function with two weights p(x, y)
 *               and q(x, y), p x-like and q y-like parts of its gradient: numerators are P W and
 *               P'S, denominators Q W and Q'S, with P and Q formed a tile at a time
 *
 * A new loss is a file in src/loss/ and a row of losses.c; an entrywise one takes its functions
 * from loss/entrywise.h and says p, q and its value. One with a parameter ("beta:0.5") is a row
 * whose copy takes it (loss_make()). */
#ifndef ENGINE_INTERFACE_LOSS
#define ENGINE_INTERFACE_LOSS

#include "engine/sweep.h"

typedef struct loss {
    const char *name, *title;
    bool quadratic;
    bool constant_q; /* q = 1: denominators are sums of columns */
    bool positive;   /* it is infinite where x = 0 */
    double gain;     /* of half a term's gradient beside numerators and denominators */
    double exponent; /* of the multiplicative rule, for which it descends */
    double degree;   /* entrywise: the value is in units of X to this power */
    double parameter;
    double least, most;  /* of a parameter that the user gives; both 0: there is none */
    bool relative;       /* the parameter is in units of the mean of X */
    bool several_minima; /* of a sample's code: more than one start is worth its time */
    /* A fit's iterations in which the parameter halves, from `begins` on down to what stands above;
     * 0: it stays. */
    double halves, begins;
    /* Of an entrywise loss; NULL: the quotient x / y. */
    entry_rule (*rule)(const kernels *ops, double parameter);
    /* What follows from the parameter; NULL: nothing. */
    void (*set)(struct loss *l);

    /* Rows of a task; 0: what is best for products with X. */
    int64_t (*block_rows)(const problem *p);
    /* Numerators N and denominators D of a block of encodings that start from `from`. */
    void (*encoding)(const sweep *s, strip x, block b, array from, array N, array D);
    /* The linear part of the quadratic alone, for solvers that minimise it by coordinates. */
    void (*linear)(const sweep *s, strip x, block b, array N);
    /* The same for a block of features, from the sums: N is given, and may be s->sums.A itself. */
    void (*basis)(const sweep *s, block f, array W, array D);
    /* Adds a strip's share to the sums, for one panel of features. */
    void (*accumulate)(const sweep *s, strip x, panel p, int thread, sums *to, double *value);
    /* Of a block, where no sums are kept. */
    double (*rows_value)(const sweep *s, strip x, block b);
    /* For the factors and the sums as they are. */
    double (*value)(const sweep *s);
    /* Whether a loss is so small that it, or what steps still change, is the precision's rounding.
     */
    bool (*at_limit)(const sweep *s, double value);
} loss;

#endif
