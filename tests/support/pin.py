#!/usr/bin/env python3
"""Compares what a command wrote, as one text, with the text that the repository keeps of it.

    pin.py EXPECTED FOLDER [--close SHARE] [--mask REGEX TEXT]... PATTERN...

Files of FOLDER that match a pattern stand in the text one after the other, by name. Pictures (files and
those inside a page) stand as their size and the digest of their pixels, which no version of a compressor
changes; other bytes as their number and digest; a page's style sheet and scripts, which are constants, as
one word. With --close numbers may differ by that
share, or by as much where they are smaller than 1. With ORTHANT_PIN=1 in the environment EXPECTED is written: look at the difference before it is
committed.
"""

import base64
import difflib
import hashlib
import os
import pathlib
import re
import struct
import sys
import zlib


def pixels_of(png):
    """(words, bytes) of a PNG without interlacing: its size and kind, and the samples unfiltered."""
    at, packed, head, palette = 8, b"", None, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        at += size + 12
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"PLTE":
            palette = body
        elif kind == b"IDAT":
            packed += body
    width, height, depth, colour = head[:4]
    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    step, line = max(1, bits // 8), (width * bits + 7) // 8
    raw, above, out = zlib.decompress(packed), bytes(line), bytearray()
    for y in range(height):
        kind, row = raw[y * (line + 1)], bytearray(raw[y * (line + 1) + 1:(y + 1) * (line + 1)])
        for x in range(line):
            a = row[x - step] if x >= step else 0
            b, c = above[x], above[x - step] if x >= step else 0
            p = a + b - c
            near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[x] = (row[x] + (0, a, b, (a + b) // 2, near)[kind]) & 255
        above = bytes(row)
        out += row
    return f"{width} x {height}, {depth} bits, colours {colour}", palette + bytes(out)


def picture(png):
    words, pixels = pixels_of(png)
    return f"[picture {words}, {hashlib.sha256(pixels).hexdigest()[:12]}]"


def text_of(path):
    if path.suffix == ".png":
        return picture(path.read_bytes()) + "\n"
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        data = path.read_bytes()
        return f"[{len(data)} bytes, {hashlib.sha256(data).hexdigest()[:12]}]\n"
    text = re.sub(r"data:image/png;base64,([A-Za-z0-9+/=]+)", lambda m: picture(base64.b64decode(m.group(1))), text)
    for tag in ("style", "script"):
        text = re.sub(rf"<{tag}>(.*?)</{tag}>", f"<{tag}>[{tag}]</{tag}>", text,
                      flags=re.S)
    return text if text.endswith("\n") else text + "\n[no newline]\n"


NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)")


def are_close(kept, found, share):
    if NUMBER.sub("#", kept) != NUMBER.sub("#", found):
        return False
    for a, b in zip(NUMBER.findall(kept), NUMBER.findall(found)):
        x, y = float(a), float(b)
        if a != b and not abs(x - y) <= share * max(1.0, abs(x)):
            return False
    return True


def main():
    expected, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rest, masks, share = sys.argv[3:], [], 0.0
    if rest[0] == "--close":
        share, rest = float(rest[1]), rest[2:]
    while rest[0] == "--mask":
        masks.append((rest[1], rest[2]))
        rest = rest[3:]
    paths = sorted({p for pattern in rest for p in folder.glob(pattern) if p.is_file()})
    found = "".join(f"==== {p.relative_to(folder)}\n{text_of(p)}" for p in paths)
    for pattern, text in masks:
        found = re.sub(pattern, text, found)
    if os.environ.get("ORTHANT_PIN"):
        expected.parent.mkdir(parents=True, exist_ok=True)
        expected.write_text(found)
        return
    kept = expected.read_text()
    if found != kept and not (share and are_close(kept, found, share)):
        lines = difflib.unified_diff(kept.splitlines(), found.splitlines(), str(expected), "found", lineterm="", n=1)
        print("\n".join(line[:400] for line in list(lines)[:60]), file=sys.stderr)
        sys.exit(1)


main()
