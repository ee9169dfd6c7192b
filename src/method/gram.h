/* K = X X', the inner products of the samples, as its methods see it: through K V for tall factors
 * V (n x k). Kept of a factor is its image:
 *
 *   factored   X'V, m x k; a block of rows of K V is X_b (X'V), and K is never formed
 *   whole      K V, n x k, where K itself was given
 *   split      K+ V and K- V, n x k, of K = K+ - K- with both nonnegative, for mixed signs: from
 *              a stored K where n <= m or it was given, otherwise through tiles that are not kept
 *
 * On a device K, or X, lies there, and images are whole or split; with one sign alone the factors
 * and images stay there (panels.h), and methods that visit no blocks need nothing of the host.
 */
#ifndef METHOD_GRAM_H
#define METHOD_GRAM_H

#include "method/panels.h"
#include "engine/sums.h"
#include "method/fit.h"
#include "method/kernel_device.h"

typedef struct gram_image {
    bool factored;
    array plus;  /* factored: X'V; otherwise K V or K+ V */
    array minus; /* split: K- V */
} gram_image;

typedef struct gram {
    orthant_context *ctx;
    const kernels *ops;
    const orthant_matrix *samples; /* X; NULL where K was given */
    const orthant_matrix *kernel;  /* K where it is at hand */
    orthant_matrix *stored;        /* K, where it was made here */
    orthant_matrix *part[2];       /* K+ and K- of a sparse K */
    bool mixed;                    /* K has negative entries */
    double trace;                  /* of K: |X|^2 */
    int64_t n, m, rank, stride;
    panels rows, features; /* n x k and m x k */

    plan plan; /* the pass over X */
    sums_tree tree;
    double *columns; /* k, for the tree */
    char *scratch;   /* for each thread: arrays of a block's rows, then scratch for kernels */
    int64_t thread_bytes, array_bytes;
    double *share; /* of blocks, summed in order */
    array spare;   /* split, and on a device: m x k */
    kernel_device device;
} gram;

#define GRAM_ARRAYS 4 /* of a block's rows, for visitors */

/* Whether an entry is below zero: a pass over all of them where that is not known. */
bool gram_has_negative(const orthant_matrix *a);

orthant_status gram_setup(gram *g, fit *f);
void gram_release(gram *g);

/* Room for the image of a factor; `split` only counts where signs are mixed. */
orthant_status gram_new_image(const gram *g, bool split, gram_image *image);
void gram_free_image(const gram *g, gram_image *image);
/* For a checkpoint: "NAME" and "NAME minus". */
void gram_image_parts(const gram *g, const gram_image *image, const char *name,
                      checkpoint_parts *parts);
/* A zeroed k x k array. */
orthant_status gram_new_small(const gram *g, array *small);

/* x: the strip that the block lies in. */
typedef void (*gram_visitor)(void *user, strip x, block b);
/* Visits all blocks of samples, where the visitor may change its rows of v; the image of v comes
 * from the same pass over X. A visitor must not read that image. `visit` may be NULL. */
void gram_sweep(gram *g, gram_visitor visit, void *user, array v, gram_image *image);
/* Visits all blocks of features. */
void gram_visit_features(gram *g, void (*visit)(void *user, block b), void *user);

/* An array of a block's rows for visitors: 0 ... GRAM_ARRAYS - 1. */
array gram_scratch(const gram *g, block b, int which);
/* Rows of K V (split: K+ V), in `scratch` or where they stand already. */
array gram_rows(const gram *g, const gram_image *image, strip x, block b, array scratch);
/* V'K V, or V'K+ V and V'K- V, k x k; `minus` is zero where nothing is split. */
void gram_form(gram *g, array v, const gram_image *image, double *plus, double *minus);
/* tr(V'K W). */
double gram_trace(gram *g, array v, const gram_image *of_v, const gram_image *of_w);
/* |X - V (X'W)'|^2 = tr K - 2 tr(V'K W) + <W'K W, V'V>; `fitted` is the last of these. Where that
 * cancels and X is at hand the residual itself is summed. */
double gram_loss(gram *g, array v, const gram_image *of_v, array w, const gram_image *of_w,
                 double fitted);

#endif
