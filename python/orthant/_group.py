"""Processes that share the samples of a fit: orthant_group over a communicator, such as mpi4py's."""

from __future__ import annotations

import ctypes
import os
import sys
import traceback
from contextlib import contextmanager
from ctypes import byref, c_int64
from typing import Any, Iterator, Optional

import numpy as np
import scipy.sparse

from ._library import Context, ExchangeFunction, GatherFunction, GroupAbortFunction, GroupFunctions

_TAG = 8191  # of our messages
_MOST_BYTES = 1 << 30  # of a message: MPI counts in int
_MESSAGE_BYTES = 512


def _bytes(address: Optional[int], count: int) -> np.ndarray:
    """Memory of the library as bytes."""
    if not count or not address:
        return np.empty(0, np.uint8)
    buffer: Any = (ctypes.c_char * count).from_address(address)
    return np.frombuffer(buffer, np.uint8)


class Group:
    """The processes of a communicator, for the library and for what the package asks of all of them.

    What is used of the communicator: Get_rank, Get_size, Isend, Irecv (with Wait), Allgatherv, Abort, as mpi4py has
    them. An exception in one of these ends all processes: the library cannot go on, and others would wait for ever.
    """

    def __init__(self, communicator: Any) -> None:
        self.communicator = communicator
        self.rank, self.ranks = int(communicator.Get_rank()), int(communicator.Get_size())
        self.broken = False
        self._functions = (ExchangeFunction(self._exchange), GatherFunction(self._gather),
                           GroupAbortFunction(self._abort))

    def give(self, context: Context) -> None:
        """Sets the group of a context, which keeps it."""
        exchange, gather, abort = self._functions
        functions = GroupFunctions(size=ctypes.sizeof(GroupFunctions), rank=self.rank, ranks=self.ranks,
                                   exchange=exchange, gather=gather, abort=abort)
        context.call("context_set_group", context, byref(functions))
        context.group = self

    # ---- what the library calls --------------------------------------------------------------

    def _failed(self) -> bool:
        traceback.print_exc()
        self.broken = True
        return False

    def _start(self, begin: Any, address: Optional[int], count: int, rank: int) -> list[Any]:
        """Requests of messages that MPI can count."""
        return [begin(_bytes((address or 0) + at, min(_MOST_BYTES, count - at)), rank, _TAG)
                for at in range(0, count, _MOST_BYTES)]

    def _exchange(self, user: Any, send: Any, send_bytes: Any, receive: Any, receive_bytes: Any) -> bool:
        try:
            requests: list[Any] = []
            others = [(self.rank + i) % self.ranks for i in range(1, self.ranks)]
            for rank in others:
                requests += self._start(self.communicator.Irecv, receive[rank], receive_bytes[rank], rank)
            for rank in others:
                requests += self._start(self.communicator.Isend, send[rank], send_bytes[rank], rank)
            if receive_bytes[self.rank]:
                ctypes.memmove(receive[self.rank], send[self.rank], receive_bytes[self.rank])
            for request in requests:
                request.Wait()
            return True
        except BaseException:
            return self._failed()

    def _gather(self, user: Any, own: Any, all: Any, counts: Any) -> bool:
        try:
            self._gather_bytes(own, all, [counts[rank] for rank in range(self.ranks)])
            return True
        except BaseException:
            return self._failed()

    def _gather_bytes(self, own: Optional[int], all: Optional[int], counts: list[int]) -> None:
        places = [sum(counts[:rank]) for rank in range(self.ranks)]
        if sum(counts) < 2**31:
            self.communicator.Allgatherv(_bytes(own, counts[self.rank]), [_bytes(all, sum(counts)), (counts, places)])
            return
        others = [(self.rank + i) % self.ranks for i in range(1, self.ranks)]
        requests: list[Any] = []
        for rank in others:
            requests += self._start(self.communicator.Irecv, (all or 0) + places[rank], counts[rank], rank)
        for rank in others:
            requests += self._start(self.communicator.Isend, own, counts[self.rank], rank)
        ctypes.memmove((all or 0) + places[self.rank], own, counts[self.rank])
        for request in requests:
            request.Wait()

    def _abort(self, user: Any, message: bytes) -> None:
        self.broken = True
        try:
            print(f"orthant: process {self.rank} of {self.ranks}: {message.decode(errors='replace')}", file=sys.stderr,
                  flush=True)
            self.communicator.Abort(1)
        except BaseException:
            traceback.print_exc()
            os._exit(1)

    # ---- what the package asks ---------------------------------------------------------------

    def gather(self, own: np.ndarray, counts: Optional[list[int]] = None) -> np.ndarray:
        """The arrays of all processes, one behind the other; as long as this one unless `counts` says how long."""
        own = np.ascontiguousarray(own)
        lengths = counts or [own.size] * self.ranks
        all = np.empty(sum(lengths), own.dtype)
        try:
            self._gather_bytes(own.ctypes.data, all.ctypes.data, [length * own.itemsize for length in lengths])
        except BaseException:
            if self.ranks > 1 and not self._failed():
                self._abort(None, b"the processes that share the samples lost each other")
            raise
        return all

    @contextmanager
    def together(self) -> Iterator[None]:
        """What one process raises, all raise: nobody goes on alone."""
        error: Optional[BaseException] = None
        try:
            yield
        except BaseException as raised:
            error = raised
        if not self.broken:
            text = f"{type(error).__name__}: {error}".encode()[:_MESSAGE_BYTES - 1] if error else b""
            told = self.gather(np.frombuffer(text.ljust(_MESSAGE_BYTES, b"\0"), np.uint8)).reshape(self.ranks, -1)
            for rank in range(self.ranks):
                if error is None and told[rank, 0]:
                    words = told[rank].tobytes().rstrip(b"\0").decode(errors="replace")
                    error = RuntimeError(f"process {rank} of {self.ranks} failed: {words}")
        if error is not None:
            raise error

    def meet(self, X: Any, seed: int) -> "Part":
        """Where the rows of this process lie among those of all, and the seed of the first process."""
        shapes = self.gather(np.array([X.shape[0], X.shape[1], X.dtype.itemsize, scipy.sparse.issparse(X), seed],
                                      np.int64)).reshape(self.ranks, -1)
        if (shapes[:, 1:4] != shapes[0, 1:4]).any():
            kinds = ", ".join(f"{'sparse' if sparse else 'dense'} float{8 * size} of {columns} columns"
                              for _, columns, size, sparse, _ in shapes)
            raise ValueError(f"the processes have not rows of the same X: {kinds}")
        rows = [int(count) for count in shapes[:, 0]]
        return Part(sum(rows[:self.rank]), sum(rows), rows, int(shapes[0, 4]))


class Part:
    """The rows of one process."""

    def __init__(self, first: int, total: int, rows: list[int], seed: int) -> None:
        self.first, self.total, self.rows, self.seed = first, total, rows, seed


def shared_rows(communicator: Any, n_samples: int, n_features: int) -> slice:
    """The rows of X that this process gives to `fit(X, communicator=communicator)`.

    Whole chunks of the samples, about as many as any other process has; none where there are fewer chunks than
    processes.

    Parameters
    ----------
    communicator : communicator
        As mpi4py.MPI.COMM_WORLD.
    n_samples, n_features : int
        Of all of X.

    Returns
    -------
    slice

    Examples
    --------
    >>> import orthant
    >>> class Alone:
    ...     def Get_rank(self): return 0
    ...     def Get_size(self): return 1
    >>> orthant.shared_rows(Alone(), 9000, 260)
    slice(0, 9000, None)
    """
    context = Context()
    Group(communicator).give(context)
    first, rows = c_int64(), c_int64()
    context.call("group_rows", context, n_samples, n_features, byref(first), byref(rows))
    return slice(first.value, first.value + rows.value)


__all__ = ["shared_rows"]
