/* The parts of nonnegative spectral clustering with discriminative regularisation. */
#ifndef METHOD_NSDR_H
#define METHOD_NSDR_H

#include "graph/graph.h"
#include "method/panels.h"

/* M = L_norm + weight (C - Xc'(Xc Xc' + ridge I)^-1 Xc), n x n, as its entries or as
 *
 *   M = D - A + weight (I - 1 1'/n - Y Y')
 *
 * with A the edges over the roots of the degrees, D = 1 where a node has edges, and Y (n x m) of
 * ridge.h. What the rule needs is M = M+ - M- with both nonnegative. The entries are split by their
 * sign; the sum is split by the signs in Y = Y+ - Y-:
 *
 *   M+ = D + weight (I + Y+Y-' + Y-Y+') = D + weight (I + (|Y||Y|' - Y Y') / 2)
 *   M- = A + weight (1 1'/n + Y+Y+' + Y-Y-') = A + weight (1 1'/n + (|Y||Y|' + Y Y') / 2)
 *
 * which has the same difference, so the same objective and the same fixed points, takes memory for
 * n m numbers in place of n^2, and shorter steps. */
typedef struct nsdr_matrix {
    orthant_context *ctx;
    int64_t n;
    double weight;
    orthant_matrix *entries;    /* M, n x n; NULL: as a sum */
    orthant_matrix *fit, *size; /* Y, or NULL where features are more than samples; |Y| */
    orthant_matrix *edges;      /* A, sparse */
    double *linked;             /* n: D */
    double *cross;              /* m: Y'x */
    const double *x;            /* of the product at hand, and what it gives */
    double *y;
    double mean; /* of x */
    int64_t first_task;
} nsdr_matrix;

typedef struct nsdr_options {
    double weight, ridge;
    bool as_sum;
} nsdr_options;

/* Whether M can be had as a sum: features are fewer than samples, and not too many. */
bool nsdr_sum_suits(const orthant_matrix *samples);
/* To be released in any case. */
orthant_status nsdr_matrix_make(nsdr_matrix *M, orthant_context *ctx, const orthant_matrix *samples,
                                const orthant_graph *graph, const nsdr_options *options,
                                const search_clock *clock);
void nsdr_matrix_release(nsdr_matrix *M);
/* y = -M x: the last eigenvectors of M lead. `user` is the nsdr_matrix. */
void nsdr_negative_product(void *user, const double *x, double *y);

/* min tr(F'M F) + (xi / 2)|F'F - I|^2 over F >= 0 (n x k). The caller owns M and F. */
typedef struct nsdr {
    panels p;
    const nsdr_matrix *M;
    array F, plus_F, minus_F;     /* n x k; the products M+ F and M- F are those of F as it is */
    array numerator, denominator; /* n x k */
    array cross, size_cross;      /* m x k: Y'F and |Y|'F */
    void *scratch;                /* of products with the entries */
    double *gram;                 /* F'F */
    double *sums;                 /* k: 1'F */
    double xi;
} nsdr;

orthant_status nsdr_setup(nsdr *s, const nsdr_matrix *M, orthant_matrix *F, double xi);
void nsdr_release(nsdr *s);
void nsdr_refresh(nsdr *s); /* products and F'F for F as it is */
void nsdr_step(nsdr *s);
/* The two parts of the objective. */
void nsdr_objective(nsdr *s, double *cut, double *penalty);

#endif
