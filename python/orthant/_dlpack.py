"""Where an array lies, from what it shows by DLPack: JAX has no other way, CuPy and PyTorch have this one too."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

_CUDA = (2, 13)  # memory of a GPU, and memory that it shares with the host
_KINDS = {0: "i", 1: "u", 2: "f"}


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("dimensions", ctypes.c_int32), ("kind", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def on_gpu(X: Any) -> bool:
    return hasattr(X, "__dlpack_device__") and X.__dlpack_device__()[0] in _CUDA


def place(X: Any) -> tuple[int, np.dtype, tuple[int, ...]]:
    """Address, type, and bytes from one row and one column to the next. The memory is X's: whoever reads it holds X."""
    capsule = X.__dlpack__()  # not taken over: it releases what it holds itself
    tensor = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))
    if tensor.dimensions != 2 or tensor.kind not in _KINDS or tensor.lanes != 1:
        raise TypeError("X lies in the memory of a GPU: expected a 2D array of numbers")
    dtype = np.dtype(f"{_KINDS[tensor.kind]}{tensor.bits // 8}")
    strides = tensor.strides[:2] if tensor.strides else (tensor.shape[1], 1)
    return tensor.data + tensor.byte_offset, dtype, tuple(stride * dtype.itemsize for stride in strides)
