#!/usr/bin/env python3
"""Times the CUDA plug-in beside PyTorch on the same arrays from the same starts, on a machine that has both.

    bench/gpu.py [--plugin build/liborthant-cuda.so] [--shapes 70000x784:10,...] [--losses frobenius,kl,hals]
    bench/gpu.py --stream 10000000x1024:32 [--limit 16]       # X larger than the device's memory
    bench/gpu.py --neighbours 70000x784:5                     # exact neighbours and nearest centres
    bench/gpu.py --descent 70000x784:50                       # hals to the objective of 200 plain descents
    bench/gpu.py --sparse 300000x50000:50:0.002               # CSR data, beside cuSPARSE by PyTorch
    bench/gpu.py --kernel 20000:64                            # products with K
    bench/gpu.py --accuracy                                   # how far from double, on data of several kinds
    compute-sanitizer bench/gpu.py --small                    # fits that are short enough for it

Prints for each shape the milliseconds of an iteration of multiplicative updates (Frobenius and Kullback-Leibler loss),
ours and PyTorch's, the time of one read of X, and how far both are from the same iterations in double precision. Ours:
iterations one after the other, each measured and waited for, and made together by the verb `run`, with TF32 again.
PyTorch's: an iteration replayed as a graph, with TF32 again, and its operations one by one (`plain`).
`hals` is the Frobenius loss by coordinate descent, which PyTorch has no counterpart of.
"""
import argparse
import ctypes as C
import statistics
import sys
import time

import torch

SHAPES = "400x1024:40,70000x784:10,70000x784:50,20000x20000:64,1000000x4096:32,1000000x4096:128"
BASIS, ENCODING = 0, 1


class Problem(C.Structure):
    _fields_ = [
        ("samples", C.c_int64), ("features", C.c_int64), ("rank", C.c_int64),
        ("single", C.c_bool), ("rounds_products", C.c_bool),
        ("loss", C.c_char_p), ("solver", C.c_char_p), ("exponent", C.c_double),
        ("terms", C.c_void_p), ("term_count", C.c_int),
        ("values", C.c_void_p), ("stride", C.c_int64), ("start", C.c_void_p), ("column", C.c_void_p),
        ("on_device", C.c_bool), ("cautious", C.c_bool),
        ("data_squares", C.c_double), ("data_sum", C.c_double), ("memory_limit", C.c_int64),
        ("strip_bytes", C.c_int64), ("streams", C.c_bool)]


class Step(C.Structure):
    _fields_ = [("solver", C.c_char_p), ("iteration", C.c_int64), ("exponent", C.c_double), ("momentum", C.c_double)]


def verb(*arguments):
    return C.CFUNCTYPE(C.c_bool, *arguments)


P = C.c_void_p


class Points(C.Structure):
    _fields_ = [("values", P), ("rows", C.c_int64), ("columns", C.c_int64), ("stride", C.c_int64),
                ("single", C.c_bool), ("on_device", C.c_bool), ("memory_limit", C.c_int64)]


class Search(C.Structure):
    _fields_ = [("neighbours", verb(C.c_int, C.POINTER(Points), C.c_int64, P, C.c_char_p)),
                ("most_neighbours", C.c_int64),
                ("open", verb(C.c_int, C.POINTER(Points), C.c_int64, C.POINTER(P), C.c_char_p)),
                ("assign", verb(P, P, P, C.c_char_p)), ("close", C.CFUNCTYPE(None, P))]


class Kernel(C.Structure):
    _fields_ = [("samples", C.c_int64), ("features", C.c_int64), ("columns", C.c_int64), ("single", C.c_bool),
                ("rounds_products", C.c_bool), ("is_gram", C.c_bool), ("splits", C.c_bool), ("values", P),
                ("stride", C.c_int64), ("start", P), ("column", P), ("on_device", C.c_bool),
                ("memory_limit", C.c_int64)]


class Products(C.Structure):
    _fields_ = [("accepts", verb(C.POINTER(Kernel), C.c_char_p)),
                ("open", verb(C.c_int, C.POINTER(Kernel), C.POINTER(P), C.c_char_p)),
                ("close", C.CFUNCTYPE(None, P)), ("message", C.CFUNCTYPE(C.c_char_p, P)),
                ("make", verb(P, C.POINTER(C.c_int))), ("put", verb(P, C.c_int, P, C.c_int64)),
                ("get", verb(P, C.c_int, P, C.c_int64)), ("multiply", verb(P, C.c_int, C.c_int, C.c_int)),
                ("gram", verb(P, C.c_int, C.c_int, P)), ("dot", verb(P, C.c_int, C.c_int, P)),
                ("product", verb(P, C.c_int, C.c_int, P, C.c_bool)),
                ("update", verb(P, C.c_int, C.c_int, P, C.c_int, P, C.c_double, C.c_bool)),
                ("columns", verb(P, C.c_int, C.c_bool, P)), ("scale", verb(P, C.c_int, P)),
                ("step", verb(P, C.c_int, C.c_int, C.c_int, C.c_double))]


class Interface(C.Structure):
    _fields_ = [
        ("size", C.c_size_t), ("version", C.c_int), ("name", C.c_char_p),
        ("count", C.CFUNCTYPE(C.c_int, C.c_char_p)), ("describe", verb(C.c_int, P, C.c_char_p)),
        ("accepts", verb(C.POINTER(Problem), C.c_char_p)),
        ("open", verb(C.c_int, C.POINTER(Problem), C.POINTER(P), C.c_char_p)),
        ("close", C.CFUNCTYPE(None, P)), ("message", C.CFUNCTYPE(C.c_char_p, P)),
        ("put", verb(P, C.c_int, P, C.c_int64)), ("get", verb(P, C.c_int, P, C.c_int64)),
        ("start", verb(P)), ("basis", verb(P, C.POINTER(Step))), ("basis_changed", verb(P)),
        ("encoding", verb(P, C.POINTER(Step))), ("keep", verb(P)), ("restore", verb(P)),
        ("measure", verb(P, C.POINTER(C.c_double))), ("projected_gradient", verb(P, C.POINTER(C.c_double))),
        ("run", verb(P, C.POINTER(Step), C.c_int64, C.POINTER(C.c_double))), ("search", C.POINTER(Search)),
        ("projections", P), ("products", C.POINTER(Products))]


def sums_of(X):
    if X.layout == torch.sparse_csr:
        return float(X.values().double().sum()), float((X.values().double() ** 2).sum())
    parts = X.split(10000)
    return sum(float(part.double().sum()) for part in parts), sum(float((part.double() ** 2).sum()) for part in parts)


class Fit:
    """The plug-in's verbs on a tensor of the device, or of the host; its sum and that of its squares, where they are
    known."""

    def __init__(self, table, X, W, S, loss="frobenius", solver="mu", rounds=False, known=None, limit=0):
        self.table, self.X, self.step = table, X, Step(solver.encode(), 0, 1.0, 0.0)
        total, squares = known or sums_of(X)
        if X.layout == torch.sparse_csr:
            self.parts = X.crow_indices().cpu(), X.col_indices().to(torch.int32).cpu(), X.values().cpu()
            start, column, values = (part.data_ptr() for part in self.parts)
            where = values, 0, start, column, False
        else:
            where = X.data_ptr(), X.stride(0), None, None, X.is_cuda
        self.problem = Problem(
            X.shape[0], X.shape[1], W.shape[1], X.dtype == torch.float32, rounds, loss.encode(), solver.encode(), 1.0,
            None, 0, *where, True, squares, total, limit, 0, False)
        self.state, message = P(), C.create_string_buffer(512)
        if not table.open(0, C.byref(self.problem), C.byref(self.state), message):
            sys.exit(f"gpu.py: {message.value.decode()}")
        self.W, self.S = W.cpu().contiguous().clone(), S.cpu().contiguous().clone()
        self.call("put", BASIS, self.W.data_ptr(), W.shape[1])
        self.call("put", ENCODING, self.S.data_ptr(), S.shape[1])
        self.call("start")

    def call(self, name, *arguments):
        if not getattr(self.table, name)(self.state, *arguments):
            sys.exit(f"gpu.py: {name}: {self.table.message(self.state).decode()}")

    def iterate(self, count, measures=False):
        value = C.c_double()
        for _ in range(count):
            self.step.iteration += 1
            self.call("basis", C.byref(self.step))
            self.call("basis_changed")
            self.call("encoding", C.byref(self.step))
            if measures:
                self.call("measure", C.byref(value))
        return value.value

    def together(self, count):
        values = (C.c_double * count)()
        self.step.iteration += 1
        self.call("run", C.byref(self.step), count, values)
        self.step.iteration += count - 1
        return values[count - 1]

    def value(self):
        value = C.c_double()
        self.call("measure", C.byref(value))
        return value.value

    def factors(self):
        self.call("get", BASIS, self.W.data_ptr(), self.W.shape[1])
        self.call("get", ENCODING, self.S.data_ptr(), self.S.shape[1])
        return self.W.clone(), self.S.clone()

    def close(self):
        self.table.close(self.state)


def frobenius(X, W, S):
    W *= (X.T @ S) / (W @ (S.T @ S)).clamp_min(1e-30)
    S *= (X @ W) / (S @ (W.T @ W)).clamp_min(1e-30)


def kullback(X, W, S):
    W *= ((X / (S @ W.T).clamp_min(1e-30)).T @ S) / S.sum(0).clamp_min(1e-30)
    S *= ((X / (S @ W.T).clamp_min(1e-30)) @ W) / W.sum(0).clamp_min(1e-30)


def clock(work, repeats=5):
    """The median, in milliseconds."""
    found = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        torch.cuda.synchronize()
        found.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(found)


def torch_time(step, X, W, S, count, repeats, records=True):
    """`records`: an iteration is recorded as a graph and replayed, where that is possible."""
    W, S = W.clone(), S.clone()
    for _ in range(3):
        step(X, W, S)
    work = lambda: step(X, W, S)
    if records:
        try:
            graph = torch.cuda.CUDAGraph()
            torch.cuda.synchronize()
            with torch.cuda.graph(graph):
                step(X, W, S)
            work = graph.replay
        except RuntimeError:
            pass

    def run():
        for _ in range(count):
            work()

    run()
    return clock(run, repeats) / count


def relative(a, b):
    return float((a.double() - b.double()).norm() / b.double().norm())


def check(table, step, loss, X, W, S, count, solver="mu", rounds=False):
    """After `count` iterations: distance from the same in double, ours and PyTorch's."""
    W64, S64, Wt, St = W.double(), S.double(), W.clone(), S.clone()
    X64 = X.double()
    fit = Fit(table, X, W, S, loss, solver, rounds)
    fit.iterate(count)
    ours = fit.factors()
    again = Fit(table, X, W, S, loss, solver, rounds)
    again.iterate(count)
    same = all(torch.equal(a, b) for a, b in zip(ours, again.factors()))
    value = fit.value()
    fit.close()
    again.close()
    for _ in range(count):
        step(X64, W64, S64)
        step(X, Wt, St)
    if loss == "kl":
        Y = (S64 @ W64.T).clamp_min(1e-30)
        exact = float((torch.where(X64 > 0, X64 * torch.log(X64 / Y), 0.0 * X64) - X64 + Y).sum())
    else:
        exact = float(((X64 - S64 @ W64.T) ** 2).sum())
    return (max(relative(ours[0].cuda(), W64), relative(ours[1].cuda(), S64)),
            max(relative(Wt, W64), relative(St, S64)), abs(value / exact - 1), same)


def data_of_kind(kind, n, m):
    """Uniform numbers, with what `kind` says."""
    X = torch.rand(n, m, device="cuda")
    if kind == "scaled":  # samples differ by up to e^12, entries are fourth powers
        return X ** 4 * torch.exp(12 * torch.rand(n, 1, device="cuda"))
    if kind == "sparse":  # 90 % zeros
        return X * (torch.rand(n, m, device="cuda") < 0.1)
    if kind == "columns":  # features differ by up to e^14
        return X * torch.exp(-14 * torch.rand(1, m, device="cuda"))
    if kind == "parts":  # of 20 sparse parts, and noise
        S = torch.rand(n, 20, device="cuda") * (torch.rand(n, 20, device="cuda") < 0.3)
        return S @ (torch.rand(20, m, device="cuda") * (torch.rand(20, m, device="cuda") < 0.2)) + 1e-3 * X
    return X


def compare_accuracy(table):
    """Distances of the factors from double precision, and of the objective; the same with TF32."""
    print("loss       X               k  data     iterations | error: ours   torch   value  same | TF32: ours   value  same")
    for loss, step in (("kl", kullback), ("frobenius", frobenius)):
        for n, m, k, kind, count in (
                (3000, 700, 10, "uniform", 10), (3001, 701, 30, "uniform", 10), (3000, 700, 50, "scaled", 10),
                (3000, 703, 100, "scaled", 10), (5000, 999, 50, "sparse", 10), (3000, 700, 100, "sparse", 10),
                (3000, 700, 50, "columns", 10), (3000, 700, 20, "parts", 100), (2999, 333, 70, "parts", 100)):
            torch.manual_seed(3)
            X = data_of_kind(kind, n, m)
            W, S = torch.rand(m, k, device="cuda") + 0.1, torch.rand(n, k, device="cuda") + 0.1
            ours, theirs, value, same = check(table, step, loss, X, W, S, count)
            rounded, _, other, again = check(table, step, loss, X, W, S, count, rounds=True)
            print(f"{loss:9s} {n:5d} x {m:<5d} {k:4d}  {kind:8s} {count:10d} | {ours:11.1e} {theirs:7.1e} {value:7.1e} {same} | "
                  f"{rounded:10.1e} {other:7.1e} {again}", flush=True)


def run_small(table):
    """Fits by each way of dense data in single precision, on the host's data."""
    for loss in ("kl", "frobenius"):
        for n, m, k in ((300, 60, 10), (301, 61, 30), (300, 130, 50), (299, 67, 100)):
            for solver in ("mu", "emu"):
                for rounds in (False, True):
                    torch.manual_seed(1)
                    X, W, S = torch.rand(n, m), torch.rand(m, k) + 0.1, torch.rand(n, k) + 0.1
                    fit = Fit(table, X, W, S, loss, solver, rounds)
                    fit.iterate(2, True)
                    fit.together(3)
                    fit.close()
    print("all fits ran")


def profile(table, X, W, S, loss, solver, count=5):
    """Prints the milliseconds of an iteration that each kernel takes."""
    fit = Fit(table, X, W, S, loss, solver)
    fit.iterate(3)
    fit.value()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as found:
        fit.iterate(count)
        fit.value()
    fit.close()
    for event in sorted(found.key_averages(), key=lambda e: -e.device_time_total)[:12]:
        print(f"    {event.device_time_total / count * 1e-3:8.4f} ms  {event.count / count:4.1f} x  {event.key[:90]}")


def compare(table, loss, X, W, S, read, options):
    """A line of the table."""
    size = X.shape[0] * X.shape[1]
    step, solver, goal = {"kl": (kullback, "mu", "kl"), "frobenius": (frobenius, "mu", "frobenius"),
                          "hals": (None, "hals", "frobenius")}[loss]
    count, repeats = max(5, min(options.iterations, int(options.iterations * 1e9 / size))), 5 if size < 1e9 else 2
    times, measured, together = {}, float("nan"), float("nan")
    for rounds in (False, True):
        fit = Fit(table, X, W, S, goal, solver, rounds)
        fit.iterate(3)
        times[rounds] = clock(lambda: (fit.iterate(count), fit.value()), repeats) / count
        if not rounds:
            measured = clock(lambda: fit.iterate(count, True), repeats) / count
            if table.run:
                fit.together(4)
                together = clock(lambda: fit.together(count), repeats) / count
        fit.close()
    if options.profile:
        profile(table, X, W, S, goal, solver)
    others, errors = [float("nan")] * 3, ""
    if step and not options.no_torch:
        others[2] = torch_time(step, X, W, S, max(5, count // 5), repeats, False)
        for i, allow in enumerate((False, True)):
            torch.backends.cuda.matmul.allow_tf32 = allow
            others[i] = torch_time(step, X, W, S, max(5, count // 5), repeats)
        torch.backends.cuda.matmul.allow_tf32 = False
    if step and size <= 1e8:
        ours, theirs, value, same = check(table, step, goal, X, W, S, 10)
        errors = f"{ours:10.2e} {theirs:8.1e} {value:8.1e} {same}"
    return (f"{times[False]:8.4f} {measured:8.4f} {together:8.4f} {times[True]:8.4f} | "
            f"{others[0]:8.4f} {others[1]:8.4f} {others[2]:8.4f} {read:8.4f} | {errors}")


def host_data(n, m):
    """Random numbers in the host's memory, made on the device; with their sum and that of their squares."""
    X, known = torch.empty(n, m), [0.0, 0.0]
    for part in X.split(200000):
        made = torch.rand(part.shape, device="cuda")
        part.copy_(made)
        known = [a + b for a, b in zip(known, sums_of(made))]
    return X, known


def compare_streams(table, text, limit, options):
    """X in the host's memory and a device that may take `limit` bytes: the rate at which X is read, beside that of plain
    copies from pinned memory; and whether the bits are those of a fit that has all of X on the device."""
    size, k = text.split(":")
    n, m, k = *map(int, size.split("x")), int(k)
    pinned, target = torch.empty(1 << 29).pin_memory(), torch.empty(1 << 29, device="cuda")
    rate = pinned.numel() * 4e-6 / clock(lambda: target.copy_(pinned, non_blocking=True))
    del pinned, target
    X, known = host_data(n, m)
    W, S = torch.rand(m, k) + 0.1, torch.rand(n, k) + 0.1
    torch.cuda.empty_cache()
    for loss in options.losses.split(","):
        goal, solver = ("frobenius", "hals") if loss == "hals" else (loss, "mu")
        begin = time.perf_counter()
        fit = Fit(table, X, W, S, goal, solver, known=known, limit=limit)
        fit.iterate(1, True)
        opened = time.perf_counter() - begin
        each = clock(lambda: fit.iterate(2, True), 2) / 2
        factors = fit.factors()
        fit.close()
        fit = Fit(table, X, W, S, goal, solver, known=known)
        fit.iterate(5, True)
        same = all(torch.equal(a, b) for a, b in zip(factors, fit.factors()))
        fit.close()
        got = n * m * 4e-6 / each
        print(f"{loss:9s} {n:8d} x {m:<6d} {k:4d} with {limit * 1e-9:.0f} GB: {each:.1f} ms per iteration, {got:.1f} GB/s; "
              f"plain copies {rate:.1f} GB/s: {got / rate:.2f}; opened in {opened:.1f} s; same bits: {same}", flush=True)


def torch_neighbours(X, count, rows=4096):
    squares, found = (X * X).sum(1), []
    for first in range(0, X.shape[0], rows):
        d = squares[None, :] - 2 * (X[first:first + rows] @ X.T)
        d[torch.arange(d.shape[0]), torch.arange(first, first + d.shape[0])] = float("inf")
        found.append(d.topk(count, largest=False).indices)
    return torch.cat(found)


def data_like_pictures(n, m, k=60):
    """Nonnegative, most of it zero, of more parts than a fit has."""
    torch.manual_seed(2)
    parts = torch.rand(k, m, device="cuda") * (torch.rand(k, m, device="cuda") < 0.15)
    codes = torch.rand(n, k, device="cuda") * (torch.rand(n, k, device="cuda") < 0.2)
    X = codes @ parts + 0.2 * torch.rand(n, m, device="cuda") * (torch.rand(n, m, device="cuda") < 0.2)
    return X / X.max()


def compare_searches(table, text):
    """Exact neighbours of samples in the host's memory and in the device's, beside PyTorch's blocked products and top-k;
    and a pass of k-means with 50 centres."""
    size, count = text.split(":")
    n, m, count = *map(int, size.split("x")), int(count)
    search, message = table.search.contents, C.create_string_buffer(512)
    for name, X in (("uniform", torch.rand(n, m, device="cuda")), ("pictures", data_like_pictures(n, m))):
        nearest, host = torch.empty(n, count, dtype=torch.int32), X.cpu()
        times = {}
        for where, data in (("host", host), ("device", X)):
            points = Points(data.data_ptr(), n, m, m, True, data.is_cuda, 0)

            def find():
                if not search.neighbours(0, C.byref(points), count, nearest.data_ptr(), message):
                    sys.exit(f"gpu.py: {message.value.decode()}")
            find()
            times[where] = clock(find)
        theirs = torch_neighbours(X, count).cpu()
        other = clock(lambda: torch_neighbours(X, count), 3)
        same = float((theirs == nearest).all(1).double().mean())
        state, labels = P(), torch.empty(n, dtype=torch.int64)
        centres = host[:50].double().contiguous()
        points = Points(X.data_ptr(), n, m, m, True, True, 0)
        if not search.open(0, C.byref(points), 50, C.byref(state), message):
            sys.exit(f"gpu.py: {message.value.decode()}")
        passes = lambda: search.assign(state, centres.data_ptr(), labels.data_ptr(), message) or sys.exit("assign")
        passes()
        each = clock(passes)
        search.close(state)
        print(f"{name:9s} {n} x {m}, {count} neighbours: {times['host']:.1f} ms from the host's memory, {times['device']:.1f} "
              f"ms from the device's, PyTorch {other:.1f} ms ({same:.5f} of the samples the same); a pass of k-means, 50 "
              f"centres: {each:.2f} ms", flush=True)


def descend(F, N, G):
    """One pass of plain coordinate descent, as scikit-learn's cd makes it: each column in turn."""
    for t in range(F.shape[1]):
        F[:, t] = (F[:, t] - (F @ G[:, t] - N[:, t]) / G[t, t].clamp_min(1e-30)).clamp_min(0)


def compare_descents(table, text, plain=200):
    """The time until hals has the objective that plain coordinate descent, one pass over each factor an iteration, has
    after 200 iterations from the same start; the encodings first, as scikit-learn has it, or the basis, as here."""
    size, k = text.split(":")
    n, m, k = *map(int, size.split("x")), int(k)
    X = data_like_pictures(n, m)
    scale = float((X.mean() / k) ** 0.5)
    W, S = scale * torch.randn(m, k, device="cuda").abs(), scale * torch.randn(n, k, device="cuda").abs()
    known, wanted = sums_of(X), {}
    for first in ("encodings", "basis"):
        Wp, Sp = W.clone(), S.clone()
        for _ in range(plain):
            if first == "encodings":
                descend(Sp, X @ Wp, Wp.T @ Wp)
            descend(Wp, X.T @ Sp, Sp.T @ Sp)
            if first == "basis":
                descend(Sp, X @ Wp, Wp.T @ Wp)
        wanted[first] = float(((X - Sp @ Wp.T).double() ** 2).sum())
    for _ in range(2):  # the first one warms up
        fit = Fit(table, X, W, S, "frobenius", "hals", known=known)
        torch.cuda.synchronize()
        begin, found = time.perf_counter(), []
        while len(found) < 2 * plain:
            found.append((fit.iterate(1, True), (time.perf_counter() - begin) * 1e3))
        fit.close()
    for first, objective in wanted.items():
        near = ", ".join(next((f"{above * 100:g} % above it after {i + 1} iterations, {at:.1f} ms" for i, (value, at) in
                               enumerate(found) if value <= objective * (1 + above)), f"never {above * 100:g} % above it")
                         for above in (0.1, 0.01, 0.001, 0))
        print(f"hals {n} x {m}, {k}: plain descent, {first} first, {objective:.7g} after {plain}; {near}; "
              f"{found[-1][0]:.7g} after {len(found)}, {found[-1][1]:.1f} ms", flush=True)


def words_in_texts(n, m, density):
    """Random CSR data, whose columns are as uneven as words are."""
    torch.manual_seed(3)
    count = int(n * m * density)
    row = torch.randint(n, (count,), device="cuda")
    column = (m * torch.rand(count, device="cuda", dtype=torch.float64) ** 3).long().clamp_max(m - 1)
    at = torch.unique(row * m + column)
    start = torch.zeros(n + 1, dtype=torch.int64, device="cuda")
    start[1:] = torch.bincount(at // m, minlength=n).cumsum(0)
    return torch.sparse_csr_tensor(start, at % m, torch.rand(at.numel(), device="cuda") + 0.1, (n, m))


def transposed(X):
    """As a second CSR, the entries of a column in the order of their rows."""
    rows = torch.repeat_interleave(torch.arange(X.shape[0], device="cuda"), X.crow_indices().diff())
    column, order = torch.sort(X.col_indices(), stable=True)
    start = torch.zeros(X.shape[1] + 1, dtype=torch.int64, device="cuda")
    start[1:] = torch.bincount(column, minlength=X.shape[1]).cumsum(0)
    return torch.sparse_csr_tensor(start, rows[order], X.values()[order], (X.shape[1], X.shape[0]))


def sparse_steps(X, T):
    """The updates by cuSPARSE's products, and for kl its sampled ones, of X and its transpose."""

    def quotients(of, a, b):
        fits = torch.sparse.sampled_addmm(of, a, b.T, beta=0.0)
        return torch.sparse_csr_tensor(of.crow_indices(), of.col_indices(),
                                       of.values() / fits.values().clamp_min(1e-30), of.shape)

    def frobenius_step(_, W, S):
        W *= (T @ S) / (W @ (S.T @ S)).clamp_min(1e-30)
        S *= (X @ W) / (S @ (W.T @ W)).clamp_min(1e-30)

    def kl_step(_, W, S):
        W *= (quotients(T, W, S) @ S) / S.sum(0).clamp_min(1e-30)
        S *= (quotients(X, S, W) @ W) / W.sum(0).clamp_min(1e-30)

    return {"frobenius": frobenius_step, "kl": kl_step}


def compare_entries(table, text, options):
    """CSR data: milliseconds of an iteration, beside PyTorch's with cuSPARSE; and the distance of both after 10
    iterations."""
    size, k, density = text.split(":")
    n, m, k = *map(int, size.split("x")), int(k)
    X = words_in_texts(n, m, float(density))
    W, S = torch.rand(m, k, device="cuda") + 0.1, torch.rand(n, k, device="cuda") + 0.1
    known, steps = sums_of(X), sparse_steps(X, transposed(X))
    for loss in options.losses.split(","):
        goal, solver = ("frobenius", "hals") if loss == "hals" else (loss, "mu")
        begin = time.perf_counter()
        fit = Fit(table, X, W, S, goal, solver, known=known)
        fit.iterate(1, True)
        opened, count = time.perf_counter() - begin, max(5, options.iterations // 2)
        alone = clock(lambda: (fit.iterate(count), fit.value())) / count
        together = clock(lambda: fit.together(count)) / count
        fit.close()
        line = (f"{loss:9s} {n:8d} x {m:<6d} {k:4d}, {X.values().numel():.3g} entries: {alone:.3f} ms per iteration, "
                f"{together:.3f} together; opened in {opened:.2f} s")
        if loss in steps:
            Wt, St = W.clone(), S.clone()
            other = clock(lambda: [steps[loss](X, Wt, St) for _ in range(3)], 3) / 3
            ours = []
            for _ in range(2):
                fit = Fit(table, X, W, S, goal, solver, known=known)
                fit.iterate(10)
                ours.append(fit.factors())
                fit.close()
            Wt, St = W.clone(), S.clone()
            for _ in range(10):
                steps[loss](X, Wt, St)
            same = all(torch.equal(a, b) for a, b in zip(*ours))
            line += (f"; PyTorch {other:.3f} ms; apart {max(relative(ours[0][0].cuda(), Wt), relative(ours[0][1].cuda(), St)):.1e}; "
                     f"same bits: {same}")
        print(line, flush=True)
        if options.profile:
            profile(table, X, W, S, goal, solver)


def compare_kernels(table, text, count=10):
    """K V with K, or X, and the factors on the device: milliseconds of a product and of the Gram matrix and the update that
    follow it in snmf, beside PyTorch's."""
    n, k = map(int, text.split(":"))
    products, message = table.products.contents, C.create_string_buffer(512)
    V, found, squares = torch.rand(n, k), torch.empty(n, k), torch.empty(k, k, dtype=torch.float64)
    for name, is_gram, splits, X in (("K", False, False, torch.rand(n, n, device="cuda")),
                                     ("X X', n x 784", True, False, torch.rand(n, 784, device="cuda")),
                                     ("K+ and K-", False, True, torch.rand(n, n, device="cuda") - 0.5)):
        state, number = P(), C.c_int()
        asked = Kernel(n, X.shape[1], k, True, False, is_gram, splits, X.data_ptr(), X.stride(0), None, None, True, 0)

        def verb_of(name, *arguments):
            if not getattr(products, name)(state, *arguments):
                sys.exit(f"gpu.py: {name}: {products.message(state).decode()}")

        if not products.open(0, C.byref(asked), C.byref(state), message):
            sys.exit(f"gpu.py: {message.value.decode()}")
        for _ in range(4):
            verb_of("make", C.byref(number))
        verb_of("put", 0, V.data_ptr(), k)
        verb_of("put", 3, V.data_ptr(), k)

        def multiply():
            verb_of("multiply", 0, 1, 2 if splits else -1)

        def follow():
            verb_of("gram", 0, 0, squares.data_ptr())
            verb_of("update", 3, 1, None, 0, squares.data_ptr(), 1 / 3, False)

        def theirs(v):
            if is_gram:
                return X @ (X.T @ v),
            return (X.clamp_min(0) @ v, (-X).clamp_min(0) @ v) if splits else (X @ v,)

        def theirs_follow(KA, A, to):
            to *= (KA / (A @ (A.T @ A)).clamp_min(1e-30)) ** (1 / 3)

        multiply()
        exact = theirs(V.cuda())
        apart = 0
        for i, part in enumerate(exact):
            verb_of("get", 1 + i, found.data_ptr(), k)
            apart = max(apart, relative(found, part.cpu()))
        there, to = V.cuda(), V.cuda()
        times = [clock(lambda: [work() for _ in range(count)]) / count
                 for work in (multiply, follow, lambda: theirs(there), lambda: theirs_follow(exact[0], there, to))]
        products.close(state)
        print(f"{name:14s} {n} samples, {k} columns: {times[0]:.2f} ms and {times[1]:.3f} for the rest; PyTorch {times[2]:.2f} "
              f"and {times[3]:.3f}; apart {apart:.1e}", flush=True)
        del X


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", default="build/liborthant-cuda.so")
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--losses", default="frobenius,kl")
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--no-torch", action="store_true")
    parser.add_argument("--stream", metavar="SHAPE", help="X in the host's memory alone, as 10000000x1024:32")
    parser.add_argument("--limit", type=float, default=16, help="GB of the device that such a fit may take")
    parser.add_argument("--neighbours", metavar="SHAPE", help="exact neighbours, as 70000x784:5")
    parser.add_argument("--descent", metavar="SHAPE", help="hals to a given objective, as 70000x784:50")
    parser.add_argument("--sparse", metavar="SHAPE", help="CSR data, as 300000x50000:50:0.002")
    parser.add_argument("--kernel", metavar="SHAPE", help="products with K, as 20000:64")
    parser.add_argument("--accuracy", action="store_true", help="how far from double, on data of several kinds")
    parser.add_argument("--small", action="store_true", help="short fits, for compute-sanitizer")
    parser.add_argument("--profile", action="store_true", help="what each kernel takes")
    options = parser.parse_args()
    library = C.CDLL(options.plugin)
    library.orthant_plugin_device.restype = C.POINTER(Interface)
    table = library.orthant_plugin_device().contents
    print(torch.cuda.get_device_name(0), "PyTorch", torch.__version__)
    if options.accuracy or options.small:
        if options.accuracy:
            compare_accuracy(table)
        if options.small:
            run_small(table)
        return
    if options.neighbours or options.descent or options.sparse or options.kernel:
        if options.sparse:
            compare_entries(table, options.sparse, options)
        if options.kernel:
            compare_kernels(table, options.kernel)
        if options.neighbours:
            compare_searches(table, options.neighbours)
        if options.descent:
            compare_descents(table, options.descent)
        return
    if options.stream:
        compare_streams(table, options.stream, int(options.limit * 1e9), options)
        return
    print("loss       X                k     ours measured together     tf32 |    torch     tf32    plain one read | "
          "error: ours   torch   value  same")
    for text in options.shapes.split(","):
        size, k = text.split(":")
        n, m, k = *map(int, size.split("x")), int(k)
        torch.manual_seed(1)
        X = torch.rand(n, m, device="cuda")
        W, S = torch.rand(m, k, device="cuda") + 0.1, torch.rand(n, k, device="cuda") + 0.1
        target = torch.empty_like(X[: max(1, n // 2)])
        read = clock(lambda: [target.copy_(X[: max(1, n // 2)]) for _ in range(10)]) / 10
        del target
        for loss in options.losses.split(","):
            print(f"{loss:9s} {n:8d} x {m:<6d} {k:4d} {compare(table, loss, X, W, S, read, options)}", flush=True)
        del X, W, S
        torch.cuda.empty_cache()


main()
