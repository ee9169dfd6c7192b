# orthant convert: files several times larger than --memory, and kills at any moment.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

python3 - <<'P'
import array, random, zipfile
source = random.Random(1)
rows, columns = [[] for _ in range(20000)], [[] for _ in range(500)]
with open("entries.mtx", "w") as file:
    file.write("%%MatrixMarket matrix coordinate real general\n20000 500 1000000\n")
    for _ in range(1000000):
        i, j = int(source.random() * 20000), int(source.random() * 500)
        file.write(f"{i + 1} {j + 1} 1\n")
        rows[i].append(j)
        columns[j].append(i)


def save(archive, name, kind, shape, values):
    """As NumPy's save() does."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    with archive.open(name + ".npy", "w") as member:
        member.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + values)


# The same entries as scipy.sparse.save_npz() would keep them, not in order and some of them double;
# where rows begin stands behind all else.
for name, lines, packing in ("csr", rows, zipfile.ZIP_DEFLATED), ("csc", columns, zipfile.ZIP_STORED):
    starts = array.array("i", [0])
    for line in lines:
        starts.append(starts[-1] + len(line))
    with zipfile.ZipFile(name + ".npz", "w", packing) as archive:
        save(archive, "format", "|S3", (), name.encode())
        save(archive, "shape", "<i8", (2,), array.array("q", [20000, 500]).tobytes())
        save(archive, "data", "<f4", (1000000,), array.array("f", [1]).tobytes() * 1000000)
        save(archive, "indices", "<i4", (1000000,), array.array("i", [i for line in lines for i in line]).tobytes())
        save(archive, "indptr", "<i4", (len(starts),), starts.tobytes())
with open("table.csv", "w") as file:
    for i in range(20000):
        file.write(",".join(str((i * j) % 97) for j in range(200)) + "\n")
P

# peak ARGUMENTS...: the largest resident memory of the command in kilobytes.
peak() {
    python3 - "$ORTHANT_COMMAND" "$@" <<'P'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
P
}
least=$(peak info)
for pair in "entries.mtx entries.csr" "csr.npz rows.csr" "csc.npz columns.csr" "table.csv table.npy" "table.csv turned.npy --transpose"; do
    read -ra words <<<"$pair"
    taken=$(peak convert "${words[@]}" --memory 4M) || say_failed "convert $pair"
    # What the program takes by itself, its limit, and what the C library keeps.
    # Under the sanitizers freed memory is kept.
    grep -qa __asan_init "$ORTHANT_COMMAND" || [ "$taken" -le $((least + 4096 + 12288)) ] || say_failed "convert $pair: $taken KB, $least KB without data"
done
cmp entries.csr rows.csr || say_failed "csr.npz: another file"
cmp entries.csr columns.csr || say_failed "csc.npz: another file"
for pair in "entries.mtx entries.csr" "table.csv table.npy"; do
    read -ra words <<<"$pair"
    expect_success "${words[0]}" fit "${words[0]}" -m nmf -k 3 --iterations 3 -o first
    expect_success "${words[1]}" fit "${words[1]}" -m nmf -k 3 --iterations 3 -o second
    cmp first/encoding.npy second/encoding.npy || say_failed "$pair: other factors"
    rm -rf first second
done
expect_success "transposed" convert turned.npy back.npy --transpose
cmp table.npy back.npy || say_failed "transposed twice is not the same"

# Killed at any moment: the whole file is there, or none, and no other.
mkdir killed
for moment in 0.02 0.05 0.1 0.15 0.2 0.3; do
    "$ORTHANT_COMMAND" convert entries.mtx killed/out.csr --memory 4M --quiet &
    child=$!
    sleep "$moment"
    kill -KILL "$child" 2>/dev/null
    wait "$child" 2>/dev/null
    [ ! -e killed/out.csr ] || cmp entries.csr killed/out.csr || say_failed "killed after $moment s: half a file"
done
expect_success "after kills" convert entries.mtx killed/out.csr --memory 4M
cmp entries.csr killed/out.csr || say_failed "after kills: another file"
[ "$(ls -A killed)" = out.csr ] || say_failed "left behind: $(ls -A killed)"

expect_error 2 'known are .npy, .h5 and .csr' convert table.csv out.txt
expect_error 2 'DATA or OUT is missing' convert table.csv
expect_error 1 'no such file' convert absent.csv out.npy
expect_nothing out.npy
finish
