/* Relationship matrix nonnegative decomposition: what rmnd.c, the paper's rules, and rmnd_plus.c
 * share. */
#ifndef METHOD_RMND_H
#define METHOD_RMND_H

#include "method/similar.h"

#define RMND_MOST_HALVINGS 60 /* of a step of A */

/* A relation, and the q x q matrices that the distance and its gradient take of it. */
typedef struct rmnd_point {
    orthant_matrix *matrix;
    array a;           /* of the matrix */
    double *G, *C, *P; /* A'A, A'M, A'K E */
    double D;          /* the distance there */
} rmnd_point;

typedef struct rmnd {
    panels p;
    similarity_view view;
    rmnd_point now, trial; /* now: the relation */
    orthant_matrix *distribution, *encoding, *gradient;
    array M, E, gradients; /* of these */
    array KA, KE;
    double *N;                    /* E'E, q x q */
    double *CGC, *first, *second; /* q x q: C'G C, and scratch for products */
    double *columns;              /* q: sums or scales of columns */
    array terms[3];               /* q x q, padded: factors of the gradient */
    double mu;                    /* the last step of A */
    bool adaptive;
    int64_t inner_steps;
} rmnd;

/* Factors and what belongs to them, to be released in any case; `r` is zeros before. */
orthant_status rmnd_setup(fit *f, rmnd *r);
void rmnd_release(fit *f, rmnd *r);
/* From the starting factors to the end, with these steps of the loop; all of them get `r`, which
 * may be the first member of more. */
orthant_status rmnd_iterate(fit *f, rmnd *r, loop_steps steps);

void rmnd_measure(void *rmnd, double *values);
void rmnd_parts(void *rmnd, checkpoint_parts *parts);

/* C'G C of these into r->CGC. */
void rmnd_make_CGC(rmnd *r, const double *C, const double *G);
/* (1/2)|K - A A'M H|^2; leaves C'G C. */
double rmnd_distance(rmnd *r, const double *P, const double *C, const double *G);
/* What depends on E: K E, N, P, and D. */
void rmnd_encoding_changed(rmnd *r);
/* Columns of M that sum to 1; E takes their scale. C is renewed. */
void rmnd_normalise_distribution(rmnd *r);
/* The projection of a - mu dD/da from a point, with all that belongs to it, into r->trial; its
 * columns are still to be multiplied by r->columns. `first`: the gradient is made first. */
void rmnd_make_trial(rmnd *r, const rmnd_point *from, double mu, bool first);
/* The trial becomes the relation, at a distance D. */
void rmnd_accept_trial(rmnd *r, double D);

static inline void rmnd_swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

#endif
