"""X is not copied, and nothing is left behind."""

import subprocess
import sys

import numpy as np
import orthant
import pytest


def resident(kind="VmRSS"):
    """Megabytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(kind)) / 1024


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_thousand_fits_leave_nothing(X):
    def fit():
        model = orthant.GNMF(3, max_iter=3, random_state=0, n_jobs=2).fit(X)
        return model.labels_, model.transform(X), model.history_

    for _ in range(200):
        fit()
    before = resident()
    for _ in range(1000):
        fit()
    assert resident() - before < 3


PROGRAM = """
import sys, warnings
import numpy as np, orthant
warnings.simplefilter("ignore")
def read(kind):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(kind)) / 1024
samples, order = int(sys.argv[1]), sys.argv[2]
X = np.ones((samples, 1000), dtype=np.float32, order=order)
X[::7, ::3] = 2
orthant.NMF(10, max_iter=2, tol=0, random_state=0).fit(X[:100])
before = read("VmRSS")
orthant.NMF(10, max_iter=5, tol=0, random_state=0).fit(X)
print((read("VmHWM") - before) / (X.nbytes / 2**20))
"""


@pytest.mark.parametrize("order", ["C", "F"])
def test_200_mb_take_a_fifth_more(order):
    run = subprocess.run([sys.executable, "-c", PROGRAM, "52429", order], check=True, capture_output=True, text=True)
    assert float(run.stdout) < 0.2
