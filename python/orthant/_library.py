"""liborthant through ctypes: its functions, its handles, and its errors as exceptions."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import warnings
from contextlib import contextmanager, nullcontext
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint64, c_void_p)
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

SINGLE, DOUBLE = 0, 1


class Array(Structure):
    """orthant_array: an array as it lies in memory."""

    _fields_ = [("size", c_size_t), ("precision", c_int), ("sparse", c_bool), ("rows", c_int64), ("columns", c_int64),
                ("values", c_void_p), ("row_stride", c_int64), ("column_stride", c_int64), ("stored", c_int64),
                ("row_start", c_void_p), ("column", c_void_p), ("row_start_bits", c_int32), ("column_bits", c_int32)]


class Progress(Structure):
    """orthant_progress: what a long computation tells."""

    _fields_ = [("size", c_size_t), ("phase", c_char_p), ("done", c_int64), ("total", c_int64), ("seconds", c_double),
                ("objective", c_double)]


class MethodInfo(Structure):
    """orthant_method_info: a row of the table of methods."""

    _fields_ = [("size", c_size_t)]
    _fields_ += [(name, c_char_p) for name in ("name", "title", "family", "loss", "terms", "needs", "factors", "labels",
                                               "read_outs", "promises", "reference", "description")]
    _fields_ += [("mixed_signs", c_bool), ("parameters", c_int), ("iterates", c_bool), ("shows_factors", c_bool),
                 ("streams", c_bool), ("on_device", c_bool)]


class ParameterInfo(Structure):
    """orthant_parameter_info: a parameter of a method."""

    _fields_ = [("size", c_size_t), ("name", c_char_p), ("help", c_char_p), ("choices", c_char_p),
                ("default_text", c_char_p), ("minimum", c_double), ("maximum", c_double), ("whole", c_bool)]


class ReadOptions(Structure):
    """orthant_read_options: how a file is read."""

    _fields_ = [("size", c_size_t), ("variable", c_char_p), ("truth", c_char_p), ("transpose", c_bool),
                ("image_height", c_int), ("image_width", c_int), ("color", c_bool), ("map", c_bool), ("stream", c_bool),
                ("share", c_bool), ("id_column", c_char_p), ("drop", c_char_p), ("missing", c_bool)]


class TransformOptions(Structure):
    """orthant_transform_options: what codes of new samples take beside the model."""

    _fields_ = [("size", c_size_t)]
    _fields_ += [(name, c_void_p) for name in ("encoding", "training", "mask", "sample_weights", "feature_weights")]
    _fields_ += [("iterations", c_int64), ("tolerance", c_double)]


class WordsOptions(Structure):
    """orthant_words_options: which words are counted."""

    _fields_ = [("size", c_size_t), ("stop_words", c_char_p), ("fewest_counts", c_int64),
                ("fewest_documents", c_int64), ("most_words", c_int64)]


class PictureShape(Structure):
    """orthant_picture_shape: the grid of the pixels of a sample."""

    _fields_ = [("height", c_int), ("width", c_int), ("channels", c_int), ("column_major", c_bool)]


class Scores(Structure):
    """orthant_scores: a clustering beside the truth."""

    _fields_ = [("size", c_size_t)]
    _fields_ += [(name, c_double) for name in ("accuracy", "nmi", "ari", "purity")]
    _fields_ += [(name, c_int64) for name in ("samples", "clusters", "classes")]
    _fields_ += [(name, c_double) for name in ("nmi_arithmetic", "nmi_geometric", "nmi_min", "ami", "homogeneity",
                                               "completeness", "v_measure")]


class ClusterScores(Structure):
    """orthant_cluster_scores: clusters by themselves."""

    _fields_ = [("size", c_size_t), ("silhouette", c_double), ("cohesion", c_double), ("exact", c_bool)]
    _fields_ += [(name, c_int64) for name in ("samples", "clusters", "smallest", "largest")]


class StudyRow(Structure):
    """orthant_study_row: one finished run of a study; its measures lie one after the other."""

    _fields_ = [("size", c_size_t), ("dataset", c_char_p), ("method", c_char_p), ("classes", c_int64),
                ("repeat", c_int64), ("seed", c_int64)]
    _fields_ += [(name, c_double) for name in ("accuracy", "nmi", "ari", "purity", "sparseness", "objective",
                                               "iterations", "seconds")]


class StudyRank(Structure):
    """orthant_study_rank: the mean rank of a method."""

    _fields_ = [("size", c_size_t), ("method", c_char_p), ("mean_rank", c_double)]


class Friedman(Structure):
    """orthant_friedman: a test over the ranks."""

    _fields_ = [("size", c_size_t)]
    _fields_ += [(name, c_double) for name in ("chi2", "chi2_p", "f", "f_p", "critical_difference")]


class SegmentationOptions(Structure):
    """orthant_segmentation_options: what a region is."""

    _fields_ = [("size", c_size_t), ("threshold", c_double), ("components", c_bool)]


class Criterion(Structure):
    """orthant_criterion_info: a criterion of a segmentation."""

    _fields_ = [("size", c_size_t), ("name", c_char_p), ("title", c_char_p), ("percent", c_bool),
                ("higher_is_better", c_bool)]


class GraphOptions(Structure):
    """orthant_graph_options: a graph of nearest neighbours."""

    _fields_ = [("size", c_size_t), ("neighbours", c_int64), ("weight", c_int), ("heat_width", c_double),
                ("search", c_int), ("time_limit_s", c_double), ("missing", c_char_p)]


class ConsensusOptions(Structure):
    """orthant_consensus_options: how the parts that starts agree on are found."""

    _fields_ = [("size", c_size_t), ("starts", c_int64), ("threshold", c_double), ("neighbourhood", c_double),
                ("restarts", c_int)]


class ConsensusInfo(Structure):
    """orthant_consensus_info: a consensus as a whole."""

    _fields_ = [("size", c_size_t), ("starts", c_int64), ("members", c_int64), ("kept", c_int64),
                ("neighbours", c_int64), ("threshold", c_double), ("neighbourhood", c_double),
                ("silhouette", c_double), ("fixed", c_int64)]


class ConsensusPart(Structure):
    """orthant_consensus_part: a part of a consensus."""

    _fields_ = [("size", c_size_t), ("members", c_int64), ("starts", c_int64), ("silhouette", c_double),
                ("cosine", c_double)]


class ConsensusMember(Structure):
    """orthant_consensus_member: a part of a start."""

    _fields_ = [("size", c_size_t), ("start", c_int64), ("part", c_int64), ("cluster", c_int64),
                ("density", c_double), ("silhouette", c_double)]


class SegmentOptions(Structure):
    """orthant_segment_options: how a picture or a cloud is segmented."""

    _fields_ = [("size", c_size_t), ("graph_weight", c_double), ("smallest", c_double), ("seed", c_uint64),
                ("nodes", c_char_p), ("method", c_char_p), ("segments", c_int64), ("iterations", c_int64),
                ("features", c_char_p), ("feature_weights", c_char_p), ("bank", c_char_p), ("window", c_int),
                ("bins", c_int), ("binning", c_char_p), ("finish", c_char_p), ("superpixels", c_int64),
                ("edge_weights", c_char_p), ("smoothing", c_double), ("init", c_char_p), ("snapshots", c_char_p),
                ("parameters", POINTER(c_char_p)), ("parameter_count", c_int), ("neighbours", c_int64)]


class SegmentationInfo(Structure):
    """orthant_segmentation_info: how a segmentation was found."""

    _fields_ = [("size", c_size_t), ("count", c_int64), ("height", c_int), ("width", c_int), ("segments", c_int64),
                ("estimated", c_bool), ("evidence", c_char_p), ("nodes", c_int64), ("edges", c_int64),
                ("iterations", c_int64), ("objective", c_double), ("graph_weight", c_double),
                ("feature_seconds", c_double), ("fit_seconds", c_double), ("total_seconds", c_double),
                ("snapshots", c_int), ("wanted", c_int64), ("interrupted", c_bool)]


class SegmentRun(Structure):
    """orthant_segment_run: what the folder of a segmentation is made of."""

    _fields_ = [("size", c_size_t), ("command", c_char_p), ("data_path", c_char_p),
                ("options", POINTER(SegmentOptions)), ("segmentation", c_void_p), ("image", c_void_p),
                ("cloud", c_void_p), ("draw", c_char_p), ("truth_path", c_char_p), ("annotators", c_int64),
                ("scores", c_void_p), ("truth", c_void_p)]


class FeatureOptions(Structure):
    """orthant_feature_options: which features of whole pictures."""

    _fields_ = [("size", c_size_t), ("kind", c_char_p), ("words", c_int64), ("seed", c_uint64), ("bank", c_char_p)]


class Run(Structure):
    """orthant_run: what the folder of a run is made of."""

    _fields_ = [("size", c_size_t), ("command", c_char_p), ("data_path", c_char_p), ("scale", c_char_p),
                ("scale_statistics", c_void_p), ("samples", c_void_p), ("model", c_void_p), ("result", c_void_p),
                ("labels", c_void_p), ("labels_rule", c_char_p), ("scores", POINTER(Scores)), ("read_outs", c_void_p),
                ("read_out_count", c_int), ("init", c_char_p), ("graph", c_char_p), ("labelled", c_char_p),
                ("truth", c_char_p), ("truth_labels", c_void_p), ("drawn_classes", c_char_p),
                ("sample_rows", c_void_p), ("without_report", c_bool), ("words", c_char_p),
                ("cluster_scores", POINTER(ClusterScores)), ("rank_reasons", c_char_p), ("read", POINTER(ReadOptions))]


class ReproduceOptions(Structure):
    """orthant_reproduce_options: what of a paper's experiments is asked for."""

    _fields_ = [("size", c_size_t), ("data", c_char_p), ("output", c_char_p), ("tables", c_char_p),
                ("repeats", c_int64), ("quick", c_bool), ("seed", c_int64), ("command", c_char_p),
                ("figures", c_char_p), ("claims", c_char_p)]


ExchangeFunction = CFUNCTYPE(c_bool, c_void_p, POINTER(c_void_p), POINTER(c_int64), POINTER(c_void_p), POINTER(c_int64))
GatherFunction = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_void_p, POINTER(c_int64))
GroupAbortFunction = CFUNCTYPE(None, c_void_p, c_char_p)


class GroupFunctions(Structure):
    """orthant_group: processes that share the samples."""

    _fields_ = [("size", c_size_t), ("rank", c_int), ("ranks", c_int), ("user", c_void_p),
                ("exchange", ExchangeFunction), ("gather", GatherFunction), ("abort", GroupAbortFunction)]


ProgressFunction = CFUNCTYPE(c_bool, c_void_p, POINTER(Progress))
LogFunction = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
IterationFunction = CFUNCTYPE(c_bool, c_void_p, c_void_p)

_handle, _out, _text, _i64, _status = c_void_p, POINTER(c_void_p), c_char_p, c_int64, c_int

# name: what it returns, what it takes. A status is checked by `Context.call`.
_PROTOTYPES: dict[str, tuple] = {
    "version": (_text,),
    "cpu_kernels": (_text,),
    "blas_description": (_text,),
    "status_name": (_text, _status),
    "context_create": (_status, _out),
    "context_free": (None, _handle),
    "message": (_text, _handle),
    "context_set_threads": (_status, _handle, c_int),
    "context_threads": (c_int, _handle),
    "context_set_precision": (None, _handle, c_int),
    "context_set_device": (_status, _handle, c_char_p),
    "context_device": (_text, _handle),
    "context_set_product_rounding": (None, _handle, c_bool),
    "context_set_confined": (None, _handle, c_bool),
    "context_set_log": (None, _handle, LogFunction, c_void_p),
    "context_set_progress": (None, _handle, ProgressFunction, c_void_p),
    "context_set_group": (_status, _handle, POINTER(GroupFunctions)),
    "group_rows": (_status, _handle, _i64, _i64, POINTER(c_int64), POINTER(c_int64)),
    "method_count": (c_int,),
    "method_info_at": (_status, c_int, POINTER(MethodInfo)),
    "method_parameter": (_status, _text, c_int, POINTER(ParameterInfo)),
    "common_parameter_count": (c_int,),
    "common_parameter": (_status, c_int, POINTER(ParameterInfo)),
    "term_count": (c_int,),
    "term_name": (_text, c_int),
    "term_title": (_text, c_int),
    "term_parameter": (_status, _text, c_int, POINTER(ParameterInfo)),
    "matrix_read": (_status, _handle, _text, POINTER(ReadOptions), _out, _out),
    "matrix_create": (_status, _handle, _i64, _i64, POINTER(c_double), _out),
    "matrix_wrap": (_status, _handle, POINTER(Array), c_void_p, c_void_p, _out),
    "matrix_view": (_status, _handle, POINTER(Array)),
    "matrix_is_borrowed": (c_bool, _handle),
    "matrix_set_part": (_status, _handle, _i64, _i64),
    "matrix_set_device_copy": (_status, _handle, _text, c_void_p, _i64),
    "matrix_free": (None, _handle),
    "matrix_picture": (PictureShape, _handle),
    "matrix_scale_masked": (_status, _handle, c_int, _handle, _handle, _out),
    "scaling_parse": (_status, _handle, _text, POINTER(c_int)),
    "labels_create": (_status, _handle, _i64, POINTER(c_int64), _out),
    "labels_free": (None, _handle),
    "labels_count": (_i64, _handle),
    "words_count": (_status, _handle, c_char_p, POINTER(WordsOptions), _out, _out),
    "labels_name": (c_char_p, _handle, _i64),
    "matrix_feature_name": (c_char_p, _handle, _i64),
    "matrix_sample_name": (c_char_p, _handle, _i64),
    "matrix_set_feature_names": (_status, _handle, POINTER(c_char_p)),
    "labels_values": (POINTER(c_int64), _handle),
    "similarity_gaussian": (_status, _handle, _handle, _i64, c_double, _out),
    "graph_with_labels": (_status, _handle, _handle, _handle, _out),
    "graph_build": (_status, _handle, _handle, POINTER(GraphOptions), _out),
    "search_parse": (_status, _handle, _text, POINTER(c_int)),
    "graph_from_matrix": (_status, _handle, _handle, _out),
    "graph_free": (None, _handle),
    "graph_view": (_status, _handle, POINTER(Array)),
    "edge_weight_parse": (_status, _handle, _text, POINTER(c_int)),
    "model_create": (_status, _handle, _text, _i64, _out),
    "model_free": (None, _handle),
    "model_set": (_status, _handle, _text, _text),
    "model_add_term": (_status, _handle, _text, c_double),
    "model_parameter_count": (c_int, _handle),
    "model_parameter_name": (_text, _handle, c_int),
    "model_set_graph": (_status, _handle, _handle),
    "model_set_labels": (_status, _handle, _handle),
    "model_set_mask": (_status, _handle, _handle),
    "model_set_sample_weights": (_status, _handle, _handle),
    "model_set_feature_weights": (_status, _handle, _handle),
    "model_set_pooling": (_status, _handle, _handle),
    "model_set_similarity": (_status, _handle, _handle),
    "model_set_iteration": (_status, _handle, IterationFunction, c_void_p),
    "model_set_fixed": (_status, _handle, _text, _handle),
    "model_set_start": (_status, _handle, _text, _handle),
    "fit": (_status, _handle, _handle, _out),
    "fit_starts": (_status, _handle, _handle, c_int64, _out),
    "fit_ensemble": (_status, _handle, _handle, c_int64, c_char_p, c_int64, c_int, _out),
    "fit_consensus": (_status, _handle, _handle, c_void_p, _out),
    "result_consensus": (_status, _handle, c_void_p),
    "result_consensus_part": (_status, _handle, _i64, c_void_p),
    "result_consensus_member": (_status, _handle, _i64, c_void_p),
    "result_free": (None, _handle),
    "result_factor_count": (c_int, _handle),
    "result_factor_name": (_text, _handle, c_int),
    "result_factor": (_handle, _handle, _text),
    "result_iterations": (_i64, _handle),
    "result_converged": (c_bool, _handle),
    "result_minimal_encodings": (c_bool, _handle),
    "result_stopped": (c_bool, _handle),
    "result_seconds": (c_double, _handle),
    "result_objective": (c_double, _handle),
    "result_start_count": (c_int64, _handle),
    "result_term_weight": (c_double, _handle, c_int),
    "model_rank": (c_int64, _handle),
    "model_term_count": (c_int, _handle),
    "model_term": (_text, _handle, c_int),
    "result_start_objective": (c_double, _handle, c_int64),
    "result_relative_error": (c_double, _handle),
    "result_explained_variance": (c_double, _handle),
    "result_missing": (_i64, _handle),
    "result_history_columns": (c_int, _handle),
    "result_history_column": (_text, _handle, c_int),
    "result_history_rows": (_i64, _handle),
    "result_history": (c_double, _handle, _i64, c_int),
    "result_note_count": (c_int, _handle),
    "result_note": (_text, _handle, c_int),
    "result_labels": (_status, _handle, _text, _i64, c_int, c_uint64, _out),
    "result_labels_rule": (_text, _handle),
    "result_labels_scale": (POINTER(c_double), _handle),
    "labels_nearest": (_status, _handle, _handle, _handle, _out),
    "labels_predict": (_status, _handle, _handle, _handle, _handle, _text, POINTER(c_double), _out),
    "transform": (_status, _handle, _handle, _text, _handle, _i64, c_double, _out),
    "model_transform": (_status, _handle, _handle, _handle, POINTER(TransformOptions), _out),
    "score_clusters": (_status, _handle, _handle, _handle, POINTER(ClusterScores)),
    "labels_sizes": (_status, _handle, _i64, c_void_p),
    "score_labels": (_status, _handle, _handle, _handle, POINTER(Scores)),
    "score_segmentation": (_status, _handle, c_void_p, c_void_p, _i64, _i64, POINTER(SegmentationOptions), c_void_p),
    "criterion_count": (c_int,),
    "criterion_at": (_status, c_int, POINTER(Criterion)),
    "criterion_value": (c_double, c_void_p, c_int),
    "file_is_cloud": (c_bool, _text),
    "image_read": (_status, _handle, _text, _out),
    "image_create": (_status, _handle, c_int, c_int, c_int, c_int, c_void_p, _out),
    "image_free": (None, _handle),
    "cloud_read": (_status, _handle, _text, _out),
    "cloud_create": (_status, _handle, _i64, c_void_p, c_void_p, c_void_p, _out),
    "cloud_free": (None, _handle),
    "segment_image": (_status, _handle, _handle, POINTER(SegmentOptions), _out),
    "segment_cloud": (_status, _handle, _handle, POINTER(SegmentOptions), _out),
    "segmentation_free": (None, _handle),
    "segmentation_describe": (_status, _handle, POINTER(SegmentationInfo)),
    "segmentation_labels": (POINTER(c_int32), _handle),
    "segmentation_snapshot": (POINTER(c_int32), _handle, c_int, POINTER(c_int64)),
    "segmentation_graph": (_handle, _handle),
    "segment_run_write": (_status, _handle, POINTER(SegmentRun), _text),
    "image_features": (_status, _handle, POINTER(c_char_p), _i64, POINTER(FeatureOptions), _out, _out),
    "text_free": (None, _handle, c_void_p),
    "run_write": (_status, _handle, POINTER(Run), _text),
    "run_claim_take": (_status, _handle, _text, c_bool, _out),
    "run_claim_free": (None, c_void_p),
    "run_report": (_status, _handle, _text),
    "run_set_words": (_status, _handle, _text, _text),
    "run_tables": (_status, _handle, _text, _text, _out),
    "saved_run_open": (_status, _handle, _text, _out),
    "saved_run_free": (None, _handle),
    "saved_run_text": (_text, _handle, _text),
    "saved_run_number": (c_double, _handle, _text),
    "saved_run_factor": (_status, _handle, _text, _out),
    "saved_run_labels": (_status, _handle, _out),
    "saved_run_scale_masked": (_status, _handle, _text, _handle, _handle),
    "saved_run_transform": (_status, _handle, _handle, _i64, c_double, _out),
    "saved_run_data_masked": (_status, _handle, _handle, _out),
    "saved_run_encode": (_status, _handle, _handle, POINTER(TransformOptions), _out),
    "saved_run_predict": (_status, _handle, _handle, POINTER(TransformOptions), _out),
    "saved_run_inverse": (_status, _handle, _handle, _text),
    "saved_run_complete": (_status, _handle, _handle, _handle, _text),
    "saved_run_entries": (_status, _handle, _i64, POINTER(c_int64), POINTER(c_int64), POINTER(c_double)),
    "reproduce": (_status, _handle, _text, POINTER(ReproduceOptions), _out),
    "paper_items": (_status, _handle, _text, _text, _text, _text, _out),
    "reproduction_free": (None, _handle),
    "reproduction_tables": (_status, _handle, _text, _out),
    "reproduction_run_count": (_i64, _handle),
    "reproduction_failure_count": (_i64, _handle),
    "reproduction_failure": (_text, _handle),
    "study_create": (_status, _handle, _out),
    "study_free": (None, _handle),
    "study_set": (_status, _handle, _text, _text),
    "study_add_data": (_status, _handle, _text, _text, _handle, _handle),
    "study_run": (_status, _handle, _text),
    "study_row_count": (_i64, _handle),
    "study_row_at": (_status, _handle, _i64, POINTER(StudyRow)),
    "study_failure_count": (_i64, _handle),
    "study_failure": (_text, _handle, _i64),
    "study_tables": (_status, _handle, _text, _out),
    "study_summarise": (_status, _handle, _text, _out),
    "study_summary_free": (None, _handle),
    "study_rank_count": (_i64, _handle),
    "study_rank_at": (_status, _handle, _i64, POINTER(StudyRank)),
    "study_friedman": (_status, _handle, POINTER(Friedman)),
    "ranks_create": (_status, _handle, _out),
    "ranks_free": (None, _handle),
    "ranks_set": (_status, _handle, _text, _text),
    "ranks_run": (_status, _handle, _text, _handle, _text),
    "ranks_describe": (_status, _handle, _out),
    "ranks_tables": (_status, _handle, _text, _out),
}


def _path() -> str:
    """The library that is asked for, the one beside the modules, or the system's of the version that these are made for."""
    beside = Path(__file__).with_name("liborthant.so")
    return os.environ.get("ORTHANT_LIBRARY") or (str(beside) if beside.exists() else "liborthant.so.0.2")


PATH = _path()


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(PATH)
    for name, (returns, *takes) in _PROTOTYPES.items():
        function = getattr(library, "orthant_" + name)
        function.restype, function.argtypes = returns, takes
    return library


class _Functions:
    """The library's functions, without their prefix."""

    def __init__(self) -> None:
        library = _load()
        for name in _PROTOTYPES:
            setattr(self, name, getattr(library, "orthant_" + name))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"liborthant has no orthant_{name}")


lib: Any = _Functions()

# orthant_status: an exception for each.
_EXCEPTIONS: dict[str, type[Exception]] = {
    "argument": ValueError,
    "format": ValueError,
    "io": OSError,
    "memory": MemoryError,
    "data": ValueError,
    "numeric": ArithmeticError,
    "unsupported": NotImplementedError,
}


class Handle:
    """An object of the library, freed with the last reference to it. It keeps what it stands on alive."""

    def __init__(self, context: "Context", pointer: c_void_p, free: Callable, *kept: Any) -> None:
        self.context, self.pointer, self._free, self.kept = context, pointer, free, kept
        context.children += 1

    @property
    def _as_parameter_(self) -> c_void_p:
        return self.pointer

    def free(self) -> None:
        pointer, self.pointer = self.pointer, c_void_p()
        if pointer:
            self._free(pointer)
            self.kept = ()
            self.context.child_freed()

    def __del__(self) -> None:
        self.free()


class _Listener:
    """What the library tells while it computes. It knows no context, so that there is no cycle of references."""

    def __init__(self, callback: Optional[Callable[[dict], Any]]) -> None:
        self.callback = callback
        self.silent = ""  # a phase of which the callback hears otherwise
        self.raised: Optional[BaseException] = None
        self.told: list[tuple[int, str]] = []

    def progress(self, user: Any, progress: Any) -> bool:
        try:
            if self.raised:
                return False
            if self.callback is None:
                return True
            told = progress.contents
            phase = told.phase.decode()
            if phase == self.silent:
                return True
            return self.callback({"phase": phase, "done": told.done, "total": told.total,
                                  "seconds": told.seconds, "objective": told.objective}) is not False
        except BaseException as error:
            self.raised = error
            return False

    def log(self, user: Any, level: int, message: bytes) -> None:
        try:
            self.told.append((level, message.decode(errors="replace")))
        except BaseException as error:
            self.raised = error


# Functions that take long, and that tell their progress.
_LONG = {"fit", "fit_starts", "fit_ensemble", "fit_consensus", "graph_build", "image_features", "matrix_read", "model_transform",
         "reproduce", "result_labels", "saved_run_complete", "saved_run_encode", "saved_run_inverse",
         "saved_run_predict", "saved_run_transform", "segment_cloud", "segment_image", "similarity_gaussian",
         "study_run", "transform"}


@contextmanager
def _interrupts(listener: _Listener) -> Iterator[None]:
    """Ctrl-C while the library works.

    Python runs the handler of a signal at the begin of the next function that the library calls, where an exception
    would be lost: it is kept for the end of the call, and the progress asks the library to stop.
    """
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return

    def keep(number: int, frame: Any) -> None:
        try:
            handler(number, frame)
        except BaseException as error:
            listener.raised = error

    signal.signal(signal.SIGINT, keep)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


class Context:
    """orthant_context: one for each call from Python, so that threads do not meet in it.

    `callback` hears of the progress as a dict and returns False to stop. What it raises, and Ctrl-C, stops the
    computation after its step and is raised by `call`.
    """

    def __init__(self, precision: int = SINGLE, threads: Optional[int] = None,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.children, self._alive, self._free = 0, True, lib.context_free
        self.pointer = c_void_p()
        if lib.context_create(byref(self.pointer)):
            raise MemoryError("no memory for a context of liborthant")
        self.callback, self._listener = callback, _Listener(callback)
        self.group: Any = None
        self.bar: Any = None
        # The library calls these as long as the context lives.
        self._functions = (ProgressFunction(self._listener.progress), LogFunction(self._listener.log))
        lib.context_set_precision(self, precision)
        lib.context_set_progress(self, self._functions[0], None)
        lib.context_set_log(self, self._functions[1], None)
        if threads is not None and threads != -1:
            self.call("context_set_threads", self, threads)

    @property
    def _as_parameter_(self) -> c_void_p:
        return self.pointer

    def watch(self, told: Callable[[c_void_p], Any]) -> Any:
        """A function for orthant_model_set_iteration; what `told` raises is raised by `call`."""
        listener = self._listener

        def iteration(user: Any, result: Any) -> bool:
            try:
                return not listener.raised and told(result) is not False
            except BaseException as error:
                listener.raised = error
                return False

        listener.silent = "fit"
        return IterationFunction(iteration)

    def text(self, name: str, *arguments: Any) -> str:
        """Calls a function whose last argument is a text that it makes."""
        made = c_void_p()
        self.call(name, *arguments, byref(made))
        text = ctypes.string_at(made.value or b"").decode()
        lib.text_free(self, made)
        return text

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function that returns a status; a failure becomes an exception with the library's message."""
        listener = self._listener
        for argument in arguments:
            if isinstance(argument, Handle) and not argument.pointer:
                raise ValueError("this object was freed")
        with _interrupts(listener) if name in _LONG else nullcontext():
            status = getattr(lib, name)(*arguments)
        raised, listener.raised = listener.raised, None
        told, listener.told = listener.told, []
        if raised is not None:
            raise raised
        for level, message in told:
            if level:
                warnings.warn(message, UserWarning, stacklevel=outside())
        if status:
            kind = lib.status_name(status).decode()
            message = lib.message(self).decode(errors="replace")
            raise _EXCEPTIONS.get(kind, RuntimeError)(message or kind)

    def make(self, name: str, *arguments: Any, kept: tuple = ()) -> Handle:
        """Calls a function whose last argument is the object that it makes."""
        pointer = c_void_p()
        try:
            self.call(name, *arguments, byref(pointer))
        finally:
            # A fit that was stopped by an exception has a result too: it goes with the handle.
            made = self.own(pointer, _FREE_OF[name], *kept) if pointer else None
        assert made
        return made

    def own(self, pointer: c_void_p, kind: str, *kept: Any) -> Handle:
        return Handle(self, pointer, getattr(lib, kind + "_free"), *kept)

    # The collector of cycles calls __del__ in any order: the last of context and children frees the context.
    def child_freed(self) -> None:
        self.children -= 1
        if not self._alive and not self.children:
            self._free(self.pointer)

    def __del__(self) -> None:
        self._alive = False
        if self.pointer and not self.children:
            self._free(self.pointer)


# What frees that which a function makes.
_FREE_OF = {
    "matrix_wrap": "matrix", "similarity_gaussian": "matrix", "transform": "matrix", "model_transform": "matrix",
    "labels_create": "labels", "result_labels": "labels", "labels_nearest": "labels", "labels_predict": "labels",
    "saved_run_encode": "matrix", "saved_run_predict": "labels", "saved_run_data_masked": "matrix", "graph_build": "graph",
    "graph_from_matrix": "graph", "graph_with_labels": "graph", "model_create": "model", "fit": "result",
    "fit_starts": "result", "fit_consensus": "result", "fit_ensemble": "result",
    "study_create": "study", "study_summarise": "study_summary", "image_read": "image", "image_create": "image",
    "cloud_read": "cloud", "cloud_create": "cloud", "segment_image": "segmentation", "segment_cloud": "segmentation",
    "saved_run_open": "saved_run", "saved_run_transform": "matrix", "reproduce": "reproduction",
    "ranks_create": "ranks",
}


def outside() -> int:
    """The stack level of the first caller that is not of this package."""
    folder, level, frame = os.path.dirname(__file__), 1, sys._getframe(1)
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == folder:
        frame, level = frame.f_back, level + 1
    return level


# ---- the table of methods ----------------------------------------------------------------------


def _strings(info: Structure) -> dict[str, Any]:
    values = {name: getattr(info, name) for name, *_ in info._fields_}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in values.items()}


def _parameter(info: ParameterInfo) -> dict[str, Any]:
    """Name, help, the choices of a word, and the default as Python has it."""
    row = _strings(info)
    if row["choices"] is None and row["default_text"] != "auto":
        number = float(row["default_text"])
        row["default"] = int(number) if row["whole"] else number
    else:
        row["default"] = row["default_text"]
    return row


def methods() -> Iterator[dict[str, Any]]:
    """The table of methods, with the parameters of each: its own, then those of every method."""
    for index in range(lib.method_count()):
        info = MethodInfo(size=ctypes.sizeof(MethodInfo))
        lib.method_info_at(index, byref(info))
        row = _strings(info)
        for name in ("terms", "needs", "factors", "read_outs", "promises"):
            row[name] = [word for word in row[name].split(",") if word]
        row["parameters"] = []
        for place in range(info.parameters + lib.common_parameter_count()):
            parameter = ParameterInfo(size=ctypes.sizeof(ParameterInfo))
            lib.method_parameter(info.name, place, byref(parameter))
            row["parameters"].append(_parameter(parameter))
        yield row


def terms() -> dict[str, str]:
    """The terms that a loss takes, each with a line of help."""
    return {lib.term_name(i).decode(): lib.term_title(i).decode() for i in range(lib.term_count())}


def term_parameters(term: str) -> list[dict[str, Any]]:
    """Those that a term brings, the first its weight."""
    rows: list[dict[str, Any]] = []
    info = ParameterInfo(size=ctypes.sizeof(ParameterInfo))
    while lib.term_parameter(term.encode(), len(rows), byref(info)) == 0:
        rows.append(_parameter(info))
    return rows
