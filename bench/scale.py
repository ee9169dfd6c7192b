#!/usr/bin/env python3
"""What an iteration of a fit takes on processes that share the samples: the model of docs/scale.md.

    bench/scale.py --samples 1e9 --features 1000 --rank 50 --ranks 1000 --threads 32 --rate 1e11 --delay 2e-6
    sudo bench/scale.py --check build/orthant DATA.npy      beside what 1 to 4 ranks measure over namespaces

    read      bytes of X of the busiest rank / memory (or --disk)
    compute   4 samples m k / flops
    sum       bytes sent for X'S and S'S / rate, and the delay of each step

Constants that are not given are those of docs/scale.md."""
import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

FLOPS = 100e9      # of a thread: products with X
MEMORY = 23e9      # bytes per second and thread
STEPS = 4          # exchange and gather of the sums, and two gathers by which the loop goes on
SOFTWARE = 2e-6    # seconds of a step beside the delay
MESSAGE = 1e-6     # seconds that a message to one more rank costs
KERNEL_ROWS, MOST_CHUNKS = 64, 4096


def pieces(length, piece):
    return -(-length // piece)


def cut(n, m):
    """Samples of a chunk and how many there are: src/data/chunks.c."""
    least = max(4096, 2 * m)
    enough = max(least, min(32768, (1 << 20) // m))
    count = 1
    while count < MOST_CHUNKS and n // count > enough:
        count *= 2
    chunk = pieces(pieces(n, count), KERNEL_ROWS) * KERNEL_ROWS
    return chunk, pieces(n, chunk)


def nodes(first, end, count):
    """How many nodes of the tree make up chunks [first, end)."""
    found, top = 0, max(count - 1, 0).bit_length()
    while first < end:
        level = 0
        while level < top and first % (2 << level) == 0 and min(first + (2 << level), count) <= end:
            level += 1
        found, first = found + 1, first + (1 << level)
    return found


def predict(o):
    n, m, k, ranks, size = int(o.samples), int(o.features), int(o.rank), int(o.ranks), 4
    chunk, count = cut(n, m)
    bounds = [count * r // ranks for r in range(ranks + 1)]
    rows = max(min(n, bounds[r + 1] * chunk) - min(n, bounds[r] * chunk) for r in range(ranks))
    # ranks beyond the processors of their machine share these
    crowd = max(1, ranks / o.machines * o.threads / o.cores) if o.cores else 1
    rows = max(rows, n / ranks * crowd)
    read = rows * m * size / (o.disk if o.disk else o.memory * o.threads)
    compute = 4 * rows * m * k / (o.flops * o.threads)
    elements = (m * k + k * k) * size
    most = max(nodes(bounds[r], bounds[r + 1], count) for r in range(ranks))
    sent = (most + 1) * elements * (ranks - 1) / ranks
    steps = STEPS * (o.delay + o.software + (ranks - 1) * o.message) if ranks > 1 else 0
    return {"read": read, "compute": compute, "sum": sent * 8 / o.rate if ranks > 1 else 0, "steps": steps,
            "chunks": count, "busiest": rows, "bytes": sent,
            "total": read + compute + (sent * 8 / o.rate if ranks > 1 else 0) + steps}


def shape_of(path):
    with open(path, "rb") as file:
        head = file.read(10)
        text = file.read(struct.unpack("<H", head[8:10])[0]).decode()
    return eval(text)["shape"]  # a literal, written by who made the file


def run(words):
    found = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return json.loads(found)["seconds"]


def check(o):
    command, data = o.check
    o.samples, o.features = shape_of(data)
    o.threads, o.machines, o.cores, iterations = 1, 1, 2, 30
    o.software = 6e-4  # of the switch in Python and its tunnels
    here = pathlib.Path(__file__).parent
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))  # as namespaces.py does
    with tempfile.TemporaryDirectory() as folder:
        words = [command, "fit", data, "-k", str(int(o.rank)), "--solver", "mu", "--iterations", str(iterations),
                 "--tolerance", "0", "--threads", "1", "--checkpoint", "off", "--force", "-o", folder + "/run", "--json", "--quiet"]
        one = min(run(words) for _ in range(3)) / iterations
        o.ranks = 1
        o.flops *= predict(o)["total"] / one  # this machine's, now
        o.memory *= predict(o)["total"] / one
        print(f"{'ranks':>5} {'rate':>8} {'delay':>8} {'predicted':>10} {'measured':>10}")
        for rate in 1e8, 2e7:
            for delay in 1e-3, 5e-3:
                for ranks in 2, 3, 4:
                    o.ranks, o.rate, o.delay = ranks, rate, delay
                    link = [sys.executable, here / "namespaces.py", "--ranks", str(ranks), "--rate", str(rate),
                            "--delay", str(delay), "--"]
                    try:
                        took = min(run(link + words) for _ in range(2)) / iterations
                    except subprocess.CalledProcessError as failure:
                        print(f"{ranks:5} {rate:8.0e} {delay:8.0e} {failure.stderr.strip().splitlines()[-1]}")
                        continue
                    told = predict(o)["total"]
                    print(f"{ranks:5} {rate:8.0e} {delay:8.0e} {1e3 * told:7.1f} ms {1e3 * took:7.1f} ms {took / told:6.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default, text in (("samples", 70000, "n"), ("features", 784, "m"), ("rank", 50, "k"),
                                ("ranks", 2, "processes"), ("threads", 1, "of each process"),
                                ("flops", FLOPS, "of a thread"), ("memory", MEMORY, "bytes per second and thread"),
                                ("disk", 0, "bytes per second and process, where X is streamed"),
                                ("rate", 1e10, "bits per second of a process's link"), ("delay", 5e-6, "seconds"),
                                ("software", SOFTWARE, "seconds of a step beside the delay"),
                                ("message", MESSAGE, "seconds of a message to one more rank"),
                                ("machines", 0, "that processes share; 0: each has its own"),
                                ("cores", 0, "of a machine; 0: enough")):
        parser.add_argument("--" + name, type=float, default=default, help=f"{text} (default {default:g})")
    parser.add_argument("--check", nargs=2, metavar=("COMMAND", "DATA"))
    o = parser.parse_args()
    o.machines = o.machines or o.ranks
    if o.check:
        return check(o)
    found = predict(o)
    print(f"{found['chunks']} chunks; the busiest rank has {found['busiest']:.0f} samples and sends "
          f"{found['bytes'] / 1e6:.3g} MB")
    for name in "read", "compute", "sum", "steps", "total":
        print(f"{name:8} {1e3 * found[name]:10.3f} ms")


if __name__ == "__main__":
    main()
