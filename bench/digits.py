#!/usr/bin/env python3
"""Writes generated digits to FILE.npy (samples x 784, single precision, 0 to 1) and their labels to FILE-labels.txt.

    bench/digits.py FILE.npy [--samples 70000] [--images IDX.gz --labels IDX.gz] [--seed 1]

Each sample is one of the shipped digits (or of another pair of IDX files), shifted by up to two pixels, sheared by up
to two pixels, made brighter or darker, with noise on its ink. Needs numpy.
"""

import argparse
import gzip
import os

import numpy as np

DIGITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "digits")
AT_ONCE = 4096  # samples


def read_idx(path):
    with gzip.open(path, "rb") as file:
        data = file.read()
    shape = np.frombuffer(data, ">i4", data[3], 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


def enlarged(pictures):
    """To 28 x 28 pixels: each pixel repeated, the steps smoothed, in the middle."""
    count, rows, columns = pictures.shape
    times = 28 // max(rows, columns)
    large = np.zeros((count, 28, 28), np.float32)
    top, left = (28 - times * rows) // 2, (28 - times * columns) // 2
    large[:, top : top + times * rows, left : left + times * columns] = pictures.repeat(times, 1).repeat(times, 2)
    for axis in (1, 2) if times > 1 else ():
        large = (np.roll(large, 1, axis) + large + np.roll(large, -1, axis)) / 3
    return large


def sheared(pictures, rng):
    """Row r of a picture moves by dy and to the side by dx + shear * (r - middle), whole pixels."""
    count, rows, columns = pictures.shape
    dy = rng.integers(-2, 3, count)[:, None]
    slope = rng.uniform(-2, 2, count)[:, None] * (np.arange(rows) - rows / 2) / (rows / 2)
    dx = np.rint(rng.integers(-2, 3, count)[:, None] + slope).astype(int)
    y = np.arange(rows)[None, :, None] + dy[:, :, None]
    x = np.arange(columns)[None, None, :] + dx[:, :, None]
    inside = (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
    picked = pictures[np.arange(count)[:, None, None], y.clip(0, rows - 1), x.clip(0, columns - 1)]
    return np.where(inside, picked, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--samples", type=int, default=70000)
    parser.add_argument("--images", default=os.path.join(DIGITS, "digits-images-idx3-ubyte.gz"))
    parser.add_argument("--labels", default=os.path.join(DIGITS, "digits-labels-idx1-ubyte.gz"))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    pictures, labels = read_idx(given.images), read_idx(given.labels)
    pictures = enlarged(pictures / pictures.max())
    X = np.lib.format.open_memmap(given.file, "w+", np.float32, (given.samples, pictures[0].size))
    drawn = rng.integers(0, len(pictures), given.samples)
    for first in range(0, given.samples, AT_ONCE):
        ink = sheared(pictures[drawn[first : first + AT_ONCE]], rng)
        ink *= rng.uniform(0.8, 1.2, (len(ink), 1, 1)).astype(np.float32)
        ink += np.where(ink > 0, rng.normal(0, 0.1, ink.shape), 0).astype(np.float32)
        X[first : first + AT_ONCE] = ink.clip(0, 1).reshape(len(ink), -1)
    X.flush()
    np.savetxt(os.path.splitext(given.file)[0] + "-labels.txt", labels[drawn], fmt="%d")


if __name__ == "__main__":
    main()
