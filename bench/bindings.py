#!/usr/bin/env python3
"""A fit from Python beside the command's own: the same samples and settings, time and bits.

    bench/bindings.py [--samples 20000] [--features 784] [--iterations 10] [--repeats 10] [--cases nmf:mu:10,...]
                      [--threads N] [--order C|F] [--orthant build/orthant] [--library build/liborthant.so]

Both fit one array of float32, in turn, and of each the shortest of all repeats counts: the seconds of the iterations,
the command's and Python's over them. NumPy's arrays begin at a multiple of 16 bytes, the command's at one of 64.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--samples", type=int, default=20000)
    parser.add_argument("--features", type=int, default=784)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--cases", default="nmf:mu:10,nmf:hals:10,nmf:mu:50", help="METHOD:SOLVER:RANK,...")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--order", choices=("C", "F"), default="C", help="of the array in Python")
    parser.add_argument("--orthant", type=os.path.abspath, default=os.path.join(SOURCE, "build", "orthant"))
    parser.add_argument("--library", type=os.path.abspath, default=os.path.join(SOURCE, "build", "liborthant.so"))
    return parser.parse_args()


def command_fit(arguments, path, method, solver, rank, folder):
    """Seconds of the iterations, and the basis."""
    subprocess.run([arguments.orthant, "fit", path, "-m", method, "-k", rank, "--solver", solver, "--tolerance", "0",
                    "--iterations", str(arguments.iterations), "--threads", str(arguments.threads), "--seed", "7",
                    "-o", folder], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "history.csv")) as file:
        seconds = [float(row["seconds"]) for row in csv.DictReader(file)]
    import numpy as np
    return seconds[-1] - seconds[0], np.load(os.path.join(folder, "basis.npy"))


def python_fit(arguments, X, method, solver, rank):
    import orthant
    estimator = next(kind for kind in vars(orthant).values() if getattr(kind, "_method", None) == method)
    model = estimator(int(rank), solver=solver, max_iter=arguments.iterations, tol=0, random_state=7,
                      n_jobs=arguments.threads)
    seconds = model.fit(X).history_["seconds"]
    return seconds[-1] - seconds[0], model.components_.T


def main():
    arguments = parse_arguments()
    os.environ["ORTHANT_LIBRARY"] = arguments.library
    sys.path.insert(0, os.path.join(SOURCE, "python"))
    import numpy as np
    X = np.random.default_rng(1).random((arguments.samples, arguments.features), dtype=np.float32)
    print(f"{arguments.samples} x {arguments.features} float32, {arguments.threads} threads, order {arguments.order}")
    print(f"{'case':<16}{'command':>10}{'Python':>10}  bits")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "X.npy")
        np.save(path, X)
        X = np.asarray(X, order=arguments.order)
        for case in arguments.cases.split(","):
            method, solver, rank = case.split(":")
            command, python = [], []
            for _ in range(arguments.repeats):
                command.append(command_fit(arguments, path, method, solver, rank, tempfile.mkdtemp(dir=folder) + "/run"))
                python.append(python_fit(arguments, X, method, solver, rank))
            least = [min(seconds for seconds, _ in runs) for runs in (command, python)]
            same = all(np.array_equal(basis, command[0][1]) for _, basis in command + python)
            print(f"{case:<16}{least[0]:>9.4f}s{least[1] / least[0]:>10.3f}  {'same' if same else 'DIFFERENT'}", flush=True)


if __name__ == "__main__":
    main()
