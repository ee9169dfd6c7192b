"""Prints how two folders differ but for measured times; exits with 1 where they do.

Every file is compared byte by byte, but for what holds measured seconds. Those are compared without them:
run.json (seconds, whether it was resumed, and the checksum of history.csv), history.csv, results.csv and summary.csv (their columns),
tables under charts/ with a column of seconds; report.html with every number as # and without its drawings. Left
out are drawings over time (charts/*-time.*, charts/seconds-*)."""
import csv, pathlib, re, sys

def without_seconds(text):
    rows = list(csv.reader(text.splitlines()))
    if not rows:
        return text
    drop = set()
    out = []
    for row in rows:
        if any("seconds" in cell for cell in row):
            drop = {i for i, cell in enumerate(row) if "seconds" in cell}
        out.append(",".join(cell for i, cell in enumerate(row) if i not in drop))
    return "\n".join(out)

def normal(path):
    data = path.read_bytes()
    if path.suffix == ".csv":
        return without_seconds(data.decode())
    if path.suffix == ".json":
        text = re.sub(r'"(seconds|feature_seconds|fit_seconds)": [^,\n]+', r'"\1": #', data.decode())
        text = re.sub(r' *"resumed_after": [0-9]+,\n', "", text)
        return re.sub(r'"history.csv": \{[^}]*\}', '"history.csv": #', text)
    if path.suffix == ".html":
        text = re.sub(r"<svg.*?</svg>|<script type=.application/json. class=.values.*?</script>|<tr><th>resumed</th>.*?</tr>\n", "", data.decode(), flags=re.S)
        return re.sub(r"[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|&ndash;", "#", text)
    return data

def files(folder):
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir()}

kept, found = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
timed = re.compile(r"charts/(.*-time\.(svg|gp)|seconds-.*)")
wrong = [f"only in {side}: {name}" for side, a, b in ((kept, kept, found), (found, found, kept))
         for name in sorted(files(a) - files(b))]
wrong += [f"differs: {name}" for name in sorted(files(kept) & files(found))
          if not timed.search(name) and normal(kept / name) != normal(found / name)]
print("\n".join(wrong))
sys.exit(bool(wrong))
