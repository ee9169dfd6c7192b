"""What is no estimator: files, graphs, similarities, scores, studies, and what machine this is."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import sys
from ctypes import byref, c_char_p, c_int, c_void_p
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Union

import numpy as np

from . import _base, _data, _library
from ._base import loss_name
from ._library import Context, lib


class Data(NamedTuple):
    """What `read` found."""

    X: Any  #: array or CSR of shape (n_samples, n_features)
    y: Optional[np.ndarray]  #: the labels that belong to it, -1 not known; None where there are none
    shape: Optional[tuple[int, ...]] = None  #: (height, width) or (height, width, 3) where samples are pictures
    column_major: bool = False  #: whether a sample lists its pixels column by column, as MATLAB does
    feature_names: Optional[np.ndarray] = None  #: of a table's header
    sample_names: Optional[np.ndarray] = None  #: of a table's id_column, or the pictures' files
    class_names: Optional[np.ndarray] = None  #: of the labels 0, 1, ..., where they were names or subfolders


def coded(path: Any) -> Optional[bytes]:
    return None if path is None else os.fsencode(path)


def read_options(*, variable: Optional[str] = None, truth: Optional[str] = None, transpose: bool = False,
                 size: Optional[tuple[int, int]] = None, color: bool = False, mmap: bool = False,
                 id_column: Optional[str] = None, drop: Any = None, missing: bool = False) -> _library.ReadOptions:
    """orthant_read_options of the arguments of `read`."""
    height, width = size or (0, 0)
    return _library.ReadOptions(size=ctypes.sizeof(_library.ReadOptions), variable=coded(variable), truth=coded(truth),
                                transpose=transpose, image_height=height, image_width=width, color=color, map=mmap,
                                id_column=coded(id_column), missing=missing,
                                drop=coded(drop if drop is None or isinstance(drop, str) else ",".join(drop)))


def read(path: Any, *, variable: Optional[str] = None, truth: Optional[str] = None, transpose: bool = False,
         size: Optional[tuple[int, int]] = None, color: bool = False, scale: str = "none", mmap: bool = False,
         dtype: Any = np.float32, id_column: Optional[str] = None, drop: Any = None, missing: bool = False) -> Data:
    """Data of any kind that Orthant reads, and their labels.

    Parameters
    ----------
    path : str or path
        .mat, .npy, .npz, .csv, .tsv, .mtx, .h5 ("file.h5:/path"), IDX (.gz too), or a folder of images with a
        subfolder for each class.
    variable : str, optional
        Which variable of a .mat or .npz file; None finds it.
    truth : str, optional
        A variable or a column of the same file, or another file; None finds it; "none".
    transpose : bool, default=False
        The file holds samples as columns.
    size : (height, width), optional
        To which images of a folder are brought.
    color : bool, default=False
        Keep the colours of images.
    scale : {"none", "unit", "max", "tfidf"}, default="none"
        See `scale`.
    mmap : bool, default=False
        Memory-map a .npy file; it must not change meanwhile.
    dtype : float32 or float64, default=float32
    id_column : str, optional
        The column of a table that holds the samples' names.
    drop : str or list of str, optional
        Columns of a table that are no features.
    missing : bool, default=False
        Empty cells of a table are NaN, for models with `missing="nan"`.

    Returns
    -------
    Data
        A named tuple (X, y, shape, column_major, feature_names, sample_names, class_names); names are arrays, or None.

    Examples
    --------
    >>> import numpy as np, orthant
    >>> np.save("points.npy", np.eye(3, 4))
    >>> orthant.read("points.npy").X.shape
    (3, 4)
    """
    context = Context(_library.DOUBLE if np.dtype(dtype) == np.float64 else _library.SINGLE)
    # A damaged file ends a child process and not this one.
    lib.context_set_confined(context, True)
    options = read_options(variable=variable, truth=truth, transpose=transpose, size=size, color=color, mmap=mmap,
                           id_column=id_column, drop=drop, missing=missing)
    matrix, labels = c_void_p(), c_void_p()
    context.call("matrix_read", context, coded(path), byref(options), byref(matrix), byref(labels))
    X = context.own(matrix, "matrix")
    known = context.own(labels, "labels") if labels else None
    y = _data.labels_out(known) if known else None
    classes = _names(lib.labels_name, known, int(y.max()) + 1) if known and y.size else None
    _scale(context, X, scale)
    picture = lib.matrix_picture(X)
    shape = (picture.height, picture.width) + ((picture.channels,) if picture.channels > 1 else ())
    samples = _data.matrix_out(context, X, X)
    return Data(samples, y, shape if picture.height else None, picture.column_major,
                _names(lib.matrix_feature_name, X, samples.shape[1]),
                _names(lib.matrix_sample_name, X, samples.shape[0]), classes)


def count_words(path: Any, *, stop_words: Any = None, min_count: int = 0, min_documents: int = 0, max_words: int = 0,
                dtype: Any = np.float32) -> Data:
    """Counts of the words of documents, as `orthant words` makes them.

    Parameters
    ----------
    path : str or path
        A folder, in which each file is a document and each subfolder a class; or a file, in which each line is one.
    stop_words : "english" or path, optional
        Words that are not counted: a list of English ones, or a file with a word per line.
    min_count, min_documents : int, default=0
        Words that occur less often in all, or in fewer documents, are left out.
    max_words : int, default=0
        Of the words that are left, the most frequent; 0: all.
    dtype : float32 or float64, default=float32

    Returns
    -------
    Data
        X is sparse, a row for each document; feature_names are the words.

    Examples
    --------
    >>> import orthant, pathlib
    >>> _ = pathlib.Path("lines.txt").write_text("one fish two fish\\nred fish\\n")
    >>> orthant.count_words("lines.txt", min_count=2).feature_names.tolist()
    ['fish']
    """
    context = Context(_library.DOUBLE if np.dtype(dtype) == np.float64 else _library.SINGLE)
    options = _library.WordsOptions(size=ctypes.sizeof(_library.WordsOptions), stop_words=coded(stop_words),
                                    fewest_counts=min_count, fewest_documents=min_documents, most_words=max_words)
    matrix, labels = c_void_p(), c_void_p()
    context.call("words_count", context, coded(path), byref(options), byref(matrix), byref(labels))
    counts = context.own(matrix, "matrix")
    known = context.own(labels, "labels") if labels else None
    y = _data.labels_out(known) if known else None
    X = _data.matrix_out(context, counts, counts)
    return Data(X, y, None, False, _names(lib.matrix_feature_name, counts, X.shape[1]),
                _names(lib.matrix_sample_name, counts, X.shape[0]),
                _names(lib.labels_name, known, int(y.max()) + 1) if known else None)


def _names(function: Any, handle: Any, count: int) -> Optional[np.ndarray]:
    """As many names as there are; None where there is none."""
    if count < 1 or function(handle, 0) is None:
        return None
    return np.array([(function(handle, i) or b"").decode(errors="replace") for i in range(count)], dtype=object)


def _scale(context: Context, matrix: Any, kind: str, mask: Any = None) -> None:
    scaling = c_int()
    context.call("scaling_parse", context, kind.encode(), byref(scaling))
    context.call("matrix_scale_masked", matrix, scaling, mask, None, None)


def scale(X: Any, kind: str = "unit", *, mask: Any = None) -> Any:
    """A scaled copy of the samples.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    kind : {"unit", "max", "tfidf", "none"}
        unit: each sample to length 1; max: everything by the largest modulus; tfidf: counts times
        log(n / samples with the word), then to length 1.
    mask : array or sparse matrix of shape (n_samples, n_features), optional
        Weights of the entries: lengths and the largest modulus are of those above 0. NaN have no part in them either.
        Not for tfidf.

    Examples
    --------
    >>> import orthant
    >>> orthant.scale([[3.0, 4.0]])
    array([[0.6, 0.8]])
    >>> orthant.scale([[3.0, 4.0, 9.0]], mask=[[1, 1, 0]])
    array([[0.6, 0.8, 1.8]])
    """
    X = _data.as_floats(X)
    context = Context(_data.precision_of(X))
    matrix = _data.matrix_in(context, X)
    _scale(context, matrix, kind, None if mask is None else _data.matrix_in(context, _data.as_floats(mask)))
    if kind == "none":
        return X.copy()
    return _data.matrix_out(context, matrix, matrix)


def knn_graph(X: Any, neighbours: int = 5, *, weights: str = "binary", heat_width: float = 0, search: str = "auto",
              y: Any = None, missing: str = "none") -> Any:
    """The graph of nearest neighbours, made symmetric, as a CSR array.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    neighbours : int, default=5
    weights : {"binary", "heat", "cosine"}, default="binary"
    heat_width : float, default=0
        The width t of heat weights exp(-d^2 / (2 t^2)); 0: the root of the mean squared distance.
    search : {"auto", "exact", "approximate"}, default="auto"
        auto: exact for up to 50,000 samples, and for more where there are few features.
    y : array of shape (n_samples,), optional
        Known labels, -1 not known: samples of one class are joined, those of different classes are not.
    missing : {"none", "nan", "zeros"}, default="none"
        Entries that are not known: NaN of an array, or what a sparse matrix does not store. Two samples are compared by
        the features that are known in both, as `sklearn.metrics.pairwise.nan_euclidean_distances` does.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)

    Examples
    --------
    >>> import orthant
    >>> orthant.knn_graph([[0.0], [1.0], [3.0]], 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    X = _data.as_floats(X)
    context = Context(_data.precision_of(X))
    kind, way = c_int(), c_int()
    context.call("edge_weight_parse", context, weights.encode(), byref(kind))
    context.call("search_parse", context, search.encode(), byref(way))
    options = _library.GraphOptions(size=ctypes.sizeof(_library.GraphOptions), neighbours=neighbours, weight=kind.value,
                                    heat_width=heat_width, search=way.value, missing=missing.encode())
    graph = context.make("graph_build", context, _data.matrix_in(context, X), byref(options))
    labels = _data.known_labels(y)
    if labels is not None:
        graph = context.make("graph_with_labels", context, graph, _data.labels_in(context, labels))
    return _data.graph_out(context, graph, graph)


def gaussian_similarity(X: Any, neighbours: int = 0, *, scale: float = 1.0) -> Any:
    """The similarity exp(-d^2 / (2 t^2)) of the samples; t^2 is scale / 2 times the mean squared distance.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    neighbours : int, default=0
        Between a sample and so many nearest neighbours alone, as a CSR array; 0: between all.
    scale : float, default=1

    Examples
    --------
    >>> import orthant
    >>> orthant.gaussian_similarity([[0.0], [1.0]]).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """
    X = _data.as_floats(X)
    context = Context(_data.precision_of(X))
    matrix = context.make("similarity_gaussian", context, _data.matrix_in(context, X), neighbours, scale)
    return _data.matrix_out(context, matrix, matrix)


def scores(found: Any, truth: Any = None, *, nmi: str = "max", points: Any = None) -> dict[str, Any]:
    """Scores of a clustering: beside the truth, by itself, or both.

    Beside the truth: accuracy (the share of samples under the best one-to-one matching), nmi, v_measure, homogeneity,
    completeness, ari (adjusted Rand index), ami (adjusted mutual information) and purity. Those that scikit-learn has
    too have its values. By itself, of points: silhouette and cohesion (the share of the points' scatter that lies
    between the clusters), with the sizes of the clusters.

    Samples whose label is -1 in one of them are left out.

    Parameters
    ----------
    found, truth : arrays of shape (n_samples,)
        Numbers or texts; without a truth give points.
    nmi : {"max", "arithmetic", "geometric", "min"}, default="max"
        The mean of the two entropies that nmi divides the mutual information by: the larger one as in the papers, or
        "arithmetic" as in scikit-learn. "nmi_arithmetic", "nmi_geometric" and "nmi_min" are given in any case.
    points : array or sparse matrix of shape (n_samples, n_columns), optional
        A row for each sample: the samples, or model.encoding_. Up to 4,000 of them the silhouette is that of the
        distances of all pairs; above, of those to the centres ("silhouette_kind": "exact" or "simplified").

    Examples
    --------
    >>> import orthant
    >>> orthant.scores([1, 1, 0, 0], [0, 0, 1, 2])["accuracy"]
    0.75
    >>> orthant.scores([0, 0, 1], points=[[0.0], [0.0], [5.0]])["sizes"]
    [2, 1]
    """
    if truth is None and points is None:
        raise ValueError("scores take a truth, points, or both")
    if nmi not in ("max", "arithmetic", "geometric", "min"):
        raise ValueError(f"nmi = {nmi!r}: expected max, arithmetic, geometric or min")
    context, all_scores = Context(), {}
    labels = _data.labels_in(context, _data.known_labels(found))
    if truth is not None:
        known = _data.labels_in(context, _data.known_labels(truth))
        told = _library.Scores(size=ctypes.sizeof(_library.Scores))
        context.call("score_labels", context, labels, known, byref(told))
        all_scores = {name: getattr(told, name) for name, _ in told._fields_ if name != "size"}
        if nmi != "max":
            all_scores["nmi"] = all_scores["nmi_" + nmi]
    if points is not None:
        all_scores.update(_cluster_scores(context, labels, points))
    return all_scores


def _cluster_scores(context: Context, labels: Any, points: Any) -> dict[str, Any]:
    matrix = _data.matrix_in(context, _data.as_floats(points))
    told = _library.ClusterScores(size=ctypes.sizeof(_library.ClusterScores))
    context.call("score_clusters", context, matrix, labels, byref(told))
    sizes = np.zeros(told.clusters, np.int64)
    context.call("labels_sizes", labels, told.clusters, sizes.ctypes.data)
    return {"silhouette": told.silhouette, "silhouette_kind": "exact" if told.exact else "simplified",
            "cohesion": told.cohesion, "samples": told.samples, "clusters": told.clusters, "sizes": sizes.tolist()}


def segmentation_scores(found: Any, truth: Any, *, threshold: float = 0.75, components: bool = False
                        ) -> dict[str, float]:
    """A label image beside the true one: all criteria of the Prague benchmark, and those of the Berkeley pictures.

    Parameters
    ----------
    found, truth : integer arrays of shape (height, width) or (points,)
    threshold : float, default=0.75
        The share of a region that must be found, above 0.5.
    components : bool, default=False
        Every connected piece of a label is a region.

    Examples
    --------
    >>> import numpy as np, orthant
    >>> picture = np.repeat([0, 1], 8).reshape(4, 4)
    >>> orthant.segmentation_scores(picture, picture)["CS"]
    100.0
    """
    found, truth = (np.ascontiguousarray(labels, dtype=np.int32) for labels in (found, truth))
    if found.shape != truth.shape or found.ndim not in (1, 2):
        raise ValueError(f"found has the shape {found.shape}, truth {truth.shape}: they take the same, of one or two "
                         "dimensions")
    height, width = found.shape if found.ndim == 2 else (len(found), 1)
    context = Context()
    told = ctypes.create_string_buffer(4096)  # more than orthant_segmentation_scores has
    ctypes.c_size_t.from_buffer(told).value = len(told)
    options = _library.SegmentationOptions(size=ctypes.sizeof(_library.SegmentationOptions), threshold=threshold,
                                           components=components)
    context.call("score_segmentation", context, found.ctypes.data, truth.ctypes.data, height, width, byref(options),
                 told)
    values = {}
    for index in range(lib.criterion_count()):
        info = _library.Criterion(size=ctypes.sizeof(_library.Criterion))
        lib.criterion_at(index, byref(info))
        values[info.name.decode()] = lib.criterion_value(told, index)
    return values


class Study:
    """What `compare` found.

    Attributes
    ----------
    rows : list of dict
        One for each finished run: dataset, method, classes, repeat, seed, accuracy, nmi, ari, purity, sparseness,
        objective, iterations, seconds. `pandas.DataFrame(study.rows)` is a table of them.
    failures : list of str
        Runs that could not be done, with the reason.
    """

    def __init__(self, handle: _library.Handle) -> None:
        self._handle = handle
        self.rows: list[dict[str, Any]] = []
        for index in range(lib.study_row_count(handle)):
            row = _library.StudyRow(size=ctypes.sizeof(_library.StudyRow))
            handle.context.call("study_row_at", handle, index, byref(row))
            self.rows.append({name: value for name, value in _library._strings(row).items() if name != "size"})
        self.failures = [lib.study_failure(handle, index).decode()
                         for index in range(lib.study_failure_count(handle))]

    def tables(self, format: str = "text") -> str:
        """Means and deviations, costs, gains and Friedman's test, as "text", "md", "tex", "csv" or "json"."""
        return self._handle.context.text("study_tables", self._handle, format.encode())

    def ranks(self, measure: str = "accuracy") -> tuple[dict[str, float], float]:
        """The mean rank of each method, the best first, and the difference that Nemenyi's test asks for."""
        context = self._handle.context
        summary = context.make("study_summarise", self._handle, measure.encode())
        ranks = {}
        for index in range(lib.study_rank_count(summary)):
            rank = _library.StudyRank(size=ctypes.sizeof(_library.StudyRank))
            context.call("study_rank_at", summary, index, byref(rank))
            ranks[rank.method.decode()] = rank.mean_rank
        outcome = _library.Friedman(size=ctypes.sizeof(_library.Friedman))
        if ranks:
            context.call("study_friedman", summary, byref(outcome))
        return ranks, outcome.critical_difference if ranks else float("nan")

    def __str__(self) -> str:
        return self.tables()


def compare(data: Union[tuple, Mapping[str, tuple]], methods: Union[str, Iterable[str]], *, classes: Any = "all",
            repeats: int = 10, random_state: Any = 1, folder: Any = None, n_jobs: Optional[int] = None,
            callback: Any = None, **settings: Any) -> Study:
    """Methods beside each other the way papers do it: classes drawn, the same for every method, repeated.

    Parameters
    ----------
    data : (X, y), or a dict of such pairs by name
        Samples and their true labels.
    methods : list of str
        Names of `methods`: "nmf", "gnmf", ...
    classes : str or int, default="all"
        How many classes are drawn: "2:10", "5,10,20" or "all".
    repeats : int, default=10
    random_state : int or RandomState, default=1
    folder : str or path, optional
        Where the study is kept, with its report; one that was interrupted goes on.
    n_jobs : int, optional
        Threads; None: every processor.
    callback : callable, optional
        Called with the progress; returns False to stop.
    **settings
        Others of `orthant compare`, with _ for -: labelled_fraction=0.1, init="nndsvd", iterations=100; a list
        repeats one: parameter=["gnmf.graph_weight=10"].

    Returns
    -------
    Study

    Examples
    --------
    >>> import numpy as np, orthant
    >>> y = np.repeat([0, 1, 2], 10)
    >>> X = np.eye(3)[y] + np.random.default_rng(0).random((30, 3)) / 4
    >>> study = orthant.compare((X, y), ["nmf", "kmeans"], repeats=2)
    >>> [(row["method"], row["accuracy"]) for row in study.rows]
    [('nmf', 1.0), ('nmf', 1.0), ('kmeans', 1.0), ('kmeans', 1.0)]
    """
    named = dict(data) if isinstance(data, Mapping) else {"data": data}
    pairs = {name: (_data.as_floats(X), _data.known_labels(y)) for name, (X, y, *_) in named.items()}
    for name, (_, y) in pairs.items():
        if y is None:
            raise ValueError(f"{name} has no labels, which the clusters are compared with")
    precision = max((_data.precision_of(X) for X, _ in pairs.values()), default=_library.SINGLE)
    context = Context(precision, n_jobs, callback)
    study = context.make("study_create", context)

    def put(name: str, value: Any) -> None:
        context.call("study_set", study, name.encode(), _base.as_text(value))

    put("methods", methods if isinstance(methods, str) else ",".join(methods))
    put("classes", classes)
    put("repeats", repeats)
    put("seed", _base.seed_of(random_state))
    for name, value in settings.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            put(name.replace("_", "-"), one)
    for name, (X, y) in pairs.items():
        inputs = _data.matrix_in(context, X), _data.labels_in(context, y)
        context.call("study_add_data", study, name.encode(), None, *inputs)
        study.kept += inputs
    context.call("study_run", study, coded(folder))
    return Study(study)


class RankSurvey:
    """What `ranks` found.

    Attributes
    ----------
    recommended : int
        The number of parts that the criteria speak for.
    reasons : list of str
        Why, a sentence each.
    numbers : list of int
        The numbers of parts that were tried.
    rows : list of dict
        One for each of them: k, error, cophenetic, silhouette, ...; `pandas.DataFrame(survey.rows)` is a table of them.
    record : dict
        All of it with data and settings, as ranks.json holds it.
    """

    def __init__(self, handle: _library.Handle) -> None:
        self._handle = handle
        self.record: dict[str, Any] = json.loads(handle.context.text("ranks_describe", handle))
        self.recommended: int = self.record["recommended"]["k"]
        self.reasons: list[str] = self.record["recommended"]["reasons"]
        self.rows: list[dict[str, Any]] = self.record["rows"]
        self.numbers: list[int] = [row["k"] for row in self.rows]

    def tables(self, format: str = "text") -> str:
        """A line for each number of parts, as "text" (with the reasons), "md", "tex", "csv" or "json"."""
        return self._handle.context.text("ranks_tables", self._handle, format.encode())

    def __str__(self) -> str:
        return self.tables()


def ranks(X: Any, numbers: Any = None, *, method: str = "nmf", repeats: int = 20, criteria: Any = None,
          random_state: Any = 1, folder: Any = None, n_jobs: Optional[int] = None, callback: Any = None,
          **settings: Any) -> RankSurvey:
    """How many parts: a method over several ranks, judged by held-out data, starts, perturbed and permuted data.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    numbers : str or list of int, optional
        The numbers of parts: "2:12" (the default), "5:60:5" or [3, 5, 8].
    method : str, default="nmf"
    repeats : int, default=20
        Fits of each criterion for each number of parts.
    criteria : list of str, optional
        Some of "blocks", "speckled", "starts", "perturbed" and "permuted"; None: all that data and method take.
    random_state : int or RandomState, default=1
    folder : str or path, optional
        Where the survey is kept, with its report; one that was interrupted goes on.
    n_jobs : int, optional
        Threads; None: every processor.
    callback : callable, optional
        Called with the progress; returns False to stop.
    **settings
        Others of `orthant ranks`: noise=0.03, loss="kl", iterations=100; a list repeats one:
        parameter=["graph_weight=10"].

    Returns
    -------
    RankSurvey

    Examples
    --------
    >>> import numpy as np, orthant
    >>> rng = np.random.default_rng(0)
    >>> X = abs(rng.gamma(0.5, 1, (100, 4)) @ rng.gamma(0.5, 1, (4, 40)) + rng.normal(0, 0.05, (100, 40)))
    >>> orthant.ranks(X, "2:7", repeats=5).recommended
    4
    """
    X = _data.as_floats(X)
    context = Context(_data.precision_of(X), n_jobs, callback)
    survey = context.make("ranks_create", context)

    def put(name: str, value: Any) -> None:
        context.call("ranks_set", survey, name.encode(), _base.as_text(value))

    def listed(value: Any) -> str:
        return value if isinstance(value, str) else ",".join(str(one) for one in value)

    put("method", method)
    put("repeats", repeats)
    put("seed", _base.seed_of(random_state))
    if numbers is not None:
        put("rank", listed([numbers] if isinstance(numbers, int) else numbers))
    if criteria is not None:
        put("criteria", listed(criteria))
    for name, value in settings.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            put(name.replace("_", "-"), one)
    context.call("ranks_run", survey, b"X", _data.matrix_in(context, X), coded(folder))
    return RankSurvey(survey)


class Consensus:
    """What `consensus` found.

    Attributes
    ----------
    model : estimator
        The fitted estimator: its components_ are the parts that the starts agree on, the most stable first, and its
        encoding_ was fitted while they were held.
    silhouette : float
        Mean over the kept parts of all starts: 1 where the starts agree.
    kept, left_out : int
        Parts of all starts that were clustered, and that were left out as they lie far from others.
    fixed : int
        Parts that were given (`fixed_components`), which come first.
    parts : list of dict
        One for each part: members, starts (that have one of them), silhouette, cosine (mean of the members with it).
    members : list of dict
        One for each part of each start: start, part, cluster (-1: left out), density, silhouette.
    """

    def __init__(self, model: Any, result: _library.Handle) -> None:
        context = result.context

        def told(struct: Any, function: str, *index: int) -> dict[str, Any]:
            record = struct(size=ctypes.sizeof(struct))
            context.call(function, result, *index, byref(record))
            return {name: getattr(record, name) for name, _ in record._fields_ if name != "size"}

        info = told(_library.ConsensusInfo, "result_consensus")
        self.model = model
        self.silhouette: float = info["silhouette"]
        self.starts: int = info["starts"]
        self.kept: int = info["kept"]
        self.left_out: int = info["members"] - info["kept"]
        self.threshold: float = info["threshold"]
        self.neighbours: int = info["neighbours"]
        self.fixed: int = info["fixed"]
        self.parts = [told(_library.ConsensusPart, "result_consensus_part", index)
                      for index in range(len(model.components_))]
        self.members = [told(_library.ConsensusMember, "result_consensus_member", index)
                        for index in range(info["members"])]


def consensus(X: Any, model: Any, *, repeats: int = 100, threshold: float = 0.5, neighbourhood: float = 0.3,
              restarts: int = 10, **inputs: Any) -> Consensus:
    """The parts that many starts agree on, by cNMF's procedure (Kotliar et al. 2019).

    The parts of all starts are brought to unit length; those that lie far from others are left out; k-means makes
    clusters of the rest, whose medians are the parts; the encodings are fitted once more while these are held.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    model : estimator or int
        Of a loss with terms, as `NMF(8)`; it is fitted. A number is that of parts of an `NMF`.
    repeats : int, default=100
        Starts.
    threshold : float, default=0.5
        A part whose mean distance to its nearest neighbours is above this is left out; 2 keeps all.
    neighbourhood : float, default=0.3
        How many neighbours those are, as a share of the starts.
    restarts : int, default=10
        Of the k-means.
    **inputs
        Others of `fit`: y, graph, mask, fixed_components (parts that stay; the others are found beside them), ...

    Returns
    -------
    Consensus

    Examples
    --------
    >>> import numpy as np, orthant
    >>> rng = np.random.default_rng(0)
    >>> X = rng.gamma(0.3, 1, (100, 4)) @ rng.gamma(0.3, 1, (4, 40))
    >>> found = orthant.consensus(X, orthant.NMF(4, max_iter=2000), repeats=10)
    >>> found.kept, [part["starts"] for part in found.parts]
    (40, [10, 10, 10, 10])
    """
    from ._methods import NMF
    if isinstance(model, int):
        model = NMF(model)
    options = _library.ConsensusOptions(size=ctypes.sizeof(_library.ConsensusOptions), starts=repeats,
                                        threshold=threshold, neighbourhood=neighbourhood, restarts=restarts)

    def make(context: Context, inner: Any, samples: Any) -> Any:
        return context.make("fit_consensus", inner, samples, byref(options))

    model._make = make
    try:
        model.fit(X, **inputs)
    finally:
        del model._make
    return Consensus(model, model._fit.result)


def methods() -> list[dict[str, Any]]:
    """The table of methods: name, title, needs, parameters, description and paper of each.

    Examples
    --------
    >>> import orthant
    >>> orthant.methods()[0]["title"]
    'Nonnegative matrix factorisation'
    """
    return list(_library.methods())


def non_negative_factorization(X: Any, W: Any = None, H: Any = None, n_components: Union[int, str, None] = "auto", *,
                               init: Optional[str] = None, update_H: bool = True, solver: str = "cd",
                               beta_loss: Any = "frobenius", tol: float = 1e-4, max_iter: int = 200,
                               alpha_W: float = 0.0, alpha_H: Any = "same", l1_ratio: float = 0.0,
                               random_state: Any = None, verbose: int = 0, shuffle: bool = False
                               ) -> tuple[np.ndarray, np.ndarray, int]:
    """X ~ W H with the arguments and the results of scikit-learn's function of this name.

    `beta_loss` is 'frobenius' (2), 'kullback-leibler' (1), 'itakura-saito' (0, of positive data), any number from -1
    to 3, or a loss by the library's name ('huber:0.5', 'l1'). `solver` "cd" is coordinate descent ("hals", and "newton"
    for the Kullback-Leibler loss; other losses take "mu"), "mu" the multiplicative updates; the library's own names are
    taken too. `tol` is the library's: the relative fall of the objective.
    `shuffle` has no effect. `n_components` is at most the number of samples. `alpha_W`, `alpha_H` and `l1_ratio`
    are its penalties: the terms "sparsity" and "ridge" of the codes W, "sparsity-basis" and "ridge-basis" of the basis H.

    Returns
    -------
    W : array of shape (n_samples, n_components)
    H : array of shape (n_components, n_features)
    n_iter : int

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.array([[1.0, 1], [2, 1], [3, 1.2], [4, 1], [5, 0.8], [6, 1]])
    >>> W, H, n_iter = orthant.non_negative_factorization(X, n_components=2, tol=1e-2)
    >>> bool(abs(X - W @ H).max() < 0.01)
    True
    """
    from ._methods import Factorization
    loss = loss_name(beta_loss)
    if not update_H and H is None:
        raise ValueError("update_H=False takes the basis as it is given: H is None")
    if init == "custom" and update_H and (W is None or H is None):
        raise ValueError("init='custom' starts from W and H: both must be given")
    X = _data.as_floats(X)
    if n_components in ("auto", None):
        n_components = H.shape[0] if H is not None else W.shape[1] if W is not None else X.shape[1]
    start, solver = None, {"cd": {"frobenius": "hals", "kl": "newton"}.get(loss, "mu")}.get(solver, solver)
    if init is None:
        init = "nndsvda" if n_components <= min(X.shape) else "random"
    elif init == "custom" and update_H:
        start, init = {"encoding": W, "basis": np.ascontiguousarray(np.transpose(H))}, "random"
    elif init == "custom":
        start, init = None if W is None else {"encoding": W}, "random"
    model = Factorization(n_components, loss=loss, solver=solver, init=init, tol=tol, max_iter=max_iter,
                          alpha_W=alpha_W, alpha_H=alpha_H, l1_ratio=l1_ratio, random_state=random_state,
                          verbose=verbose)
    if not update_H:
        if len(H) != n_components:
            raise ValueError(f"H has {len(H)} rows, and n_components={n_components}")
        if alpha_W:
            model.fit(X, start=start, fixed_components=H)
            return model.encoding_, H, model.n_iter_
        context = Context(_data.precision_of(X))
        basis = _data.matrix_in(context, np.ascontiguousarray(np.transpose(H), dtype=X.dtype))
        codes = context.make("transform", context, basis, loss.encode(), _data.matrix_in(context, X), 500, 1e-10)
        return _data.matrix_out(context, codes, codes), H, 1
    model.fit(X, start=start)
    return model.encoding_, model.components_, model.n_iter_


def show_versions() -> None:
    """Print what a report of a fault should say: versions, processor, BLAS.

    Examples
    --------
    >>> import orthant
    >>> orthant.show_versions()  # doctest: +ELLIPSIS
    orthant ...
    """
    import scipy
    import sklearn
    print(f"orthant      {lib.version().decode()}")
    print(f"library      {_library.PATH}")
    print(f"kernels      {lib.cpu_kernels().decode()}")
    print(f"BLAS         {lib.blas_description().decode()}")
    print(f"threads      {lib.context_threads(Context())}")
    print(f"python       {sys.version.split()[0]} ({platform.platform()})")
    for module in (np, scipy, sklearn):
        print(f"{module.__name__:<12} {module.__version__}")


__all__ = [
    "Consensus", "Data", "RankSurvey", "Study", "compare", "consensus", "count_words", "gaussian_similarity", "knn_graph", "methods",
    "non_negative_factorization", "ranks", "read", "scale", "scores", "segmentation_scores", "show_versions"
]
