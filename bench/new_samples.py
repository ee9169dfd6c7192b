#!/usr/bin/env python3
"""Missing entries and new samples: how well held-out entries are fitted, and how well clusters of samples that the fit
has not seen are found.

    bench/new_samples.py [--data FOLDER] [--parts ratings,ORL,Reuters,MNIST,trip]

ratings   generated, 20,000 users x 2,000 items, 5 % known: 5 tastes, noise of 0.3; a tenth of the known held out
ORL       a tenth of the pixels of the 400 faces held out
Reuters   a tenth of the entries of the word counts held out, those that are zero too
MNIST     clusters of the second half of the 10,000 digits by a fit of the first, beside a fit of all
trip      how far codes of the fit's own samples are from its encodings, and what it takes that they are not

Beside the fits: the mean of what is known (of the whole, and of each column) and k = 1. Needs numpy, scipy and the
package; ratings are generated, the other parts read the research data (docs/reproduction.md) and skip without them.
"""

import argparse
import gzip
import os
import time
import warnings

import numpy as np
import scipy.io
import scipy.sparse

import orthant

HERE = os.path.dirname(os.path.abspath(__file__))


def rmse(found, truth):
    return float(np.sqrt(np.mean((np.asarray(found, float) - np.asarray(truth, float)) ** 2)))


def say(part, what, value, seconds=None):
    print(f"{part:8} {what:44} {value:9.4f}" + (f"  {seconds:6.1f} s" if seconds is not None else ""), flush=True)


def entries(model, rows, columns):
    return np.einsum("ij,ij->i", model.encoding_[rows], model.components_.T[columns])


# ---- completion ----------------------------------------------------------------------------------------------------

def ratings(_):
    """Held-out ratings of a matrix of rank 5 with noise, of which 5 % are known."""
    rng = np.random.default_rng(1)
    users, items, tastes, noise = 20000, 2000, 5, 0.3
    S, W = rng.gamma(1, 1, (users, tastes)), rng.gamma(1, 1, (items, tastes))
    S *= 3 / np.mean(S @ W[:200].T)
    known = rng.choice(users * items, users * items // 20, replace=False)
    rows, columns = known // items, known % items
    values = np.einsum("ij,ij->i", S[rows], W[columns])
    values = np.maximum(values + noise * rng.standard_normal(len(values)), 1e-3)
    held = rng.random(len(values)) < 0.1
    X = np.full((users, items), np.nan, np.float32)
    X[rows[~held], columns[~held]] = values[~held]
    say("ratings", "noise", noise)
    say("ratings", "mean of the known", rmse(values[~held].mean(), values[held]))
    options = dict(missing="nan", solver="emu", tol=1e-5, random_state=0)
    for k, most in ((1, 20), (tastes, 200)):
        start = time.perf_counter()
        model = orthant.NMF(k, max_iter=most, **options).fit(X)
        say("ratings", f"k = {k}", rmse(entries(model, rows[held], columns[held]), values[held]),
            time.perf_counter() - start)
    # Users that the fit has not seen: codes from their known ratings.
    half = users // 2
    start = time.perf_counter()
    model = orthant.NMF(tastes, max_iter=200, **options).fit(X[:half])
    codes = model.transform(X[half:])
    new = held & (rows >= half)
    found = np.einsum("ij,ij->i", codes[rows[new] - half], model.components_.T[columns[new]])
    say("ratings", "k = 5, users that the fit has not seen", rmse(found, values[new]), time.perf_counter() - start)


def pixels(folder):
    """A tenth of the pixels of ORL."""
    X = scipy.io.loadmat(os.path.join(folder, "ORL", "ORL_32x32.mat"))["fea"].astype(np.float32)
    held = np.random.default_rng(1).random(X.shape) < 0.1
    mask = (~held).astype(np.float32)
    known = np.where(held, np.nan, X)
    say("ORL", "mean of the known", rmse(np.nanmean(known), X[held]))
    say("ORL", "mean of the pixel", rmse(np.broadcast_to(np.nanmean(known, axis=0), X.shape)[held], X[held]))
    for k in (1, 10, 25, 40):
        start = time.perf_counter()
        model = orthant.Factorization(k, solver="emu", max_iter=1000, tol=1e-6, random_state=0).fit(X, mask=mask)
        say("ORL", f"k = {k}", rmse((model.encoding_ @ model.components_)[held], X[held]), time.perf_counter() - start)


def words(folder):
    """A tenth of the counts of Reuters, of zeros too."""
    X = scipy.io.loadmat(os.path.join(folder, "Reuters21578", "Reuters21578.mat"))["fea"]
    X = scipy.sparse.csr_array(X.astype(np.float32))
    X = X[:, np.asarray((X > 0).sum(axis=0)).ravel() >= 50].tocsr()  # words of at least 50 documents
    held = np.random.default_rng(1).random(X.shape) < 0.1
    truth = X.toarray()[held]
    mask = (~held).astype(np.float32)
    known = X.multiply(mask).tocsr()
    say("Reuters", f"mean of the known ({X.shape[0]} x {X.shape[1]})", rmse(known.sum() / mask.sum(), truth))
    means = np.asarray(known.sum(axis=0)).ravel() / mask.sum(axis=0)
    say("Reuters", "mean of the word", rmse(np.broadcast_to(means, X.shape)[held], truth))
    for k in (1, 10, 20):
        start = time.perf_counter()
        # Counts: squares would follow the few large ones of single documents.
        model = orthant.KLNMF(k, solver="emu", max_iter=60, tol=1e-5, random_state=0).fit(X, mask=mask)
        rows, columns = np.nonzero(held)
        found = np.concatenate([entries(model, r, c) for r, c in
                                zip(np.array_split(rows, 20), np.array_split(columns, 20))])
        say("Reuters", f"kl, k = {k}", rmse(found, truth), time.perf_counter() - start)


# ---- clusters of new samples ---------------------------------------------------------------------------------------

def read_idx(path):
    with gzip.open(path, "rb") as file:
        data = file.read()
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(np.frombuffer(data, ">i4", data[3], 4))


def digits(folder):
    """The second half of the digits by a fit of the first."""
    X = read_idx(os.path.join(folder, "MNIST", "t10k-images-idx3-ubyte.gz")).reshape(-1, 784).astype(np.float32)
    y = read_idx(os.path.join(folder, "MNIST", "t10k-labels-idx1-ubyte.gz")).astype(np.int64)
    order = np.random.default_rng(1).permutation(len(y))  # the file has the clean digits of one source second
    X, y = X[order], y[order]
    half = len(y) // 2
    for name, make in (("nmf, k = 10", lambda s: orthant.NMF(10, random_state=s, n_init=5)),
                       ("nmf, k = 40, 10 clusters", lambda s: orthant.NMF(40, n_clusters=10, random_state=s)),
                       ("gnmf, k = 10, samples of unit length", lambda s: orthant.GNMF(10, random_state=s))):
        data = X / np.linalg.norm(X, axis=1, keepdims=True) if name.startswith("gnmf") else X
        new, whole, first = [], [], []
        for seed in range(5):
            model = make(seed).fit(data[:half])
            new.append(100 * orthant.scores(model.predict(data[half:]), y[half:])["accuracy"])
            first.append(100 * orthant.scores(model.labels_, y[:half])["accuracy"])
            whole.append(100 * orthant.scores(make(seed).fit(data).labels_, y)["accuracy"])
        say("MNIST", f"{name}: fit on all", np.mean(whole))
        say("MNIST", f"{name}: the half that was fitted", np.mean(first))
        say("MNIST", f"{name}: predicted half", np.mean(new))


# ---- the round trip ------------------------------------------------------------------------------------------------

def trip(folder):
    """|transform(X) - encoding| / |encoding| by default and with the encodings of the last iteration, and the share of the
    fit's time that the step from these to those takes; generated data, the digits that ship with Orthant, faces of ORL."""
    rng = np.random.default_rng(0)
    planted = rng.random((300, 5)) ** 2 @ rng.random((5, 60)) ** 3 + 0.01 + 0.02 * rng.random((300, 60))
    shipped = orthant.read(os.path.join(HERE, "..", "data", "digits", "digits-images-idx3-ubyte.gz")).X.astype(float)
    faces = scipy.io.loadmat(os.path.join(folder, "ORL", "ORL_32x32.mat"))["fea"].astype(float)
    for name, loss, solver, masked in (("frobenius, hals", "frobenius", "hals", False), ("kl, newton", "kl", "newton", False),
                                       ("kl, mu", "kl", "mu", False), ("beta:1.5, mu", "beta:1.5", "mu", False),
                                       ("huber:5, mu", "huber:5", "mu", False),
                                       ("frobenius, a tenth missing, emu", "frobenius", "emu", True),
                                       ("kl, a tenth missing, emu", "kl", "emu", True)):
        for data, X, k in (("generated", planted, 5), ("digits", shipped, 8), ("digits", shipped, 50), ("ORL", faces, 40)):
            X = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X) if masked else X
            away, seconds = {}, {}
            for end in ("last", "auto"):
                begin = time.process_time()
                model = orthant.NMF(k, beta_loss=loss, solver=solver, missing="nan" if masked else "none",
                                    final_encodings=end, random_state=1).fit(X)
                seconds[end] = time.process_time() - begin
                away[end] = np.linalg.norm(model.transform(X) - model.encoding_) / np.linalg.norm(model.encoding_)
            print(f"trip     {name}; {data}, k = {k}: {1e3 * away['last']:.2g} thousandths with last, "
                  f"{1e3 * away['auto']:.2g} by default, {100 * (1 - seconds['last'] / seconds['auto']):.0f} % of the time",
                  flush=True)


PARTS = {"ratings": (ratings, ""), "ORL": (pixels, "ORL"), "Reuters": (words, "Reuters21578"), "MNIST": (digits, "MNIST"),
         "trip": (trip, "ORL")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("ORTHANT_DATA", os.path.join(HERE, "..", "..", "shared", "data")))
    parser.add_argument("--parts", default=",".join(PARTS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in given.parts.split(","):
        run, needs = PARTS[name]
        if needs and not os.path.isdir(os.path.join(given.data, needs)):
            print(f"{name:8} SKIP: {given.data} has no {needs}")
        else:
            run(given.data)


if __name__ == "__main__":
    main()
