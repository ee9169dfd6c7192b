"""Fits on a device: the tests' own of plain loops (tests/device/host_device.c), where it is built."""

import os
import re
from pathlib import Path

import numpy as np
import orthant
import pytest

PLUGINS = Path(os.environ.get("ORTHANT_BINARY", Path(__file__).resolve().parents[2] / "build")) / "tests" / "plugins"


@pytest.fixture
def plugins(monkeypatch):
    if not (PLUGINS / "liborthant-hostdevice.so").exists():
        pytest.skip(f"{PLUGINS} has no plug-in: build the target host_device")
    monkeypatch.setenv("ORTHANT_PLUGINS", str(PLUGINS))


@pytest.mark.parametrize("kind", [orthant.NMF, orthant.KLNMF])
def test_the_same_factors_as_on_the_cpu(X, plugins, kind):
    options = {"solver": "mu", "max_iter": 20, "tol": 0, "random_state": 0}
    here, there = kind(3, **options).fit(X), kind(3, device="hostdevice:1", **options).fit(X)
    np.testing.assert_allclose(there.history_["objective"], here.history_["objective"], rtol=1e-10)
    np.testing.assert_allclose(there.components_, here.components_, atol=1e-8)
    np.testing.assert_array_equal(there.labels_, here.labels_)
    assert there.transform(X).shape == (60, 3)


def test_products_that_round(X, plugins):
    model = orthant.NMF(3, device="hostdevice", tf32=True, max_iter=5, tol=0, random_state=0).fit(X.astype(np.float32))
    assert model.components_.dtype == np.float32


def test_refusals(X, plugins, monkeypatch):
    with pytest.raises(NotImplementedError, match="method 'pnmf' does not run on the device 'hostdevice:0'"):
        orthant.PNMF(3, device="hostdevice").fit(X)
    with pytest.raises(ValueError, match="no device 'hostdevice:7'"):
        orthant.NMF(3, device="hostdevice:7").fit(X)
    monkeypatch.setenv("HOSTDEVICE_FAILS", "basis:2")
    with pytest.raises(ArithmeticError, match="the device 'hostdevice:0' failed: basis was told to fail"):
        orthant.NMF(3, device="hostdevice").fit(X)


def test_without_a_plugin(X, tmp_path, monkeypatch):
    monkeypatch.setenv("ORTHANT_PLUGINS", str(tmp_path))
    with pytest.raises(NotImplementedError, match="no plug-in 'cuda' for devices"):
        orthant.NMF(3, device="cuda").fit(X)


class OnDevice:
    """What CuPy and PyTorch show of an array on a GPU; the memory of this device is the host's."""

    def __init__(self, host, there, number=1):
        self.host, self.there, self.number = host, there, number
        self.__cuda_array_interface__ = there.__array_interface__

    def __dlpack_device__(self):
        return 2, self.number

    def get(self):
        return self.host


class ByDlpack:
    """What JAX shows of an array on a GPU."""

    def __init__(self, host, there, number=1):
        self.host, self.there, self.number = host, there, number

    def __dlpack_device__(self):
        return 2, self.number

    def __dlpack__(self, stream=None):
        return self.there.__dlpack__()

    def __array__(self, dtype=None, copy=None):
        return np.array(self.host, dtype=dtype)


class Wanted:
    """PyTorch's tensors that gradients are wanted of: shown once they are detached."""

    def __init__(self, held):
        self.held = held

    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("requires grad")

    def detach(self):
        return self.held

    def get(self):
        return self.held.get()


@pytest.mark.parametrize("shown", [OnDevice, ByDlpack])
def test_arrays_of_a_gpu(X, plugins, shown):
    options = {"device": "hostdevice:1", "solver": "mu", "max_iter": 10, "tol": 0, "random_state": 0}
    expected = orthant.NMF(3, **options).fit(X).components_
    wide = np.zeros((X.shape[0], X.shape[1] + 3))
    there = wide[:, : X.shape[1]]
    there[:] = X
    np.testing.assert_array_equal(orthant.NMF(3, **options).fit(shown(X, there)).components_, expected)
    np.testing.assert_array_equal(orthant.NMF(3, **options).fit(shown(X, np.asfortranarray(X))).components_, expected)
    there[0, 0] += 1  # which the host's copy does not have: it is read where it lies
    assert (orthant.NMF(3, **options).fit(shown(X, there)).components_ != expected).any()
    np.testing.assert_array_equal(orthant.NMF(3, **options).fit(shown(X, there, 0)).components_, expected)
    wanted = Wanted(OnDevice(X, X))
    np.testing.assert_array_equal(orthant.NMF(3, **options).fit(wanted).components_, expected)
    model = orthant.NMF(3, **options).fit(X)
    np.testing.assert_array_equal(model.transform(shown(X, there)), model.transform(X))


def test_arrays_of_a_gpu_without_a_device(X):
    with pytest.raises(TypeError, match=re.escape("X.cpu().numpy()")):
        orthant.NMF(3).fit(OnDevice(X, X))
    with pytest.raises(TypeError, match=re.escape("numpy.asarray(X) of JAX")):
        orthant.NMF(3).fit(ByDlpack(X, X))
