#!/usr/bin/env python3
"""Approximate neighbours beside PyNNDescent, hnswlib and Faiss, as far as they are installed, in one run.

    pip install numpy scipy pynndescent hnswlib faiss-cpu
    ninja -C build
    ORTHANT_LIBRARY=build/liborthant.so bench/neighbours.py [--samples 200000] [--threads 2] [--only orthant,pynndescent]

Pictures of strokes, 28 x 28 pixels; five neighbours each. Times are those of building the index and asking it for all
samples, after a first small search that compiles what is compiled. All lists are made symmetric, as graphs are; recall
is the share of the true five nearest of 500 samples that the graph joins them to.
"""

import argparse
import os
import resource
import sys
import time

import numpy as np
import scipy.sparse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))

NEIGHBOURS = 5
QUERIES = 500


def strokes(count, classes=10):
    """Strokes through five points, which vary from sample to sample, in ten classes; grey levels 0 to 255."""
    draw = np.random.default_rng(0)
    models = np.random.default_rng(1).uniform(6, 22, (classes, 5, 2))
    grid = np.arange(28, dtype=np.float32)
    along = np.linspace(0, 4, 25)
    piece = np.minimum(along.astype(int), 3)
    share = (along - piece)[None, :, None]
    pictures = np.empty((count, 784), np.float32)
    for first in range(0, count, 10000):
        rows = min(10000, count - first)
        points = models[draw.integers(0, classes, rows)] + draw.normal(0, 1.3, (rows, 5, 2))
        line = points[:, piece] * (1 - share) + points[:, piece + 1] * share
        width = 2 * draw.uniform(0.8, 1.6, (rows, 1, 1)) ** 2
        across = [np.exp(-(grid - line[..., a:a + 1]) ** 2 / width).astype(np.float32) for a in (0, 1)]
        ink = np.einsum("nti,ntj->nij", across[0], across[1], optimize=True).reshape(rows, 784)
        pictures[first:first + rows] = np.minimum(255 * ink, 255).astype(np.uint8)
    return pictures


def symmetric(lists):
    """The graph of lists of neighbours; each list may hold the sample itself."""
    count, length = lists.shape
    rows = np.repeat(np.arange(count), length)
    graph = scipy.sparse.csr_array((np.ones(rows.size, np.float32), (rows, lists.ravel())), (count, count))
    return graph + graph.T


def by_orthant(search):
    import orthant
    return lambda X, threads: orthant.knn_graph(X, NEIGHBOURS, search=search)


def by_pynndescent(length):
    from pynndescent import NNDescent
    return lambda X, threads: symmetric(
        NNDescent(X, n_neighbors=length, random_state=1, n_jobs=threads).neighbor_graph[0][:, :NEIGHBOURS + 1])


def by_hnswlib(links):
    import hnswlib

    def search(X, threads):
        index = hnswlib.Index("l2", X.shape[1])
        index.init_index(len(X), ef_construction=60, M=links)
        index.set_num_threads(threads)
        index.set_ef(20)
        index.add_items(X)
        return symmetric(index.knn_query(X, NEIGHBOURS + 1)[0].astype(np.int64))
    return search


def by_faiss(probes):
    import faiss

    def search(X, threads):
        faiss.omp_set_num_threads(threads)
        cells = int(4 * len(X) ** 0.5)
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(X.shape[1]), X.shape[1], cells)
        index.cp.niter = 8
        index.train(X[:: max(1, len(X) // (40 * cells))])
        index.add(X)
        index.nprobe = probes
        return symmetric(index.search(X, NEIGHBOURS + 1)[1])
    return search


SEARCHES = [("orthant", "approximate", by_orthant, "approximate"), ("pynndescent", "lists of 6", by_pynndescent, 6),
            ("pynndescent", "lists of 7", by_pynndescent, 7), ("hnswlib", "M 10", by_hnswlib, 10),
            ("faiss", "IVF, 6 cells", by_faiss, 6), ("orthant", "exact", by_orthant, "exact")]


def truth(X):
    """Some samples, and the five nearest of each."""
    queries = np.arange(min(QUERIES, len(X))) * (len(X) // min(QUERIES, len(X)))
    squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    nearest = np.empty((len(queries), NEIGHBOURS), np.int64)
    for first in range(0, len(queries), 50):
        part = queries[first:first + 50]
        distances = squares - 2.0 * (X[part] @ X.T)
        distances[np.arange(len(part)), part] = np.inf
        nearest[first:first + 50] = np.argpartition(distances, NEIGHBOURS)[:, :NEIGHBOURS]
    return queries, nearest


def recall(graph, queries, nearest):
    graph = graph.tocsr()
    hits = [np.isin(near, graph.indices[graph.indptr[i]:graph.indptr[i + 1]]).sum() for i, near in zip(queries, nearest)]
    return sum(hits) / nearest.size


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--samples", type=int, default=200000)
    words.add_argument("--threads", type=int, default=os.cpu_count())
    words.add_argument("--only", default="orthant,pynndescent,hnswlib,faiss")
    words.add_argument("--exact", action="store_true", help="the exact search too")
    given = words.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:given.threads])
    X = strokes(given.samples)
    queries, nearest = truth(X)
    print(f"{len(X)} x {X.shape[1]}, {NEIGHBOURS} neighbours, {given.threads} threads\n")
    print(f"{'':12} {'':14} {'seconds':>8} {'of CPU':>8} {'recall':>8}")
    for name, kind, make, setting in SEARCHES:
        if name not in given.only.split(",") or (kind == "exact" and not given.exact):
            continue
        try:
            search = make(setting)
        except ImportError:
            print(f"{name:12} is not installed")
            continue
        search(X[:5000], given.threads)
        began, used = time.perf_counter(), cpu()
        graph = search(X, given.threads)
        seconds, used = time.perf_counter() - began, cpu() - used
        print(f"{name:12} {kind:14} {seconds:8.1f} {used:8.1f} {recall(graph, queries, nearest):8.3f}", flush=True)


if __name__ == "__main__":
    main()
