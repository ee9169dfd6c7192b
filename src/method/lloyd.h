/* One step of Lloyd's iteration and its working memory.
 *
 * Nearest centres are found by products with the centres, shifted by the mean mu of all points to
 * lose fewer digits (sparse points: mu = 0). With s = c - mu
 *
 *     |x - c|^2 = |x - mu|^2 + (|s|^2 + 2 <mu, s>) - 2 <x, s>
 *
 * and only the last two parts differ between centres. Where the rounding of the product could hide
 * the nearest, distances in double decide. With D_c the sum of x - mu over the n_c points of
 * cluster c, the inertia is
 *
 *     sum |x - mu|^2 + sum over c of (n_c |s_c|^2 - 2 <s_c, D_c>),
 *
 * and D_c changes only by the points that change their label. */
#ifndef METHOD_LLOYD_H
#define METHOD_LLOYD_H

#include "core/parallel.h"
#include "data/matrix.h"
#include "kernel/kernel.h"

typedef struct lloyd {
    orthant_context *ctx;
    const orthant_matrix *points;
    const kernels *kernels;
    int64_t n, m, k;
    int64_t block;    /* points of a task */
    double *length;   /* |x| of each point */
    double *mean;     /* mu */
    double scatter;   /* sum |x - mu|^2 */
    double *square;   /* |c|^2 */
    double *shift;    /* |s|^2 */
    double *offset;   /* |s|^2 + 2 <mu, s>; stride of them, infinite behind the last */
    double *part;     /* a cluster's part of the inertia */
    double longest;   /* largest |s| */
    int64_t stride;   /* of `shifted` and `dots` */
    void *shifted;    /* m x k: the s as columns, in the points' precision */
    void *dots;       /* threads x block x k */
    bool *moved;      /* centres that `shifted` does not stand for */
    double *sums;     /* k x m: D */
    int64_t *size;    /* points of each cluster */
    int64_t *summed;  /* labels that the sums stand for; -1: in none */
    int64_t *changed; /* points with another label than that, in order */
    int64_t changes;
    int64_t chosen;       /* centres that a start has so far */
    double *distance;     /* of each point: to its centre, or to the nearest chosen so far */
    double *trial, *kept; /* a start: the distances with a candidate, and with the best so far */
    int64_t *label;       /* n: the caller's */
    double *centres;      /* k x m: the caller's */
} lloyd;

/* n points, 1 <= k <= n; all entries finite. */
orthant_status lloyd_make(orthant_context *ctx, const orthant_matrix *points, int64_t k, lloyd *f);
void lloyd_free(lloyd *f);

/* From now on `centres` are moved and `label` is set. */
void lloyd_begin(lloyd *f, int64_t *label, double *centres);
/* Points to the nearest centre, ties to the lower one; a cluster without points takes the one that
 * is farthest from its centre. Returns the inertia; `changes` says how many labels are not as
 * before. */
double lloyd_assign(lloyd *f);
/* Centres to the means of their points. */
void lloyd_move(lloyd *f);
/* The inertia from the distances themselves. */
double lloyd_inertia(lloyd *f);

/* Runs tasks that write to places of their own, in threads where that many multiplications are
 * worth it. */
void lloyd_run(lloyd *f, int64_t count, parallel_task task, double multiplications);
int64_t lloyd_blocks(const lloyd *f);
int64_t lloyd_block_end(const lloyd *f, int64_t block); /* the point after its last */

#endif
