"""New samples: codes by what the fit minimised, clusters, missing entries; estimators, runs and the command agree."""

import os
import pickle
import subprocess

import numpy as np
import orthant
import pytest
import scipy.optimize
import scipy.sparse
from conftest import SOURCE


def planted(n=60, m=25, seed=0):
    rng = np.random.default_rng(seed)
    S, W = rng.random((n, 4)) ** 2, rng.random((m, 4)) ** 3
    return S @ W.T + 0.05 * rng.random((n, m)) + 0.02, np.argmax(S, axis=1)


X, Y = planted()
Y = np.where(np.arange(60) % 3, -1, Y)
FACTOR = [name for name in orthant.__all__ if isinstance(getattr(orthant, name), type)
          and getattr(getattr(orthant, name), "_loss", "")]
GRAPH = {"GNMF", "SGNMF", "NLCFG"}


def away(codes, encoding):
    return np.linalg.norm(codes - encoding) / np.linalg.norm(encoding)


@pytest.mark.parametrize("name", FACTOR)
def test_the_fits_samples_have_its_encodings(name):
    """To a thousandth, but with a graph; under a term on classes, those without a label."""
    made = getattr(orthant, name)(4, max_iter=40000, tol=0, random_state=1)
    made.fit(X, Y)
    codes = made.transform(X)
    if name in GRAPH:
        assert codes.shape == made.encoding_.shape
    else:
        rows = Y < 0 if made._uses_labels() else slice(None)
        assert away(codes[rows], made.encoding_[rows]) < 1e-3


@pytest.mark.parametrize("loss, solver", [("frobenius", "hals"), ("kl", "newton")])
@pytest.mark.parametrize("data", ["generated", "digits"])
def test_the_tolerance_that_gives_a_thousandth(loss, solver, data):
    """As the document of new samples says; fit_transform has the very codes of transform, whatever the tolerance."""
    samples = X if data == "generated" else orthant.read(
        SOURCE / "data" / "digits" / "digits-images-idx3-ubyte.gz").X.astype(float)
    model = orthant.NMF(8, beta_loss=loss, solver=solver, tol=1e-7, max_iter=5000, random_state=1).fit(samples)
    assert model.converged_ and away(model.transform(samples), model.encoding_) < 1e-3
    early = orthant.NMF(8, beta_loss=loss, max_iter=20, random_state=1)
    np.testing.assert_array_equal(early.fit_transform(samples), early.transform(samples))


def test_the_table_has_these():
    assert {"NMF", "KLNMF", "TNMF", "CDNMF", "CDNMFKL", "NLCF", "NNSC", "ANP", "SemiNMF"} | GRAPH <= set(FACTOR)


@pytest.mark.parametrize("loss", ["frobenius", "kl", "is", "beta:0.5", "huber:0.1"])
@pytest.mark.parametrize("term", [None, "ridge", "sparsity"])
@pytest.mark.parametrize("masked", [False, True])
def test_codes_beside_scipy(loss, term, masked):
    weight, rng = 0.4, np.random.default_rng(3)
    mask = rng.random((5, 25)) + 0.5 if masked else np.ones((5, 25))
    mask[:, ::6] *= not masked
    model = orthant.Factorization(3, loss=loss, terms={term: weight} if term else None, max_iter=50, random_state=0)
    model.fit(X)
    W = model.components_.T

    def objective(s, x, c):
        y = W @ s
        r = np.abs(x - y)
        value = {"frobenius": r**2, "kl": x * np.log(x / y) - x + y, "is": x / y - np.log(x / y) - 1,
                 "beta:0.5": -4 * (x**0.5 - 0.5 * y**0.5 - 0.5 * x * y**-0.5),
                 "huber:0.1": np.where(r < 0.1, r**2 / 2, 0.1 * r - 0.005)}[loss]
        penalty = {"ridge": (s**2).sum(), "sparsity": s.sum(), None: 0}[term]
        return (c * value).sum() + weight * penalty

    codes = model.transform(X[:5], mask=mask if masked else None)
    for i in range(5):
        best = scipy.optimize.minimize(objective, np.full(3, 0.3), (X[i], mask[i]), method="L-BFGS-B",
                                       bounds=[(1e-9, None)] * 3, options={"ftol": 1e-15, "gtol": 1e-9}).fun
        assert objective(np.maximum(codes[i], 1e-12), X[i], mask[i]) <= best * (1 + 1e-7) + 1e-12


def test_a_graph_draws_new_samples_to_their_neighbours():
    model = orthant.GNMF(4, graph_weight=50, neighbours=3, max_iter=500, random_state=0).fit(X[:50])
    new, W, S = X[50:], model.components_.T, model.encoding_
    codes = model.transform(new)
    distance = ((new[:, None] - X[None, :50]) ** 2).sum(2)
    for i, row in enumerate(np.argsort(distance, axis=1)[:, :3]):
        # |x - W s|^2 + 50 sum |s - s_j|^2 as least squares with nonnegative s
        A = np.vstack([W] + [np.sqrt(50) * np.eye(4)] * 3)
        b = np.concatenate([new[i]] + [np.sqrt(50) * S[j] for j in row])
        np.testing.assert_allclose(codes[i], scipy.optimize.nnls(A, b)[0], rtol=1e-6, atol=1e-9)


def test_a_copy_encodes_as_the_fit_did():
    for model in (orthant.GNMF(3, max_iter=50, random_state=0), orthant.NNSC(3, max_iter=50, random_state=0)):
        model.fit(X)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.transform(X[:7]), model.transform(X[:7]))
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))


@pytest.mark.parametrize("name", ["NMF", "KLNMF", "TNMF", "NLCF", "NNSC", "GNMF", "KMeans"])
def test_predict_of_estimator_run_and_command(name, tmp_path):
    np.save(tmp_path / "X.npy", X)
    model = getattr(orthant, name)(4, max_iter=2000, random_state=0).fit(X)
    orthant.save_run(model, tmp_path / "run", X, data=tmp_path / "X.npy", report=False)
    run = orthant.load_run(tmp_path / "run", dtype=np.float64)
    expected = model.predict(X)
    assert np.mean(expected == model.labels_) > 0.9
    np.testing.assert_array_equal(run.predict(X), expected)
    if name != "KMeans":
        np.testing.assert_array_equal(run.transform(X), model.transform(X))
    command = os.environ.get("ORTHANT_COMMAND", str(SOURCE / "build" / "orthant"))
    told = subprocess.run([command, "predict", tmp_path / "run", tmp_path / "X.npy"], check=True, capture_output=True)
    np.testing.assert_array_equal(np.array(told.stdout.split(), int), expected)


def test_a_run_keeps_weights_and_pooling(tmp_path):
    weights = np.linspace(0.2, 2, 25)
    model = orthant.NMF(3, max_iter=200, random_state=0).fit(X, feature_weights=weights)
    orthant.save_run(model, tmp_path / "run", X, report=False)
    run = orthant.load_run(tmp_path / "run", dtype=np.float64)
    np.testing.assert_array_equal(run.transform(X), model.transform(X))
    assert not np.allclose(model.transform(X), orthant.load_run(tmp_path / "run").factor("encoding") * 0)
    pools = np.array([[1, 1, 0], [0, 1, 1.0]])
    model = orthant.TNMF(3, pooling=pools, pooling_weight=0.5, max_iter=200, random_state=0).fit(X)
    orthant.save_run(model, tmp_path / "pooled", X, report=False)
    np.testing.assert_array_equal(orthant.load_run(tmp_path / "pooled", dtype=np.float64).transform(X), model.transform(X))


def test_missing_entries(tmp_path):
    held = np.random.default_rng(1).random(X.shape) < 0.1
    holes = np.where(held, np.nan, X)
    np.save(tmp_path / "holes.npy", holes)
    model = orthant.NMF(4, missing="nan", solver="emu", max_iter=2000, random_state=0).fit(holes)
    full = model.complete(holes)
    np.testing.assert_array_equal(full[~held], X[~held])
    error = np.sqrt(np.mean((full[held] - X[held]) ** 2))
    assert error < 0.3 * np.sqrt(np.mean((X[~held].mean() - X[held]) ** 2))
    orthant.save_run(model, tmp_path / "run", holes, data=tmp_path / "holes.npy", labels=False, report=False)
    run = orthant.load_run(tmp_path / "run", dtype=np.float64)
    run.complete(tmp_path / "full.npy")
    written = np.load(tmp_path / "full.npy")
    np.testing.assert_array_equal(written[~held], X[~held])
    rows, columns = np.nonzero(held)
    np.testing.assert_allclose(written[held], run.entries(rows, columns), rtol=1e-12)
    np.testing.assert_allclose(run.entries(rows, columns), run.inverse_transform()[held], rtol=1e-12)
    with pytest.raises(ValueError, match=r"no entry \(60, 0\)"):
        run.entries([60], [0])
    stored = scipy.sparse.csr_array(np.where(held, 0, X))
    sparse = orthant.NMF(4, missing="zeros", solver="emu", max_iter=500, random_state=0).fit(stored)
    np.testing.assert_allclose(sparse.complete(stored)[~held], X[~held])
    with pytest.raises(ValueError, match="missing"):
        orthant.NMF(3, max_iter=5, tol=0).fit(X).complete(X)


def test_refusals(tmp_path):
    model = orthant.NMF(3, max_iter=50).fit(X)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :7])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((2, 25), np.nan))
    with pytest.raises(ValueError, match="mask is 2 x 25"):
        model.transform(X[:5], mask=np.ones((2, 25)))
    orthant.save_run(orthant.SpectralClustering(3).fit(X), tmp_path / "spectral", X, report=False)
    with pytest.raises(ValueError, match="'spectral' has no rule"):
        orthant.load_run(tmp_path / "spectral").predict(X)
    orthant.save_run(orthant.GNMF(3, max_iter=5, tol=0).fit(X), tmp_path / "graph", X, report=False)
    with pytest.raises(OSError, match="names no file"):
        orthant.load_run(tmp_path / "graph").transform(X)
    assert orthant.load_run(tmp_path / "graph").transform(X, training=X).shape == (60, 3)


@pytest.mark.parametrize("options", [{}, dict(beta_loss="kl"), dict(beta_loss="kl", solver="newton"), dict(beta_loss=1.5),
                                     dict(beta_loss="huber:0.1"), dict(alpha_W=0.01, l1_ratio=1.0),
                                     dict(missing="nan", solver="emu")], ids=str)
def test_a_fit_ends_with_the_codes_of_its_samples(options):
    X = np.random.default_rng(0).random((80, 30)) ** 2 + 0.01
    if options.get("missing"):
        X = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    model = orthant.NMF(5, random_state=0, **options).fit(X)
    assert np.array_equal(model.transform(X), model.encoding_)
    assert np.array_equal(orthant.NMF(5, random_state=0, **options).fit_transform(X), model.encoding_)
    last = orthant.NMF(5, random_state=0, final_encodings="last", **options).fit(X)
    assert not np.array_equal(last.transform(X), last.encoding_)
    assert model.objective_ <= last.objective_
    assert np.array_equal(last.fit_transform(X), last.transform(X))


@pytest.mark.parametrize("method", [orthant.CNMF, orthant.CNMFKL, orthant.SSNMF])
def test_a_fit_with_labels_ends_with_the_codes_of_samples_without_one(method):
    X = np.random.default_rng(0).random((80, 30)) ** 2 + 0.01
    known = np.where(np.arange(80) % 3 == 0, np.arange(80) // 3 % 4, -1)
    model = method(5, random_state=0).fit(X, known)
    codes = model.transform(X)
    assert np.array_equal(codes[known < 0], model.encoding_[known < 0])
    assert not np.array_equal(codes[known >= 0], model.encoding_[known >= 0])
    last = method(5, random_state=0, final_encodings="last").fit(X, known)
    assert not np.array_equal(last.transform(X)[known < 0], last.encoding_[known < 0])
    assert model.objective_ < last.objective_
