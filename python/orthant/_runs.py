"""Runs on disk: folders as the command writes and reads them, their reports, and the papers' experiments."""

from __future__ import annotations

import ctypes
import json
from contextlib import nullcontext
from ctypes import byref, c_void_p
from typing import Any, Optional, Union

import numpy as np

from . import _data, _library
from ._base import Method, seed_of
from ._claims import claimed
from ._functions import coded, read_options
from ._library import Context, Handle, lib


def _name_features(context: Context, samples: Any, names: Any) -> None:
    texts = (ctypes.c_char_p * len(names))(*[str(name).encode() for name in names])
    context.call("matrix_set_feature_names", samples, texts)


def save_run(model: Method, folder: Any, X: Any = None, y: Any = None, *, data: Any = None, labels: bool = True,
             report: bool = True, read: Optional[dict[str, Any]] = None, overwrite: bool = False) -> None:
    """Write the folder that `orthant cluster -o folder` would write: run.json, factors, history, labels, report.

    Parameters
    ----------
    model : estimator
        That was fitted in this process; a pickled one has no fit of the library's to write.
    folder : str or path
        Made where it is not there. One of an earlier run is refused unless `overwrite`, one that holds something else
        always.
    X : array or sparse matrix, optional
        The samples of the fit, for what the report tells about them.
    y : array of shape (n_samples,), optional
        The true labels, -1 not known: for scores and the confusion matrix.
    data : str or path, optional
        The file that the samples come from; its checksum is noted.
    labels : bool, default=True
        Whether labels_ are found and written.
    report : bool, default=True
        Whether report.html is made; `report` does it later.
    read : dict, optional
        The arguments that `orthant.read` took for `data`, so that the run can read its samples again:
        ``dict(truth="species", drop=["id"])``.
    overwrite : bool, default=False
        Whether a run that the folder holds is replaced, in one step when the new one is whole. Where processes share
        the samples it always is.

    Where processes shared the samples (`fit(X, communicator=...)`) all make this call: X has the rows of each, y all
    labels, and each writes its rows of the encoding into the one file. Labels by k-means cannot be had then.

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> orthant.save_run(orthant.NMF(3, random_state=0).fit(X), "run", X, report=False)
    >>> orthant.load_run("run").method
    'nmf'
    """
    fit = model._fitted()
    if fit.result is None or fit.model is None:
        raise ValueError("the model was pickled or copied: its fit is not here to be written; fit it again")
    context = fit.result.context
    run = _library.Run(size=ctypes.sizeof(_library.Run), model=fit.model.pointer, result=fit.result.pointer,
                       data_path=coded(data), without_report=not report,
                       rank_reasons=coded("\n".join(getattr(model, "rank_reasons_", None) or []) or None))
    if read is not None:
        run.read = ctypes.pointer(read_options(**read))
    together = context.group.together if context.group else nullcontext
    kept: list[Any] = []

    def keep(handle: Handle) -> c_void_p:
        kept.append(handle)
        return handle.pointer

    with together():
        if X is not None:
            run.samples = keep(_data.matrix_in(context, _data.as_floats(X)))
        names = getattr(model, "feature_names_in_", None)
        if X is not None and names is not None:
            _name_features(context, run.samples, names)
        if X is not None and fit.part:
            context.call("matrix_set_part", run.samples, fit.part.first, fit.part.total)
        if labels:
            fit.labels
    if labels:
        run.labels, run.labels_rule = keep(_data.labels_in(context, fit.all_labels())), fit.rule.encode()
    if y is not None:
        run.truth_labels = keep(_data.labels_in(context, _data.known_labels(y)))
        if labels:
            scores = _library.Scores(size=ctypes.sizeof(_library.Scores))
            context.call("score_labels", context, run.labels, run.truth_labels, byref(scores))
            run.scores = ctypes.pointer(scores)
    with nullcontext() if context.group else claimed(context, folder, overwrite):
        context.call("run_write", context, byref(run), coded(folder))


class SavedRun:
    """A run that is stored in a folder, by the command or by `save_run`; what `load_run` gives.

    Attributes
    ----------
    method, loss, scale, precision, labels_rule : str
        Of run.json; "" where it has none.
    rank, iterations : int
    objective, seconds : float
    labels : array of shape (n_samples,) or None
        The clusters that were found.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        for name in ("method", "loss", "scale", "precision", "labels_rule"):
            setattr(self, name, self.text(name))
        self.rank, self.iterations = int(self.number("rank")), int(self.number("iterations"))
        self.objective, self.seconds = self.number("objective"), self.number("seconds")
        labels = c_void_p()
        handle.context.call("saved_run_labels", handle, byref(labels))
        self.labels = _data.labels_out(handle.context.own(labels, "labels")) if labels else None

    def text(self, key: str) -> str:
        """A text of run.json by its key; "" where there is none."""
        return lib.saved_run_text(self._handle, key.encode()).decode()

    def number(self, key: str) -> float:
        """A number of run.json, or a score ("accuracy"), by its key; NaN where there is none."""
        return lib.saved_run_number(self._handle, key.encode())

    def factor(self, name: str) -> np.ndarray:
        """A factor by its name, as in "basis" (n_features, k) and "encoding" (n_samples, k)."""
        matrix = c_void_p()
        self._handle.context.call("saved_run_factor", self._handle, name.encode(), byref(matrix))
        return _data.matrix_out(self._handle.context, matrix, self._handle)

    def _weights(self, array: Any) -> Optional[Handle]:
        if array is None:
            return None
        array = array if hasattr(array, "indptr") else np.atleast_2d(np.asarray(array))
        return _data.matrix_in(self._handle.context, _data.as_floats(array))

    def _samples(self, X: Any, mask: Optional[Handle] = None) -> Handle:
        """Scaled as the run's samples were, by the entries that the mask counts."""
        samples = _data.matrix_in(self._handle.context, _data.as_floats(X))
        names = getattr(X, "columns", None)
        if names is not None and all(isinstance(name, str) for name in names):
            _name_features(self._handle.context, samples, names)
        self._handle.context.call("saved_run_scale_masked", self._handle, None, mask, samples)
        return samples

    def _options(self, kept: list, training: Any, mask: Optional[Handle], sample_weights: Any, max_iter: int,
                 tol: float) -> Any:
        options = _library.TransformOptions(size=ctypes.sizeof(_library.TransformOptions), iterations=max_iter,
                                            tolerance=tol)
        if training is not None:
            kept.append(self._samples(training))
            options.training = kept[-1].pointer
        for name, weights in (("mask", mask), ("sample_weights", self._weights(sample_weights))):
            if weights is not None:
                kept.append(weights)
                setattr(options, name, weights.pointer)
        return options

    def transform(self, X: Any, *, training: Any = None, mask: Any = None, sample_weights: Any = None,
                  max_iter: int = 500, tol: float = 1e-10) -> np.ndarray:
        """The codes of new samples by what the run minimised for each of its own, scaled as the run's samples were.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            Columns of a DataFrame must have the names and the order of the run's features, where it has names.
        training : array or sparse matrix, optional
            The samples of the run, where it has a graph; None: they are read from the file that the run names.
        mask, sample_weights : arrays, optional
            Weights of the new samples' entries, and of the samples.
        """
        kept: list[Handle] = []
        weights = self._weights(mask)
        options = self._options(kept, training, weights, sample_weights, max_iter, tol)
        context = self._handle.context
        codes = context.make("saved_run_encode", self._handle, self._samples(X, weights), byref(options))
        return _data.matrix_out(context, codes, codes)

    def predict(self, X: Any, *, training: Any = None, mask: Any = None, sample_weights: Any = None,
                max_iter: int = 500, tol: float = 1e-10) -> np.ndarray:
        """The clusters of new samples by the run's own rule, numbered as `labels`; arguments as of `transform`."""
        kept: list[Handle] = []
        weights = self._weights(mask)
        options = self._options(kept, training, weights, sample_weights, max_iter, tol)
        return _data.labels_out(self._handle.context.make("saved_run_predict", self._handle, self._samples(X, weights),
                                                          byref(options)))

    def inverse_transform(self, X: Any = None) -> np.ndarray:
        """The samples that codes stand for; those of the run where none are given."""
        return (self.factor("encoding") if X is None else np.asarray(X)) @ self.factor("basis").T

    def complete(self, file: Any, X: Any = None, *, mask: Any = None) -> None:
        """Write the run's samples with fitted values in the places of missing entries to a file.

        Parameters
        ----------
        file : str or path
            .npy, .h5 or .csr are written some rows at a time, .csv, .tsv and .mtx whole.
        X : array or sparse matrix, optional
            The samples of the run, as they were before they were scaled; None: read from the file that it names.
        mask : array or sparse matrix, optional
            That the run was fitted with.
        """
        context = self._handle.context
        weights = self._weights(mask)
        samples = (context.make("saved_run_data_masked", self._handle, weights) if X is None
                   else self._samples(X, weights))
        context.call("saved_run_complete", self._handle, samples, weights, coded(file))

    def entries(self, rows: Any, columns: Any) -> np.ndarray:
        """The fitted values of single entries of the run's samples, rows and columns from 0."""
        rows, columns = np.broadcast_arrays(np.asarray(rows, np.int64), np.asarray(columns, np.int64))
        rows, columns = np.ascontiguousarray(rows), np.ascontiguousarray(columns)
        values = np.empty(rows.shape)
        whole, real = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_double)
        self._handle.context.call("saved_run_entries", self._handle, rows.size, rows.ctypes.data_as(whole),
                                  columns.ctypes.data_as(whole), values.ctypes.data_as(real))
        return values


def load_run(folder: Any, *, dtype: Any = np.float32, n_jobs: Optional[int] = None) -> SavedRun:
    """The run of a folder that the command, or `save_run`, wrote.

    Parameters
    ----------
    folder : str or path
    dtype : float32 or float64, default=float32
        Of the factors and codes.
    n_jobs : int, optional
        Threads of `transform`; None: every processor.
    """
    context = Context(_library.DOUBLE if np.dtype(dtype) == np.float64 else _library.SINGLE, n_jobs)
    return SavedRun(context.make("saved_run_open", context, coded(folder)))


def report(folder: Any, *, words: Any = None, format: str = "text") -> str:
    """Make report.html of a run, of several runs in subfolders, or of a study again, and give its tables.

    Parameters
    ----------
    folder : str or path
    words : str or path, optional
        A file with a name for each feature, one in a line, for the words of the parts.
    format : {"text", "md", "tex", "csv", "json"}
        Of the tables that are returned: a summary in 80 columns, or all tables for a paper.
    """
    context = Context()
    if words is not None:
        context.call("run_set_words", context, coded(folder), coded(words))
    context.call("run_report", context, coded(folder))
    return context.text("run_tables", context, coded(folder), format.encode())


class Reproduction:
    """What `reproduce` gives: `str()` has the averages, `tables` all tables.

    Attributes
    ----------
    runs, failures : int
        How many runs there were, and how many of them could not be done.
    failure : str
        Why the first of these could not.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self.runs: int = lib.reproduction_run_count(handle)
        self.failures: int = lib.reproduction_failure_count(handle)
        self.failure: str = lib.reproduction_failure(handle).decode()

    def tables(self, format: str = "md") -> str:
        """All tables as Markdown ("md"), LaTeX ("tex") or CSV ("csv"); "text": the averages."""
        return self._handle.context.text("reproduction_tables", self._handle, format.encode())

    def __str__(self) -> str:
        return self.tables("text")


def paper_items(paper: str, data: Any = None, folder: Any = None) -> list[dict[str, Any]]:
    """Every table, figure, theorem and claim of a paper.

    Parameters
    ----------
    paper : str
        As of `reproduce`.
    data : str or path, optional
        The folder with the data sets: items whose set is not there have the state "data not here".
    folder : str or path, optional
        Of a reproduction: items that it holds have the state "done".

    Returns
    -------
    list of dict
        With "kind" ("table", "figure", "theorem", "claim"), "id", "what", "command" (None where there is none), "data",
        "state", "quick" and "note".
    """
    context = Context(_library.SINGLE)
    text = context.text("paper_items", context, paper.encode(), None if data is None else coded(data),
                        None if folder is None else coded(folder), b"json")
    return json.loads(text)


def _listed(names: Union[str, list[str], None]) -> Optional[bytes]:
    return None if not names else ",".join(names).encode() if isinstance(names, (list, tuple)) else names.encode()


def reproduce(paper: str, data: Any, folder: Any, *, tables: Union[str, list[str], None] = None,
              figures: Union[str, list[str], None] = None, claims: Union[str, list[str], None] = None, repeats: int = 0,
              quick: bool = False, random_state: Any = 1, n_jobs: Optional[int] = None,
              callback: Any = None) -> Reproduction:
    """A paper's experiments again: its tables with ours beside theirs, and its figures.

    Hours, `quick=True` minutes. Runs that are in the folder already are not done again.

    Parameters
    ----------
    paper : str
        "tnmf", "cdnmf", "nlcf", "rmnd" or "grpnmf"; another one is refused with the names that there are.
    data : str or path
        The folder with the data sets.
    folder : str or path
        For everything that comes out, report.html too.
    tables, figures, claims : str or list of str, optional
        These alone, as in ["II", "III"], or "all"; with none of the three everything. `paper_items` lists them.
    repeats : int, default=0
        0: as the paper.
    quick : bool, default=False
        Few classes, repeats and iterations: to see that all works.
    random_state : int or RandomState, default=1
    callback : callable, optional
        Called with the progress; returns False to stop. The same call goes on from there.
    """
    context = Context(_library.SINGLE, n_jobs, callback)
    options = _library.ReproduceOptions(size=ctypes.sizeof(_library.ReproduceOptions), data=coded(data),
                                        output=coded(folder), tables=_listed(tables),
                                        figures=_listed(figures), claims=_listed(claims), repeats=repeats,
                                        quick=quick, seed=seed_of(random_state))
    return Reproduction(context.make("reproduce", context, paper.encode(), byref(options)))


__all__ = ["Reproduction", "SavedRun", "load_run", "paper_items", "report", "reproduce", "save_run"]
