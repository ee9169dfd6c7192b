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
    with pytest.raises(NotImplementedError, match="method 'cf' does not run on the device 'hostdevice:0'"):
        orthant.CF(3, device="hostdevice").fit(X)
    with pytest.raises(ValueError, match="no device 'hostdevice:7'"):
        orthant.NMF(3, device="hostdevice:7").fit(X)
    monkeypatch.setenv("HOSTDEVICE_FAILS", "basis:2")
    with pytest.raises(ArithmeticError, match="the device 'hostdevice:0' failed: basis was told to fail"):
        orthant.NMF(3, device="hostdevice").fit(X)


def test_without_a_plugin(X, tmp_path, monkeypatch):
    monkeypatch.setenv("ORTHANT_PLUGINS", str(tmp_path))
    with pytest.raises(NotImplementedError, match="no plug-in 'cuda' for devices"):
        orthant.NMF(3, device="cuda").fit(X)


def test_arrays_of_a_gpu(X):
    class OnDevice:
        __cuda_array_interface__ = {"shape": X.shape}

    with pytest.raises(TypeError, match=re.escape("X.cpu().numpy()")):
        orthant.NMF(3).fit(OnDevice())
