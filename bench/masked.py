#!/usr/bin/env python3
"""What missing entries cost: an iteration of frobenius with some entries missing beside one of kl.

    bench/masked.py [--samples 70000] [--features 784] [--rank 10] [--missing 0.1] [--data noise|digits]
                    [--iterations 20] [--repeats 5] [--threads 2] [--json]

Both fits are multiplicative, in single precision, on the same X from the same start, and take turns; a figure is the least
over the repeats of the seconds per iteration that the fit tells. `noise` has no zeros; `digits`, as
`orthant bench` makes them, are parts on stretches of the features, and most entries are zero, which kl skips. A third fit has
weights of the entries that are not all 0 and 1, which are read as numbers.
"""
import argparse
import json

import numpy as np

import orthant


def digits(rng, n, m, parts=100):
    basis = np.zeros((parts, m), np.float32)
    for p in range(parts):
        basis[p, (rng.integers(m) + np.arange(m // 8 + 1)) % m] = rng.random(m // 8 + 1)
    X = np.zeros((n, m), np.float32)
    for _ in range(4):
        X += (0.2 + rng.random((n, 1), np.float32)) * basis[rng.integers(parts, size=n)]
    return X


def seconds(X, loss, arguments, **options):
    model = orthant.NMF(arguments.rank, beta_loss=loss, solver="mu", max_iter=arguments.iterations, tol=0,
                        random_state=1, n_jobs=arguments.threads, **options.pop("settings", {}))
    return model.fit(X, **options).history_["seconds"][-1] / model.n_iter_


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, kind, default in (("samples", int, 70000), ("features", int, 784), ("rank", int, 10),
                                ("missing", float, 0.1), ("iterations", int, 20), ("repeats", int, 5),
                                ("threads", int, 2)):
        parser.add_argument("--" + name, type=kind, default=default)
    parser.add_argument("--data", choices=("noise", "digits"), default="noise")
    parser.add_argument("--json", action="store_true")
    a = parser.parse_args()
    rng = np.random.default_rng(1)
    X = (0.01 + rng.random((a.samples, a.features), np.float32) if a.data == "noise"
         else digits(rng, a.samples, a.features))
    holes = X.copy()
    unknown = rng.random(X.shape, np.float32) < a.missing
    holes[unknown] = np.nan
    weights = np.where(unknown, 0, 0.5 + X / X.max()).astype(np.float32)
    fits = {"kl": lambda: seconds(X, "kl", a),
            "frobenius": lambda: seconds(X, "frobenius", a),
            "missing": lambda: seconds(holes, "frobenius", a, settings={"missing": "nan"}),
            "weights": lambda: seconds(X, "frobenius", a, mask=weights)}
    least = {name: float("inf") for name in fits}
    for _ in range(a.repeats):
        for name, fit in fits.items():
            least[name] = min(least[name], fit())
    if a.json:
        print(json.dumps(least))
        return
    for name, taken in least.items():
        print(f"{name:10} {1e3 * taken:7.2f} ms per iteration, {taken / least['kl']:.2f} of kl")


if __name__ == "__main__":
    main()
