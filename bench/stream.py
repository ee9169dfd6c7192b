#!/usr/bin/env python3
"""A fit of a file that memory does not hold, beside the same fit in memory and beside the bare reading of the file.

    bench/stream.py FOLDER [--samples 1000000] [--features 784] [--rank 32] [--iterations 5] [--repeats 3] [--command build/orthant]

The file (3.1 GB) is made in FOLDER unless it is there. With --memory 512M and a hard limit of 640 MB (a memory cgroup,
where one can be made; `ulimit -v` otherwise):

  warm   the file is in the page cache: an iteration beside one in memory, the quickest of alternated runs; streamed, and
         with --map
  cold   it is not, and the limit keeps it out: bytes per second of an iteration beside those of a bare read under
         the same limit
  bytes  of basis and encodings: those of the fit in memory
"""

import argparse
import csv
import filecmp
import os
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 640 << 20
GROUP = "/sys/fs/cgroup/memory/orthant-stream"
BLOCK = 4 << 20


def make_file(folder, samples, features):
    path = os.path.join(folder, f"samples-{samples}x{features}.npy")
    if not os.path.exists(path):
        program = os.path.join(folder, "samples")
        subprocess.run(["cc", "-O2", "-o", program, os.path.join(HERE, "samples.c")], check=True)
        subprocess.run([program, path, str(samples), str(features)], check=True)
    return path


def forget(path):
    """Drops the file's pages from the cache; those that were just written are written out first."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read(path):
    """Seconds of a bare read."""
    buffer = bytearray(BLOCK)
    begun = time.perf_counter()
    with open(path, "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)
        while file.readinto(buffer):
            pass
    return time.perf_counter() - begun


def make_group():
    """Whether a hard limit on all memory, the page cache counted in, can be set."""
    try:
        os.makedirs(GROUP, exist_ok=True)
        with open(os.path.join(GROUP, "memory.limit_in_bytes"), "w") as file:
            file.write(str(LIMIT))
        return True
    except OSError:
        return False


def enter_group():
    with open(os.path.join(GROUP, "cgroup.procs"), "w") as file:
        file.write(str(os.getpid()))


def read_cold(path):
    """Seconds of a bare read in the group, in a process of its own."""
    forget(path)
    told, tell = os.pipe()
    if os.fork() == 0:
        enter_group()
        os.write(tell, repr(read(path)).encode())
        os._exit(0)
    os.wait()
    return float(os.read(told, 64))


def limit_addresses():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def fit(options, path, run, more, before=None):
    """Seconds of each iteration but the first."""
    command = [options.command, "fit", path, "-m", "nmf", "--solver", "mu", "-k", str(options.rank), "--iterations",
               str(options.iterations), "--tolerance", "0", "--checkpoint", "off", "--quiet", "--force", "-o", run] + more
    subprocess.run(command, check=True, preexec_fn=before, stdout=subprocess.DEVNULL)
    with open(os.path.join(run, "history.csv")) as file:
        seconds = [float(row["seconds"]) for row in csv.DictReader(file)]
    return [after - begin for begin, after in zip(seconds[1:], seconds[2:])]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder")
    options.add_argument("--samples", type=int, default=1000000)
    options.add_argument("--features", type=int, default=784)
    options.add_argument("--rank", type=int, default=32)
    options.add_argument("--iterations", type=int, default=5)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--command", default=os.path.join(HERE, "..", "build", "orthant"))
    options = options.parse_args()
    path = make_file(options.folder, options.samples, options.features)
    size = os.path.getsize(path)
    here, there = os.path.join(options.folder, "here"), os.path.join(options.folder, "there")
    grouped = make_group()
    before, limited = (enter_group, ["--memory", "512M"]) if grouped else (limit_addresses, ["--memory", "512M"])

    # Read in one go, as files come into the cache, and not as it was written: the system keeps that in larger pages.
    forget(path)
    in_memory, streamed, mapped = [], [], []
    for _ in range(options.repeats):
        read(path)
        in_memory += fit(options, path, here, [])
        read(path)
        streamed += fit(options, path, there, limited, before)
        if grouped:  # addresses are what the other limit counts
            read(path)
            mapped += fit(options, path, there, limited + ["--map"], before)
    same = all(filecmp.cmp(os.path.join(here, name), os.path.join(there, name), shallow=False)
               for name in ("basis.npy", "encoding.npy"))
    print(f"file         {size / 1e9:.2f} GB, limit {LIMIT >> 20} MB ({'cgroup' if grouped else 'ulimit -v'}), --memory 512M")
    print(f"bytes        {'the same' if same else 'DIFFERENT'}")
    print(f"warm         in memory {min(in_memory):.3f} s, streamed {min(streamed):.3f} s an iteration: "
          f"{min(streamed) / min(in_memory):.2f} times")
    if grouped:
        print(f"warm, --map  {min(mapped):.3f} s an iteration: {min(mapped) / min(in_memory):.2f} times")
        raw = read_cold(path)
        forget(path)
        cold = fit(options, path, there, limited, before)
        raw = min(raw, read_cold(path))
        print(f"cold         bare read {size / raw / 1e9:.2f} GB/s, streamed {size / min(cold) / 1e9:.2f} GB/s: "
              f"{raw / min(cold):.0%}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
