# Data that stay in their file: the same results as in memory, by itself where they do not fit, and a clear end where the
# file is cut off.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

PYTHONPATH=$ORTHANT_SOURCE/tests/support python3 - <<'P'
import random
from npy import write
source = random.Random(1)
row = [source.random() for _ in range(256)]
write("large.npy", 20000, 256, row * 20000)
write("small.npy", 300, 40, [max(0, source.random() - 0.3) for _ in range(12000)])
P

same() {
    for file in basis.npy encoding.npy labels.csv; do
        if [ -f "$1/$file" ] && ! cmp -s "$1/$file" "$2/$file"; then
            say_failed "$1/$file and $2/$file differ"
        fi
    done
}

for scale in none unit max tfidf; do
    expect_success "memory $scale" cluster small.npy -m nmf -k 3 --seed 2 --scale $scale -o here-$scale
    expect_success "file $scale" cluster small.npy -m nmf -k 3 --seed 2 --scale $scale --stream -o there-$scale
    same here-$scale there-$scale
done
expect_success "transform" transform here-none small.npy -o here.npy
expect_success "transform --stream" transform here-none small.npy --stream -o there.npy
cmp -s here.npy there.npy || say_failed "transform: other encodings from the file"

# Sparse rows of our own container.
expect_success "convert" convert small.npy small.csr
expect_success "sparse" cluster small.csr -m nmf-kl -k 3 --seed 2 -o here-csr
expect_success "sparse --stream" cluster small.csr -m nmf-kl -k 3 --seed 2 --stream -o there-csr
same here-csr there-csr

# 20 MB do not fit: streamed, and said; a method that cannot tells what it would take.
expect_success "whole" fit large.npy -m nmf -k 3 --solver mu --iterations 3 -o whole
orthant fit large.npy -m nmf -k 3 --solver mu --iterations 3 --memory 12M -o parts >.out 2>.err || say_failed "--memory 12M"
grep -q "large.npy does not fit into the memory, and is read in each iteration" .err || say_failed "not told: $(cat .err)"
same whole parts
orthant fit large.npy -m kmeans -k 3 --memory 12M -o refused >.out 2>.err && say_failed "kmeans streamed"
grep -q "method 'kmeans' cannot stream the data from their file: it needs all entries in memory, 20.5 MB; leave out --stream, or give a larger --memory\$" .err ||
    say_failed "kmeans: $(cat .err)"

# Rows of a text cannot be had one by one: the way out is told.
echo 1,2,3 >table.csv
expect_error 1 'cannot be read one by one; convert it .* \(orthant convert DATA OUT\)' fit table.csv -k 1 --stream -o refused

expect_success "explain" fit small.npy -m nmf -k 3 --stream --explain
expect_text "X, in its file"

# Another program cuts the file off while it is read.
orthant fit large.npy -m nmf -k 4 --stream --iterations 100000000 --tolerance 0 --progress -o cut >.out 2>.err &
child=$!
for _ in $(seq 200); do
    grep -q ' of ' .err && break
    sleep 0.1
done
truncate -s 200 large.npy
status=0
wait "$child" || status=$?
[ "$status" -eq 1 ] || say_failed "cut off: exit $status, expected 1"
# Met while a strip is read, or by the look after an iteration.
tail -1 .err | grep -qE 'large.npy: (ends at byte|has 200 bytes,) .*: it was (cut off|changed) while it was read' || say_failed "cut off: $(tail -1 .err)"
finish
