"""NumPy and SciPy arrays in and out of the library, without a copy where it can be."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_int64, c_void_p
from typing import Any, Optional

import numpy as np
import scipy.sparse

from . import _dlpack
from ._library import DOUBLE, SINGLE, Array, Context, Handle, lib

_PRECISION = {np.dtype(np.float32): SINGLE, np.dtype(np.float64): DOUBLE}
_DTYPE: dict[int, np.dtype] = {SINGLE: np.dtype(np.float32), DOUBLE: np.dtype(np.float64)}


def precision_of(X: Any) -> int:
    return _PRECISION[X.dtype]


def as_floats(X: Any, dtype: Any = None) -> Any:
    """An array or CSR of float32 or float64; a copy where X is something else."""
    if scipy.sparse.issparse(X):
        X = X.tocsr()
        return X if X.dtype in _PRECISION and dtype in (None, X.dtype) else X.astype(dtype or np.float64)
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: samples are rows, features columns")
    wanted = dtype or (X.dtype if X.dtype in _PRECISION else np.float64)
    return np.asarray(X, dtype=wanted)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def describe(X: Any) -> Array:
    """orthant_array of an array or a CSR."""
    view = Array(size=ctypes.sizeof(Array), precision=precision_of(X), rows=X.shape[0], columns=X.shape[1])
    if scipy.sparse.issparse(X):
        view.sparse = True
        view.values, view.stored = _address(X.data), X.indptr[-1]
        view.row_start, view.row_start_bits = _address(X.indptr), 8 * X.indptr.itemsize
        view.column, view.column_bits = _address(X.indices), 8 * X.indices.itemsize
    else:
        view.values = _address(X)
        view.row_stride, view.column_stride = (stride // X.itemsize for stride in X.strides)
    return view


def _detached(X: Any) -> Any:
    """PyTorch shows an array that gradients are wanted of without them alone."""
    return X.detach() if hasattr(X, "detach") else X


def on_gpu(X: Any) -> bool:
    held = _detached(X)
    return hasattr(held, "__cuda_array_interface__") or _dlpack.on_gpu(held)


def from_gpu(X: Any) -> np.ndarray:
    """A copy in the host's memory of what CuPy, PyTorch or JAX has on a GPU."""
    if hasattr(X, "get"):
        return X.get()
    if hasattr(X, "cpu"):
        return _detached(X).cpu().numpy()
    if hasattr(X, "__array__"):
        return np.asarray(X)
    raise TypeError("X lies in the memory of a GPU, and is no array of CuPy, PyTorch or JAX: expected one of these, or of "
                    "the host")


def _place(held: Any) -> tuple[int, np.dtype, tuple[int, ...]]:
    """Address, type, and bytes from one row and one column to the next; what lies there is written already."""
    if not hasattr(held, "__cuda_array_interface__"):
        return _dlpack.place(held)
    view = held.__cuda_array_interface__
    dtype = np.dtype(view["typestr"])
    return view["data"][0], dtype, view.get("strides") or (view["shape"][1] * dtype.itemsize, dtype.itemsize)


def tell_gpu(context: Context, samples: Handle, X: Any, host: np.ndarray) -> None:
    """A fit on the GPU where X lies reads it there, where its rows are as the library takes them; what `host` was
    copied from."""
    held = _detached(X)
    number, itemsize = held.__dlpack_device__()[1], host.itemsize
    address, dtype, strides = _place(held)
    if dtype != host.dtype or strides[1] != itemsize or strides[0] % itemsize:
        return
    kind = lib.context_device(context).decode().split(":")[0]
    context.call("matrix_set_device_copy", samples, f"{kind}:{number}".encode(), address, strides[0] // itemsize)
    samples.kept += (held,)


def matrix_in(context: Context, X: Any) -> Handle:
    """X as a matrix of the library: its own memory, borrowed."""
    if not scipy.sparse.issparse(X) and (any(stride % X.itemsize for stride in X.strides) or not X.flags.aligned
                                         or not X.dtype.isnative):
        X = np.array(X, dtype=X.dtype.newbyteorder("="))
    return context.make("matrix_wrap", context, byref(describe(X)), None, None, kept=(X,))


def _memory(address: int, count: int, dtype: np.dtype, owner: Any) -> np.ndarray:
    """An array on memory of the library that keeps its owner alive."""
    if not count:
        return np.empty(0, dtype)
    buffer: Any = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    buffer.owner = owner
    return np.frombuffer(buffer, dtype)


def _array_out(view: Array, owner: Any) -> Any:
    dtype = _DTYPE[view.precision]
    if view.sparse:
        starts = _memory(view.row_start, view.rows + 1, np.dtype(f"i{view.row_start_bits // 8}"), owner)
        columns = _memory(view.column, view.stored, np.dtype(f"i{view.column_bits // 8}"), owner)
        values = _memory(view.values, view.stored, dtype, owner)
        return scipy.sparse.csr_array((values, columns, starts), shape=(view.rows, view.columns))
    if not view.rows or not view.columns:
        return np.empty((view.rows, view.columns), dtype)
    count = (view.rows - 1) * view.row_stride + view.columns
    return np.lib.stride_tricks.as_strided(_memory(view.values, count, dtype, owner), (view.rows, view.columns),
                                           (view.row_stride * dtype.itemsize, view.column_stride * dtype.itemsize))


def matrix_out(context: Context, matrix: Any, owner: Any) -> Any:
    """The matrix as an array, or CSR, on its own memory, which `owner` holds."""
    view = Array(size=ctypes.sizeof(Array))
    context.call("matrix_view", matrix, byref(view))
    return _array_out(view, owner)


def labels_in(context: Context, y: Any) -> Handle:
    y = np.ascontiguousarray(y, dtype=np.int64)
    return context.make("labels_create", context, len(y), y.ctypes.data_as(POINTER(c_int64)))


def labels_out(labels: Handle) -> np.ndarray:
    count = lib.labels_count(labels)
    return np.ctypeslib.as_array(lib.labels_values(labels), (count,)).copy() if count else np.empty(0, np.int64)


def graph_in(context: Context, graph: Any, dtype: Any = None) -> Handle:
    """From a symmetric, nonnegative matrix with a row and a column for each sample."""
    matrix = matrix_in(context, as_floats(graph, dtype))
    return context.make("graph_from_matrix", context, matrix)


def graph_out(context: Context, graph: Any, owner: Any) -> Any:
    view = Array(size=ctypes.sizeof(Array))
    context.call("graph_view", graph, byref(view))
    return _array_out(view, owner)


def _numbered(names: np.ndarray) -> np.ndarray:
    """Names as integers in their order; "-1" stays what is not known."""
    labels, known = np.full(len(names), -1, np.int64), names != "-1"
    labels[known] = np.unique(names[known], return_inverse=True)[1]
    return labels


def known_labels(y: Any) -> Optional[np.ndarray]:
    """Labels as integers, -1 not known. Other names than integers are numbered in their order; None is not known."""
    if y is None:
        return None
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y has {y.ndim} dimensions; it takes one label for each sample")
    if y.dtype == object:
        y = np.array([-1 if one is None or one != one else one for one in y], dtype=object)
    if y.dtype.kind in "OUS":
        try:
            y = y.astype(np.float64)
        except ValueError:
            return _numbered(y.astype(str))
    if y.dtype.kind == "f":
        if not np.all(np.isfinite(y)):
            raise ValueError("y contains NaN or infinity; a label that is not known is -1")
        if np.any(y != np.floor(y)):
            raise ValueError("Unknown label type: y has entries that are no whole numbers; it takes one label for each "
                             "sample, -1 where it is not known")
    elif y.dtype.kind not in "iub":
        raise ValueError(f"Unknown label type: y is of type {y.dtype}; it takes one label for each sample")
    return y.astype(np.int64)


def fixed_parts(components: Any, rank: int, X: Any) -> np.ndarray:
    """The parts that a fit holds, a row each as components_ has them, as the library's columns."""
    parts = as_floats(components, X.dtype)
    parts = parts.toarray() if scipy.sparse.issparse(parts) else parts
    if parts.shape[1] != X.shape[1] or not 1 <= parts.shape[0] <= rank:
        raise ValueError(f"fixed_components has the shape {parts.shape}: expected at most n_components = {rank} rows of "
                         f"n_features = {X.shape[1]} entries")
    wrong = np.argwhere(~(np.isfinite(parts) & (parts >= 0)))
    if len(wrong):
        row, column = wrong[0]
        raise ValueError(f"fixed_components[{row}, {column}] is {parts[row, column]:g}: expected finite, nonnegative parts")
    return np.ascontiguousarray(parts.T)
