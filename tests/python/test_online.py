"""Fits by batches beside scikit-learn's MiniBatchNMF, from one start, and data that come in pieces."""

import pickle

import numpy as np
import orthant
import pytest
import scipy.sparse
from sklearn.decomposition import MiniBatchNMF

BETAS = (-0.5, 0, 0.5, 1, 1.5, 2, 2.5)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem(zeros=False):
    rng = np.random.default_rng(0)
    X = rng.random((100, 30)) + 0.01
    if zeros:
        X[rng.random(X.shape) < 0.3] = 0
    return X, rng.random((100, 4)) + 0.1, rng.random((4, 30)) + 0.1


def theirs(beta, passes, fresh=0, **settings):
    return MiniBatchNMF(4, init="custom", batch_size=32, beta_loss=beta, tol=0, max_iter=passes, max_no_improvement=None,
                        fresh_restarts=fresh > 0, fresh_restarts_max_iter=fresh or 30, **settings)


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("passes, forget", ((1, 0.7), (20, 0.7), (3, 1), (3, 0)))
def test_batches_are_scikit_learn_s(beta, passes, forget):
    X, W, H = problem()
    model = theirs(beta, passes, forget_factor=forget)
    codes = model.fit_transform(X, W=W.copy(), H=H.copy())
    ours = orthant.NMF(4, beta_loss=beta, batch=32, forget=forget, max_iter=passes, tol=0).fit(
        X, start={"encoding": W, "basis": H.T})
    np.testing.assert_allclose(ours.components_, model.components_, rtol=0, atol=1e-10 * H.max())
    np.testing.assert_allclose(ours.encoding_, codes, rtol=0, atol=1e-10 * codes.max())
    assert ours.n_iter_ == passes


@pytest.mark.parametrize("beta", (0.5, 1, 1.5, 2))
def test_fresh_codes_are_scikit_learn_s(beta):
    X, W, H = problem()
    model = theirs(beta, 5, fresh=7)
    model.fit(X, W=W.copy(), H=H.copy())
    ours = orthant.NMF(4, beta_loss=beta, batch=32, fresh=7, max_iter=5, tol=0).fit(
        X, start={"encoding": W, "basis": H.T})
    np.testing.assert_allclose(ours.components_, model.components_, rtol=0, atol=1e-10 * H.max())


@pytest.mark.parametrize("beta", (1, 1.5, 2))
def test_sparse_batches(beta):
    X, W, H = problem(zeros=True)
    model = theirs(beta, 5)
    model.fit(scipy.sparse.csr_matrix(X), W=W.copy(), H=H.copy())
    start = {"encoding": W, "basis": H.T}
    ours = orthant.NMF(4, beta_loss=beta, batch=32, max_iter=5, tol=0).fit(scipy.sparse.csr_matrix(X), start=start)
    np.testing.assert_allclose(ours.components_, model.components_, rtol=0, atol=1e-10 * H.max())


@pytest.mark.parametrize("beta", BETAS)
def test_pieces_are_scikit_learn_s(beta):
    X, _, H = problem()
    model = theirs(beta, 1)
    ours = orthant.NMF(4, beta_loss=beta, random_state=0)
    ours.components_, ours.n_features_in_ = H, 30
    for piece in (X[:32], X[32:50], X[50:]):
        # Its factor of forgetting is that of the first piece, which is a whole batch: 0.7.
        model.partial_fit(piece, W=np.ones((len(piece), 4)), H=H.copy())
        ours.partial_fit(piece)
        np.testing.assert_allclose(ours.components_, model.components_, rtol=0, atol=1e-9 * H.max())
        assert ours.encoding_.shape == (len(piece), 4)
    assert ours.n_steps_ == 3
    assert ours.transform(X).shape == (100, 4)


def test_pieces_go_on_after_pickling_and_begin_again_with_fit():
    X, _, _ = problem()
    one, other = (orthant.KLNMF(4, random_state=3).partial_fit(X[:40]) for _ in range(2))
    other = pickle.loads(pickle.dumps(other)).partial_fit(X[40:])
    np.testing.assert_array_equal(one.partial_fit(X[40:]).components_, other.components_)
    assert one.partial_fit(scipy.sparse.csr_matrix(X[:2])).encoding_.shape == (2, 4)  # fewer samples than parts
    whole = orthant.KLNMF(4, random_state=3, max_iter=5, tol=0).fit(X)
    np.testing.assert_array_equal(one.set_params(max_iter=5, tol=0).fit(X).components_, whole.components_)
    assert not hasattr(one, "numerators_")
    with pytest.raises(ValueError, match="X has 29 features"):
        one.partial_fit(X[:, 1:])


def test_objective_falls_and_is_told():
    X, _, _ = problem()
    model = orthant.NMF(4, batch=16, max_iter=150, tol=0, random_state=1).fit(X)
    assert len(model.history_["objective"]) == 151
    whole = orthant.NMF(4, solver="mu", max_iter=500, tol=0, random_state=1).fit(X)
    assert model.history_["objective"][0] > 1.5 * whole.objective_
    assert model.objective_ < 1.1 * whole.objective_
    left = np.linalg.norm(X - model.encoding_ @ model.components_) / np.linalg.norm(X)
    assert model.relative_error_ == pytest.approx(left, rel=1e-12)
    assert "by 7 batches of 16 samples, 150 passes, forgetting factor 0.7" in model.notes_
    # encodings by themselves fit the basis better than those that were met on the way
    assert np.linalg.norm(X - model.transform(X) @ model.components_) < left * np.linalg.norm(X)


def test_random_order_follows_the_seed():
    X, _, _ = problem()
    fits = [orthant.NMF(4, batch=16, batch_order=order, max_iter=4, tol=0, random_state=1, n_jobs=jobs).fit(X)
            for order, jobs in (("random", 1), ("random", 3), ("given", 1))]
    np.testing.assert_array_equal(fits[0].components_, fits[1].components_)
    assert not np.array_equal(fits[0].components_, fits[2].components_)


def test_refusals():
    X, _, H = problem()
    for settings, inputs, words in (
            ({"solver": "hals"}, {}, "the solver mu alone"), ({"alpha_W": 0.1}, {}, "no terms"),
            ({"missing": "nan"}, {}, "no mask"), ({"beta_loss": "l1"}, {}, "the losses frobenius, kl, is and beta:B alone"),
            ({"normalise": "basis"}, {}, "normalise=none alone"), ({}, {"fixed_components": H[:1]}, "no fixed parts"),
            ({"forget": 1.5}, {}, "between 0 and 1")):
        with pytest.raises(ValueError, match=words):
            orthant.NMF(4, batch=10, **settings).fit(X, **inputs)
    with pytest.raises(ValueError, match="'auto' asks for all samples"):
        orthant.NMF("auto").partial_fit(problem()[0])
    with pytest.raises(ValueError, match="numerators"):
        model = orthant.NMF(4).partial_fit(X)
        del model.denominators_
        model.partial_fit(X)
