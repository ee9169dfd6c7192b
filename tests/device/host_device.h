/* The device of plain loops: what its files share. */
#ifndef DEVICE_HOST_DEVICE_H
#define DEVICE_HOST_DEVICE_H

#include "engine/device.h"

/* Neighbours and nearest centres. */
extern const device_search host_search;
/* Projective methods. */
extern const device_projections host_projections;
extern const device_products host_products;

struct device_state {
    device_problem p;
    double *W, *S, *updated_W, *updated_S, *A, *B, *columns, *kept_W, *kept_S;
    double *XS;                /* X'S, which A is not for the kl loss */
    double *G, *basis_columns; /* of W */
    double divergence;         /* sum of x log(x / y) */
    double *x, *n, *d;         /* one row of X; numerators and denominators of a factor's rows */
    bool failed;
    char message[DEVICE_MESSAGE];
};

/* Sample i, dense, in s->x. */
void read_row(device_state *s, int64_t i);

/* What the sum of a factor, a term, adds to its denominators. */
double terms_penalty(const device_state *s, bool basis);
bool terms_know(const char *name);
/* To s->n and s->d of all rows of W (basis) or S; all terms but the sums of a factor. */
void terms_add(device_state *s, bool basis);
/* The weighted value of term i. */
double terms_value(device_state *s, int i);

#endif
