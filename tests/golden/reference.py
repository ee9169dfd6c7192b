#!/usr/bin/env python3
"""Makes the golden cases of semi-nmf, kernel-nmf, cluster-nmf, ssnmf, tnmf+, cdnmf+ and cdnmf-kl+: reference.py, with
NumPy, beside the cases.

The rules stand as the papers have them (Ding, Li, Jordan 2010; Lee, Yoo, Choi 2010), or for the methods with a + as
follows from their objectives, on whole matrices in double precision; X is features x samples. Nothing here is shared with the library.
"""
import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def plus(A):
    return (np.abs(A) + A) / 2


def minus(A):
    return (np.abs(A) - A) / 2


def semi_basis(X, G):
    return X @ G @ np.linalg.inv(G.T @ G)


def semi_step(X, f):
    """F first, then G; F of the start follows from G."""
    F, G = semi_basis(X, f["G"]), f["G"]
    up = plus(X.T @ F) + G @ minus(F.T @ F)
    down = minus(X.T @ F) + G @ plus(F.T @ F)
    return {"F": F, "G": G * np.sqrt(up / down)}


def semi_objective(X, f):
    return np.sum((X - f["F"] @ f["G"].T) ** 2)


def gaussian(X):
    """exp(-d^2 / mean d^2), the mean over all pairs."""
    squares = np.array([[np.sum((X[:, i] - X[:, j]) ** 2) for j in range(X.shape[1])] for i in range(X.shape[1])])
    return np.exp(-squares / squares.mean())


def kernel_step(X, f):
    """Convex NMF with K in place of X'X, which is nonnegative; G first."""
    K, W, G = gaussian(X), f["W"], f["G"]
    G = G * np.sqrt((K @ W) / (G @ (W.T @ K @ W)))
    return {"W": W * np.sqrt((K @ G) / (K @ W @ (G.T @ G))), "G": G}


def kernel_objective(X, f):
    K, W, G = gaussian(X), f["W"], f["G"]
    return np.trace(K) - 2 * np.trace(G.T @ K @ W) + np.trace(W.T @ K @ W @ G.T @ G)


def cluster_step(X, f):
    K, H = X.T @ X, f["H"]
    P, M = plus(K), minus(K)
    up = 2 * P @ H + H @ (H.T @ M @ H) + M @ H @ (H.T @ H)
    down = 2 * M @ H + H @ (H.T @ P @ H) + P @ H @ (H.T @ H)
    return {"H": H * (up / down) ** 0.25}


def cluster_objective(X, f):
    return np.sum((X - X @ f["H"] @ f["H"].T) ** 2)


def semi_supervised(labels, weight):
    """The paper's form: Y is classes x samples, and L has ones in the columns of samples whose class is known."""
    classes = sorted(set(labels) - {-1})
    Y = np.array([[float(label == c) for label in labels] for c in classes])
    L = np.array([[float(label != -1) for label in labels] for c in classes])

    def step(X, f):
        """W, then B, then S."""
        W, B, S = f["W"], f["B"], f["S"].T
        W = W * (X @ S.T) / (W @ S @ S.T)
        B = B * ((L * Y) @ S.T) / ((L * (B @ S)) @ S.T)
        S = S * (W.T @ X + weight * B.T @ (L * Y)) / (W.T @ W @ S + weight * B.T @ (L * (B @ S)))
        return {"W": W, "B": B, "S": S.T}

    def objective(X, f):
        return np.sum((X - f["W"] @ f["S"].T) ** 2) + weight * np.sum((L * (Y - f["B"] @ f["S"].T)) ** 2)

    return step, objective


def unit_columns(penalty, kl):
    """The loss and a penalty R(T) of t_jk = |w_k| s_jk; penalty(T) gives R and dR/dT, which is nonnegative.

    dR/dw_fk is sum_j (dR/dt_jk) s_jk w_fk / |w_k|, and dR/ds_jk is (dR/dt_jk) |w_k|. The order is W, S.
    """
    def step(X, f):
        W, S = f["W"], f["S"]
        lengths = np.linalg.norm(W, axis=0)
        slope = W * (penalty(S * lengths)[1] * S).sum(axis=0) / lengths
        if kl:
            W = W * ((X / (W @ S.T)) @ S) / (S.sum(axis=0) + slope)
        else:
            W = W * (X @ S) / (W @ S.T @ S + slope / 2)
        lengths = np.linalg.norm(W, axis=0)
        W, S = W / lengths, S * lengths
        slope = penalty(S)[1]
        if kl:
            S = S * ((X / (W @ S.T)).T @ W) / (W.sum(axis=0) + slope)
        else:
            S = S * (X.T @ W) / (S @ W.T @ W + slope / 2)
        return {"W": W, "S": S}

    def objective(X, f):
        Y = f["W"] @ f["S"].T
        loss = np.sum(X * np.log(X / Y) - X + Y) if kl else np.sum((X - Y) ** 2)
        return loss + penalty(f["S"] * np.linalg.norm(f["W"], axis=0))[0]

    return step, objective


def topographic(H, weight, epsilon=1e-6):
    def penalty(T):
        lengths = np.sqrt(epsilon + T ** 2 @ H.T)
        return weight * lengths.sum(), weight * T * ((1 / lengths) @ H)
    return penalty


def class_driven(labels, width, weight):
    """d_jk = 1 outside the columns of a labelled sample's class."""
    classes = sorted(set(labels) - {-1})
    D = np.zeros((len(labels), len(classes) * width))
    for j, label in enumerate(labels):
        if label != -1:
            D[j] = 1
            first = classes.index(label) * width
            D[j, first:first + width] = 0
    return lambda T: (weight * np.sum(D * T), weight * D)


def run(step, X, start, iterations):
    f = start
    for _ in range(iterations):
        f = step(X, f)
    return f


def amplification(step, X, start, iterations):
    """How much a relative change of 1e-8 of the start has grown."""
    rng = np.random.default_rng(1)
    moved = {name: a * (1 + 1e-8 * rng.uniform(-1, 1, a.shape)) for name, a in start.items()}
    a, b = run(step, X, start, iterations), run(step, X, moved, iterations)
    return max(np.abs(a[name] - b[name]).max() / np.abs(a[name]).max() for name in a) / 1e-8


def write(name, method, step, objective, X, start, note, labels=None, params=None, H=None):
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)

    def put(file, a):
        np.savetxt(os.path.join(folder, file + ".csv"), a, fmt="%.17g", delimiter=",")

    put("X", X)
    if labels is not None:
        np.savetxt(os.path.join(folder, "labels.csv"), [labels], fmt="%d", delimiter=",")
    if H is not None:
        put("H", H)
    values, f = [objective(X, start)], start
    for iteration in range(101):
        if iteration in (0, 1, 10, 100):
            for factor, a in f.items():
                put(("iter%d_" % iteration if iteration else "init_") + factor, a)
        if iteration < 100:
            f = step(X, f)
            values.append(objective(X, f))
    put("obj", np.array(values))
    case = {"case": name, "method": method, "params": params or {}, "inputs": ["X"] + ["labels"] * (labels is not None) + ["H"] * (H is not None),
            "factors": list(start),
            "shapes": {"X": X.shape, **{factor: a.shape for factor, a in start.items()}},
            "amplification": {str(n): float("%.3g" % amplification(step, X, start, n)) for n in (1, 10, 100)},
            "guard_free": True, "nonincreasing": bool((np.diff(values) <= 0).all()), "note": note}
    with open(os.path.join(folder, "case.json"), "w") as file:
        json.dump(case, file, indent=1)
        file.write("\n")


def main():
    rng = np.random.default_rng(20)
    X, mixed = rng.random((30, 40)), rng.normal(size=(30, 40))
    G, W = rng.random((40, 4)) + 0.1, rng.random((40, 4)) + 0.1
    for name, data in (("pos_semi", X), ("pos_semi_mixed", mixed)):
        write(name, "Semi-NMF", semi_step, semi_objective, data, {"F": semi_basis(data, G), "G": G},
              "order F, G; F of the start from G")
    write("pos_kernel", "Kernel NMF", kernel_step, kernel_objective, mixed, {"W": W / 40, "G": G}, "order G, W")
    write("pos_cluster_mixed", "Cluster-NMF", cluster_step, cluster_objective, mixed, {"H": G}, "")
    labels = [i % 4 if i % 3 else -1 for i in range(40)]
    for weight in (1, 50):
        step, objective = semi_supervised(labels, weight)
        write("pos_ssnmf_%d" % weight, "SSNMF", step, objective, X, {"W": W[:30], "B": np.ones((4, 4)), "S": G},
              "order W, B, S; B of the start is ones", labels, {"label_weight": weight})
    note, H = "order W, S; W has unit columns before S changes", np.triu(np.ones((4, 4))) + 0.5 * np.eye(4)
    wide = {"W": rng.random((30, 8)) + 0.1, "S": rng.random((40, 8)) + 0.1}
    start = {"W": W[:30], "S": G}
    for name, pooling, weight in (("pos_tnmf_plus", np.ones((4, 4)), 0.03), ("pos_tnmf_plus_asym", H, 1.0)):
        step, objective = unit_columns(topographic(pooling, weight), False)
        write(name, "TNMF+", step, objective, X, start, note, None, {"pooling_weight": weight}, pooling)
    for name, kl, width, weight in (("pos_cdnmf_plus", False, 1, 2.0), ("pos_cdnmf_plus_r2", False, 2, 0.3),
                                    ("pos_cdnmf_kl_plus", True, 1, 30.0), ("pos_cdnmf_kl_plus_r2", True, 2, 1.0)):
        step, objective = unit_columns(class_driven(labels, width, weight), kl)
        write(name, "cdNMF-KL+" if kl else "cdNMF+", step, objective, X, wide if width == 2 else start, note, labels,
              {"class_weight": weight, "basis_per_class": width})


if __name__ == "__main__":
    main()
