/* Concept factorisation (Xu and Gong 2004): |X - X W V'|^2 with `weights` W and `encoding` V, n x k
 * each: concepts are nonnegative sums of samples, and samples nonnegative sums of concepts.
 *
 *   W <- W .* (K V) ./ (K W V'V)
 *   V <- V .* (K W) ./ (V W'K W),                 K = X'X of the papers, the samples' products
 *
 * Mixed signs, with K = K+ - K-: both factors are multiplied by (Q + sqrt(Q^2 + 4 P R)) / (2 P),
 *
 *   W:  P = K+ W V'V,  Q = K V,  R = K- W V'V
 *   V:  P = V W'K+ W,  Q = K W,  R = V W'K- W
 *
 * which is the rule above where K- = 0. Labels: k-means on the encodings under concepts of unit
 * length, V .* sqrt(diag(W'K W)). */
#include "method/concept.h"

static void weights_rule(void *user, strip x, block b)
{
    concept *c = user;
    const gram *g = &c->gram;
    const kernels *ops = g->ops;
    if (!g->mixed) {
        concept_update_weights(c, x, b, 1);
        return;
    }
    const array W = array_rows(ops, c->W, b.first, b.rows);
    const array Q = gram_rows(g, &c->of_encoding, x, b, gram_scratch(g, b, 0));
    const array P = gram_scratch(g, b, 1), R = gram_scratch(g, b, 2);
    ops->product(P, array_rows(ops, c->of_weights.plus, b.first, b.rows), c->Q, false);
    ops->product(R, array_rows(ops, c->of_weights.minus, b.first, b.rows), c->Q, false);
    ops->update_signed(W, W, P, Q, R);
}

static void encoding_rule(void *user, strip x, block b)
{
    concept *c = user;
    const gram *g = &c->gram;
    const kernels *ops = g->ops;
    if (!g->mixed) {
        concept_update_encoding(c, x, b, 1);
        return;
    }
    const array V = array_rows(ops, c->V, b.first, b.rows);
    const array Q = gram_scratch(g, b, 0), P = gram_scratch(g, b, 1), R = gram_scratch(g, b, 2);
    ops->copy(Q, array_rows(ops, c->of_weights.plus, b.first, b.rows));
    ops->add(Q, -1, array_rows(ops, c->of_weights.minus, b.first, b.rows));
    ops->product(P, V, c->P, false);
    ops->product(R, V, c->M, false);
    ops->update_signed(V, V, P, Q, R);
}

orthant_status cf_run(fit *f)
{
    static const concept_rules rules = {
        .weights = weights_rule, .encoding = encoding_rule, .device_rule = PANELS_RATIO};
    return concept_run(f, &rules);
}
