# orthant convert: files several times larger than --memory, and kills at any moment.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

python3 - <<'P'
import random
source = random.Random(1)
with open("entries.mtx", "w") as file:
    file.write("%%MatrixMarket matrix coordinate real general\n20000 500 1000000\n")
    for _ in range(1000000):
        file.write(f"{1 + int(source.random() * 20000)} {1 + int(source.random() * 500)} 1\n")
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
for pair in "entries.mtx entries.csr" "table.csv table.npy" "table.csv turned.npy --transpose"; do
    read -ra words <<<"$pair"
    taken=$(peak convert "${words[@]}" --memory 4M) || say_failed "convert $pair"
    # What the program takes by itself, its limit, and what the C library keeps.
    # Under the sanitizers freed memory is kept.
    grep -qa __asan_init "$ORTHANT_COMMAND" || [ "$taken" -le $((least + 4096 + 12288)) ] || say_failed "convert $pair: $taken KB, $least KB without data"
done
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
