/* A basis of unit columns: the objective is loss(X, S W') + R(S) over |w_k| = 1, R the penalties on
 * the encodings. The loss does not change where a column of W grows and that of S shrinks, so it is
 * the same as
 *
 *     F(W, S) = loss(X, S W') + R(S diag(|w_1|, ..., |w_k|))        over all W, S >= 0,
 *
 * in which no scale can drift, and columns may be brought to unit length at any time. With unit
 * columns S has its own rule; the step of W has to see R. Let P and N be the positive and negative
 * parts of half R's gradient, p_k = sum_j s_jk P_jk and n_k = sum_j s_jk N_jk, and a_k = |w_k| with
 * a_k = 1 before the step. For every term that counts here (unit_basis_counts)
 *
 *     R(S diag(a)) <= R(S) + sum_k p_k (a_k^2 - 1) - 2 n_k (w_k'v_k - 1),  v_k: w_k before the step
 *
 * with equality at a = 1:
 *     linear ones (class, sparsity): 2 a_k <= a_k^2 + 1;
 *     topographic: the root is concave in the a_k^2;
 *     ridge: it is linear in them;  orthogonal: 2 a_k a_l <= a_k^2 + a_l^2;
 *     graph, smooth: - a_k^2 <= - (2 w_k'v_k - 1).
 * The right side is a quadratic without products of entries of W. Added to the loss's majoriser it
 * puts p_k W_fk in the denominator and n_k W_fk in the numerator of the multiplicative rule, and
 * p_k in the curvature of the rule by coordinates: with the quadratic loss F does not rise. With
 * an entrywise loss whose q = 1 the majoriser is D w - N w_0 log w; there D w <= D (w^2 / w_0 +
 * w_0) / 2 shows that the ratios to the power 1/2 descend, which the safeguard comes to. */
#ifndef ENGINE_UNIT_BASIS_H
#define ENGINE_UNIT_BASIS_H

#include "engine/sweep.h"
#include "engine/term.h"

/* Whether a term is a penalty on the encodings alone that has the bound above. */
bool unit_basis_counts(const term_kind *kind);

/* Numbers that the sums need. */
int64_t unit_basis_numbers(const problem *p);
/* Slots of the workspace for a block's values. */
int64_t unit_basis_slots(const problem *p);

/* Before the step of W: p and n for the encodings as they are, a pass over S. */
void unit_basis_sums(sweep *s);
/* Their share of some rows of W. */
void unit_basis_add(const sweep *s, bool majorises, array W, array numerator, array denominator);

#endif
