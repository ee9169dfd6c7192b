/* One step of Lloyd's iteration and its working memory.
 *
 * Nearest centres are found by products with the centres, shifted by the mean mu of all points to
 * lose fewer digits (sparse points: mu = 0). With s = c - mu
 *
 *     |x - c|^2 = |x - mu|^2 + (|s|^2 + 2 <mu, s>) - 2 <x, s>
 *
 * and only the last two parts differ between centres (nearest.c). With D_c the sum of x - mu over
 * the n_c points of cluster c, the inertia is
 *
 *     sum |x - mu|^2 + sum over c of (n_c |s_c|^2 - 2 <s_c, D_c>),
 *
 * and D_c changes only by the points that change their label. */
#ifndef CLUSTER_LLOYD_H
#define CLUSTER_LLOYD_H

#include "core/parallel.h"
#include "data/matrix.h"
#include "kernel/kernel.h"

/* Multiplications of a pass over the points above which it is shared by threads, or made by a
 * device. */
#define LLOYD_LONG_PASS 3.3e7

typedef struct lloyd {
    orthant_context *ctx;
    const orthant_matrix *points;
    const kernels *ops;
    int64_t n, m, k;
    bool alone;        /* to be run by one thread, with others beside it */
    int64_t block;     /* points of a task */
    double *length;    /* |x| of each point */
    double *mean;      /* mu */
    double *spread;    /* |x - mu|^2 of each point */
    double scatter;    /* their sum */
    double far, wide;  /* the largest length, the largest spread */
    void *grouped;     /* the points in groups (kernel.h), where their features are few, or NULL */
    double *square;    /* |c|^2 */
    double *shift;     /* |s|^2 */
    double *offset;    /* |s|^2 + 2 <mu, s>; stride of them, infinite after the last */
    double *part;      /* a cluster's part of the inertia */
    void *bias;        /* half of -offset, for grouped points, in their precision */
    double margin;     /* between the two largest bias + <x, s>, for the first to be sure */
    double longest;    /* largest |s| */
    double reach;      /* no centre is longer */
    int64_t stride;    /* of `shifted` and `dots` */
    void *shifted;     /* m x k: the s as columns, in the points' precision */
    void *dots;        /* threads x block x k */
    int64_t gather;    /* rows that fit `gathered`; 0: not worth it */
    void *gathered;    /* threads x gather x stride of the points: rows for a product */
    int32_t *doubtful; /* threads x block: points that the bounds do not prune */
    double *least;     /* threads x 2 x block: the least and second parts of their distances */
    double *upper;     /* of each point: no less than the distance to its centre */
    double *lower;     /* no more than that to any other */
    bool bounded;      /* both hold, but for the drifts */
    double *drift;     /* how far each centre moved since */
    double *fall;      /* how far the farthest of the others did */
    int64_t age;       /* passes since the start */
    double slack;      /* relative rounding of the bounds */
    bool *touched;     /* blocks in which a label may not be as summed */
    bool *moved;       /* centres that `shifted` does not stand for */
    double *sums;      /* k x m: D */
    int64_t *size;     /* points of each cluster */
    int64_t *summed;   /* labels that the sums stand for; -1: in none */
    int64_t *changed;  /* points with another label than that, in order */
    int64_t changes;
    int64_t chosen;    /* centres that a start has so far */
    int64_t *near;     /* of each point: the nearest of them; shares `changed` */
    double *distance;  /* of each point: to its centre, or to the nearest chosen so far */
    double *block_sum; /* of these, over each block */
    int tried, taken;  /* candidates for the next centre, and the one that becomes it */
    double *candidate; /* candidates x m */
    double *candidate_square;
    double *gap;   /* candidates x k: squared distances to the chosen centres, where they help */
    double *tries; /* threads x block x candidates: distances to them */
    double *left;  /* blocks x tried: the sum of distances if a candidate were taken */
    struct device_centres *device; /* where the points are too; or NULL */
    int64_t *label;                /* n: the caller's */
    double *centres;               /* k x m: the caller's */
} lloyd;

/* n points, 1 <= k <= n; all entries finite. */
orthant_status lloyd_make(orthant_context *ctx, const orthant_matrix *points, int64_t k, lloyd *f);
/* Another one on the same points, to run alone. What it knows of them is the first one's, which
 * has to outlive it. */
orthant_status lloyd_make_beside(const lloyd *first, lloyd *f);
void lloyd_free(lloyd *f);
/* From now on the host finds the nearest centres; a note says why, where there is a reason. */
void lloyd_leave_device(lloyd *f, const char *reason);

/* From now on `centres` are moved and `label` is set. */
void lloyd_begin(lloyd *f, int64_t *label, double *centres);
/* The same where label, centres, the sums and the sizes of the clusters are those that an earlier
 * run had between two steps. */
void lloyd_continue(lloyd *f, int64_t *label, double *centres);
/* Points to the nearest centre, ties to the lower one; a cluster without points takes the one that
 * is farthest from its centre. Returns the inertia; `changes` says how many labels are not as
 * before. */
double lloyd_assign(lloyd *f);
/* Centres to the means of their points. */
void lloyd_move(lloyd *f);
/* The inertia from the distances themselves. */
double lloyd_inertia(lloyd *f);

/* Centres to begin with: k-means++. `go_on` is asked before each pass over the points; once it says
 * no, the other centres are points drawn without a look at the rest. */
typedef bool (*lloyd_go_on)(void *user);
void lloyd_choose_centres(lloyd *f, uint64_t seed, uint64_t restart, lloyd_go_on go_on, void *user);
/* How many points it draws for a centre. */
int lloyd_candidates(int64_t k);

/* A pass of lloyd_assign: `label`, `touched` and the bounds. */
void nearest_centres(lloyd *f);

/* Runs tasks that write to separate memory, in threads where that many multiplications are worth
 * it. */
void lloyd_run(lloyd *f, int64_t count, parallel_task task, double multiplications);
int64_t lloyd_blocks(const lloyd *f);
int64_t lloyd_block_end(const lloyd *f, int64_t block);   /* the point after its last */
const void *lloyd_grouped(const lloyd *f, int64_t block); /* its points in groups */

#endif
