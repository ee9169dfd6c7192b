"""The losses beside scikit-learn's multiplicative updates, from one start, and what they take and refuse."""

import numpy as np
import orthant
import pytest
import scipy.sparse
import sklearn.decomposition._nmf
from sklearn.decomposition import NMF as theirs_nmf
from sklearn.decomposition import non_negative_factorization as theirs

BETAS = (-0.5, 0, 0.3, 0.5, 1, 1.5, 1.7, 2, 2.5)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem(zeros=False):
    rng = np.random.default_rng(0)
    X = rng.random((40, 70)) + 0.01
    if zeros:
        X[rng.random(X.shape) < 0.3] = 0
    return X, rng.random((40, 5)) + 0.1, rng.random((5, 70)) + 0.1


def both(X, W, H, beta, iterations):
    """Ours, and theirs of X transposed: they update the encodings first, we the basis. Of a sparse X they take rows."""
    transposed = scipy.sparse.csr_matrix(X.T) if scipy.sparse.issparse(X) else X.T
    basis, encoding, _ = theirs(transposed, W=H.T.copy(), H=W.T.copy(), init="custom", solver="mu", beta_loss=beta, tol=0,
                                n_components=5, max_iter=iterations)
    ours = orthant.non_negative_factorization(X, W, H, init="custom", solver="mu", beta_loss=beta, tol=0,
                                              n_components=5, max_iter=iterations)
    return ours[:2], (encoding.T, basis.T)


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("iterations", (1, 10, 100))
def test_dense(beta, iterations):
    ours, expected = both(*problem(), beta, iterations)
    for found, factor in zip(ours, expected):
        np.testing.assert_allclose(found, factor, rtol=0, atol=1e-9 * factor.max())


@pytest.mark.parametrize("beta", [beta for beta in BETAS if beta > 0])
@pytest.mark.parametrize("iterations", (1, 10, 100))
@pytest.mark.parametrize("form", (np.asarray, scipy.sparse.csr_matrix))
def test_zeros(beta, iterations, form, monkeypatch):
    """Below 1, fits of zeros fall to where scikit-learn raises them to 1.2e-7, and we to 1e-12: it is given ours."""
    if beta < 1:
        monkeypatch.setattr(sklearn.decomposition._nmf, "EPSILON", 1e-12)
    X, W, H = problem(zeros=True)
    ours, expected = both(form(X), W, H, beta, iterations)
    for found, factor in zip(ours, expected):
        np.testing.assert_allclose(found, factor, rtol=0, atol=1e-9 * factor.max())


@pytest.mark.parametrize("beta", [beta for beta in BETAS if 0 < beta < 1])
def test_the_floor_of_fits_is_all_that_differs(beta):
    """As long as no fit is below scikit-learn's floor the iterates are the same; then they part."""
    floor = sklearn.decomposition._nmf.EPSILON
    X, W, H = problem(zeros=True)
    parted = 0
    for iterations in (10, 20, 40, 60, 80, 100):
        ours, expected = both(X, W, H, beta, iterations)
        apart = max(np.abs(found - factor).max() / factor.max() for found, factor in zip(ours, expected))
        if (ours[0] @ ours[1]).min() > floor:
            assert apart < 1e-9
        parted = apart
    assert (ours[0] @ ours[1]).min() < floor and parted > 1e-9


@pytest.mark.parametrize("beta", BETAS)
def test_error_is_scikit_learn_s(beta):
    X, W, H = problem()
    ours = orthant.NMF(5, beta_loss=beta, solver="mu", max_iter=10, tol=0).fit(
        X, start={"encoding": W, "basis": np.ascontiguousarray(H.T)})
    model = theirs_nmf(5, beta_loss=beta, solver="mu", init="custom", max_iter=10, tol=0)
    model.fit_transform(X.T, W=H.T.copy(), H=W.T.copy())
    assert ours.reconstruction_err_ == pytest.approx(model.reconstruction_err_, rel=1e-9)


@pytest.mark.parametrize("name, same", [("itakura-saito", "is"), ("kullback-leibler", "kl"), (2, "frobenius"),
                                        (1.5, "beta:1.5"), (np.float32(0.5), "beta:0.5")])
def test_names(name, same):
    X, _, _ = problem()
    one = orthant.NMF(4, beta_loss=name, max_iter=5, tol=0, random_state=3).fit(X)
    for other in (orthant.Factorization(4, loss=same, max_iter=5, tol=0, random_state=3),
                  orthant.Factorization(4, loss=name, max_iter=5, tol=0, random_state=3)):
        np.testing.assert_array_equal(one.components_, other.fit(X).components_)
    assert one.transform(X[:3]).shape == (3, 4)


@pytest.mark.parametrize("solver", ("mu", "emu"))
def test_absolute_differences_end_near_their_minimum(solver):
    """What is called converged is no creeping: planted factors are reached in spite of outliers, from every start,
    and many times the iterations lower the sum by less than a hundredth."""
    rng = np.random.default_rng(0)
    S = rng.gamma(1, 1, (200, 4)) * (rng.random((200, 4)) < 0.7)
    W = rng.gamma(1, 1, (60, 4)) * (rng.random((60, 4)) < 0.5)
    X = S @ W.T + (rng.random((200, 60)) < 0.1) * rng.gamma(1, 5, (200, 60)) + 0.05 * rng.random((200, 60))
    long = orthant.NMF(4, beta_loss="l1", solver=solver, max_iter=20000, tol=0, random_state=0).fit(X)
    for seed in range(5):
        model = orthant.NMF(4, beta_loss="l1", solver=solver, max_iter=2000, random_state=seed)
        total = np.abs(X - model.fit(X).encoding_ @ model.components_).sum()
        np.testing.assert_allclose(model.objective_, total, rtol=1e-5)
        assert model.converged_ and model.n_iter_ < 2000
        objective = model.history_["objective"]
        assert (np.diff(objective) <= 1e-12 * objective[0]).all()
        assert total < 1.01 * min(long.objective_, np.abs(X - S @ W.T).sum())


@pytest.mark.parametrize("loss", ("huber:0.1", "l1"))
def test_robust_losses_ignore_outliers(loss):
    rng = np.random.default_rng(1)
    truth = rng.random((80, 3)) @ rng.random((3, 30))
    X = truth.copy()
    X[rng.random(X.shape) < 0.03] = 50
    plain, robust = (orthant.Factorization(3, loss=name, solver="mu", max_iter=3000, tol=0, random_state=0).fit(X)
                     for name in ("frobenius", loss))
    far, near = (np.abs(model.encoding_ @ model.components_ - truth).mean() for model in (plain, robust))
    assert near < far / 10


def test_the_number_of_parts_is_found():
    rng = np.random.default_rng(0)
    X = np.abs(rng.gamma(0.5, 1, (100, 4)) @ rng.gamma(0.5, 1, (4, 40)) + rng.normal(0, 0.05, (100, 40)))
    model = orthant.NMF("auto", solver="mu", max_iter=100, random_state=1).fit(X)
    assert model.components_.shape == (4, 40)
    survey = orthant.ranks(X, repeats=10, random_state=1, parameter=["solver=mu", "iterations=100"])
    assert survey.recommended == 4 and survey.reasons == model.rank_reasons_
    for numbers in ("3:5", [3, 4, 5], range(3, 6), np.array([3, 4, 5])):
        found = orthant.NMF(numbers, solver="mu", max_iter=100, random_state=1).fit(X)
        assert found.components_.shape == (4, 40) and any("recommended" in reason for reason in found.rank_reasons_)
    with pytest.raises(ValueError, match=r"\[2, 3\] and mask cannot be together"):
        orthant.NMF([2, 3]).fit(X, mask=np.ones_like(X))
    with pytest.raises(ValueError, match="'auto' and mask cannot be together"):
        orthant.NMF("auto").fit(X, mask=np.ones_like(X))
    with pytest.raises(ValueError, match="'auto' and alpha_W cannot be together"):
        orthant.NMF("auto", alpha_W=0.1).fit(X)


def test_refusals():
    X, _, _ = problem(zeros=True)
    with pytest.raises(ValueError, match="infinite where the data are zero"):
        orthant.NMF(3, beta_loss="itakura-saito").fit(X)
    with pytest.raises(ValueError, match="between -1 and 3"):
        orthant.NMF(3, beta_loss=4.5).fit(X)
    with pytest.raises(ValueError, match="expected one of"):
        orthant.NMF(3, beta_loss="itakura").fit(X)
    with pytest.raises(ValueError, match="beta_loss=None"):
        orthant.non_negative_factorization(X, n_components=2, beta_loss=None)
    with pytest.raises(ValueError, match="solver 'hals'"):
        orthant.NMF(3, beta_loss="l1", solver="hals").fit(X)
