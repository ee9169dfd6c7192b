/* A solver turns numerators and denominators of a block of rows into new rows, the other factor
 * held. It is a file in src/solver/ and a row of solvers.c. */
#ifndef ENGINE_INTERFACE_SOLVER
#define ENGINE_INTERFACE_SOLVER

#include "engine/sweep.h"

/* New rows of a factor. Of solvers with `majorises`, `numerator` and `denominator` hold the linear
 * part and the curvature of the terms' majorisers. */
typedef struct row_update {
    bool basis; /* of W; or of S */
    block b;
    strip x;        /* of the encodings: the samples */
    array from, to; /* the rows as they are, and where the new ones go; may be one */
    array numerator, denominator;
    array gram; /* of the factor that is held; quadratic losses */
} row_update;

typedef struct solver {
    const char *name, *title;
    bool majorises;       /* works on quadratics: a term without one is refused */
    bool majorises_basis; /* for terms that act on the basis too */
    bool takes_no_sums;   /* makes the basis from X itself */
    int arrays;           /* of a block's rows that it works in (sweep_term_array) */
    bool may_rise; /* extrapolates: an iteration that raises the objective is repeated without */
    /* Minimised at once, factors of a random start end in poor places. Without terms the encodings
     * are fitted to the starting basis before the first iteration; with terms the first iterations
     * are those of `first_solver`. */
    bool fits_encodings_first;
    int first_steps;
    const struct solver *first_solver;

    bool (*accepts)(const struct loss *loss);
    /* After setup: whether its first steps are small, which a device that makes them is told. NULL:
     * it has no such steps. */
    bool (*is_cautious)(const sweep *s);
    const char *losses; /* that it accepts, for the message that refuses another; NULL: all */
    orthant_status (*setup)(sweep *s);
    void (*release)(sweep *s);
    void (*basis_changed)(const sweep *s);
    void (*rows)(const sweep *s, const sweep_step *t, const row_update *u);
    /* All rows of the basis, for a solver that takes no sums. */
    void (*basis)(const sweep *s, const sweep_step *t);
} solver;

#endif
