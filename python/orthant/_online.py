"""Models that learn from data in pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _data
from ._base import Transformer, seed_of
from ._fit import Fit


class Online(Transformer):
    """A method whose basis can be updated by one batch of samples after the other."""

    def fit(self, X: Any, y: Any = None, **inputs: Any):
        for name in ("numerators_", "denominators_", "n_steps_"):
            self.__dict__.pop(name, None)
        return super().fit(X, y, **inputs)

    fit.__doc__ = Transformer.fit.__doc__

    def partial_fit(self, X: Any, y: Any = None):
        """Go on with a batch of samples: their codes, then the basis from the sums over all batches so far.

        The first call begins, or goes on from the basis that `fit` left. `forget` is what a call leaves of the sums before
        it, `fresh` the number of updates of the batch's codes (0: 30). The losses frobenius, kl, is and beta:B are taken,
        without penalties. The rule is that of scikit-learn's MiniBatchNMF.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Any number of samples; the same features in each call.
        y : ignored

        Returns
        -------
        self
            components_ is the basis now, encoding_ has the codes of this batch, objective_ its loss, n_steps_ the number
            of calls; numerators_ and denominators_ are what the next call goes on from.
        """
        begins = not hasattr(self, "components_")
        if begins and self._wants_rank():
            raise ValueError(f"n_components={self.n_components!r} asks for all samples, and partial_fit has the first ones: "
                             "`orthant.ranks` finds the number of parts, then give it")
        X = self._validate(X, reset=begins)
        seed = seed_of(self.random_state)
        context, bar = self._context(X)
        try:
            rank = self._rank(X.shape[0], None) if begins else self.components_.shape[0]
            model = self._model(context, X, X.shape[0], rank, seed)
            context.call("model_set", model, b"batch", b"0")
            context.call("model_set", model, b"partial", b"yes")
            self._give_inputs(context, model, X, None, None, None, {} if begins else self._before(), {}, None, rank)
            result = context.make("fit", model, _data.matrix_in(context, X))
        except ValueError as error:
            raise self._refused(X, error) from None
        finally:
            if bar:
                bar.close()
        steps = getattr(self, "n_steps_", 0)
        self._take(Fit(model, result, self.labels_rule, self._label_clusters(rank), self.labels_restarts, seed))
        self.n_steps_ = steps + 1
        return self

    def _before(self) -> dict[str, np.ndarray]:
        start = {"basis": np.ascontiguousarray(self.components_.T)}
        for name in ("numerators", "denominators"):
            if hasattr(self, name + "_"):
                start[name] = np.ascontiguousarray(getattr(self, name + "_"))
        return start
