#!/usr/bin/env python3
"""How long an iteration takes on many machines: the model of docs/scale.md, and a check of it.

    bench/scale.py predict --samples 1e9 --features 1e3 --k 50 --ranks 1000 --threads 64
    sudo bench/scale.py check --command build/orthant [--samples 70000] [--rate 1e9] [--delay 2e-4]

`predict` needs nothing but Python. `check` measures the constants on this machine (an iteration of one rank; two runs of two
ranks, for the links), predicts what one to four ranks over network namespaces will take (bench/namespaces.py), and runs them.
"""
import argparse
import csv
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBER = 4  # bytes, single precision

# chunks_cut() of src/data/chunks.c
CHUNK_ENTRIES, LEAST_SAMPLES, MOST_SAMPLES, SAMPLES_OF_A_FEATURE = 1 << 20, 4096, 32768, 2
MOST_CHUNKS, BLOCK = 4096, 64


def cut(samples, features):
    """Samples of a chunk, and how many chunks there are."""
    enough = max(LEAST_SAMPLES, SAMPLES_OF_A_FEATURE * features, min(MOST_SAMPLES, CHUNK_ENTRIES // features))
    count = 1
    while count < MOST_CHUNKS and samples // count > enough:
        count *= 2
    chunk = -(-(-(-samples // count)) // BLOCK) * BLOCK
    return chunk, -(-samples // chunk)


def nodes(chunks, first, end):
    """Partial sums of a rank with chunks [first, end): whole subtrees of the tree over all chunks."""
    found = 0
    while first < end:
        length = 1
        while first % (2 * length) == 0 and min(first + 2 * length, chunks) <= end and length < chunks:
            length *= 2
        found += 1
        first += length
    return found


def shares(samples, features, ranks):
    """Of the rank that has most: samples, partial sums."""
    chunk, chunks = cut(samples, features)
    first = [chunks * rank // ranks for rank in range(ranks + 1)]
    rows = max(min(first[r + 1] * chunk, samples) - min(first[r] * chunk, samples) for r in range(ranks))
    return rows, max(nodes(chunks, first[r], first[r + 1]) for r in range(ranks))


class Machine:
    """Constants. The defaults are those of a node with 64 cores as fast as the one in docs/scale.md, on a network of 100 Gbit/s."""

    def __init__(self, flops=6e10, memory=2e11, disk=None, bandwidth=1.2e10, latency=2e-6, message=5e-7):
        self.flops = flops  # of a thread, in the products with X
        self.memory = memory  # bytes a second that a node reads X with
        self.disk = disk  # bytes a second, where X is streamed
        self.bandwidth = bandwidth  # bytes a second that a rank sends
        self.latency = latency  # seconds that a round of messages takes at least
        self.message = message  # seconds that each message costs its sender


def predict(machine, samples, features, k, ranks, threads):
    """Seconds of an iteration of mu: read, compute, sum; reading goes on while it computes."""
    rows, partial = shares(samples, features, ranks)
    operations = 4 * rows * features * k + 2 * rows * k * k * 2
    compute = max(operations / (machine.flops * threads), rows * features * NUMBER / machine.memory)
    read = rows * features * NUMBER / machine.disk if machine.disk else 0
    total = 0
    if ranks > 1:
        size = (features + k) * k * NUMBER
        share = size * (ranks - 1) / ranks
        # slices of the partial sums to those who add them up, then the slices to all, and the scalars
        exchange = machine.latency + (ranks - 1) * machine.message + partial * share / machine.bandwidth
        gather = math.ceil(math.log2(ranks)) * machine.latency + share / machine.bandwidth
        scalars = 2 * math.ceil(math.log2(ranks)) * machine.latency
        total = exchange + gather + scalars
    return read, compute, total


def iteration(read, compute, total):
    return max(read, compute) + total


# ------------------------------------------------------------------ the check

def make_data(path, samples, features):
    """Random numbers, in the .npy format; without NumPy."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({samples}, {features}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    block = struct.pack(f"<{features}f", *((i * 7919 % 997) / 997 for i in range(features)))
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for i in range(samples):
            at = i * 13 % features * NUMBER
            file.write(block[at:] + block[:at])


def measure(given, data, k, ranks, repeats=3):
    """Seconds of an iteration: the least of some runs, from the history, without the first ones."""
    best = math.inf
    for _ in range(repeats):
        folder = tempfile.mkdtemp()
        run = os.path.join(folder, "run")
        words = [os.path.abspath(given.command), "fit", data, "-m", "nmf", "--solver", "mu", "-k", str(k), "--iterations",
                 "30", "--tolerance", "0", "--threads", "1", "--quiet", "-o", run]
        if ranks > 1:
            words = [os.path.join(HERE, "namespaces.py"), "--ranks", str(ranks), "--rate", str(given.rate), "--delay",
                     str(given.delay), "--", *words]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(run, "history.csv")) as file:
            seconds = [float(row["seconds"]) for row in csv.DictReader(file)]
        best = min(best, (seconds[-1] - seconds[5]) / (len(seconds) - 6))
        shutil.rmtree(folder)
    return best


def constants(given, folder):
    """From one rank, and from two ranks whose products are few: of small sums the latency, of large ones the bandwidth."""
    large = os.path.join(folder, "data.npy")
    make_data(large, given.samples, given.features)
    machine = Machine(memory=math.inf, message=0)
    alone = measure(given, large, given.k, 1)
    machine.flops = (4 * given.samples * given.features * given.k + 4 * given.samples * given.k ** 2) / alone
    few = os.path.join(folder, "few.npy")
    make_data(few, 9000, 8)
    rounds = 4  # of messages that two ranks wait for: slices, gather, two of scalars
    machine.latency = max(measure(given, few, 4, 2) - measure(given, few, 4, 1) / 2, 0) / rounds
    wide = os.path.join(folder, "wide.npy")
    make_data(wide, 9000, 1000)
    sums = measure(given, wide, 64, 2) - measure(given, wide, 64, 1) / 2 - rounds * machine.latency
    machine.bandwidth = (1000 + 64) * 64 * NUMBER / max(sums, 1e-9)  # twice half of it
    return machine, large


def check(given):
    cores = os.cpu_count()
    folder = tempfile.mkdtemp()
    worst = 0
    try:
        machine, data = constants(given, folder)
        print(f"a thread: {machine.flops / 1e9:.1f} Gflop/s; links of {given.rate / 1e9:g} Gbit/s and {given.delay * 1e6:g} us: "
              f"{machine.bandwidth * 8 / 1e9:.2f} Gbit/s, {machine.latency * 1e6:.0f} us a round")
        print("ranks    k   predicted   of it sums    measured   predicted / measured")
        for k in (given.k, 2 * given.k):
            for ranks in (1, 2, 3, 4):
                threads = min(1, cores / ranks)  # ranks share the cores
                read, compute, total = predict(machine, given.samples, given.features, k, ranks, threads)
                if cores < ranks:  # who has done its share leaves the core to the others
                    operations = 4 * given.samples * given.features * k + 4 * given.samples * k ** 2
                    compute = max(operations / machine.flops / cores, compute * threads)
                seconds = measure(given, data, k, ranks)
                ratio = iteration(read, compute, total) / seconds
                worst = max(worst, abs(ratio - 1))
                print(f"{ranks:5d} {k:4d} {1e3 * iteration(read, compute, total):8.1f} ms {1e3 * total:9.1f} ms "
                      f"{1e3 * seconds:8.1f} ms {ratio:14.2f}", flush=True)
        print(f"worst: {100 * worst:.0f} %")
    finally:
        shutil.rmtree(folder)
    return 0 if worst <= 0.2 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    one = kinds.add_parser("predict")
    one.add_argument("--ranks", type=int, default=1000)
    one.add_argument("--threads", type=int, default=64, help="of a rank")
    for name in ("flops", "memory", "disk", "bandwidth", "latency", "message"):
        one.add_argument(f"--{name}", type=float, default=getattr(Machine(), name))
    two = kinds.add_parser("check")
    two.add_argument("--command", default="build/orthant")
    two.add_argument("--rate", type=float, default=1e9, help="of a link, bits per second")
    two.add_argument("--delay", type=float, default=2e-4, help="of a link, seconds one way")
    for each, samples, features, k in ((one, 10 ** 9, 1000, 50), (two, 70000, 784, 10)):
        each.add_argument("--samples", type=lambda text: int(float(text)), default=samples)
        each.add_argument("--features", type=lambda text: int(float(text)), default=features)
        each.add_argument("--k", type=int, default=k)
    given = parser.parse_args()
    if given.kind == "check":
        return check(given)
    machine = Machine(given.flops, given.memory, given.disk, given.bandwidth, given.latency, given.message)
    read, compute, total = predict(machine, given.samples, given.features, given.k, given.ranks, given.threads)
    print(f"read {1e3 * read:.3g} ms, compute {1e3 * compute:.3g} ms, sum {1e3 * total:.3g} ms; "
          f"an iteration {1e3 * iteration(read, compute, total):.3g} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
