"""Bases of unit columns beside plain rules: penalties on the encodings are those of |w_k| s_jk."""

import numpy as np
import orthant
import pytest
import scipy.sparse

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RANK, WEIGHT = 4, 0.7


def problem():
    rng = np.random.default_rng(8)
    X = rng.random((60, 3)) @ rng.random((3, 25)) + 0.1 * rng.random((60, 25))
    y = np.where(rng.random(60) < 0.5, rng.integers(RANK, size=60), -1)
    y[:RANK] = range(RANK)
    return X, y, {"basis": rng.random((25, RANK)) + 0.1, "encoding": rng.random((60, RANK)) + 0.1}


def topographic(T, y):
    length = np.sqrt(1e-6 + (T**2).sum(axis=1, keepdims=True))  # the grid of four units is all ones
    return RANK * length.sum(), RANK * T / length, 0 * T


def class_driven(T, y):
    D = (y >= 0)[:, None] * (y[:, None] != np.arange(RANK))
    return (D * T).sum(), D * np.ones_like(T), 0 * T


def sparsity(T, y):
    return T.sum(), np.ones_like(T), 0 * T


def ridge(T, y):
    return (T**2).sum(), 2 * T, 0 * T


def orthogonal(T, y):
    others = T.sum(axis=1, keepdims=True) - T
    return (T * others).sum(), 2 * others, 0 * T


def smooth(T, y):
    after, before = np.zeros_like(T), np.zeros_like(T)
    after[:-1], before[1:] = T[1:], T[:-1]
    joined = np.full((len(T), 1), 2.0)
    joined[[0, -1]] = 1
    return ((T[1:] - T[:-1])**2).sum(), 2 * joined * T, 2 * (after + before)


PENALTIES = {"topographic": topographic, "class": class_driven, "sparsity": sparsity, "ridge": ridge,
             "orthogonal": orthogonal, "smooth": smooth}


def plain(X, y, start, penalty, weight, kl, iterations):
    """The positive and the negative part of the gradient of R(S diag(|w_k|)) by W and by S; the objective too."""
    W, S = start["basis"], start["encoding"]
    values = []
    for i in range(iterations + 1):
        lengths = np.linalg.norm(W, axis=0)
        W, S = W / lengths, S * lengths
        if i:
            _, up, down = (weight * np.asarray(part) for part in penalty(S, y))
            up, down = W * (up * S).sum(axis=0), W * (down * S).sum(axis=0)
            if kl:
                W = W * ((X / (S @ W.T)).T @ S + down) / (S.sum(axis=0) + up)
            else:
                W = W * (X.T @ S + down / 2) / (W @ (S.T @ S) + up / 2)
            lengths = np.linalg.norm(W, axis=0)
            W, S = W / lengths, S * lengths
            _, up, down = (weight * np.asarray(part) for part in penalty(S, y))
            if kl:
                S = S * ((X / (S @ W.T)) @ W + down) / (W.sum(axis=0) + up)
            else:
                S = S * (X @ W + down / 2) / (S @ (W.T @ W) + up / 2)
        Y = S @ W.T
        loss = (X * np.log(X / Y) - X + Y).sum() if kl else ((X - Y)**2).sum()
        values.append(loss + weight * penalty(S, y)[0])
    return W, S, np.array(values)


def compare(model, X, y, start, made):
    W, S, values = made
    model.fit(X, y, start=start)
    np.testing.assert_allclose(model.components_.T, W, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.encoding_, S, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(model.history_["objective"], values, rtol=1e-10)


@pytest.mark.parametrize("form", (np.asarray, scipy.sparse.csr_matrix))
@pytest.mark.parametrize("name", ("TNMFPlus", "CDNMFPlus", "CDNMFKLPlus"))
def test_methods(name, form):
    X, y, start = problem()
    penalty, parameter = (topographic, "pooling_weight") if name == "TNMFPlus" else (class_driven, "class_weight")
    model = getattr(orthant, name)(RANK, max_iter=40, tol=0, **{parameter: WEIGHT})
    compare(model, form(X), y, start, plain(X, y, start, penalty, WEIGHT, "KL" in name, 40))
    assert (np.diff(model.history_["objective"]) <= 0).all()


@pytest.mark.parametrize("term", PENALTIES)
def test_terms(term):
    X, y, start = problem()
    model = orthant.Factorization(RANK, terms={term: WEIGHT}, normalise="basis", solver="mu", max_iter=40, tol=0)
    if term == "topographic":
        model.set_params(pooling="grid")
    compare(model, X, y, start, plain(X, y, start, PENALTIES[term], WEIGHT, False, 40))
    assert (np.diff(model.history_["objective"]) <= 0).all()


def test_weights_are_of_one_meaning():
    """Two starts that divide the scale otherwise give the same, where the original does not."""
    X, y, start = problem()
    scaled = {"basis": 50 * start["basis"], "encoding": start["encoding"] / 50}
    for name, same in (("CDNMFPlus", True), ("CDNMF", False)):
        ends = []
        for given in (start, scaled):
            model = getattr(orthant, name)(RANK, class_weight=WEIGHT, max_iter=40, tol=0)
            model.fit(X, y, start=given)
            ends.append(model.encoding_ @ model.components_)
        assert np.allclose(*ends, rtol=1e-8) == same


def test_batches_are_refused():
    assert not hasattr(orthant.TNMFPlus, "partial_fit")
    with pytest.raises(ValueError, match="normalise"):
        orthant.NMF(3, normalise="basis").partial_fit(problem()[0])
