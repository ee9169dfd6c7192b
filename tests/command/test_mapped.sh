# A .npy file is memory-mapped where it can be: the same results as read, and a clear end where it is cut off.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

PYTHONPATH=$ORTHANT_SOURCE/tests/support python3 - <<'P'
import random
from npy import write
source = random.Random(1)
row = [source.random() for _ in range(256)]
write("large.npy", 20000, 256, row * 20000)
write("small.npy", 300, 40, [1.0] + [source.random() for _ in range(11999)])
P

# What is scaled is read, here by a largest entry of 1.
expect_success mapped fit small.npy -m nmf -k 3 --seed 2 -o mapped
expect_success read fit small.npy -m nmf -k 3 --seed 2 --scale max -o read
if cmp -s mapped/basis.npy read/basis.npy && cmp -s mapped/encoding.npy read/encoding.npy; then :; else
    say_failed "mapped and read give other factors"
fi
sum=$(python3 "$ORTHANT_SOURCE/tests/support/xxh64.py" small.npy)
for run in mapped read; do
    grep -q "\"xxh64\": \"$sum\"" $run/run.json || say_failed "$run/run.json lacks the checksum $sum"
done

# Another program cuts the file off while it is used.
orthant fit large.npy -m nmf -k 4 --iterations 100000000 --tolerance 0 --progress -o cut >.out 2>.err &
child=$!
for _ in $(seq 200); do
    grep -q ' of ' .err && break
    sleep 0.1
done
truncate -s 200 large.npy
status=0
wait "$child" || status=$?
[ "$status" -eq 1 ] || say_failed "cut off: exit $status, expected 1"
tail -1 .err | grep -q '^orthant: large.npy: was cut off' || say_failed "cut off: $(tail -1 .err)"
expect_nothing cut
finish
