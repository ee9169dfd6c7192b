#!/usr/bin/env python3
"""Orthant beside its peers, on the same arrays from the same starts, in one table.

    bench/peers.py [--data DIR] [--cases ORL-40,MNIST-10,...] [--iterations 200] [--threads N]
                   [--seed 1] [--orthant build/orthant] [--json]

Runs scikit-learn (mu and cd; Kullback-Leibler by mu) and, where they are installed, on dense
data nimfa and multiplicative updates in PyTorch, in single precision where the peer has it. The data come from
DIR ($ORTHANT_DATA, ../shared/data): ORL, the test digits of MNIST, Reuters.

Goal: the objective that scikit-learn's cd (Kullback-Leibler: mu) has after so many iterations. The
time to it is that of all those iterations for a peer, and for Orthant the seconds of the first row
of history.csv that is not above it, in at most twice as many iterations. Both leave out reading the
data and setting up.

Conventions. scikit-learn factors X (samples in rows) into W H and reports 1/2 |X - W H|^2; Orthant
reports |X - W S'|^2 with the roles of the names turned: its encoding S is scikit-learn's W, its
basis W is scikit-learn's H transposed. Here every objective is computed again in double, as
|X - W H|^2 or the generalised divergence.

OpenBLAS knows processors by a table. One that is newer than the table gets kernels for an old one,
and the peers would look slow through no fault of theirs; so OPENBLAS_CORETYPE=SkylakeX is set
where the processor has AVX-512, unless the user has set it.
"""
import argparse
import csv
import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def has_avx512():
    try:
        with open("/proc/cpuinfo") as info:
            return " avx512f " in info.read()
    except OSError:
        return False


def prepare_blas(threads):
    """The BLAS reads its environment when it is loaded: start again with it set."""
    wanted = {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    if has_avx512():
        wanted["OPENBLAS_CORETYPE"] = os.environ.get("OPENBLAS_CORETYPE", "SkylakeX")
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.execve(sys.executable, [sys.executable] + sys.argv, {**os.environ, **wanted})


def default_data():
    return os.environ.get("ORTHANT_DATA", os.path.join(os.path.dirname(SOURCE), "shared", "data"))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=default_data())
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the start")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--orthant", type=os.path.abspath,
                        default=os.path.join(SOURCE, "build", "orthant"))
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


# ---- data ------------------------------------------------------------------------------------


def read_orl(folder):
    import scipy.io
    return scipy.io.loadmat(os.path.join(folder, "ORL", "ORL_32x32.mat"))["fea"]


def read_mnist(folder):
    import numpy as np
    with gzip.open(os.path.join(folder, "MNIST", "t10k-images-idx3-ubyte.gz")) as file:
        return np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)


def read_reuters(folder):
    import scipy.io
    path = os.path.join(folder, "Reuters21578", "Reuters21578.mat")
    return scipy.io.loadmat(path)["fea"].tocsr()


def make_square(folder):
    """With so many parts an iteration is products of nearly square matrices: the BLAS's own ground."""
    import numpy as np
    return np.random.default_rng(1).random((1000, 1000))


CASES = {  # name: reader, rank, loss
    "ORL-40": (read_orl, 40, "frobenius"),
    "MNIST-10": (read_mnist, 10, "frobenius"),
    "MNIST-50": (read_mnist, 50, "frobenius"),
    "Reuters-30": (read_reuters, 30, "frobenius"),
    "square-500": (make_square, 500, "frobenius"),
    "ORL-40-kl": (read_orl, 40, "kl"),
    "MNIST-10-kl": (read_mnist, 10, "kl"),
    "Reuters-30-kl": (read_reuters, 30, "kl"),
}


def make_problem(reader, folder, rank, seed):
    """X in [0, 1], and a start whose product has the mean of X."""
    import numpy as np
    import scipy.sparse
    X = reader(folder)
    X = (X / X.max()).astype(np.float32)
    if scipy.sparse.issparse(X):
        X = scipy.sparse.csr_matrix(X)
        X.sort_indices()
    draw = np.random.default_rng(seed)
    scale = 2 * np.sqrt(X.mean() / rank)
    S = (scale * draw.random((X.shape[0], rank))).astype(np.float32)
    W = (scale * draw.random((X.shape[1], rank))).astype(np.float32)
    return X, S, W


def objective(X, S, H, loss):
    """|X - S H|^2 or the divergence, in double, some rows at a time."""
    import numpy as np
    import scipy.sparse
    S, H = np.asarray(S, np.float64), np.asarray(H, np.float64)
    if loss == "frobenius":
        squares = X.multiply(X).sum() if scipy.sparse.issparse(X) else np.vdot(X, X)
        squares = float(squares)
        if scipy.sparse.issparse(X):
            cross = float((X.astype(np.float64) @ H.T * S).sum())
            return squares - 2 * cross + float(((S.T @ S) * (H @ H.T)).sum())
        return sum(float(((X[i:i + 500].astype(np.float64) - S[i:i + 500] @ H) ** 2).sum())
                   for i in range(0, X.shape[0], 500))
    if scipy.sparse.issparse(X):
        entries = X.tocoo()
        x = entries.data.astype(np.float64)
        y = np.einsum("ij,ij->i", S[entries.row], H.T[entries.col])
    else:
        rows, columns = np.nonzero(X)
        x = X[rows, columns].astype(np.float64)
        y = (S @ H)[rows, columns]
    # A peer that fits an entry by nothing is not infinitely far from it; scikit-learn counts so too.
    y = np.maximum(y, np.finfo(np.float32).eps)
    return float((x * np.log(x / y)).sum() - x.sum() + S.sum(0) @ H.sum(1))


# ---- who is measured --------------------------------------------------------------------------


def timed(run, iterations):
    """Seconds of all iterations without what one call costs, and the factors at the end."""
    begin = time.perf_counter()
    run(1)
    one = time.perf_counter() - begin
    begin = time.perf_counter()
    factors = run(iterations)
    each = (time.perf_counter() - begin - one) / max(iterations - 1, 1)
    return max(each, 1e-9) * iterations, factors


def run_sklearn(X, S, W, loss, solver, iterations):
    import warnings
    from sklearn.decomposition import non_negative_factorization
    warnings.filterwarnings("ignore")

    def run(count):
        left, right, _ = non_negative_factorization(
            X, W=S.copy(), H=W.T.copy(), n_components=S.shape[1], init="custom", solver=solver,
            beta_loss="frobenius" if loss == "frobenius" else "kullback-leibler", tol=0,
            max_iter=count)
        return left, right
    return timed(run, iterations)


def run_nimfa(X, S, W, loss, iterations):
    import nimfa

    def run(count):
        fit = nimfa.Nmf(X, W=S.astype(float), H=W.T.astype(float), rank=S.shape[1], max_iter=count,
                        update="euclidean" if loss == "frobenius" else "divergence",
                        objective="fro" if loss == "frobenius" else "div", min_residuals=0)()
        return fit.basis(), fit.coef()
    return timed(run, iterations)


def run_torch(X, S, W, loss, iterations):
    """Lee and Seung's updates as PyTorch's users write them."""
    import torch
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    data, tiny = torch.from_numpy(X), 1e-30

    def run(count):
        left, right = torch.from_numpy(S.copy()), torch.from_numpy(W.T.copy())
        for _ in range(count):
            if loss == "frobenius":
                left *= data @ right.T / (left @ (right @ right.T) + tiny)
                right *= left.T @ data / (left.T @ left @ right + tiny)
            else:
                left *= (data / (left @ right + tiny)) @ right.T / (right.sum(1) + tiny)
                right *= left.T @ (data / (left @ right + tiny)) / (left.sum(0)[:, None] + tiny)
        return left.numpy(), right.numpy()
    return timed(run, iterations)


def peers_of(X, loss):
    """(name, function) of each that is installed and takes such data."""
    import scipy.sparse
    sparse = scipy.sparse.issparse(X)
    found = []
    if loss == "frobenius":
        found.append(("scikit-learn cd", lambda *a: run_sklearn(*a[:4], "cd", a[4])))
    found.append(("scikit-learn mu", lambda *a: run_sklearn(*a[:4], "mu", a[4])))
    if importlib.util.find_spec("nimfa") and not sparse:  # on text it takes more than minutes
        found.append(("nimfa", run_nimfa))
    if importlib.util.find_spec("torch") and not sparse:
        found.append(("PyTorch mu", run_torch))
    return found


def solvers_of(command, method):
    about = json.loads(subprocess.check_output([command, "methods", method, "--json"]))
    for parameter in about["parameters"]:
        if parameter["name"] == "solver":
            return [name for name in parameter["choices"] if name != "auto"]  # one of the others
    return ["mu"]


def run_orthant(arguments, folder, rank, method, solver, goal):
    """Milliseconds per iteration; seconds and iterations to the goal, or None."""
    run = os.path.join(folder, "run")
    shutil.rmtree(run, ignore_errors=True)
    data = next(name for name in ("X.npy", "X.npz") if os.path.exists(os.path.join(folder, name)))
    subprocess.check_call(
        [arguments.orthant, "fit", data, "-m", method, "-k", str(rank), "--start", "basis=W.npy",
         "--start", "encoding=S.npy", "--iterations", str(2 * arguments.iterations), "--tolerance",
         "0", "--solver", solver, "--threads", str(arguments.threads), "--quiet", "-o", "run"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(os.path.join(run, "history.csv")) as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    reached = [row for row in rows if row["objective"] <= goal]
    each = 1e3 * rows[-1]["seconds"] / rows[-1]["iteration"]
    if not reached:
        return each, None, None
    return each, reached[0]["seconds"], int(reached[0]["iteration"])


# ---- one case ---------------------------------------------------------------------------------


def write_problem(folder, X, S, W):
    import numpy as np
    import scipy.sparse
    if scipy.sparse.issparse(X):
        scipy.sparse.save_npz(os.path.join(folder, "X.npz"), X)
    else:
        np.save(os.path.join(folder, "X.npy"), X)
    np.save(os.path.join(folder, "S.npy"), S)
    np.save(os.path.join(folder, "W.npy"), W)


def measure_case(arguments, name):
    reader, rank, loss = CASES[name]
    method = "nmf" if loss == "frobenius" else "nmf-kl"
    X, S, W = make_problem(reader, arguments.data, rank, arguments.seed)
    rows, goal = [], None
    for peer, run in peers_of(X, loss):
        try:
            seconds, factors = run(X, S, W, loss, arguments.iterations)
        except Exception as error:  # an old peer beside new libraries: the others go on
            print(f"peers.py: left out on {name}: {peer}: {error}", file=sys.stderr)
            continue
        reached = objective(X, *factors, loss)
        goal = reached if goal is None else goal
        # What a slower rule does not reach has no time.
        rows.append({"case": name, "program": peer, "ms": 1e3 * seconds / arguments.iterations,
                     "objective": reached, "goal_s": seconds if reached <= goal else None,
                     "goal_iterations": arguments.iterations if reached <= goal else None})
    with tempfile.TemporaryDirectory() as folder:
        write_problem(folder, X, S, W)
        for solver in solvers_of(arguments.orthant, method):
            try:
                ms, seconds, count = run_orthant(arguments, folder, rank, method, solver, goal)
            except subprocess.CalledProcessError:
                continue  # not every loss has every solver
            rows.append({"case": name, "program": "orthant " + solver, "ms": ms, "goal": goal,
                         "goal_s": seconds, "goal_iterations": count})
    ours = [row for row in rows if row["program"].startswith("orthant")]
    fastest = min((row["goal_s"] for row in ours if row["goal_s"] is not None), default=None)
    for row in rows:
        row["times_ours"] = row["ms"] / ours[0]["ms"]
        row["goal_times_ours"] = row["goal_s"] / fastest if row["goal_s"] and fastest else None
    return rows


def show(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def main():
    arguments = parse_arguments()
    prepare_blas(arguments.threads)
    unknown = [name for name in arguments.cases.split(",") if name not in CASES]
    if unknown:
        sys.exit(f"peers.py: no case '{unknown[0]}'; there are {', '.join(CASES)}")
    if not os.path.isdir(arguments.data):
        print(f"peers.py: skipped: there is no folder {arguments.data}; give --data",
              file=sys.stderr)
        sys.exit(77)
    everything = []
    if not arguments.json:
        print(f"{arguments.threads} threads, OPENBLAS_CORETYPE="
              f"{os.environ.get('OPENBLAS_CORETYPE', '')}; goal: the objective of the first peer "
              f"after\n{arguments.iterations} iterations; times: as many as Orthant takes\n")
        print(f"{'':15s} {'':17s} {'ms each':>10s} {'times':>8s} {'goal s':>10s} "
              f"{'steps':>6s} {'times':>8s}")
    for name in arguments.cases.split(","):
        rows = measure_case(arguments, name)
        everything += rows
        for row in rows if not arguments.json else []:
            print(f"{row['case']:15s} {row['program']:17s} {row['ms']:10.3f} "
                  f"{row['times_ours']:8.2f} {show(row['goal_s'], 3):>10s} "
                  f"{show(row['goal_iterations'], 0):>6s} "
                  f"{show(row['goal_times_ours'], 2):>8s}", flush=True)
    if arguments.json:
        json.dump(everything, sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
