"""xxh64.py FILE: its XXH64 as xxh64sum gives it, from the specification."""
import sys

P = [0, 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5]
M = (1 << 64) - 1


def rotate(x, by):
    return (x << by | x >> (64 - by)) & M


def word(lane, x):
    return rotate((lane + x * P[2]) & M, 31) * P[1] & M


def xxh64(data):
    lanes, at = [P[1] + P[2] & M, P[2], 0, -P[1] & M], 0
    while len(data) - at >= 32:
        lanes = [word(lane, int.from_bytes(data[at + 8 * i:at + 8 * i + 8], "little")) for i, lane in enumerate(lanes)]
        at += 32
    total = P[5]
    if len(data) >= 32:
        total = sum(map(rotate, lanes, (1, 7, 12, 18))) & M
        for lane in lanes:
            total = ((total ^ word(0, lane)) * P[1] + P[4]) & M
    total = total + len(data) & M
    while len(data) - at >= 8:
        total = (rotate(total ^ word(0, int.from_bytes(data[at:at + 8], "little")), 27) * P[1] + P[4]) & M
        at += 8
    if len(data) - at >= 4:
        total = (rotate(total ^ int.from_bytes(data[at:at + 4], "little") * P[1] & M, 23) * P[2] + P[3]) & M
        at += 4
    for byte in data[at:]:
        total = rotate(total ^ byte * P[5] & M, 11) * P[1] & M
    total = (total ^ total >> 33) * P[2] & M
    total = (total ^ total >> 29) * P[3] & M
    return total ^ total >> 32


print(f"{xxh64(open(sys.argv[1], 'rb').read()):016x}")
