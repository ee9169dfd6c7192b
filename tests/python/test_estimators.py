"""Every estimator: scikit-learn's contract, the table of methods, and the same bytes as the command."""

import pickle

import numpy as np
import orthant
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

ESTIMATORS = [getattr(orthant, name) for name in orthant._methods.__all__]
by_name = {"ids": [cls.__name__ for cls in ESTIMATORS]}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cls", ESTIMATORS, **by_name)
def test_scikit_learn_takes_it(cls):
    results = check_estimator(cls(n_jobs=1), on_skip=None)
    assert len(results) > 40
    # The array API is for estimators that say that they have it.
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_best_of_several_starts(X):
    one = orthant.NMF(3, max_iter=10, random_state=7).fit(X)
    best = orthant.NMF(3, max_iter=10, random_state=7, n_init=4).fit(X)
    assert one.start_objectives_.tolist() == [one.objective_]
    assert len(best.start_objectives_) == 4 and best.start_objectives_[0] == one.objective_
    assert best.objective_ == best.start_objectives_.min()
    with pytest.raises(ValueError, match="0 starts"):
        orthant.NMF(3, n_init=0).fit(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("cls", ESTIMATORS, **by_name)
def test_factors_are_the_command_s(cls, dtype, X, y, command, tmp_path):
    if cls is orthant.Factorization:
        model = cls(3, loss="kl", terms={"graph": 0.5, "sparsity": 0.1}, max_iter=30, random_state=7)
        settings = ["--loss", "kl", "--term", "graph=0.5", "--term", "sparsity=0.1", "--iterations", 30]
    else:
        model, settings = cls(3, random_state=7), ["-m", cls._method]
        if hasattr(model, "max_iter"):
            model.set_params(max_iter=30)
            settings += ["--iterations", 30]
    np.save(tmp_path / "X.npy", X.astype(dtype))
    np.savetxt(tmp_path / "y.csv", y, fmt="%d")
    if "labels" in cls._needs:
        settings += ["--labels", tmp_path / "y.csv"]
    run = command("cluster", tmp_path / "X.npy", "-k", 3, "--seed", 7, *settings, "--precision",
                  "single" if dtype is np.float32 else "double")
    model.fit(X.astype(dtype), y)
    for factor in cls._factors:
        ours = model.components_.T if factor == "basis" else getattr(model, factor + "_")
        theirs = np.load(run / f"{factor}.npy")
        assert ours.dtype == theirs.dtype == dtype
        assert np.ascontiguousarray(ours).tobytes() == np.ascontiguousarray(theirs).tobytes(), factor
    np.testing.assert_array_equal(model.labels_, np.loadtxt(run / "labels.csv", dtype=int))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("cls", ESTIMATORS, **by_name)
def test_pickle_and_clone(cls, X, y):
    model = cls(3, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.encoding_, model.encoding_)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    assert again.history_.keys() == model.history_.keys()
    np.testing.assert_array_equal(clone(model).fit(X, y).encoding_, model.encoding_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("cls", ESTIMATORS, **by_name)
def test_sparse_is_as_dense(cls, X, y):
    X[X < 0.1] = 0
    few = {} if cls in (orthant.PCA, orthant.SpectralClustering) else {"max_iter": 20}
    dense = cls(3, random_state=0, **few).fit(X, y)
    for format in (scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.csc_matrix):
        sparse = cls(3, random_state=0, **few).fit(format(X), y)
        np.testing.assert_allclose(abs(sparse.encoding_), abs(dense.encoding_), rtol=1e-6, atol=1e-6)
