"""Nonnegative matrix factorisation for clustering and segmentation, as scikit-learn's estimators."""

from ._library import lib as _lib
from ._methods import *  # noqa: F403
from ._methods import __all__ as _methods_all

__version__: str = _lib.version().decode()

__all__ = [*_methods_all]
