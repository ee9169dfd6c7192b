"""Masks, weights and missing entries beside plain weighted updates of NumPy."""

import os
import subprocess

import numpy as np
import orthant
import pytest
import scipy.sparse
from conftest import SOURCE

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem():
    rng = np.random.default_rng(0)
    X = rng.random((50, 3)) @ rng.random((3, 80)) + 0.1 * rng.random((50, 80)) + 0.01
    known = (rng.random(X.shape) < 0.9).astype(float)
    return X, known, rng.random((50, 4)) + 0.1, rng.random((80, 4)) + 0.1, rng


def plain(X, C, S, W, loss, iterations):
    """W, then S, by N ./ D with p and q times the weights C."""
    X = np.where(C > 0, X, 1)
    for _ in range(iterations):
        for basis in (True, False):
            Y = S @ W.T
            P, Q = (C * X, C * Y) if loss == "frobenius" else (C * X / Y, C)
            if basis:
                W = W * (P.T @ S) / (Q.T @ S)
            else:
                S = S * (P @ W) / (Q @ W)
    Y = S @ W.T
    value = C * ((X - Y) ** 2 if loss == "frobenius" else X * np.log(X / Y) - X + Y)
    return S, W, value.sum()


def fitted(X, S, W, loss, iterations=20, missing="none", **given):
    return orthant.Factorization(4, loss=loss, solver="mu", max_iter=iterations, tol=0, missing=missing).fit(
        X, start={"encoding": S, "basis": W}, **given)


def check(model, expected):
    S, W, value = expected
    np.testing.assert_allclose(model.encoding_, S, rtol=0, atol=1e-10 * S.max())
    np.testing.assert_allclose(model.components_.T, W, rtol=0, atol=1e-10 * W.max())
    assert model.objective_ == pytest.approx(value, rel=1e-10)
    assert (np.diff(model.history_["objective"]) <= 0).all()


@pytest.mark.parametrize("loss", ("frobenius", "kl"))
def test_as_plain_updates(loss):
    X, known, S, W, rng = problem()
    weights = known * rng.random(X.shape)
    for mask in (known, weights, scipy.sparse.csr_matrix(known), scipy.sparse.csr_matrix(weights)):
        dense = mask.toarray() if scipy.sparse.issparse(mask) else mask
        check(fitted(X, S, W, loss, mask=mask), plain(X, dense, S, W, loss, 20))
    expected = plain(X, known, S, W, loss, 20)
    check(fitted(np.where(known > 0, X, np.nan), S, W, loss, missing="nan"), expected)
    check(fitted(scipy.sparse.csr_matrix(X * known), S, W, loss, missing="zeros"), expected)
    check(fitted(scipy.sparse.csr_matrix(X), S, W, loss, mask=known), expected)
    rows, columns = rng.random(50), rng.random(80)
    check(fitted(X, S, W, loss, sample_weights=rows, feature_weights=columns),
          plain(X, np.outer(rows, columns), S, W, loss, 20))
    check(fitted(X, S, W, loss, sample_weights=rows, mask=known), plain(X, known * rows[:, None], S, W, loss, 20))


@pytest.mark.parametrize("loss", ("frobenius", "kl", "is", "beta:0.5", "beta:1.3", "beta:2.5", "huber:0.1", "l1"))
@pytest.mark.parametrize("solver", ("mu", "emu"))
@pytest.mark.parametrize("terms", (None, {"graph": 0.1}, {"sparsity": 0.01}, {"local": 0.1}))
def test_never_rises(loss, solver, terms):
    X, known, _, _, _ = problem()
    for seed in range(3):
        model = orthant.Factorization(4, loss=loss, solver=solver, terms=terms, missing="nan", max_iter=20, tol=0,
                                      random_state=seed).fit(np.where(known > 0, X, np.nan))
        objective = model.history_["objective"]
        assert (np.diff(objective) <= 1e-9 * objective[0]).all() and np.isfinite(objective).all()


def test_unknown_entries_have_no_part():
    X, known, S, W, _ = problem()
    one = fitted(X, S, W, "frobenius", mask=known)
    other = fitted(np.where(known > 0, X, 1e3), S, W, "frobenius", mask=known)
    np.testing.assert_array_equal(one.components_, other.components_)


@pytest.mark.parametrize("loss", ("frobenius", "kl", "beta:0.5", "huber:0.1", "l1"))
def test_errors_are_those_of_the_known_entries(loss):
    X, known, *_ = problem()
    rng = np.random.default_rng(5)
    rows, columns = rng.random(X.shape[0]), rng.random(X.shape[1])

    def compare(model, weights):
        left = X - model.encoding_ @ model.components_
        share = (weights * left ** 2).sum() / (weights * X ** 2).sum()
        np.testing.assert_allclose(model.relative_error_, np.sqrt(share), rtol=1e-8)
        np.testing.assert_allclose(model.explained_variance_, 1 - share, rtol=1e-8)
        assert model.n_missing_ == (weights == 0).sum()

    settings = dict(loss=loss, solver="mu", max_iter=30)
    binary = (known > 0).astype(float)
    compare(orthant.Factorization(4, **settings).fit(X, mask=known), known)
    compare(orthant.Factorization(4, **settings).fit(X, mask=scipy.sparse.csr_matrix(known)), known)
    compare(orthant.Factorization(4, missing="nan", **settings).fit(np.where(binary > 0, X, np.nan)), binary)
    compare(orthant.Factorization(4, **settings).fit(X, sample_weights=rows, feature_weights=columns),
            np.outer(rows, columns))
    assert orthant.Factorization(4, **settings).fit(X).n_missing_ == 0


def test_samples_and_features_without_known_entries_are_told():
    X = np.random.default_rng(0).random((12, 6))
    X[3], X[:, 2] = np.nan, np.nan
    X[4] = np.nan
    model = orthant.NMF(2, missing="nan").fit(X)
    assert any("2 of 12 samples and 1 of 6 features have no known entry" in note for note in model.notes_)
    assert not orthant.NMF(2, missing="nan").fit(np.delete(X[5:], 2, 1)).notes_
    mask = np.ones((12, 6))
    mask[7] = 0
    model = orthant.NMF(2).fit(np.nan_to_num(X), mask=scipy.sparse.csr_matrix(mask))
    assert any(note.startswith("1 of 12 samples have no known entry") for note in model.notes_)
    with pytest.raises(ValueError, match="every entry of the data is missing"):
        orthant.NMF(2, missing="nan").fit(np.full((5, 4), np.nan))


def test_refusals():
    X, known, _, _, _ = problem()
    holes = np.where(known > 0, X, np.nan)
    for solver, loss in (("hals", "frobenius"), ("newton", "kl")):
        with pytest.raises(ValueError, match=f"solver '{solver}' takes no mask"):
            orthant.Factorization(4, loss=loss, solver=solver).fit(X, mask=known)
    with pytest.raises(ValueError, match="the mask is 50 x 3, the data are 50 x 80"):
        orthant.NMF(4).fit(X, mask=known[:, :3])
    with pytest.raises(ValueError, match="weights of 50 samples"):
        orthant.NMF(4).fit(X, sample_weights=np.ones(7))
    with pytest.raises(ValueError, match="NaN"):
        orthant.NMF(4).fit(holes)
    with pytest.raises(ValueError, match="missing = 'zeros' is for sparse data"):
        orthant.NMF(4, missing="zeros").fit(X)
    with pytest.raises(ValueError, match="the mask"):
        orthant.NMF(4).fit(X, mask=-known)
    with pytest.raises(ValueError, match="takes no mask"):
        orthant.CNMF(4).fit(X, np.zeros(50), mask=known)


def test_messages_speak_as_scikit_learn_does():
    rng = np.random.default_rng(5)
    X = rng.random((20, 6))
    with pytest.raises(ValueError, match=r"shape \(6, 2\): expected at most n_components = 3 rows of n_features = 6"):
        orthant.NMF(3).fit(X, fixed_components=rng.random((6, 2)))
    with pytest.raises(ValueError, match=r"shape \(4, 6\): expected at most n_components = 3 rows"):
        orthant.NMF(3).fit(X, fixed_components=rng.random((4, 6)))
    parts = rng.random((2, 6))
    parts[1, 4] = -1
    with pytest.raises(ValueError, match=r"fixed_components\[1, 4\] is -1: expected finite, nonnegative"):
        orthant.NMF(3).fit(X, fixed_components=parts)
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"(?s)contains NaN.*NMF\(missing='nan'\) takes NaN as entries that are not known"):
        orthant.NMF(3).fit(X)


def test_ranks_with_missing_entries():
    rng = np.random.default_rng(3)
    X = rng.gamma(0.5, size=(60, 3)) @ rng.gamma(0.5, size=(3, 24)) + 0.02 * rng.random((60, 24))
    X[rng.random(X.shape) < 0.1] = np.nan
    survey = orthant.ranks(X, "2:4", repeats=3, missing="nan")
    assert survey.recommended == 3
    with pytest.raises(ValueError, match="nan"):
        orthant.ranks(X, "2:4", repeats=2)


@pytest.mark.parametrize("kind", ["unit", "max"])
def test_scaled_by_known_entries(kind, tmp_path):
    """Lengths and the largest entry are of what the mask counts; of runs too, for new samples by their own mask."""
    rng = np.random.default_rng(7)
    X, mask = rng.random((30, 12)), (rng.random((30, 12)) < 0.8) * (0.5 + rng.random((30, 12)))
    X[mask == 0] = 40
    mask[4] = 0
    known = np.where(mask > 0, X, 0)
    length = np.linalg.norm(known, axis=1, keepdims=True) if kind == "unit" else np.full((30, 1), known.max())
    expected = X / np.where(length > 0, length, 1)
    for weights in (mask, scipy.sparse.csr_matrix(mask)):
        np.testing.assert_allclose(orthant.scale(X, kind, mask=weights), expected, rtol=1e-14)
    scaled = orthant.scale(scipy.sparse.csr_matrix(X), kind, mask=mask)
    np.testing.assert_allclose(scaled.toarray(), expected, rtol=1e-14)
    holes = np.where(mask > 0, X, np.nan)
    np.testing.assert_allclose(orthant.scale(holes, kind), np.where(mask > 0, expected, np.nan), rtol=1e-14)

    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "mask.npy", mask)
    command = os.environ.get("ORTHANT_COMMAND", str(SOURCE / "build" / "orthant"))
    if not os.path.exists(command):
        pytest.skip("no command orthant; ORTHANT_COMMAND names it")
    subprocess.run([command, "fit", "X.npy", "-k", "3", "--mask", "mask.npy", "--scale", kind, "--precision", "double",
                    "--iterations", "30", "--seed", "1", "--quiet", "-o", "run"], cwd=tmp_path, check=True)
    run = orthant.load_run(tmp_path / "run", dtype=np.float64)
    model = orthant.NMF(3, max_iter=30, random_state=1, solver="mu").fit(
        expected, mask=mask, start={"basis": run.factor("basis"), "encoding": run.factor("encoding")})
    model.components_ = run.factor("basis").T
    new, weights = X[::-1].copy(), mask[::-1].copy()
    new[weights == 0] = 1e3
    np.testing.assert_allclose(run.transform(new, mask=weights), model.transform(expected[::-1], mask=weights),
                               rtol=1e-7, atol=1e-9)
    run.complete(tmp_path / "full.npy", new[::-1], mask=mask)
    full = np.load(tmp_path / "full.npy")
    np.testing.assert_allclose(full[mask > 0], expected[mask > 0], rtol=1e-12)
    fitted = run.factor("encoding") @ run.factor("basis").T
    np.testing.assert_allclose(full[mask == 0], fitted[mask == 0], rtol=1e-9)


def test_words_are_not_counted_under_a_mask():
    with pytest.raises(ValueError, match="samples that have a word"):
        orthant.scale(np.ones((3, 4)), "tfidf", mask=np.ones((3, 4)))
