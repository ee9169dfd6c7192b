"""map.npy beside plain NumPy: principal components, neighbours in the plane, errors of samples."""

import json

import numpy as np
import pytest
import scipy.sparse

import orthant


def saved(tmp_path, X, **how):
    model = orthant.NMF(4, random_state=0, **how).fit(X)
    orthant.save_run(model, tmp_path / "run", X, np.arange(len(model.labels_)) % 3)
    return np.load(tmp_path / "run" / "map.npy"), model


def blocks(n=300, m=20):
    rng = np.random.default_rng(1)
    X = 0.1 * rng.random((n, m))
    for i in range(n):
        X[i, 5 * (i % 4):5 * (i % 4) + 5] += rng.random(5)
    return X


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
def test_places_and_errors(tmp_path, form):
    X = blocks()
    X[X < 0.08] = 0
    places, _ = saved(tmp_path, form(X))
    S, W = np.load(tmp_path / "run" / "encoding.npy").astype(float), np.load(tmp_path / "run" / "basis.npy").astype(float)
    unit = S / np.linalg.norm(S, axis=1, keepdims=True)
    centred = unit - unit.mean(0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    for c in range(2):
        expected = centred @ axes[c]
        assert min(np.abs(places[:, c] - expected).max(), np.abs(places[:, c] + expected).max()) < 1e-4
    left = np.linalg.norm(X - S @ W.T, axis=1) / np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(places[:, 4], left, atol=2e-4)
    # Of each sample's ten nearest by the encodings, most are among its thirty nearest in the plane.
    near = lambda P, k: np.argsort(((P[:, None] - P[None]) ** 2).sum(2), axis=1)[:, 1:k + 1]
    true, drawn = near(unit, 10), near(places[:, 2:4].astype(float), 30)
    kept = np.mean([len(set(a) & set(b)) for a, b in zip(true, drawn)]) / 10
    assert kept > 0.8


def test_errors_of_another_model_are_not_told(tmp_path):
    """Where the run's own error is not that of S W', as with a mask, there are none."""
    X = blocks()
    mask = (np.random.default_rng(2).random(X.shape) < 0.5).astype(float)
    model = orthant.NMF(4, random_state=0).fit(X, mask=mask)
    orthant.save_run(model, tmp_path / "run", X)
    assert np.isnan(np.load(tmp_path / "run" / "map.npy")[:, 4]).all()


def test_names(tmp_path):
    saved(tmp_path, blocks())
    names = json.loads((tmp_path / "run" / "map.json").read_text())
    assert names["samples"] == 300 and names["names"] == [] and names["picture_width"] == 0
    assert not (tmp_path / "run" / "map.png").exists()
