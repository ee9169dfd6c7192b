"""What the estimators have in common: from parameters and arrays to a fit of the library and back."""

from __future__ import annotations

import numbers
import operator
import warnings
from ctypes import byref, sizeof
from contextlib import nullcontext
from typing import Any, Callable, ClassVar, Mapping, Optional

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _data, _library
from ._fit import Fit, ProgressBar
from ._group import Group, Part
from ._library import Context, Handle, lib, outside

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before 1.6, as in Debian 12
    def validate_data(estimator, X, *, ensure_all_finite=True, **options):
        return estimator._validate_data(X, force_all_finite=ensure_all_finite, **options)

# scikit-learn's names for the library's parameters.
_SQUARES = {"frobenius", "euclidean-entrywise"}
_NAMES = {"max_iter": "iterations", "tol": "tolerance", "beta_loss": "loss"}
# Arguments that are no parameters of the library's model.
_OWN = {"n_components", "n_clusters", "random_state", "n_init", "labels_rule", "labels_restarts", "n_jobs", "device",
        "tf32", "verbose", "callback", "terms", "alpha_W", "alpha_H", "l1_ratio"}


def seed_of(random_state: Any) -> int:
    """The library's seed: a whole number as it is, otherwise one drawn from the generator."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    return int(check_random_state(random_state).randint(2**31 - 1))


def as_text(value: Any) -> bytes:
    """A parameter as a user would type it."""
    if isinstance(value, (bool, np.bool_)):
        return b"yes" if value else b"no"
    if isinstance(value, numbers.Integral):
        return str(int(value)).encode()
    if isinstance(value, numbers.Real):
        return repr(float(value)).encode()
    return str(value).encode()


def penalty_terms(loss: str, samples: int, features: int, alpha_W: float, alpha_H: Any, l1_ratio: float
                  ) -> dict[str, float]:
    """The terms that are scikit-learn's penalties, with their weights.

    Its W are the encodings and its H the basis. Its quadratic loss has a factor 1/2 that the library's has not, and its
    divergence has none; its squares have one in any case.
    """
    if alpha_H == "same":
        alpha_H = alpha_W
    for name, value, most in (("alpha_W", alpha_W, np.inf), ("alpha_H", alpha_H, np.inf), ("l1_ratio", l1_ratio, 1)):
        if not isinstance(value, numbers.Real) or not 0 <= value <= most:
            raise ValueError(f"{name}={value!r}: expected a number of at least 0" + (" and at most 1" if most == 1 else ""))
    twice = 2 if loss in _SQUARES else 1
    of_codes, of_basis = twice * alpha_W * features, twice * alpha_H * samples
    weights = {"sparsity": of_codes * l1_ratio, "ridge": of_codes * (1 - l1_ratio) / 2,
               "sparsity-basis": of_basis * l1_ratio, "ridge-basis": of_basis * (1 - l1_ratio) / 2}
    return {term: weight for term, weight in weights.items() if weight > 0}


def loss_name(value: Any) -> str:
    """The library's name of a loss: of its own, or as scikit-learn's `beta_loss` has it, a word or a number."""
    words = {"kullback-leibler": "kl", "itakura-saito": "is"}
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return {2.0: "frobenius", 1.0: "kl", 0.0: "is"}.get(float(value), f"beta:{float(value)!r}")
    raise ValueError(f"beta_loss={value!r}: expected 'frobenius' (2), 'kullback-leibler' (1), 'itakura-saito' (0) or a "
                     "number from -1 to 3")


class Method(BaseEstimator):
    """A method of the library's table; the class attributes are what the table says of it."""

    _method: ClassVar[str]
    _needs: ClassVar[tuple[str, ...]] = ()
    _factors: ClassVar[tuple[str, ...]] = ()
    _loss: ClassVar[str] = ""
    _mixed_signs: ClassVar[bool] = False
    _shows_factors: ClassVar[bool] = True

    # Every class has these arguments.
    n_clusters: Optional[int]
    labels_rule: Optional[str]
    n_init: int
    labels_restarts: int
    random_state: Any
    n_jobs: Optional[int]
    device: Optional[str]
    verbose: int
    callback: Optional[Callable[[dict], Any]]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not self._mixed_signs
        tags.target_tags.required = self._uses_labels()
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _uses_labels(self) -> bool:
        return "labels" in self._needs

    def _uses_graph(self) -> bool:
        return "graph" in self._needs

    def _rank(self, samples: int, y: Optional[np.ndarray]) -> int:
        """Given, or as many as there are classes, or eight; never below what the classes take."""
        rank = getattr(self, "n_components", None)
        classes = 0 if y is None else len(np.unique(y[y >= 0]))
        least = classes * getattr(self, "basis_per_class", 0)
        if rank is None:
            return max(least, classes) or min(8, samples)
        if operator.index(rank) < least:
            warnings.warn(f"n_components={rank} is too small for {classes} classes: {least} are taken", UserWarning,
                          stacklevel=outside())
        return max(operator.index(rank), least)

    def _wants_rank(self) -> bool:
        """Whether n_components is "auto", or several: "2:8", [2, 4, 8], range(2, 9)."""
        rank = getattr(self, "n_components", None)
        return isinstance(rank, (str, list, tuple, range)) or (isinstance(rank, np.ndarray) and rank.ndim > 0)

    def _find_rank(self, X: Any, inputs: dict[str, Any]) -> int:
        """The number of parts that `ranks` recommends for this method and its settings, as the command's -k auto."""
        from ._functions import ranks
        wrong = [name for name, value in inputs.items() if value is not None]
        wrong += [name for name in ("alpha_W", "alpha_H", "terms") if getattr(self, name, None) not in (None, 0, {}, "same")]
        defaults = type(self)().get_params(deep=False)
        parameters, settings = [], {}
        for name, value in self.get_params(deep=False).items():
            if name in _OWN or value is defaults[name] or np.array_equal(value, defaults[name]):
                continue
            if name in ("beta_loss", "loss"):
                settings["loss"] = loss_name(value)
            elif name == "missing":
                settings["missing"] = value
            elif isinstance(value, (str, int, float)):
                parameters.append(f"{_NAMES.get(name, name)}={as_text(value).decode()}")
            else:
                wrong.append(name)
        if wrong:
            raise ValueError(f"n_components={self.n_components!r} and {wrong[0]} cannot be together; `orthant.ranks` finds the number "
                             "of parts, then give it")
        numbers = None if isinstance(self.n_components, str) and self.n_components == "auto" else self.n_components
        survey = ranks(X, numbers, method=self._method, repeats=10, random_state=self.random_state, n_jobs=self.n_jobs,
                       parameter=parameters, **settings)
        self.rank_reasons_ = survey.reasons
        return survey.recommended

    def _label_clusters(self, rank: int) -> int:
        return rank if self.n_clusters is None else operator.index(self.n_clusters)

    # ---- the fit -----------------------------------------------------------------------------

    def _validate(self, X: Any, reset: bool, least: int = 1) -> Any:
        if _data.on_gpu(X):
            if self.device is None:
                raise TypeError("X lies in the memory of a GPU, and the fit runs on the CPU: take device='cuda', or bring X "
                                "to the host: X.get() of CuPy, X.cpu().numpy() of PyTorch, numpy.asarray(X) of JAX")
            X = _data.from_gpu(X)
        try:
            return validate_data(self, X, reset=reset, accept_sparse="csr", accept_large_sparse=True,
                                 dtype=(np.float64, np.float32), ensure_min_samples=least,
                                 ensure_all_finite="allow-nan" if getattr(self, "missing", "none") == "nan" else True)
        except ValueError as error:
            if "contains NaN" not in str(error) or not hasattr(self, "missing"):
                raise
            raise ValueError(f"{error}\n{type(self).__name__}(missing='nan') takes NaN as entries that are not known") from None

    def _validate_labels(self, samples: int, y: Any) -> Optional[np.ndarray]:
        if not self._uses_labels():
            return None
        if y is None:
            raise ValueError(f"requires y to be passed, but the target y is None: {type(self).__name__} takes the "
                             "labels that are known, -1 for a sample whose label is not")
        y = _data.known_labels(y)
        if len(y) != samples:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{samples}, {len(y)}]")
        return y

    def _context(self, X: Any) -> tuple[Context, Optional[ProgressBar]]:
        bar = ProgressBar(type(self).__name__) if self.verbose else None
        given = self.callback

        def both(told: dict) -> Any:
            assert bar
            bar(told)
            return given(told) if given else True

        context = Context(_data.precision_of(X), self.n_jobs, both if bar else given)
        context.bar = bar
        if self.device is not None:
            context.call("context_set_device", context, str(self.device).encode())
            lib.context_set_product_rounding(context, bool(getattr(self, "tf32", False)))
        return context, bar

    def _watch(self, context: Context, model: Handle) -> None:
        """The callback hears of each iteration from the fit itself, with a way to the factors."""
        given = context.callback
        assert given

        def told(result: Any) -> Any:
            def factor(name: str) -> np.ndarray:
                matrix = lib.result_factor(result, name.encode())
                if not matrix:
                    raise KeyError(name)
                return _data.matrix_out(context, matrix, None).copy()

            return given({"phase": "fit", "done": lib.result_iterations(result), "total": self.max_iter,
                          "seconds": lib.result_seconds(result), "objective": lib.result_objective(result),
                          "factor": factor})

        function = context.watch(told)
        model.kept += (function,)
        context.call("model_set_iteration", model, function, None)

    def _model(self, context: Context, X: Any, samples: int, rank: int, seed: int) -> Handle:
        model = context.make("model_create", context, self._method.encode(), rank)
        for term, weight in self._weights(samples, X.shape[1]).items():
            context.call("model_add_term", model, term.encode(), float(weight))
        names = {lib.model_parameter_name(model, index).decode() for index in range(lib.model_parameter_count(model))}
        for name, value in self.get_params(deep=False).items():
            if name in _OWN or value is None or not self._is_parameter(name, names):
                continue
            if name == "pooling" and not isinstance(value, str):
                pooling = _data.matrix_in(context, _data.as_floats(value, X.dtype))
                context.call("model_set_pooling", model, pooling)
                model.kept += (pooling,)
                continue
            if name in ("loss", "beta_loss"):
                value = loss_name(value)
            context.call("model_set", model, _NAMES.get(name, name).encode(), as_text(value))
        context.call("model_set", model, b"seed", as_text(seed))
        return model

    def _weights(self, samples: int, features: int) -> dict[str, float]:
        """Terms beside those of the method."""
        if not hasattr(self, "alpha_W"):
            return {}
        return penalty_terms(self._transform_loss(), samples, features, self.alpha_W, self.alpha_H, self.l1_ratio)

    def _is_parameter(self, name: str, names: set[str]) -> bool:
        """Whether the model is to hear of an argument; it refuses what it does not know."""
        return True

    def _give_inputs(self, context: Context, model: Handle, X: Any, y: Optional[np.ndarray], graph: Any,
                     similarity: Any, start: Optional[dict[str, Any]], weights: dict[str, Any],
                     fixed_components: Any, rank: int) -> None:
        def give(name: str, *arguments: Any) -> None:
            context.call(name, model, *arguments)
            model.kept += (arguments[-1],)

        if y is not None:
            give("model_set_labels", _data.labels_in(context, y))
        if graph is not None:
            if not self._uses_graph():
                raise ValueError(f"{type(self).__name__} has no use for a graph")
            give("model_set_graph", _data.graph_in(context, graph, X.dtype))
        if similarity is not None:
            give("model_set_similarity", _data.matrix_in(context, _data.as_floats(similarity, X.dtype)))
        for name, array in weights.items():
            if array is not None:
                array = array if scipy.sparse.issparse(array) else np.atleast_2d(np.asarray(array, dtype=X.dtype))
                give("model_set_" + name, _data.matrix_in(context, _data.as_floats(array, X.dtype)))
        for factor, array in (start or {}).items():
            give("model_set_start", factor.encode(), _data.matrix_in(context, _data.as_floats(array, X.dtype)))
        if fixed_components is not None:
            give("model_set_fixed", b"basis", _data.matrix_in(context, _data.fixed_parts(fixed_components, rank, X)))

    def _refused(self, X: Any, error: ValueError) -> ValueError:
        """scikit-learn's words before the library's, which name the entry and the methods that take it."""
        values = X.data if hasattr(X, "indptr") else X
        if not self._mixed_signs and values.size and values.min() < 0:
            return ValueError(f"Negative values in data passed to {type(self).__name__}: {error}")
        if X.shape[0] == 1:
            return ValueError(f"n_samples = 1: {error}")
        return error

    def fit(self, X: Any, y: Any = None, *, graph: Any = None, similarity: Any = None,
            start: Optional[dict[str, Any]] = None, fixed_components: Any = None, mask: Any = None,
            sample_weights: Any = None, feature_weights: Any = None, communicator: Any = None):
        """Factor X.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float32 or float64, taken as it lies in memory; other types are converted to float64. With `device` also
            one of CuPy, PyTorch or JAX on a GPU: the iterations read it there, all else a copy on the host.
        y : array of shape (n_samples,), optional
            For methods that use labels: the label of each sample, -1 where it is not known. Others ignore it.
        graph : array or sparse matrix of shape (n_samples, n_samples), optional
            For methods with a graph: symmetric weights of the edges, in place of the nearest neighbours.
        similarity : array or sparse matrix of shape (n_samples, n_samples), optional
            For methods on similarities: in place of the one that would be built from X.
        start : dict of arrays, optional
            Starting factors by their names, used as they are: "basis" (n_features, n_components), "encoding"
            (n_samples, n_components).
        fixed_components : array of shape (at most n_components, n_features), optional
            For models of a loss and terms: the first rows of components_, which the fit does not change.
        mask : array or sparse matrix of shape (n_samples, n_features), optional
            For methods of a loss and terms: nonnegative weights of the entries, in the loss; an entry of weight 0 (or
            one that a sparse mask does not store) is not known. NaN in X: `missing="nan"`.
        sample_weights, feature_weights : arrays of shape (n_samples,) and (n_features,), optional
            The same for whole samples and features.
        communicator : communicator, optional
            Of processes that share the samples, as mpi4py.MPI.COMM_WORLD; all of them make this call. X has the rows
            of this process, those of `orthant.shared_rows`; labels, graph and start are whole in each. `components_`
            and how the fit went are the same in all, to the bits of one process; `encoding_` has this process's rows.

        Returns
        -------
        self
        """
        group = Group(communicator) if communicator is not None else None
        part: Optional[Part] = None
        given = X
        with group.together() if group else nullcontext():
            X = self._validate(X, reset=True, least=0 if group else 1)
            seed = seed_of(self.random_state)
        if group:
            part = group.meet(X, seed)
            seed = seed if isinstance(self.random_state, numbers.Integral) else part.seed
        total = part.total if part else X.shape[0]
        context, bar = self._context(X)
        try:
            with group.together() if group else nullcontext():
                y = self._validate_labels(total, y)
                rank = self._find_rank(X, {"y": y if self._uses_labels() else None, "graph": graph,
                                           "similarity": similarity, "start": start, "mask": mask,
                                           "sample_weights": sample_weights, "feature_weights": feature_weights,
                                           "fixed_components": fixed_components, "communicator": communicator}
                                       ) if self._wants_rank() else self._rank(total, y)
                if group:
                    group.give(context)
                model = self._model(context, X, total, rank, seed)
                self._give_inputs(context, model, X, y, graph, similarity, start,
                                  {"mask": mask, "sample_weights": sample_weights, "feature_weights": feature_weights},
                                  fixed_components, rank)
                if self.callback and self._shows_factors:
                    self._watch(context, model)
                samples = _data.matrix_in(context, X)
                if _data.on_gpu(given):
                    _data.tell_gpu(context, samples, given, X)
                if part:
                    context.call("matrix_set_part", samples, part.first, part.total)
            with group.together() if group else nullcontext():
                result = self._make(context, model, samples)
        except ValueError as error:
            raise self._refused(X, error) from None
        finally:
            if bar:
                bar.close()
        fitted = Fit(model, result, self.labels_rule, self._label_clusters(rank), self.labels_restarts, seed, part)
        if feature_weights is not None:
            fitted.inputs["feature_weights"] = feature_weights
        if self._uses_graph() and not part:
            fitted.inputs["training"] = X
        self._take(fitted)
        return self

    def _make(self, context: Context, model: Any, samples: Any) -> Any:
        """The fit itself: the best of n_init starts, with the labels of all where they are asked to agree; the
        function `consensus` has one of its own."""
        if (self.labels_rule or "").startswith("consensus"):
            assert self.labels_rule
            return context.make("fit_ensemble", model, samples, self.n_init, self.labels_rule.encode(),
                                self._label_clusters(lib.model_rank(model)), self.labels_restarts)
        return context.make("fit_starts", model, samples, self.n_init)

    def _take(self, fit: Fit) -> None:
        """The attributes of a fitted estimator."""
        self._fit = fit
        for name in fit.factor_names():
            if name == "basis":
                self.components_ = fit.factor(name).T
            else:
                setattr(self, name + "_", fit.factor(name))
        for index in range(lib.model_term_count(fit.model)):
            if lib.model_term(fit.model, index) == b"graph":
                self.graph_weight_ = lib.result_term_weight(fit.result, index)
        self.n_iter_ = lib.result_iterations(fit.result)
        self.objective_ = lib.result_objective(fit.result)
        self.start_objectives_ = np.array([lib.result_start_objective(fit.result, index)
                                           for index in range(lib.result_start_count(fit.result))])
        self.converged_ = lib.result_converged(fit.result)
        self.relative_error_ = lib.result_relative_error(fit.result)
        self.explained_variance_ = lib.result_explained_variance(fit.result)
        self.n_missing_ = max(lib.result_missing(fit.result), 0)
        self.notes_ = fit.notes()
        error = fit.last("loss")
        if not np.isnan(error):
            # scikit-learn's: the root of the squared distance, or of twice the divergence.
            self.reconstruction_err_ = float(np.sqrt(max(error, 0) * (1 if self._transform_loss() in _SQUARES else 2)))
        most = getattr(self, "max_iter", 0)
        if most and self.tol and self.n_iter_ >= most and not self.converged_ and not lib.result_stopped(fit.result):
            warnings.warn(f"Maximum number of iterations {most} reached. Increase max_iter to improve "
                          "convergence.", ConvergenceWarning, stacklevel=outside())

    def _transform_loss(self) -> str:
        given = getattr(self, "beta_loss", None)
        return loss_name(given) if given is not None else self._loss or loss_name(getattr(self, "loss", "frobenius"))

    def fit_predict(self, X: Any, y: Any = None, **inputs: Any) -> np.ndarray:
        """Factor X and give the clusters of its samples: fit(X, y, **inputs).labels_."""
        return self.fit(X, y, **inputs).labels_

    def _fitted(self) -> Fit:
        fit = self.__dict__.get("_fit")
        if fit is None:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return fit

    @property
    def labels_(self) -> np.ndarray:
        """The cluster of each sample, by `labels_rule`; found when it is first asked for."""
        return self._fitted().labels

    @property
    def history_(self) -> dict[str, np.ndarray]:
        """Columns with an entry for each iteration from 0, the start: seconds, objective, loss, each term."""
        return self._fitted().history


class Embedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Method):
    """A method that has codes of the samples it is fitted to, and none of others."""

    @property
    def _n_features_out(self) -> int:
        return self.encoding_.shape[1]

    def fit_transform(self, X: Any, y: Any = None, **inputs: Any) -> np.ndarray:
        """Factor X and give the codes of its samples: fit(X, y, **inputs).encoding_."""
        return self.fit(X, y, **inputs).encoding_


class Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Method):
    """A method whose basis has codes of any samples."""

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def fit_transform(self, X: Any, y: Any = None, **inputs: Any) -> np.ndarray:
        """Factor X and give the codes of its samples under the basis: fit(X, y, **inputs).transform(X).

        These are the codes that new samples get, and `encoding_` too (final_encodings), but for labels, an order of
        the samples and a graph, which say nothing of a sample by itself, or join it with the samples of the fit, and
        for fits without a tolerance.
        """
        self.fit(X, y, **inputs)
        if lib.result_minimal_encodings(self._fitted().result):
            return np.array(self.encoding_)
        weights = {name: inputs[name] for name in ("mask", "sample_weights") if inputs.get(name) is not None}
        return self.transform(X, **weights)

    def transform(self, X: Any, *, mask: Any = None, sample_weights: Any = None) -> np.ndarray:
        """The codes of samples under the basis: for each the nonnegative one with the least of what the fit minimised.

        That is the loss, the weights of features and missing entries, and the terms that act on one sample. A graph
        joins a sample with the nearest samples of the fit, whose codes are held; its class is not known. A sample has
        the same code alone and in any batch.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        mask : array or sparse matrix of shape (n_samples, n_features), optional
            Nonnegative weights of the entries, as of `fit`.
        sample_weights : array of shape (n_samples,), optional
            Of the loss beside the terms.
        """
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        context, bar = self._context(X)
        try:
            codes = self._encode(context, X, {"mask": mask, "sample_weights": sample_weights})
        except ValueError as error:
            raise self._refused(X, error) from None
        finally:
            if bar:
                bar.close()
        return _data.matrix_out(context, codes, codes)

    def _encode(self, context: Context, X: Any, weights: dict[str, Any]) -> Handle:
        fitted, samples = self._fitted(), _data.matrix_in(context, X)
        basis = _data.matrix_in(context, np.ascontiguousarray(self.components_.T, dtype=X.dtype))
        given = {name: array for name, array in weights.items() if array is not None}
        if not self._loss and not hasattr(self, "loss"):
            if given:
                raise ValueError(f"{type(self).__name__} takes no {' and no '.join(given)}")
            return context.make("transform", context, basis, b"frobenius", samples, 500, 1e-10)
        model = self._model(context, X, len(self.encoding_), self.components_.shape[0], 0)
        if getattr(self, "graph_weight", None) == "auto":
            context.call("model_set", model, b"graph_weight", as_text(self.graph_weight_))
        options = _library.TransformOptions(size=sizeof(_library.TransformOptions), iterations=500, tolerance=1e-10)
        given.update(fitted.inputs)
        given["encoding"] = self.encoding_
        kept = []
        for name, array in given.items():
            array = array if scipy.sparse.issparse(array) else np.atleast_2d(np.asarray(array, dtype=X.dtype))
            kept.append(_data.matrix_in(context, _data.as_floats(array, X.dtype)))
            setattr(options, name, kept[-1].pointer)
        return context.make("model_transform", model, basis, samples, byref(options))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The samples that codes stand for: X @ components_."""
        check_is_fitted(self)
        return (X if scipy.sparse.issparse(X) else np.asarray(X)) @ self.components_

    def complete(self, X: Any, *, mask: Any = None) -> np.ndarray:
        """X with the fitted values in the places of missing entries; those that are known stay.

        Missing are NaN (`missing="nan"`), what a sparse X does not store (`missing="zeros"`), and entries of weight 0
        in the mask. The codes are those that `transform` gives, so that X may be samples that the fit has not seen.
        """
        check_is_fitted(self)
        missing = getattr(self, "missing", "none")
        if missing == "none" and mask is None:
            raise ValueError("nothing says which entries are missing: fit with missing='nan' or 'zeros', or give a mask")
        X = self._validate(X, reset=False)
        known = np.ones(X.shape, bool) if mask is None else np.asarray(
            mask.toarray() if scipy.sparse.issparse(mask) else mask) > 0
        if scipy.sparse.issparse(X):
            if missing == "zeros":
                stored = X.copy()
                stored.data = np.ones(len(stored.data), X.dtype)
                known &= stored.toarray() > 0
            dense = X.toarray()
        else:
            dense = X
            known &= ~np.isnan(dense)
        codes = self.transform(X, mask=mask)
        return np.where(known, dense, codes @ self.components_).astype(X.dtype, copy=False)

    def predict(self, X: Any, *, mask: Any = None, sample_weights: Any = None) -> np.ndarray:
        """The clusters of samples, by their codes: the largest entry, or the cluster with the nearest mean code.

        They are numbered as in labels_, also where classes of some samples were given.
        """
        codes = self.transform(X, mask=mask, sample_weights=sample_weights)
        return self._fitted().predict(codes, self.encoding_)


class Clusterer(ClusterMixin, Method):
    """A method that is there for its clusters."""

    n_clusters: int

    def _rank(self, samples: int, y: Optional[np.ndarray]) -> int:
        return operator.index(self.n_clusters)


class CentreClusterer(Clusterer):
    """A clusterer with a centre for each cluster."""

    @property
    def cluster_centers_(self) -> np.ndarray:
        """The centres, a row for each: components_."""
        return self.components_

    def predict(self, X: Any) -> np.ndarray:
        """The cluster whose centre is nearest, for each sample."""
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        context = Context(_data.precision_of(X), self.n_jobs)
        centres = _data.matrix_in(context, np.ascontiguousarray(self.components_))
        return _data.labels_out(context.make("labels_nearest", context, _data.matrix_in(context, X), centres))


class Combination(Transformer):
    """A loss with any set of terms."""

    loss: str
    terms: Optional[dict[str, float]]

    def _uses_labels(self) -> bool:
        return "class" in (self.terms or {})

    def _uses_graph(self) -> bool:
        return "graph" in (self.terms or {})

    def _weights(self, samples: int, features: int) -> dict[str, float]:
        if not isinstance(self.terms or {}, Mapping):
            raise ValueError(f"terms={self.terms!r}: expected a dict of weights by name")
        weights = {term: float(weight) for term, weight in (self.terms or {}).items()}
        for term, weight in super()._weights(samples, features).items():
            weights[term] = weights.get(term, 0) + weight
        return weights

    def _is_parameter(self, name: str, names: set[str]) -> bool:
        # Arguments of terms that are not there have no part in the fit.
        return _NAMES.get(name, name) in names
