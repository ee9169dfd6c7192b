/* Work on tall factors (n x q) in blocks of rows on all threads, and the q x q matrices that come
 * of it. Blocks depend on n alone and their shares are added in order, in double: the same bits for
 * any number of threads. Where `device` is set, the work is done there, and the host reads an array
 * after panels_fetch() and tells by panels_changed() that it wrote one; tasks are the host's. */
#ifndef METHOD_PANELS_H
#define METHOD_PANELS_H

#include "data/matrix.h"
#include "kernel/kernel.h"

struct kernel_device;

typedef struct panels {
    orthant_context *ctx;
    const kernels *k;
    int64_t n, q, stride;
    int64_t rows, blocks; /* rows of a block, the last may have fewer */
    int together;         /* Gram matrices of a pass */
    char *share;          /* blocks x together x q x stride: Gram matrices of blocks */
    char *scratch;        /* threads x 2 x rows x stride: numerators and denominators of a block */
    array left, right;    /* q x q, padded: what numerators and denominators are multiplied by */
    double *values;       /* q x q: a block's share */
    double *small;        /* q x q, the caller's to use */
    double *sums;         /* blocks x q */
    struct kernel_device *device; /* the caller's; NULL: the host */
} panels;

/* For panels_grams() of up to `together` pairs. */
orthant_status panels_setup(panels *p, orthant_context *ctx, orthant_precision precision, int64_t n,
                            int64_t q, int together);
void panels_release(panels *p);

/* A zeroed n x q array of the same padding; its data are the context's memory. */
orthant_status panels_new_array(const panels *p, array *a);
/* The same, q x q: what rows are multiplied by. */
orthant_status panels_new_small(const panels *p, array *a);

typedef void (*panels_task)(void *user, int64_t block, int64_t first, int64_t rows);
void panels_run(panels *p, panels_task task, void *user);

double panels_dot(panels *p, array a, array b);
/* gram = A'B, q x q. */
void panels_gram(panels *p, array a, array b, double *gram);
/* The same of several pairs in one pass over the rows, after `prepare` (NULL: nothing) of each
 * block. */
typedef struct panels_pair {
    array a, b;
    double *gram;
} panels_pair;
void panels_grams(panels *p, int count, const panels_pair *pairs, panels_task prepare, void *user);
/* C (+)= A small. */
void panels_product(panels *p, array c, array a, const double *small, bool add);
/* Sums, or sums of squares, of the columns into sums[q]. */
void panels_column_sums(panels *p, array a, bool squares, double *sums);
/* a(:, j) *= scale[j] */
void panels_scale_columns(panels *p, array a, const double *scale);

typedef enum panels_rule {
    PANELS_RATIO,  /* to .* r */
    PANELS_THIRD,  /* to .* r^(1/3) */
    PANELS_FOURTH, /* to .* r^(1/4) */
    PANELS_ROOT,   /* to .* r^(1/2) */
    PANELS_HALF    /* to .* (1/2 + r/2) */
} panels_rule;
/* r = (U left) ./ (V right); `left` NULL stands for the identity. `to` may be V. */
void panels_update(panels *p, array to, array u, const double *left, array v, const double *right,
                   panels_rule rule);

/* Of nonnegative arrays. */
void panels_copy(panels *p, array to, array from);
void panels_fetch(const panels *p, array a);
void panels_changed(const panels *p, array a);

/* C = A B for q x q matrices; `transposed` takes A'. C is neither A nor B. */
void small_product(int64_t q, const double *a, bool transposed, const double *b, double *c);
double small_dot(int64_t q, const double *a, const double *b);

#endif
