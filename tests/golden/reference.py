#!/usr/bin/env python3
"""Makes the golden cases of semi-nmf, kernel-nmf, cluster-nmf, ssnmf and of the methods with a +: reference.py, with
NumPy, beside the cases.

The rules stand as the papers have them (Ding, Li, Jordan 2010; Lee, Yoo, Choi 2010), or for the methods with a + as
follows from their objectives, on whole matrices in double precision; X is features x samples. Nothing here is shared with the library.
"""
import itertools
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


def least_squares(Z, k):
    """min |k - Z h|^2 over h >= 0: the best of the minimisers over every choice of the parts that may be positive."""
    best, least = np.zeros(Z.shape[1]), np.sum(k ** 2)
    for count in range(1, Z.shape[1] + 1):
        for parts in map(list, itertools.combinations(range(Z.shape[1]), count)):
            h = np.zeros(Z.shape[1])
            h[parts] = np.linalg.lstsq(Z[:, parts], k, rcond=None)[0]
            value = np.sum((k - Z @ h) ** 2)
            if (h >= 0).all() and value < least:
                best, least = h, value
    return best


def faster(t):
    """Nesterov's t of the next step, and b of this one."""
    following = (1 + np.sqrt(1 + 4 * t * t)) / 2
    return following, (t - 1) / following


def unit(A):
    return A / np.linalg.norm(A, axis=0)


def rmnd_distance(K, A, M, H):
    return np.sum((K - A @ A.T @ M @ H) ** 2) / 2


def rmnd_distribution(K, A, M, H, last, t, steps):
    G = A.T @ A
    curvature = G.sum(axis=1).max() ** 2 * (H @ H.T).sum(axis=0)
    curvature[curvature == 0] = np.inf  # a row of H that is zero: its column of M stays
    for _ in range(steps):
        t, b = faster(t)
        while True:
            Y = M + b * (M - last)
            trial = np.maximum(Y - A @ (A.T @ (A @ A.T @ Y @ H - K) @ H.T) / curvature, 0)
            falls = rmnd_distance(K, A, trial, H) < rmnd_distance(K, A, M, H)
            if falls or b == 0:
                break
            t, b = faster(1)
        if not falls:
            break
        M, last = trial, M
    return M, last, t


def rmnd_relation(K, A, M, H, last, t, mu, steps):
    for _ in range(steps):
        t, b = faster(t)
        mu, before, taken = 1.5 * mu, rmnd_distance(K, A, M, H), mu
        for _ in range(61):
            Y = A + b * (A - last)
            B = M @ H
            R = Y @ Y.T @ B - K
            trial = unit(np.maximum(Y - mu * (R @ B.T + B @ R.T) @ Y, 0))
            if rmnd_distance(K, trial, M, H) < before:
                A, last, taken = trial, A, mu
                break
            if b > 0:
                t, b = faster(1)
            else:
                mu /= 2
        else:
            return A, last, t, taken
        mu = taken
    return A, last, t, mu


def rmnd_plus(steps=4):
    """H, M, A; H is q x n, X the similarity. What an iteration hands to the next besides has a name with a _."""
    def begin(start):
        return {**start, "_A": start["A"], "_M": start["M"], "_t": (1, 1), "_mu": 0.5}

    def step(K, f):
        f = f if "_A" in f else begin(f)
        A, M = f["A"], f["M"]
        Z = A @ A.T @ M
        H = np.array([least_squares(Z, K[:, j]) for j in range(K.shape[1])]).T
        M, last_M, t_M = rmnd_distribution(K, A, M, H, f["_M"], f["_t"][1], steps)
        sums = M.sum(axis=0)
        M, last_M, H = M / sums, last_M / sums, H * sums[:, None]
        A, last_A, t_A, mu = rmnd_relation(K, A, M, H, f["_A"], f["_t"][0], f["_mu"], steps)
        return {"A": A, "M": M, "H": H, "_A": last_A, "_M": last_M, "_t": (t_A, t_M), "_mu": mu}

    return step, lambda K, f: rmnd_distance(K, f["A"], f["M"], f["H"])


def local_coordinates(weight):
    """NLCF; the order is W, S."""
    def step(X, f):
        W, S = f["W"], f["S"]
        W = W * ((1 + weight) * X @ S) / (W @ S.T @ S + weight * W * S.sum(axis=0))
        squares = (X ** 2).sum(axis=0)[:, None] + (W ** 2).sum(axis=0)
        return {"W": W, "S": S * ((1 + weight) * X.T @ W) / (S @ W.T @ W + weight / 2 * squares)}

    def objective(X, f):
        W, S = f["W"], f["S"]
        distances = np.array([[np.sum((X[:, i] - W[:, k]) ** 2) for k in range(W.shape[1])] for i in range(X.shape[1])])
        return np.sum((X - W @ S.T) ** 2) + weight * np.sum(S * distances)

    return step, objective


def graph_projective(A, weight, exponent):
    """GRPNMF of nonnegative data; with an exponent above 1/4 at its best scale, or else with 1/4."""
    L = np.diag(A.sum(axis=1)) - A

    def objective(X, f):
        H = f["H"]
        return np.sum((X - X @ H @ H.T) ** 2) + weight * np.trace(H.T @ L @ H)

    def step(X, f):
        K, H = X.T @ X, f["H"]
        ratio = (2 * K @ H + weight * A @ H) / (H @ (H.T @ K @ H) + K @ H @ (H.T @ H) + weight * A.sum(axis=1)[:, None] * H)
        if exponent > 0.25:
            T = H * ratio ** exponent
            above = np.trace(T.T @ K @ T) - weight * np.trace(T.T @ L @ T) / 2
            below = np.sum((T.T @ K @ T) * (T.T @ T))
            T = T * np.sqrt(above / below) if above > 0 else T
            if objective(X, {"H": T}) <= objective(X, f):
                return {"H": T}
        return {"H": H * ratio ** min(exponent, 0.25)}

    return step, objective


def continued(rule, first, stages, iterations):
    """What stages make of a start: rule(s) is the step at s times the weight, s from `first` to 1 by one factor."""
    def prelude(X, f):
        for stage in range(stages):
            f = run(rule(first ** (1 - stage / stages)), X, f, iterations)
        return f
    return prelude


def run(step, X, start, iterations):
    f = start
    for _ in range(iterations):
        f = step(X, f)
    return f


def amplification(step, X, start, iterations, prelude):
    """How much a relative change of 1e-8 of the start has grown."""
    rng = np.random.default_rng(1)
    moved = {name: a * (1 + 1e-8 * rng.uniform(-1, 1, a.shape)) for name, a in start.items()}
    a, b = run(step, X, prelude(X, start), iterations), run(step, X, prelude(X, moved), iterations)
    return max(np.abs(a[name] - b[name]).max() / np.abs(a[name]).max() for name in start) / 1e-8


def write(name, method, step, objective, X, start, note, labels=None, params=None, H=None, S=None, prelude=lambda X, f: f):
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)

    def put(file, a):
        np.savetxt(os.path.join(folder, file + ".csv"), a, fmt="%.17g", delimiter=",")

    put("X", X)
    if labels is not None:
        np.savetxt(os.path.join(folder, "labels.csv"), [labels], fmt="%d", delimiter=",")
    if H is not None:
        put("H", H)
    if S is not None:
        put("S", S)
    for factor, a in start.items():
        put("init_" + factor, a)
    f = prelude(X, start)
    values = [objective(X, f)]
    for iteration in range(101):
        if iteration in (1, 10, 100):
            for factor in start:
                put("iter%d_" % iteration + factor, f[factor])
        if iteration < 100:
            f = step(X, f)
            values.append(objective(X, f))
    put("obj", np.array(values))
    case = {"case": name, "method": method, "params": params or {}, "inputs": ["X"] + ["labels"] * (labels is not None) + ["H"] * (H is not None) + ["S"] * (S is not None),
            "factors": list(start),
            "shapes": {"X": X.shape, **{factor: a.shape for factor, a in start.items()}},
            "amplification": {str(n): float("%.3g" % amplification(step, X, start, n, prelude)) for n in (1, 10, 100)},
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
    stages = {"stages": 2, "stage_iterations": 5}
    prelude = continued(lambda share: local_coordinates(0.5 * share)[0], 100, 2, 5)
    write("pos_nlcf_plus", "NLCF+", *local_coordinates(0.5), X, start, "order W, S; stages at 100 and 10 times the weight", None,
          {"local_weight": 0.5, "first_weight": 100, **stages}, prelude=prelude)
    graph = np.triu(rng.random((40, 40)) < 0.15, 1).astype(float)
    graph = graph + graph.T
    prelude = continued(lambda share: graph_projective(graph, 10 * share, 1)[0], 0.01, 2, 5)
    write("pos_grpnmf_plus", "GRPNMF+", *graph_projective(graph, 10, 0.25), X, {"H": G / 40},
          "stages at 0.01 and 0.1 times the weight with the exponent 1", None,
          {"graph_weight": 10, "first_weight": 0.01, "stage_exponent": 1, **stages}, S=graph, prelude=prelude)
    blocks = np.exp(-np.subtract.outer(np.arange(40) // 10, np.arange(40) // 10) ** 2 / 2.0)
    K = blocks * (0.5 + rng.random((40, 40)))
    K = (K + K.T) / 2
    start = {"A": unit(rng.random((40, 4)) + 0.1), "M": rng.random((40, 4)) + 0.1, "H": rng.random((4, 40)) + 0.1}
    write("pos_rmnd_plus", "RMND+", *rmnd_plus(), K, start, "order H, M, A; 4 steps of M and of A each; X is the similarity")


if __name__ == "__main__":
    main()
