"""What tests/faults/drive runs: small inputs, a command, and what of its results may stand there half done."""
import random
import struct
import zlib


def search_path():
    """Without gnuplot: a report says so, and its process would only make the runs longer."""
    return "/nowhere"


# ---- inputs ----


def blobs(rows, columns, classes, seed=1):
    """Samples of which each class is strong in columns of its own, and their classes."""
    draw = random.Random(seed)
    labels = [i % classes for i in range(rows)]
    share = max(1, columns // classes)
    return [[draw.random() + (3 if j // share == label else 0) for j in range(columns)] for label in labels], labels


def write_npy(path, rows):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0]))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    values = b"".join(struct.pack("<f", value) for row in rows for value in row)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values)


def write_csv(path, rows):
    path.write_text("".join(",".join(f"{value:.4f}" for value in row) + "\n" for row in rows))


def write_labels(path, labels):
    path.write_text("".join(f"{label}\n" for label in labels))


def mat_element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def mat_matrix(name, rows):
    values = [row[j] for j in range(len(rows[0])) for row in rows]
    body = mat_element(6, struct.pack("<II", 6, 0)) + mat_element(5, struct.pack("<ii", len(rows), len(rows[0])))
    body += mat_element(1, name.encode()) + mat_element(9, struct.pack("<%dd" % len(values), *values))
    return mat_element(14, body)


def write_mat(path, **matrices):
    """Level 5, each variable deflated, as MATLAB writes it."""
    packed = [zlib.compress(mat_matrix(name, rows)) for name, rows in matrices.items()]
    head = b"MATLAB 5.0 MAT-file".ljust(116) + b"\0" * 8 + struct.pack("<H", 0x0100) + b"IM"
    path.write_bytes(head + b"".join(struct.pack("<II", 15, len(p)) + p for p in packed))


def write_png(path, height, width, colour):
    """colour(y, x) gives three bytes."""
    rows = b"".join(b"\0" + b"".join(bytes(colour(y, x)) for x in range(width)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) +
                     chunk(b"IEND", b""))


def halves(y, x, side=24, seed=0):
    """Two halves of different colours, with some texture."""
    shade = (37 * y + 17 * x + 11 * (y * x) + seed) % 23
    return (200 - shade, 60 + shade, 40) if x < side // 2 else (40, 80 + shade, 200 - shade)


# ---- cases ----


class Case:
    """Results that are written whole: each file is the earlier or the new one. A run is there before its report
    and the charts are, which can be made again."""

    def __init__(self, name, words, prepare):
        self.name = name
        self.words = words.split()
        self.prepare = prepare

    def may_be_partial(self, name, found, after):
        return False

    def wrong_mix(self, before, after, found):
        """Files of one run belong together: all are the earlier ones, or all are the new ones, of which those
        that can be made again may not be there yet."""
        for folder in sorted({n.rsplit("/", 1)[0] for n in after if n.endswith("/run.json")}):
            def of(state, remade=False):
                return {n: c for n, c in state.items() if n.startswith(folder + "/") and ".part-" not in n and
                        (remade or not can_be_remade(n))}
            if of(found, True) != of(before, True) and of(found) != of(after):
                return f"{folder} is neither the earlier run nor the new one"
        return None


def can_be_remade(name):
    return name.endswith("report.html") or "charts" in name.split("/")


class Resumed(Case):
    """A fit that leaves checkpoints until its run is there; whether they are whole the same command tells, which goes
    on from them."""

    def may_be_partial(self, name, found, after):
        return name.startswith("run.checkpoint")


class Study(Case):
    """Results that grow: the same command goes on with them."""

    def may_be_partial(self, name, found, after):
        if any(n.endswith("failures.csv") for n in found):
            return True  # a whole report of those runs that could be done
        if not name.endswith("results.csv") or name not in after:
            return False
        lines, whole = found[name].split(b"\n"), after[name].split(b"\n")
        return all(line in whole for line in lines[:-1]) and any(w.startswith(lines[-1]) for w in whole)

    def wrong_mix(self, before, after, found):
        return None


def prepare_samples(runner, folder):
    rows, labels = blobs(12, 16, 3)
    write_npy(folder / "x.npy", rows)
    write_labels(folder / "y.csv", labels)


def prepare_csv(runner, folder):
    rows, labels = blobs(12, 16, 3)
    write_csv(folder / "x.csv", rows)
    write_labels(folder / "y.csv", labels)


def prepare_mat(runner, folder):
    rows, labels = blobs(12, 16, 3)
    write_mat(folder / "x.mat", fea=rows, gnd=[[label + 1] for label in labels])


def must(outcome):
    status, _, error = outcome
    if status != 0:
        raise SystemExit(f"preparing ends with {status}: {error}")


def prepare_earlier(runner, folder):
    """A run that has files which the new one has not."""
    prepare_samples(runner, folder)
    must(runner.run(folder, "cluster x.npy -m nmf -k 2 --truth y.csv --threads 1 --iterations 3 -o run".split()))


def prepare_run(runner, folder):
    prepare_samples(runner, folder)
    must(runner.run(folder, "fit x.npy -m nmf -k 2 --scale max --threads 1 --iterations 3 -o run".split()))


def prepare_clusters(runner, folder):
    prepare_samples(runner, folder)
    must(runner.run(folder, "cluster x.npy -m nmf -k 2 --threads 1 --iterations 3 -o run".split()))


def prepare_missing(runner, folder):
    rows, _ = blobs(12, 8, 3)
    rows[3][2] = rows[7][5] = float("nan")
    write_npy(folder / "x.npy", rows)
    must(runner.run(folder, "fit x.npy -m nmf -k 2 --missing nan --solver mu --threads 1 --iterations 3 -o run".split()))


def prepare_runs(runner, folder):
    prepare_samples(runner, folder)
    for name, method in (("runs/one", "nmf"), ("runs/two", "kmeans")):
        must(runner.run(folder, f"cluster x.npy -m {method} -k 3 --truth y.csv --threads 1 --iterations 3 -o {name}"
                        .split()))
    (folder / "runs" / "one" / "report.html").unlink()


def prepare_study(runner, folder):
    prepare_samples(runner, folder)
    must(runner.run(folder, STUDY.split()))
    (folder / "study" / "report.html").unlink()


def prepare_picture(runner, folder):
    write_png(folder / "p.png", 24, 24, halves)
    write_png(folder / "t.png", 24, 24, lambda y, x: (x >= 12,) * 3)


def prepare_pictures(runner, folder):
    for name in ("a", "b"):
        (folder / "pictures" / name).mkdir(parents=True)
        for i in range(2):
            write_png(folder / "pictures" / name / f"{i}.png", 32, 32,
                      lambda y, x, i=i, name=name: halves(y // (1 + i), x // (1 + (name == "a")), 32, 7 * i))


def prepare_papers(runner, folder):
    rows, labels = blobs(22, 1024, 11)
    (folder / "data" / "Yale").mkdir(parents=True)
    write_mat(folder / "data" / "Yale" / "Yale_32x32.mat", fea=rows, gnd=[[label + 1] for label in labels])


STUDY = "compare x.npy --truth y.csv --methods kmeans,nmf --repeats 2 --threads 1 --iterations 3 --restarts 2 -o study"


def all_cases():
    # --force: where a fault comes after the run was written, the next command replaces it.
    return [
        Case("fit", "fit x.npy -m nmf -k 3 --threads 1 --iterations 3 --force -o run", prepare_samples),
        Case("fit-stream", "fit x.npy -m nmf -k 3 --threads 1 --iterations 3 --scale max --stream --force -o run",
             prepare_samples),
        Case("fit-replace", "fit x.npy -m nmf -k 3 --threads 1 --iterations 3 --force -o run", prepare_earlier),
        Resumed("fit-checkpoint", "fit x.npy -m nmf -k 3 --threads 1 --iterations 3 --checkpoint 0 --resume -o run",
                prepare_samples),
        Case("fit-csv", "fit x.csv -m gnmf -k 3 --threads 1 --iterations 3 --init nndsvd --force -o run", prepare_csv),
        Case("fit-mat", "fit x.mat -m nmf-kl -k 3 --threads 1 --iterations 3 --json --force -o run", prepare_mat),
        Case("cluster", "cluster x.npy -m gnmf -k 3 --truth y.csv --threads 1 --iterations 3 --force -o run",
             prepare_samples),
        Case("transform", "transform run x.npy -o z.npy --threads 1 --iterations 5", prepare_run),
        Case("fit-batch", "fit x.npy -m nmf -k 3 --batch 5 --threads 1 --iterations 3 --force -o run", prepare_samples),
        Resumed("consensus", "consensus x.npy -m nmf -k 2 --repeats 3 --threads 1 --iterations 3 --resume -o run",
                prepare_samples),
        Case("predict", "predict run x.npy -o z.csv --threads 1 --iterations 5", prepare_clusters),
        Case("inverse", "inverse run -o z.npy --threads 1", prepare_run),
        Case("complete", "complete run -o z.npy --threads 1", prepare_missing),
        Case("graph", "graph x.npy --graph knn:3 --weights heat -o g.mtx --threads 1", prepare_samples),
        Case("segment", "segment p.png -k 2 --superpixels 16 --truth t.png --draw overlay,graph --threads 1 "
             "--iterations 5 --force -o run", prepare_picture),
        Case("features", "features pictures --words 4 -o f.npy --threads 1", prepare_pictures),
        Case("features-lab", "features pictures --kind lab -o f.csv --threads 1", prepare_pictures),
        Study("compare", STUDY, prepare_samples),
        Study("reproduce", "reproduce tnmf --data data -o paper --quick --tables III --repeats 1 --threads 1",
              prepare_papers),
        Case("report", "report run", prepare_earlier),
        Case("report-runs", "report runs", prepare_runs),
        Study("report-study", "report study", prepare_study),
    ]
