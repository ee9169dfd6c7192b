/* The parts of nonnegative spectral clustering with discriminative regularisation. */
#ifndef METHOD_NSDR_H
#define METHOD_NSDR_H

#include "method/panels.h"
#include "graph/graph.h"

/* M = L_norm + weight (C - Xc'(Xc Xc' + ridge I)^-1 Xc), n x n. */
orthant_status nsdr_matrix(orthant_context *ctx, const orthant_matrix *samples,
                           const orthant_graph *graph, double weight, double ridge, double *M);

/* min tr(F'M F) + (xi / 2)|F'F - I|^2 over F >= 0 (n x k). The caller owns F. */
typedef struct nsdr {
    panels p;
    orthant_matrix *plus, *minus; /* M = plus - minus, both nonnegative */
    array F, plus_F, minus_F;     /* n x k; the products are those of F as it is */
    array numerator, denominator; /* n x k */
    double *gram;                 /* F'F */
    double xi;
} nsdr;

orthant_status nsdr_setup(nsdr *s, orthant_context *ctx, const double *M, orthant_matrix *F,
                          double xi);
void nsdr_release(nsdr *s);
void nsdr_refresh(nsdr *s); /* products and F'F for F as it is */
void nsdr_step(nsdr *s);
/* The two parts of the objective. */
void nsdr_objective(nsdr *s, double *cut, double *penalty);

#endif
