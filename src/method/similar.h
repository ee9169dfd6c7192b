/* What methods on a similarity K (n x n, symmetric, nonnegative) share: the parameters of its
 * making, products with it, and symmetric NMF as a part of others. */
#ifndef METHOD_SIMILAR_H
#define METHOD_SIMILAR_H

#include "method/panels.h"
#include "method/kernel_device.h"
#include "method/method.h"

#define SIMILARITY_PARAMETERS                                                                     \
    PARAMETER_WORD("similarity", "auto", "auto|gaussian|knn:P",                                   \
                   "of the samples, where none is given: gaussian, of all pairs; knn:P, the "     \
                   "same between P nearest neighbours alone, sparse; auto: knn:20 above 5,000 "   \
                   "samples"),                                                                    \
        PARAMETER_WHOLE("neighbours", "0", 0, 1e9,                                                \
                        "nearest neighbours whose similarity is kept, as knn:P says it; 0: all, " \
                        "a dense matrix"),                                                        \
        PARAMETER_NUMBER("scale", "1", 1e-12, 1e12,                                               \
                         "width of the similarity: t^2 is half of this times the mean squared "   \
                         "distance"),                                                             \
        PARAMETER_SEARCH

/* K by itself, or as L L' for a factor L of q columns. */
typedef struct similarity_view {
    const orthant_matrix *matrix;
    array factor;   /* L, where there is no matrix */
    void *scratch;  /* of products with the matrix */
    double squares; /* |K|^2 */
    int64_t products;
    kernel_device device; /* of the matrix */
} similarity_view;

/* For products with arrays of q columns; to be released in any case. */
orthant_status view_matrix(similarity_view *view, orthant_context *ctx,
                           const orthant_matrix *matrix, int64_t q);
/* Panels of as many rows and columns; on the device where products are. */
orthant_status view_panels(similarity_view *view, panels *p, fit *f, int together);
void view_release(similarity_view *view, orthant_context *ctx);
/* `small` is scratch for q x q. */
void view_factor(similarity_view *view, panels *p, array factor, double *small);
/* c = K b. */
void view_product(similarity_view *view, panels *p, array b, array c);

/* K ~ A A'. The caller owns A and, after snmf_setup, calls snmf_release. */
typedef struct snmf {
    panels *p;
    similarity_view *view;
    array A, KA;  /* n x q */
    double *gram; /* A'A */
    panels_rule rule;
} snmf;

orthant_status snmf_setup(snmf *s, panels *p, similarity_view *view, array A, panels_rule rule);
void snmf_release(snmf *s);
/* A <- c A with the c at which c^2 A A' is nearest to K. */
void snmf_rescale(snmf *s);
/* K A and A'A for A as it is. */
void snmf_refresh(snmf *s);
void snmf_step(snmf *s);
double snmf_objective(const snmf *s);

/* K ~ A S A'. The caller owns A and calls wnmf_release. */
typedef struct wnmf {
    panels *p;
    similarity_view *view;
    array A, KA;
    double *core;                          /* S, q x q */
    double *gram, *cross, *first, *second; /* A'A, A'K A, and two for products */
} wnmf;

orthant_status wnmf_setup(wnmf *w, panels *p, similarity_view *view, array A);
void wnmf_release(wnmf *w);
void wnmf_start_core(wnmf *w); /* identity plus 0.05 */
void wnmf_rescale(wnmf *w);
void wnmf_refresh(wnmf *w);
void wnmf_step(wnmf *w);
double wnmf_objective(wnmf *w);

#endif
