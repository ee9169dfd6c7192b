"""A result of the library as the estimators keep it, and the bar that is shown while it is made."""

from __future__ import annotations

import sys
import threading
from ctypes import POINTER, c_double
from typing import Any, Optional

import numpy as np

from . import _data
from ._group import Part
from ._library import Context, Handle, lib


class Fit:
    """A result of the library. What takes time to get is got when it is asked for, and then kept."""

    def __init__(self, model: Handle, result: Handle, rule: Optional[str], clusters: int, restarts: int,
                 seed: int, part: Optional[Part] = None) -> None:
        self.model: Optional[Handle] = model
        self.result: Optional[Handle] = result
        #: The rows of this process, where processes share the samples.
        self.part = part
        self._label_arguments = (rule.encode() if rule else None, clusters, restarts, seed)
        self._labels: Optional[np.ndarray] = None
        #: What codes of new samples take beside the factors: the samples that a graph joins them with, weights.
        self.inputs: dict[str, Any] = {}
        #: A context is entered by one thread at a time, and several may ask one fitted model.
        self.lock = threading.Lock()
        self._history: Optional[dict[str, np.ndarray]] = None
        self.rule = rule or lib.result_labels_rule(result).decode()
        scale = lib.result_labels_scale(result)
        #: What the columns of the encoding are multiplied by before labels are taken from it.
        self.scale = np.ctypeslib.as_array(scale, (self.factor("encoding").shape[1],)).copy() if scale else None

    def factor(self, name: str) -> np.ndarray:
        assert self.result
        return _data.matrix_out(self.result.context, lib.result_factor(self.result, name.encode()), self.result)

    def factor_names(self) -> list[str]:
        count = lib.result_factor_count(self.result)
        return [lib.result_factor_name(self.result, index).decode() for index in range(count)]

    def notes(self) -> list[str]:
        return [lib.result_note(self.result, index).decode() for index in range(lib.result_note_count(self.result))]

    def last(self, column: str) -> float:
        """The last entry of a column of the history; NaN where there is no such column."""
        rows = lib.result_history_rows(self.result)
        for index in range(lib.result_history_columns(self.result)):
            if rows and lib.result_history_column(self.result, index).decode() == column:
                return lib.result_history(self.result, rows - 1, index)
        return np.nan

    @property
    def history(self) -> dict[str, np.ndarray]:
        if self._history is None:
            rows, columns = lib.result_history_rows(self.result), lib.result_history_columns(self.result)
            self._history = {
                lib.result_history_column(self.result, column).decode():
                np.array([lib.result_history(self.result, row, column) for row in range(rows)])
                for column in range(columns)
            }
        return self._history

    @property
    def labels(self) -> np.ndarray:
        with self.lock:
            if self._labels is None:
                self._labels = self._find_labels()
        return self._labels

    def _find_labels(self) -> np.ndarray:
        if not self.has_labels():
            raise NotImplementedError(f"labels by {self.rule} take the codes of all samples, and each process has "
                                      "its own: gather encoding_ for orthant.KMeans, or set labels_rule='argmax'")
        assert self.result
        context = self.result.context
        if self.part is not None and not self.factor("encoding").shape[0]:
            return np.empty(0, np.int64)
        try:
            return _data.labels_out(context.make("result_labels", self.result, *self._label_arguments))
        finally:
            if context.bar:
                context.bar.close()

    def has_labels(self) -> bool:
        """Whether labels can be had of the samples of this process alone."""
        return self.part is None or len(self.part.rows) == 1 or self.rule.split(":")[0] == "argmax"

    def all_labels(self) -> np.ndarray:
        """Also those of other processes, all of which call it."""
        if self.part is None:
            return self.labels
        assert self.result
        return self.result.context.group.gather(self.labels, self.part.rows)

    def predict(self, codes: np.ndarray, encoding: np.ndarray) -> np.ndarray:
        """The clusters of codes: by the largest entry, or by the nearest mean of the fit's own codes."""
        context = Context(_data.precision_of(codes))
        labels = None if self.rule == "argmax:encoding" else _data.labels_in(context, self.labels)
        scale = None if self.scale is None else self.scale.ctypes.data_as(POINTER(c_double))
        return _data.labels_out(context.make("labels_predict", context, _data.matrix_in(context, codes),
                                             _data.matrix_in(context, encoding), labels, self.rule.encode(), scale))

    def __getstate__(self) -> dict[str, Any]:
        """The library's result is no bytes: what it was kept for is taken from it."""
        if self.result is not None:
            self.history, self.has_labels() and self.labels
        return {**self.__dict__, "model": None, "result": None, "lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, lock=threading.Lock())


class ProgressBar:
    """tqdm's bar for each phase, or a line a phase where tqdm is not there."""

    def __init__(self, title: str) -> None:
        self.title, self.phase, self.bar = title, "", None

    def __call__(self, told: dict) -> None:
        if told["phase"] != self.phase:
            self.close()
            self.phase = told["phase"]
            try:
                from tqdm.auto import tqdm
                self.bar = tqdm(total=told["total"] or None, desc=f"{self.title}: {self.phase}", file=sys.stderr)
            except ImportError:
                print(f"{self.title}: {self.phase}", file=sys.stderr)
        if self.bar is not None:
            if told["objective"] == told["objective"]:
                self.bar.set_postfix(objective=f"{told['objective']:.6g}", refresh=False)
            self.bar.update(told["done"] - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
        self.bar = None
