"""checkpoint_gap.py SECONDS FILE: fails where FILE and FILE.previous, two checkpoints of one fit that follow each other,
are further apart than the interval of SECONDS allows: where one was due between them (tests/engine/test_kill_loss.c says
when). The times are those that the fit wrote down, so a busy machine changes nothing. Prints how far they are apart;
nothing where there are not both."""
import os, struct, sys

def history(path):
    """Seconds at the end of each iteration: src/engine/checkpoint_format.h."""
    with open(path, "rb") as file:
        data = file.read()
    settings, count = struct.unpack_from("=QQ", data, 16)
    for i in range(count):
        name, rows, size, offset = struct.unpack_from("=32sQQQ", data, 48 + settings + 56 * i)
        if name.rstrip(b"\0") == b"history":
            return [struct.unpack_from("=d", data, offset + row * size + 8)[0] for row in range(rows)]
    sys.exit(f"{path}: no history")

interval, path = float(sys.argv[1]), sys.argv[2]
if os.path.exists(path) and os.path.exists(path + ".previous"):
    ended, first = history(path), len(history(path + ".previous")) - 1
    for i in range(first + 1, len(ended) - 1):
        if (ended[i] - ended[first] + ended[i] - ended[i - 1] >= interval + 1e-9 and
                ended[i] - ended[first + 1] >= ended[first + 1] - ended[first] + 1e-9):
            sys.exit(f"{path}: of the iterations {first} and {len(ended) - 1}; the second was due after {i}")
    print(ended[-1] - ended[first])
