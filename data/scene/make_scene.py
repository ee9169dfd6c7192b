#!/usr/bin/env python3
"""Draws scene.png, the picture of the demo, and scene-truth.png, its regions: sky, sun, hills, sea and meadow.

Every pixel follows from its place alone, so the files can be made again bit for bit. Needs Python alone."""
import math
import os
import struct
import zlib

WIDTH, HEIGHT = 240, 160
# Two or three shades a region; the second number is the size of the texture's grains in pixels.
REGIONS = [
    ("sky", 6, [(128, 178, 226), (138, 186, 232), (146, 192, 236)]),
    ("sun", 2, [(255, 214, 92), (250, 204, 76)]),
    ("far hills", 3, [(150, 118, 146), (140, 110, 138), (158, 126, 152)]),
    ("near hills", 2, [(58, 84, 52), (66, 94, 56), (50, 74, 46)]),
    ("sea", 1, [(26, 82, 120), (32, 92, 132), (22, 74, 110)]),
    ("meadow", 1, [(168, 152, 62), (182, 164, 70), (152, 138, 54)]),
]


def grain(x, y):
    """A number from 0 to 1 that looks random."""
    n = (x * 374761393 + y * 668265263) & 0xFFFFFFFF
    n = ((n ^ (n >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((n ^ (n >> 16)) & 0xFFFF) / 0xFFFF


def region(x, y):
    far = 70 + 10 * math.sin(x / 23) + 6 * math.sin(x / 9 + 1)
    near = 84 + 12 * math.sin(x / 31 + 2) + 3 * math.sin(x / 7)
    shore = 132 - 14 * math.exp(-(((x - 190) / 60) ** 2)) + 3 * math.sin(x / 17)
    if y >= shore:
        return 5
    if y >= 106 - 4 * math.sin(x / 40):
        return 4
    if y >= near:
        return 3
    if y >= far:
        return 2
    return 1 if (x - 180) ** 2 + (y - 34) ** 2 <= 15 ** 2 else 0


def write_png(path, rows, palette=None):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3 if palette else 0, 0, 0, 0)
    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head))
        if palette:
            out.write(chunk(b"PLTE", b"".join(bytes(c) for c in palette)))
        out.write(chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)) + chunk(b"IEND", b""))


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    palette = [shade for _, _, shades in REGIONS for shade in shades]
    first = [sum(len(r[2]) for r in REGIONS[:i]) for i in range(len(REGIONS))]
    truth = [[region(x, y) for x in range(WIDTH)] for y in range(HEIGHT)]
    picture = []
    for y, row in enumerate(truth):
        line = []
        for x, r in enumerate(row):
            size, shades = REGIONS[r][1], REGIONS[r][2]
            # Waves are longer than they are high.
            at = grain(x // (4 if r == 4 else size), y // size + 1000 * r)
            line.append(first[r] + min(int(at * len(shades)), len(shades) - 1))
        picture.append(line)
    write_png(os.path.join(folder, "scene.png"), picture, palette)
    write_png(os.path.join(folder, "scene-truth.png"), truth)


main()
