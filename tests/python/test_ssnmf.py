"""SSNMF beside its update rules on whole arrays, and what labels that are not known do."""

import numpy as np
import orthant
import pytest
import scipy.sparse

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
FORMS = (np.asarray, scipy.sparse.csr_matrix)


def problem(samples=90, features=35, rank=6, classes=4, known=0.4):
    rng = np.random.default_rng(5)
    X = rng.random((samples, features))
    X[rng.random(X.shape) < 0.3] = 0
    y = np.where(rng.random(samples) < known, rng.integers(classes, size=samples), -1)
    shapes = {"basis": features, "label_basis": classes, "encoding": samples}
    return X, y, {name: rng.random((rows, rank)) + 0.1 for name, rows in shapes.items()}


def plain(X, y, start, weight, iterations):
    """The rules, and the objective from the start on."""
    W, B, S = start["basis"], start["label_basis"], start["encoding"]
    known = (y >= 0)[:, None].astype(float)
    Y = (y[:, None] == np.arange(len(B))).astype(float)
    objective = []
    for i in range(iterations + 1):
        if i:
            W = W * (X.T @ S) / (W @ (S.T @ S))
            B = B * (Y.T @ S) / (B @ (S.T @ (known * S)))
            S = S * (X @ W + weight * Y @ B) / (S @ (W.T @ W) + weight * known * (S @ (B.T @ B)))
        objective.append(((X - S @ W.T)**2).sum() + weight * (known * (Y - S @ B.T)**2).sum())
    return W, B, S, np.array(objective)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weight", (0.2, 1, 30))
@pytest.mark.parametrize("iterations", (1, 10, 100))
def test_updates(form, weight, iterations):
    X, y, start = problem()
    W, B, S, objective = plain(X, y, start, weight, iterations)
    model = orthant.SSNMF(6, label_weight=weight, max_iter=iterations, tol=0).fit(form(X), y, start=start)
    for found, expected in ((model.components_.T, W), (model.label_basis_, B), (model.encoding_, S)):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * expected.max())
    np.testing.assert_allclose(model.history_["objective"], objective, rtol=1e-9)
    assert (np.diff(objective) <= 0).all()


def test_single_precision():
    X, y, start = problem()
    W, B, S, _ = plain(X, y, start, 2, 10)
    model = orthant.SSNMF(6, label_weight=2, max_iter=10, tol=0).fit(X.astype(np.float32), y, start=start)
    assert model.encoding_.dtype == np.float32
    for found, expected in ((model.components_.T, W), (model.label_basis_, B), (model.encoding_, S)):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * expected.max())


@pytest.mark.parametrize("form", FORMS)
def test_threads(form):
    X, y, start = problem(samples=3000, known=0.8)
    models = [orthant.SSNMF(6, max_iter=20, tol=0, n_jobs=jobs).fit(form(X), y, start=start) for jobs in (1, 2, 3)]
    for other in models[1:]:
        for name in ("components_", "label_basis_", "encoding_"):
            np.testing.assert_array_equal(getattr(models[0], name), getattr(other, name))


@pytest.mark.parametrize("form", FORMS)
def test_no_label_is_plain_nmf(form):
    X, y, _ = problem()
    model = orthant.SSNMF(6, label_weight=5, max_iter=30, tol=0, random_state=3).fit(form(X), np.full(len(X), -1))
    same = orthant.NMF(6, solver="mu", max_iter=30, tol=0, random_state=3).fit(form(X))
    np.testing.assert_array_equal(model.encoding_, same.encoding_)
    np.testing.assert_array_equal(model.components_, same.components_)
    assert any("no sample has a label" in note for note in model.notes_)


def test_what_labels_are_called_has_no_part():
    X, y, start = problem()
    names = np.where(y < 0, None, np.array(["ape", "bee", "cat", "dog"], dtype=object)[y])
    one, two = (orthant.SSNMF(6, max_iter=20, tol=0).fit(X, given, start=start) for given in (y, names))
    np.testing.assert_array_equal(one.encoding_, two.encoding_)


def test_labels_that_are_learnt():
    """Planted classes: known ones are fitted, and k-means finds the others' by the encodings."""
    rng = np.random.default_rng(1)
    truth = np.arange(200) % 4
    X = rng.random((4, 30))[truth] * 3 + rng.random((200, 30))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(rng.random(200) < 0.5, truth, -1)
    model = orthant.SSNMF(random_state=0).fit(X, y)
    assert model.label_basis_.shape == (4, 4)
    assert ((model.encoding_ @ model.label_basis_.T).argmax(axis=1) == truth)[y >= 0].all()
    assert orthant.scores(model.labels_, truth)["accuracy"] == 1
    assert orthant.scores(model.predict(X[y < 0]), truth[y < 0])["accuracy"] == 1


def test_what_is_refused():
    X, y, start = problem()
    with pytest.raises(ValueError, match="label"):
        orthant.SSNMF(6).fit(X)
    with pytest.raises(ValueError, match="mask"):
        orthant.SSNMF(6).fit(X, y, mask=np.ones_like(X))
    with pytest.raises(ValueError, match="loss"):
        orthant.SSNMF(6, loss="kl").fit(X, y)
    with pytest.raises(ValueError, match="label_weight"):
        orthant.SSNMF(6, label_weight=-1).fit(X, y)
    with pytest.raises(ValueError, match="the start of 'label_basis' is 3 x 6; expected 4 x 6"):
        orthant.SSNMF(6).fit(X, y, start=dict(start, label_basis=start["label_basis"][:3]))
    with pytest.raises(ValueError, match="negative"):
        orthant.SSNMF(6).fit(-X, y)
