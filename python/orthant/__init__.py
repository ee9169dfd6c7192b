"""Nonnegative matrix factorisation for clustering and segmentation, as scikit-learn's estimators.

One class for each method of the library, `Factorization` for any loss with any set of terms, and functions for files
(`read`), graphs (`knn_graph`), scores (`scores`), segments of pictures and clouds (`segment`), studies (`compare`), the number of
parts (`ranks`), runs on disk (`save_run`, `load_run`, `report`, `reproduce`) and pictures (`orthant.plot`).
"""

from . import _functions, _group, _methods, _runs, _vision, plot
from ._functions import *  # noqa: F403
from ._group import *  # noqa: F403
from ._library import lib as _lib
from ._methods import *  # noqa: F403
from ._runs import *  # noqa: F403
from ._vision import *  # noqa: F403

__version__: str = _lib.version().decode()
__all__ = [*_methods.__all__, *_functions.__all__, *_group.__all__, *_runs.__all__, *_vision.__all__, "plot"]
