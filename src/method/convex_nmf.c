/* Convex NMF (Ding, Li and Jordan 2010): |X - X W G'|^2 with `weights` W and `encoding` G, n x k
 * each. G first, with K = K+ - K- the samples' products (K- = 0 for nonnegative data):
 *
 *   G <- G .* sqrt((K+ W + G W'K- W) ./ (K- W + G W'K+ W))
 *   W <- W .* sqrt((K+ G + K- W G'G) ./ (K- G + K+ W G'G))
 *
 * Labels: k-means on the encodings under concepts X w_k of unit length. */
#include "method/concept.h"

#define EXPONENT 0.5

static void encoding_rule(void *user, strip x, block b)
{
    concept *c = user;
    const gram *g = &c->gram;
    const kernels *ops = g->ops;
    if (!g->mixed) {
        concept_update_encoding(c, x, b, EXPONENT);
        return;
    }
    const array V = array_rows(ops, c->V, b.first, b.rows);
    const array N = gram_scratch(g, b, 0), D = gram_scratch(g, b, 1);
    ops->copy(N, array_rows(ops, c->of_weights.plus, b.first, b.rows));
    ops->copy(D, array_rows(ops, c->of_weights.minus, b.first, b.rows));
    ops->product(N, V, c->M, true);
    ops->product(D, V, c->P, true);
    ops->update(V, V, N, D, EXPONENT);
}

static void weights_rule(void *user, strip x, block b)
{
    concept *c = user;
    const gram *g = &c->gram;
    const kernels *ops = g->ops;
    if (!g->mixed) {
        concept_update_weights(c, x, b, EXPONENT);
        return;
    }
    const array W = array_rows(ops, c->W, b.first, b.rows);
    const array N = gram_scratch(g, b, 0), D = gram_scratch(g, b, 1);
    ops->copy(N, array_rows(ops, c->of_encoding.plus, b.first, b.rows));
    ops->copy(D, array_rows(ops, c->of_encoding.minus, b.first, b.rows));
    ops->product(N, array_rows(ops, c->of_weights.minus, b.first, b.rows), c->Q, true);
    ops->product(D, array_rows(ops, c->of_weights.plus, b.first, b.rows), c->Q, true);
    ops->update(W, W, N, D, EXPONENT);
}

orthant_status convex_nmf_run(fit *f)
{
    static const concept_rules rules = {.weights = weights_rule,
                                        .encoding = encoding_rule,
                                        .device_rule = PANELS_ROOT,
                                        .split_encoding = true,
                                        .encoding_first = true};
    return concept_run(f, &rules);
}
