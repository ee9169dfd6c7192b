/* What concept factorisation and convex NMF share: X ~ X W V' with `weights` W and `encoding` V,
 * both n x k, known to the data through K alone. */
#ifndef METHOD_CONCEPT_H
#define METHOD_CONCEPT_H

#include "method/gram.h"
#include "method/method.h"

typedef struct concept {
    fit *f;
    gram gram;
    orthant_matrix *weights, *encoding;
    array W, V;
    gram_image of_weights, of_encoding;
    array KW; /* K W, n x k: the image itself, or kept from the last pass over X */

    /* k x k, as numbers and as the kernels take them */
    double *plus, *minus;  /* W'K+ W and W'K- W */
    double *encoding_gram; /* V'V */
    array P, M, Q;         /* the same three */
    const struct concept_rules *rules;
}
concept;

/* The rules of a method. `split_encoding`: it uses K+ V and K- V. */
typedef struct concept_rules {
    gram_visitor weights, encoding; /* with a concept as user */
    panels_rule device_rule;        /* where K is nonnegative: the exponent */
    bool split_encoding;
    bool encoding_first;
} concept_rules;

orthant_status concept_run(fit *f, const concept_rules *rules);

/* The rules where K is nonnegative, which both methods have but for the exponent:
 * W <- W .* ((K V) ./ (K W V'V))^e and V <- V .* ((K W) ./ (V W'K W))^e. */
void concept_update_weights(concept *c, strip x, block b, double exponent);
void concept_update_encoding(concept *c, strip x, block b, double exponent);

#endif
