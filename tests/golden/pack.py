#!/usr/bin/env python3
"""Packs the larger golden cases for the repository: pack.py SOURCE, the folder with large_index.json.

Makes large_SHAPE/ beside itself. What cases of a shape share stands there once (X, graph, labels, pooling, starts). Of a
factor after 1, 10 and 100 iterations, which would be 12 MB in all, two sums are kept: each row's with the weights
1 + j/k of its columns, and each column's with the weights 1 + i/n of its rows; tests/golden/README.md says why.
"""
import json
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LETTERS = {"d": "<f8", "B": "|u1", "q": "<i8"}
STARTS = {"cf": {"W": "weights", "V": "cf_encoding"}, "convex": {"W": "weights", "G": "cf_encoding"},
          "onmf": {"F": "basis", "G": "encoding"}, "gnmf": {"U": "basis", "V": "encoding"}, "grpnmf": {"H": "encoding"},
          "nnsc": {"A": "basis", "S": "encoding"}}
OTHERS = {"W": "basis", "S": "encoding", "U": "basis", "V": "encoding", "Z": "auxiliary"}
TRANSPOSED = {("nlcf", "V"), ("nlcfg", "V"), ("nnsc", "S")}  # k x n in the source, n x k here


def read(path):
    """The rows of an .npy file; one dimension is one row."""
    with open(path, "rb") as file:
        data = file.read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:end], {})
    shape = header["shape"] if len(header["shape"]) == 2 else (1, header["shape"][0])
    letter = next(letter for letter, name in LETTERS.items() if name == header["descr"])
    assert not header["fortran_order"]
    values = struct.unpack("<%d%s" % (shape[0] * shape[1], letter), data[end:])
    return [list(values[i * shape[1]:(i + 1) * shape[1]]) for i in range(shape[0])]


def write(path, rows, letter="d"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (LETTERS[letter], len(rows), len(rows[0]))
    header = header.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in rows:
            file.write(struct.pack("<%d%s" % (len(row), letter), *row))


def share(path, rows, letter="d"):
    """Writes what cases of a shape share, or makes sure that it is the same as before."""
    if os.path.exists(path):
        assert read(path) == rows, path
    else:
        write(path, rows, letter)


def share_graph(path, rows):
    edges = [(i + 1, j + 1) for i, row in enumerate(rows) for j in range(i + 1) if row[j]]
    assert all(rows[j][i] == value and value in (0, 1) for i, row in enumerate(rows) for j, value in enumerate(row))
    with open(path, "w") as file:
        file.write("%%MatrixMarket matrix coordinate pattern symmetric\n")
        file.write("%d %d %d\n" % (len(rows), len(rows), len(edges)))
        file.writelines("%d %d\n" % edge for edge in edges)


def sums(rows):
    """Each row's weighted sum, then each column's."""
    n, k = len(rows), len(rows[0])
    return ([sum((1 + j / k) * row[j] for j in range(k)) for row in rows] +
            [sum((1 + i / n) * rows[i][j] for i in range(n)) for j in range(k)])


def factor(source, case, when, letter):
    rows = read(os.path.join(source, case, "%s_%s.npy" % (when, letter)))
    name = case.split("_", 2)[2]
    return [list(column) for column in zip(*rows)] if (name, letter) in TRANSPOSED else rows


def pack(source, entry):
    case = entry["case"]
    shape, name = "_".join(case.split("_")[:2]), case.split("_", 2)[2]
    there, here = os.path.join(HERE, shape), os.path.join(HERE, shape, name)
    share(there + "/X.npy", read(os.path.join(source, entry["X"])))
    if entry["graph"]:
        share_graph(there + "/graph.mtx", read(os.path.join(source, entry["graph"])))
    if "labels" in entry["inputs"]:
        share(there + "/labels.npy", read(os.path.join(source, case, "labels.npy")), "q")
    if "H" in entry["inputs"]:
        share(there + "/pooling.npy", read(os.path.join(source, case, "H.npy")))
    for letter in entry["factors"]:
        ours = STARTS.get(name, OTHERS)[letter]
        share("%s/%s.npy" % (there, ours), factor(source, case, "init", letter))
        after = [sums(factor(source, case, "iter%d" % count, letter)) for count in (1, 10, 100)]
        write("%s/%s.npy" % (here, ours.replace("cf_", "")), after)
    with open(here + "/obj.csv", "w") as file:
        file.writelines("%.17g\n" % value for value in read(os.path.join(source, case, "obj.npy"))[0])
    with open(here + "/case.json", "w") as file:
        json.dump(entry, file, indent=1)
        file.write("\n")


def main():
    source = sys.argv[1]
    with open(os.path.join(source, "large_index.json")) as file:
        for entry in json.load(file):
            pack(source, entry)


main()
