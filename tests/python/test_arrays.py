"""Arrays of every kind go in as they lie, or are refused with words; none crashes."""

import numpy as np
import orthant
import pytest
import scipy.sparse
from orthant import _data, _library

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def nmf(**given):
    return orthant.NMF(3, random_state=0, max_iter=30, **given)


def borrowed(X):
    context = _library.Context(_data.precision_of(X))
    matrix = _data.matrix_in(context, X)
    return _library.lib.matrix_is_borrowed(matrix)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_and_csr_are_borrowed(X, dtype):
    assert borrowed(X.astype(dtype))
    assert borrowed(X.astype(dtype)[10:50:2])
    assert borrowed(X.astype(dtype)[:, 3:9])
    for index in (np.int32, np.int64):
        sparse = scipy.sparse.csr_array(X.astype(dtype))
        sparse.indptr, sparse.indices = sparse.indptr.astype(index), sparse.indices.astype(index)
        assert borrowed(sparse)
        np.testing.assert_array_equal(nmf().fit(sparse).encoding_.dtype, dtype)


def test_layouts_give_the_same_bytes(X):
    expected = nmf().fit(X).encoding_
    wide = np.zeros((120, 40))
    wide[::2, 1:37:2] = X
    unaligned = np.frombuffer(b"x" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    read_only = X.copy()
    read_only.flags.writeable = False
    layouts = {"F": np.asfortranarray(X), "strided": wide[::2, 1:37:2], "reversed": X[::-1].copy()[::-1],
               "unaligned": unaligned, "read-only": read_only, "other byte order": X.astype(">f8"),
               "list": X.tolist()}
    for name, layout in layouts.items():
        np.testing.assert_array_equal(nmf().fit(layout).encoding_, expected, err_msg=name)


def test_data_are_not_changed(X):
    before = X.copy()
    nmf().fit(X)
    orthant.scale(X)
    orthant.knn_graph(X)
    np.testing.assert_array_equal(X, before)


def test_precision_is_the_array_s(X):
    for dtype in (np.float32, np.float64):
        model = nmf().fit(X.astype(dtype))
        assert model.encoding_.dtype == model.components_.dtype == model.transform(X.astype(dtype)).dtype == dtype
    assert nmf().fit((10 * X).astype(np.int16)).encoding_.dtype == np.float64
    assert nmf().fit(X.astype(np.float32)).transform(X).dtype == np.float64


def test_wrong_types_are_refused(X):
    with pytest.raises(ValueError):
        nmf().fit(np.full((3, 3), "a"))
    with pytest.raises(ValueError, match="[Cc]omplex"):
        nmf().fit(X.astype(complex))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_is_refused(X, bad):
    X[17, 3] = bad
    for data in (X, scipy.sparse.csr_array(X)):
        with pytest.raises(ValueError, match="NaN|infinity"):
            nmf().fit(data)
    with pytest.raises(ValueError, match="NaN|infinity|finite"):
        orthant.knn_graph(X)


def test_negative_is_refused_by_its_place(X):
    X[17, 3] = -0.31
    with pytest.raises(ValueError, match=r"Negative values in data passed to NMF: .*18.*4.*-0\.31"):
        nmf().fit(X)
    orthant.KMeans(3, random_state=0).fit(X)


def test_csr_with_duplicates_and_without_order(X):
    entries = scipy.sparse.coo_array(X)
    order = np.random.default_rng(0).permutation(entries.nnz)
    rows, columns, values = entries.coords[0][order], entries.coords[1][order], entries.data[order] / 2
    starts = np.concatenate([[0], np.cumsum(2 * np.bincount(rows, minlength=60))])
    by_row = np.argsort(rows, kind="stable")
    twice = scipy.sparse.csr_array((np.repeat(values[by_row], 2), np.repeat(columns[by_row], 2), starts), shape=X.shape)
    np.testing.assert_allclose(nmf().fit(twice).encoding_, nmf().fit(scipy.sparse.csr_array(X)).encoding_, rtol=1e-6)


def test_an_array_outlives_its_estimator(X):
    codes = nmf().fit(X).encoding_
    again = nmf().fit(X)
    np.testing.assert_array_equal(codes, again.encoding_)
    graph = orthant.knn_graph(X, 3)
    assert graph.sum() == orthant.knn_graph(X, 3).sum()


def test_a_freed_object_is_refused(X):
    context = _library.Context(_library.DOUBLE)
    matrix = _data.matrix_in(context, X)
    matrix.free()
    matrix.free()
    with pytest.raises(ValueError, match="freed"):
        context.make("graph_from_matrix", context, matrix)


def test_objects_in_a_cycle_are_freed_in_any_order(X):
    import gc
    for _ in range(20):
        model = nmf().fit(X)
        model.itself = model
        context = model._fit.result.context
        context.itself = context
        del model, context
    gc.collect()


def test_empty_and_odd_shapes():
    with pytest.raises(ValueError):
        nmf().fit(np.empty((0, 5)))
    with pytest.raises(ValueError):
        nmf().fit(np.empty((5, 0)))
    with pytest.raises(ValueError):
        nmf().fit(np.ones(5))
    assert orthant.NMF(1, random_state=0).fit(np.ones((1, 1))).encoding_.shape == (1, 1)
    with pytest.raises(ValueError):
        orthant.NMF(0).fit(np.ones((3, 3)))
