#!/usr/bin/env python3
"""Fits by batches beside scikit-learn's MiniBatchNMF: time to one quality, in one run.

    bench/online.py [--data DIR] [--ranks 10,50] [--losses frobenius,kullback-leibler] [--samples 70000] [--batch 1024]
                    [--passes 10] [--threads 2] [--repeats 2] [--json]

X are the test digits of MNIST (DIR/MNIST, or the digits that ship with Orthant), repeated in an order of their own to the
number of samples, with some noise on their ink; single precision. Both are given one start, one batch size, the given order of
the batches and the forgetting factor 0.7, so that they make the same steps: the basis after the passes agrees to rounding, and
the time to any quality is the time per pass times the same number of passes. The table has that time, the objective of both (of
the encodings as the passes left them, computed in double here), the largest difference of the two bases beside the largest entry,
and the seconds that a fit of all samples at once, by default settings, takes to the same objective.
"""
import argparse
import gzip
import json
import os
import sys
import time
import warnings

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def prepare_blas(threads):
    """The BLAS reads its environment when it is loaded: start again with it set (see bench/peers.py)."""
    wanted = {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    with open("/proc/cpuinfo") as info:
        if " avx512f " in info.read():
            wanted["OPENBLAS_CORETYPE"] = os.environ.get("OPENBLAS_CORETYPE", "SkylakeX")
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.execve(sys.executable, [sys.executable] + sys.argv, {**os.environ, **wanted})


def read_digits(np, folder, samples):
    path = os.path.join(folder, "MNIST", "t10k-images-idx3-ubyte.gz")
    if not os.path.exists(path):
        path = os.path.join(SOURCE, "data", "digits", "digits-images-idx3-ubyte.gz")
    with gzip.open(path, "rb") as file:
        data = file.read()
    rows, height, width = np.frombuffer(data, ">i4", 3, 4)
    X = np.frombuffer(data, np.uint8, offset=16).reshape(rows, height * width)
    rng = np.random.default_rng(1)
    picked = X[rng.integers(rows, size=samples)].astype(np.float32) / 255
    return picked * rng.uniform(0.8, 1.2, picked.shape).astype(np.float32)


def objective(np, X, W, H, loss):
    """|X - W H|^2 or the generalised divergence, in double, some rows at a time."""
    total = 0.0
    for first in range(0, len(X), 4096):
        x = X[first:first + 4096].astype(np.float64)
        y = W[first:first + 4096].astype(np.float64) @ H.astype(np.float64)
        if loss == "frobenius":
            total += ((x - y) ** 2).sum()
        else:
            some = x > 0
            total += (x[some] * np.log(x[some] / np.maximum(y[some], 1e-30))).sum() - x.sum() + y.sum()
    return float(total)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=os.environ.get("ORTHANT_DATA", os.path.join(os.path.dirname(SOURCE), "shared", "data")))
    parser.add_argument("--ranks", default="10,50")
    parser.add_argument("--losses", default="frobenius,kullback-leibler")
    for name, default in (("samples", 70000), ("batch", 1024), ("passes", 10), ("threads", 2), ("repeats", 2)):
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--json", action="store_true")
    a = parser.parse_args()
    prepare_blas(a.threads)
    import numpy as np
    import orthant
    from sklearn.decomposition import MiniBatchNMF
    warnings.simplefilter("ignore")
    X = read_digits(np, a.data, a.samples)
    rows = []
    for loss in a.losses.split(","):
        for rank in map(int, a.ranks.split(",")):
            rng = np.random.default_rng(2)
            scale = np.sqrt(X.mean() / rank)
            W, H = (np.abs(rng.standard_normal(shape)).astype(np.float32) * scale
                    for shape in ((len(X), rank), (rank, X.shape[1])))
            taken = {"scikit-learn": np.inf, "orthant": np.inf}
            for _ in range(a.repeats):
                model = MiniBatchNMF(rank, init="custom", batch_size=a.batch, beta_loss=loss, tol=0, max_iter=a.passes,
                                     max_no_improvement=None, forget_factor=0.7)
                w, h = W.copy(), H.copy()
                begin = time.perf_counter()
                codes = model.fit_transform(X, W=w, H=h)
                taken["scikit-learn"] = min(taken["scikit-learn"], time.perf_counter() - begin)
                ours = orthant.NMF(rank, beta_loss=loss, batch=a.batch, forget=0.7, tol=0, max_iter=a.passes,
                                   n_jobs=a.threads)
                start = {"encoding": W, "basis": np.ascontiguousarray(H.T)}
                begin = time.perf_counter()
                ours.fit(X, start=start)
                taken["orthant"] = min(taken["orthant"], time.perf_counter() - begin)
            goal = objective(np, X, ours.encoding_, ours.components_, loss)
            whole = orthant.NMF(rank, beta_loss=loss, tol=0, max_iter=200, n_jobs=a.threads, random_state=1,
                                callback=lambda told: not (told["phase"] == "fit" and told["objective"] <= goal)).fit(X)
            rows.append({"loss": loss, "rank": rank, "scikit-learn": taken["scikit-learn"], "orthant": taken["orthant"],
                         "times": taken["scikit-learn"] / taken["orthant"],
                         "objective scikit-learn": objective(np, X, codes, model.components_, loss),
                         "objective orthant": goal,
                         "apart": float(np.abs(ours.components_ - model.components_).max() / model.components_.max()),
                         "all at once": float(whole.history_["seconds"][-1]) if whole.objective_ <= goal else None})
            row = rows[-1]
            if not a.json:
                print(f"{loss:17} k {rank:3}  scikit-learn {row['scikit-learn']:7.2f} s  orthant {row['orthant']:6.2f} s  "
                      f"{row['times']:5.1f} times  objectives {row['objective scikit-learn']:.6g} {goal:.6g}  apart "
                      f"{row['apart']:.1e}  all at once {row['all at once']}", flush=True)
    if a.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
