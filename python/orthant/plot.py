"""Pictures of factorisations. matplotlib is imported when one is drawn.

Each function draws into `ax`, or into a new figure, and returns the axes.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np


def _axes(ax: Any, **figure: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt
    return plt.subplots(layout="constrained", **figure)[1]


def basis(model: Any, shape: Any = None, *, columns: Optional[int] = None, column_major: bool = False,
          cmap: str = "gray_r", ax: Any = None) -> Any:
    """The parts of a fitted model as one montage of pictures.

    Parameters
    ----------
    model : fitted estimator, or array of shape (n_components, n_features)
    shape : (height, width) or (height, width, 3), or what `read` gave, optional
        Of a picture; None: a square.
    columns : int, optional
        Pictures in a row; None: about a square.
    column_major : bool, default=False
        A sample lists its pixels column by column, as MATLAB does.
    """
    parts = np.asarray(getattr(model, "components_", model))
    if hasattr(shape, "column_major"):
        shape, column_major = shape.shape, shape.column_major
    if shape is None:
        side = int(round(parts.shape[1]**0.5))
        shape = (side, side)
    if parts.shape[1] != np.prod(shape):
        raise ValueError(f"a part has {parts.shape[1]} features: give the shape of a picture, height times width")
    count = len(parts)
    columns = columns or int(np.ceil(count**0.5))
    rows = -(-count // columns)
    height, width, *channels = shape
    sheet = np.full((rows * (height + 1) - 1, columns * (width + 1) - 1, *channels), np.nan)
    for index, part in enumerate(parts):
        top, left = index // columns * (height + 1), index % columns * (width + 1)
        picture = part.reshape((width, height, *channels)).swapaxes(0, 1) if column_major else part.reshape(shape)
        sheet[top:top + height, left:left + width] = picture / (picture.max() or 1)
    ax = _axes(ax, figsize=(columns, rows))
    ax.imshow(sheet if not channels else np.nan_to_num(sheet, nan=1.0), cmap=cmap, interpolation="nearest")
    ax.set_axis_off()
    return ax


def convergence(models: Union[Any, Mapping[str, Any], Sequence[Any]], *, column: str = "objective",
                against: str = "iteration", ax: Any = None) -> Any:
    """A column of the history of one fitted model, or of several, on logarithmic axes.

    Parameters
    ----------
    models : fitted estimator, list of them, or dict by name
    column : str, default="objective"
        "loss", or the name of a term.
    against : {"iteration", "seconds"}
    """
    if not isinstance(models, Mapping):
        listed = list(models) if isinstance(models, (list, tuple)) else [models]
        names = [type(model).__name__ for model in listed]
        models = {name if names.count(name) == 1 else f"{name} {names[:index + 1].count(name)}": listed[index]
                  for index, name in enumerate(names)}
    ax = _axes(ax)
    for name, model in models.items():
        ax.plot(model.history_[against], model.history_[column], label=name)
    ax.set(xlabel=against, ylabel=column, yscale="log")
    ax.legend()
    return ax


def consensus(labels: Sequence[Any], *, order: Any = None, ax: Any = None) -> Any:
    """How often two samples share a cluster over several clusterings: blocks where they agree.

    Parameters
    ----------
    labels : list of arrays of shape (n_samples,)
        Or fitted estimators.
    order : array of shape (n_samples,), optional
        The order in which the samples are drawn; None: by the first clustering.
    """
    found = np.stack([getattr(one, "labels_", one) for one in labels])
    order = np.argsort(found[0], kind="stable") if order is None else np.asarray(order)
    found = found[:, order]
    shared = np.mean([one[:, None] == one for one in found], axis=0)
    ax = _axes(ax)
    image = ax.imshow(shared, cmap="viridis", vmin=0, vmax=1, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label=f"share of {len(found)} clusterings")
    ax.set(xlabel="sample", ylabel="sample")
    return ax


def ranks(numbers: Any, criteria: Any = None, *, ax: Any = None) -> Any:
    """Criteria over the number of parts, each between its least and its largest value.

    Parameters
    ----------
    numbers : list of int, or what `orthant.ranks` gave
        The numbers of parts; of a survey the recommended one is marked.
    criteria : dict of lists by name, or names of measures of a survey
        A value for each of them; None: the survey's held-out error, cophenetic correlation and smallest silhouette.
    """
    ax = _axes(ax)
    if hasattr(numbers, "recommended"):
        survey, numbers = numbers, numbers.numbers
        names = criteria or [name for name in ("error", "cophenetic", "least_silhouette") if name in survey.rows[0]]
        criteria = {name: [np.nan if row[name] is None else row[name] for row in survey.rows] for name in names}
        ax.axvline(survey.recommended, color="gray", linestyle=":")
    for name, given in criteria.items():
        values = np.asarray(given, dtype=float)
        least, span = np.nanmin(values), np.ptp(values[np.isfinite(values)]) or 1.0
        ax.plot(numbers, (values - least) / span, marker="o", label=f"{name}: {least:.4g} to {least + span:.4g}")
    ax.set(xlabel="number of parts", yticks=[])
    ax.set_xticks(list(numbers))
    ax.legend()
    return ax


def mean_ranks(study: Any, measure: str = "accuracy", *, ax: Any = None) -> Any:
    """The mean ranks of the methods of a study; the bar is the difference that Nemenyi's test asks for."""
    found, difference = study.ranks(measure)
    ax = _axes(ax)
    names = list(found)[::-1]
    ax.plot([found[name] for name in names], names, "o")
    best = min(found.values(), default=np.nan)
    ax.plot([best, best + difference], [names[-1]] * 2 if names else [], linewidth=4, alpha=0.4)
    ax.set(xlabel=f"mean rank by {measure}")
    return ax


__all__ = ["basis", "consensus", "convergence", "mean_ranks", "ranks"]
