"""The right to write the folder of a run, which one program has at a time."""

from __future__ import annotations

from contextlib import contextmanager
from ctypes import byref, c_void_p
from typing import Any, Iterator

from ._functions import coded
from ._library import Context, lib


@contextmanager
def claimed(context: Context, folder: Any, overwrite: bool) -> Iterator[None]:
    """The folder of a run is this program's to write meanwhile; a run that is in it is not replaced unless told so."""
    claim = c_void_p()
    context.call("run_claim_take", context, coded(folder), overwrite, byref(claim))
    try:
        yield
    finally:
        lib.run_claim_free(claim)
