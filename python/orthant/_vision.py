"""Pictures and point clouds: segments, and features of whole pictures."""

from __future__ import annotations

import ctypes
import os
from contextlib import nullcontext
from ctypes import byref, c_char_p, c_int64, c_void_p
from typing import Any, Iterable, Mapping, Optional

import numpy as np

from . import _data, _library
from ._base import as_text, seed_of
from ._claims import claimed
from ._functions import Data, coded
from ._library import Context, Handle, lib


class Segmentation:
    """What `segment` found.

    Attributes
    ----------
    labels : array of shape (height, width) or (points,)
        The segment of each pixel or point; -1 of a missing point.
    segments : int
        How many there are.
    snapshots : dict of arrays
        The labels after the iterations that were asked for.
    graph : csr_array or None
        Of the superpixels or points.
    estimated, evidence, nodes, edges, iterations, objective, graph_weight, fit_seconds, total_seconds
        How they were found.
    """

    def __init__(self, handle: Handle) -> None:
        info = _library.SegmentationInfo(size=ctypes.sizeof(_library.SegmentationInfo))
        handle.context.call("segmentation_describe", handle, byref(info))
        shape = (info.height, info.width) if info.height else (info.count,)
        self.labels = np.ctypeslib.as_array(lib.segmentation_labels(handle), shape).copy()
        self.segments: int = info.segments
        self.snapshots: dict[int, np.ndarray] = {}
        for index in range(info.snapshots):
            iteration = c_int64()
            labels = lib.segmentation_snapshot(handle, index, byref(iteration))
            self.snapshots[iteration.value] = np.ctypeslib.as_array(labels, shape).copy()
        self.estimated: bool = info.estimated
        self.wanted: int = info.wanted
        self.evidence: str = info.evidence.decode()
        self.nodes, self.edges, self.iterations = info.nodes, info.edges, info.iterations
        self.objective, self.graph_weight = info.objective, info.graph_weight
        self.fit_seconds, self.total_seconds = info.fit_seconds, info.total_seconds
        graph = lib.segmentation_graph(handle)
        self.graph = _data.graph_out(handle.context, graph, handle) if graph else None


def _image(context: Context, pixels: np.ndarray) -> Handle:
    """From (height, width) or (height, width, 3): bytes, 16 bits, or floats from 0 to 1."""
    if pixels.dtype.kind == "f":
        if not np.all((pixels >= 0) & (pixels <= 1)):
            raise ValueError("a picture of floats has values from 0 to 1")
        pixels = (pixels * 65535).round().astype(np.uint16)
        if not np.any(pixels % 257):
            pixels = (pixels // 257).astype(np.uint8)
    if pixels.dtype not in (np.uint8, np.uint16):
        raise ValueError(f"a picture is of uint8, uint16 or floats from 0 to 1, not of {pixels.dtype}")
    pixels = np.ascontiguousarray(pixels)
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    return context.make("image_create", context, pixels.shape[0], pixels.shape[1], channels, 8 * pixels.itemsize,
                        pixels.ctypes.data)


def _cloud(context: Context, points: np.ndarray, colors: Any, normals: Any) -> Handle:
    points = np.ascontiguousarray(points, dtype=np.float64)
    beside = []
    for name, given, dtype in (("colors", colors, np.uint8), ("normals", normals, np.float32)):
        array = None if given is None else np.ascontiguousarray(given, dtype=dtype)
        if array is not None and array.shape != points.shape:
            raise ValueError(f"{name} has the shape {array.shape}, the points {points.shape}: they take the same")
        beside.append(array)
    return context.make("cloud_create", context, len(points), points.ctypes.data,
                        *(None if array is None else array.ctypes.data for array in beside))


def _source(context: Context, source: Any, colors: Any, normals: Any) -> tuple[Handle, bool]:
    """The picture or cloud, and whether it is a cloud."""
    if isinstance(source, (str, bytes, os.PathLike)):
        cloud = lib.file_is_cloud(coded(source))
        return context.make("cloud_read" if cloud else "image_read", context, coded(source)), cloud
    array = np.asarray(source)
    if array.ndim == 2 and array.shape[1] == 3:
        return _cloud(context, array, colors, normals), True
    if array.ndim == 2 or array.ndim == 3 and array.shape[2] in (1, 3):
        return _image(context, array), False
    raise ValueError(f"an array of the shape {array.shape} is neither a picture, (height, width) or (height, width, 3), "
                     "nor points, (count, 3)")


def _listed(value: Any) -> Any:
    """Lists as the library has them: "lab,space"."""
    if isinstance(value, (list, tuple)):
        return b",".join(as_text(one) for one in value)
    return value.encode() if isinstance(value, str) else value


def _options(segments: Optional[int], random_state: Any, parameters: Optional[Mapping[str, Any]],
             settings: Mapping[str, Any]) -> _library.SegmentOptions:
    options = _library.SegmentOptions(size=ctypes.sizeof(_library.SegmentOptions), graph_weight=-1, smallest=-1,
                                      seed=seed_of(random_state), segments=segments or 0)
    known = {name for name, _ in options._fields_} - {"size", "seed", "segments", "parameters", "parameter_count"}
    for name, value in settings.items():
        if name not in known:
            raise TypeError(f"segment() got an unexpected argument {name!r}; it has {', '.join(sorted(known))}")
        if value is not None:
            setattr(options, name, _listed(value))
    pairs = [name.encode() + b"=" + as_text(value) for name, value in (parameters or {}).items()]
    options.parameters = (c_char_p * len(pairs))(*pairs)
    options.parameter_count = len(pairs)
    return options


def segment(source: Any, segments: Optional[int] = None, *, parameters: Optional[Mapping[str, Any]] = None,
            colors: Any = None, normals: Any = None, folder: Any = None, draw: Optional[str] = None,
            overwrite: bool = False, random_state: Any = 1, n_jobs: Optional[int] = None, callback: Any = None,
            **settings: Any) -> Segmentation:
    """Cut a picture or a point cloud into segments.

    Parameters
    ----------
    source : path, or array
        A file (PNG, JPEG, TIFF, PGM, PPM; PCD, PLY), a picture of shape (height, width) or (height, width, 3) of
        bytes, 16 bits or floats from 0 to 1, or points of shape (count, 3).
    segments : int, optional
        How many; None: estimated from the data.
    parameters : dict, optional
        Of the method.
    colors, normals : arrays of shape (count, 3), optional
        Of points.
    folder : str or path, optional
        Where labels, drawings and report are kept.
    draw : str, optional
        What is drawn over a picture in the folder: of "overlay,boundaries,graph".
    overwrite : bool, default=False
        Whether a run that the folder holds is replaced; else it is refused before the work begins.
    random_state : int or RandomState, default=1
    n_jobs : int, optional
        Threads; None: every processor.
    callback : callable, optional
        Called with the progress; returns False to stop.
    **settings
        nodes ("slic", "watershed" or "pixels"), method ("grpnmf", "gnmf", "nmf", "kmeans"; pixels: also "fseg",
        "onmf", "convex-nmf"), graph_weight, iterations, features, feature_weights, superpixels, edge_weights,
        smallest, smoothing, init, snapshots, bank, window, bins, binning, finish, neighbours: as docs/segmentation.md
        explains them.

    Returns
    -------
    Segmentation

    Examples
    --------
    >>> import numpy as np, orthant
    >>> picture = np.zeros((40, 60, 3), np.uint8)
    >>> picture[:, 30:] = 200, 50, 50
    >>> orthant.segment(picture, 2).labels[::20, ::20]
    array([[0, 0, 1],
           [0, 0, 1]], dtype=int32)
    """
    options = _options(segments, random_state, parameters, settings)
    context = Context(_library.SINGLE, n_jobs, callback)
    data, cloud = _source(context, source, colors, normals)
    with nullcontext() if folder is None else claimed(context, folder, overwrite):
        found = context.make("segment_cloud" if cloud else "segment_image", context, data, byref(options))
        if folder is None:
            return Segmentation(found)
        path = coded(source) if isinstance(source, (str, bytes, os.PathLike)) else None
        run = _library.SegmentRun(size=ctypes.sizeof(_library.SegmentRun), data_path=path,
                                  options=ctypes.pointer(options), segmentation=found.pointer, draw=_listed(draw),
                                  **{"cloud" if cloud else "image": data.pointer})
        context.call("segment_run_write", context, byref(run), coded(folder))
    return Segmentation(found)


def features(paths: Any, kind: str = "sift-words", *, words: int = 500, bank: Optional[str] = None,
             random_state: Any = 1, n_jobs: Optional[int] = None, callback: Any = None) -> Data:
    """A row of nonnegative features for each picture.

    Parameters
    ----------
    paths : path, or list of paths
        Files, or a folder of pictures, which may have a subfolder for each class.
    kind : {"sift-words", "gabor", "lab", "spectral-histogram"}
    words : int, default=500
        The size of the vocabulary of sift-words.
    bank : str, optional
        Of the filters of spectral-histogram.
    random_state : int or RandomState, default=1

    Returns
    -------
    Data
        A named tuple; y has the classes of subfolders, otherwise it is None.
    """
    given: Iterable[Any] = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths
    files = [coded(path) for path in given]
    options = _library.FeatureOptions(size=ctypes.sizeof(_library.FeatureOptions), kind=kind.encode(), words=words,
                                      seed=seed_of(random_state), bank=_listed(bank))
    context = Context(_library.SINGLE, n_jobs, callback)
    matrix, labels = c_void_p(), c_void_p()
    context.call("image_features", context, (c_char_p * len(files))(*files), len(files), byref(options),
                 byref(matrix), byref(labels))
    X = context.own(matrix, "matrix")
    y = _data.labels_out(context.own(labels, "labels")) if labels else None
    return Data(_data.matrix_out(context, X, X), y)


__all__ = ["Segmentation", "features", "segment"]
