"""What the tests of the Python package share."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

SOURCE = Path(__file__).resolve().parents[2]


@pytest.fixture
def X():
    """Sixty samples of three groups, each with features of its own."""
    rng = np.random.default_rng(0)
    groups = np.kron(np.eye(3), np.ones((20, 6)))
    return groups * rng.uniform(0.5, 1, (60, 18)) + rng.uniform(0, 0.1, (60, 18))


@pytest.fixture
def y():
    """The group of each sample; a third is known."""
    labels = np.repeat(np.arange(3), 20)
    labels[np.arange(60) % 3 > 0] = -1
    return labels


@pytest.fixture
def command(tmp_path):
    """Runs the command and gives the folder of its run."""

    def run(*arguments):
        path = os.environ.get("ORTHANT_COMMAND", str(SOURCE / "build" / "orthant"))
        subprocess.run([path, *map(str, arguments), "-o", str(tmp_path / "run"), "--quiet"], check=True,
                       capture_output=True)
        return tmp_path / "run"

    return run
