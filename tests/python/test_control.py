"""Callbacks, Ctrl-C, threads, and errors as exceptions."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import orthant
import pytest
from orthant import _library

ENDLESS = {"max_iter": 10**9, "tol": 0, "time_limit": 60, "random_state": 0}


@pytest.fixture
def interrupts():
    """Ctrl-C raises, also where the shell that began the tests had it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_callback_hears_of_each_iteration_and_stops(X):
    told = []

    def callback(progress):
        told.append({**progress, "basis": progress["factor"]("basis")})
        return progress["done"] < 7

    model = orthant.NMF(3, callback=callback, **ENDLESS).fit(X)
    assert [one["done"] for one in told] == list(range(1, 8))
    assert model.n_iter_ == 7 and not model.converged_
    np.testing.assert_array_equal(told[-1]["basis"], model.components_.T)
    np.testing.assert_allclose([one["objective"] for one in told], model.history_["objective"][1:])


def test_exception_in_a_callback_is_raised(X):
    def callback(progress):
        if progress["done"] == 5:
            raise KeyError("mine")

    for cls in (orthant.NMF, orthant.GNMF, orthant.SNMF, orthant.RMND):
        with pytest.raises(KeyError, match="mine"):
            cls(3, callback=callback, **ENDLESS).fit(X)


@pytest.mark.parametrize("cls", [orthant.NMF, orthant.KLNMF, orthant.GRPNMF, orthant.CNMF])
def test_ctrl_c_stops_after_the_iteration(cls, X, y, interrupts):
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        cls(3, **ENDLESS).fit(X, y)
    timer.join()
    assert time.monotonic() - begin < 10
    # The library is whole after it.
    assert orthant.NMF(3, max_iter=10, tol=0, random_state=0).fit(X).n_iter_ == 10


def test_ctrl_c_ends_a_program():
    program = ("import numpy as np, orthant, signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
               "print('begin', flush=True)\n"
               "orthant.NMF(3, max_iter=10**9, tol=0, time_limit=60).fit(np.random.rand(2000, 300))")
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in errors and process.returncode == -signal.SIGINT


def test_other_threads_run_meanwhile():
    """The lock of the interpreter is free while the library works."""
    X = np.random.default_rng(0).random((20000, 400), dtype=np.float32)
    begun, turns, stop = threading.Event(), 0, False

    def count():
        nonlocal turns
        begun.set()
        while not stop:
            turns += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begun.wait()
    before, begin = turns, time.monotonic()
    orthant.knn_graph(X[:6000], 5)
    seconds, turned = time.monotonic() - begin, turns - before
    stop = True
    thread.join()
    assert turned > 50 * seconds


def test_fits_in_several_threads(X):
    expected = orthant.GNMF(3, max_iter=50, tol=0, random_state=0).fit(X).encoding_
    found = [None] * 8

    def work(place):
        found[place] = orthant.GNMF(3, max_iter=50, tol=0, random_state=0, n_jobs=2).fit(X).encoding_

    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in found:
        np.testing.assert_array_equal(one, expected)


def test_one_model_in_several_threads():
    """Labels are found when they are first asked for, by whichever thread asks."""
    Z = np.random.default_rng(0).random((1500, 20))
    for _ in range(5):
        model = orthant.GNMF(5, max_iter=5, tol=0, random_state=0).fit(Z)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: model.labels_, range(8)))
        for one in found:
            np.testing.assert_array_equal(one, found[0])



def test_errors_have_the_library_s_words(X, tmp_path):
    with pytest.raises(ValueError, match="init"):
        orthant.NMF(3, init="nothing").fit(X)
    with pytest.raises(ValueError, match="graph_weight"):
        orthant.GNMF(3, graph_weight=-1).fit(X)
    with pytest.raises(ValueError, match="termite"):
        orthant.Factorization(3, terms={"termite": 1}).fit(X)
    with pytest.raises(OSError, match="nowhere.npy"):
        orthant.read(tmp_path / "nowhere.npy")
    (tmp_path / "cut.npy").write_bytes(b"\x93NUMPY\x01\x00")
    with pytest.raises(ValueError, match="cut.npy"):
        orthant.read(tmp_path / "cut.npy")
    with pytest.raises(ValueError, match="y"):
        orthant.CDNMF().fit(X)


def test_memory_error():
    context = _library.Context()
    with pytest.raises(MemoryError):
        context.call("matrix_create", context, 2**40, 2**20, None, _library.byref(_library.c_void_p()))


def test_progress_bar(X, capsys):
    orthant.NMF(3, max_iter=20, tol=0, verbose=1, random_state=0).fit(X)
    shown = capsys.readouterr().err
    assert "NMF: fit" in shown and "20/20" in shown and "objective" in shown
