"""Processes under mpirun that share the samples."""

import shutil
import subprocess
import sys
import time

import numpy as np
import orthant
import pytest

pytest.importorskip("mpi4py")
if not shutil.which("mpirun"):
    pytest.skip("mpirun is not there", allow_module_level=True)

BEGIN = """
import sys
import numpy as np, scipy.sparse
import orthant
from mpi4py import MPI
comm = MPI.COMM_WORLD
rng = np.random.default_rng(0)
X = rng.random((9000, 260), dtype=np.float32)
rows = orthant.shared_rows(comm, *X.shape)
settings = {"max_iter": 8, "tol": 0, "n_jobs": 1}
"""


def run(program, ranks=2):
    return subprocess.run(["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks), sys.executable, "-c",
                           BEGIN + program], capture_output=True, text=True, timeout=60)


def test_same_bits_as_one_process(tmp_path):
    """Dense and CSR, a graph, labels; the first of five processes has no samples: there are four chunks."""
    done = run(f"""
def same(model, X=X, **inputs):
    alone, shared = model().fit(X, **inputs), model().fit(X[rows], **inputs, communicator=comm)
    assert shared.components_.tobytes() == alone.components_.tobytes()
    assert shared.encoding_.tobytes() == alone.encoding_[rows].tobytes()
    assert shared.history_["objective"].tobytes() == alone.history_["objective"].tobytes()
    return alone, shared

alone, shared = same(lambda: orthant.NMF(4, random_state=1, labels_rule="argmax", **settings))
assert (shared.labels_ == alone.labels_[rows]).all()
orthant.save_run(shared, {str(tmp_path / "run")!r}, X[rows], report=False)
if comm.rank == 0:
    saved = orthant.load_run({str(tmp_path / "run")!r})
    assert saved.factor("encoding").tobytes() == alone.encoding_.tobytes()
    assert (saved.labels == alone.labels_).all()

S = scipy.sparse.csr_array(np.where(X > 0.6, X, 0))
n = X.shape[0]
ring = scipy.sparse.diags_array([1.0, 1.0, 1.0, 1.0], offsets=[1, -1, n - 1, 1 - n], shape=(n, n)).tocsr()
same(lambda: orthant.GNMF(4, random_state=2, **settings), S, graph=ring)
y = np.where(np.arange(n) % 3, -1, np.arange(n) % 4)
same(lambda: orthant.CDNMF(4, random_state=3, **settings), y=y)

# a seed of NumPy's own is that of the first process
bases = comm.allgather(orthant.NMF(3, **settings).fit(X[rows], communicator=comm).components_.tobytes())
assert len(set(bases)) == 1
try:
    same(lambda: orthant.NMF(3, random_state=0, **settings))[1].labels_
    assert False
except NotImplementedError as error:
    assert "argmax" in str(error)
print("done")
""", ranks=5)
    assert done.returncode == 0 and done.stdout.count("done") == 5, done.stderr


def test_what_one_process_refuses_all_refuse():
    done = run("""
def refused(words, X, **arguments):
    try:
        orthant.NMF(3, random_state=0, **settings).fit(X, communicator=comm, **arguments)
    except (ValueError, RuntimeError) as error:
        assert words in str(error), error
    else:
        assert False, words

bad = X[rows].copy()
if comm.rank == 1:
    bad[0, 0] = np.nan
refused("NaN", bad)
if comm.rank == 1:
    bad[0, 0] = -1
refused("entry (%d, 1) is -1" % (comm.bcast(rows.start, 1) + 1), bad)
refused("not rows of the same X", X[rows, comm.rank:])
refused("orthant_group_rows", X[: 4000 + 1000 * comm.rank])
def watch(told):
    if comm.rank == 1 and told["done"] == 3:
        raise KeyError("mine")
try:
    orthant.NMF(3, random_state=0, callback=watch, **settings).fit(X[rows], communicator=comm)
    assert False
except (KeyError, RuntimeError) as error:
    assert "mine" in str(error)
orthant.NMF(3, random_state=0, **settings).fit(X[rows], communicator=comm)
print("done")
""")
    assert done.returncode == 0 and done.stdout.count("done") == 2, done.stderr


def test_a_communicator_that_fails_ends_all():
    """One process fails in the middle of a long fit; the other waits for its sums."""
    begin = time.monotonic()
    done = run("""
class Failing:
    calls = 0
    def __getattr__(self, name):
        return getattr(comm, name)
    def Allgatherv(self, *buffers):
        self.calls += 1
        if comm.rank == 1 and self.calls == 60:
            raise OSError("the cable is cut")
        comm.Allgatherv(*buffers)

settings["max_iter"] = 10**9
orthant.NMF(3, random_state=0, **settings).fit(X[rows], communicator=Failing())
""")
    assert done.returncode != 0
    assert time.monotonic() - begin < 30
    assert "the cable is cut" in done.stderr
    assert "orthant: process 1 of 2: the processes that share the samples lost each other" in done.stderr


def test_one_process_alone(X):
    class Alone:
        def Get_rank(self):
            return 0

        def Get_size(self):
            return 1

        def Allgatherv(self, own, all):
            all[0][:] = own

    settings = {"max_iter": 10, "tol": 0, "random_state": 0}
    alone = orthant.NMF(3, **settings).fit(X)
    model = orthant.NMF(3, **settings).fit(X, communicator=Alone())
    np.testing.assert_array_equal(model.components_, alone.components_)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
