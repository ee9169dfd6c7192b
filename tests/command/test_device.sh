# --device: a fit on a device of plain loops (tests/device/host_device.c), what is told of it, and what is refused.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
[ -f "$ORTHANT_BINARY/tests/plugins/liborthant-hostdevice.so" ] || { echo "SKIP: the tests' plug-in is not built"; exit 77; }
write_blocks

# Without a plug-in: what is missing, and where it is looked for.
export ORTHANT_PLUGINS=$work
expect_error 1 "no plug-in 'cuda' for devices; .*liborthant-cuda.so is looked for" fit blocks.csv -k 4 --device cuda -o run
expect_nothing run
expect_success info info
expect_text '^devices +none: there is no plug-in'
expect_success "info as JSON" info --json
python3 -c 'import json; found = json.load(open(".out")); assert found["devices"] == [] and "cuda" in found["no_devices"], found' ||
    say_failed "info --json: $(cat .out)"

export ORTHANT_PLUGINS=$ORTHANT_BINARY/tests/plugins
for method in nmf nmf-kl; do
    expect_success "$method on the CPU" fit blocks.csv -m "$method" -k 4 --solver mu --iterations 20 --tolerance 0 --precision double -o here
    expect_success "$method on a device" fit blocks.csv -m "$method" -k 4 --solver mu --iterations 20 --tolerance 0 --precision double --device hostdevice:1 -o there
    python3 - <<'END' || say_failed "$method: the runs differ"
import csv, json
here, there = (json.load(open(f"{run}/run.json")) for run in ("here", "there"))
assert "device" not in here and there["device"] == "hostdevice:1", (here, there)
a, b = ([float(row["objective"]) for row in csv.DictReader(open(f"{run}/history.csv"))] for run in ("here", "there"))
assert len(a) == len(b) == 21 and all(abs(x - y) <= 1e-10 * a[0] for x, y in zip(a, b)), list(zip(a, b))
END
    grep -q hostdevice:1 there/report.html || say_failed "$method: the report does not name the device"
    rm -rf here there
done
expect_success cluster cluster blocks.csv -k 4 --truth truth.txt --device hostdevice --precision tf32
expect_text '^accuracy +100.00 %'
expect_success explain fit blocks.csv -k 4 --device hostdevice --explain
expect_text '^runs on    hostdevice:0'

# Refused before anything runs.
expect_error 1 "method 'pnmf' does not run on the device 'hostdevice:0'.*; it runs on the CPU, without --device" fit blocks.csv -m pnmf -k 4 --device hostdevice -o run
expect_error 1 "does not know the term 'ridge' with the solver 'hals'; such a fit runs on the CPU, without --device" fit blocks.csv -k 4 --solver hals --term ridge=1 --device hostdevice -o run
expect_success graph cluster blocks.csv -m gnmf -k 4 --truth truth.txt --device hostdevice
expect_text '^accuracy +100.00 %'
expect_error 2 "there are 2, 'hostdevice:0' to 'hostdevice:1'" fit blocks.csv -k 4 --device hostdevice:7 -o run
expect_error 2 'precision tf32 is for fits on a device' fit blocks.csv -k 4 --precision tf32 -o run
expect_error 2 'device-memory is for what runs on a device' fit blocks.csv -k 4 --device-memory 1G -o run
expect_error 1 'has 1000 bytes; .* needs' fit blocks.csv -k 4 --device hostdevice --device-memory 1000 -o run
expect_error 2 "no option '--device'" compare blocks.csv --methods nmf --device hostdevice
export HOSTDEVICE_FAILS=encoding:3
expect_error 1 "the device 'hostdevice:0' failed: encoding was told to fail" fit blocks.csv -k 4 --device hostdevice --checkpoint off -o run
unset HOSTDEVICE_FAILS
expect_nothing run

# Neighbours and k-means: the same as the CPU's, also where the device cannot.
python3 - <<'END'
import random
random.seed(1)
with open("cloud.csv", "w") as file:
    for _ in range(1100):
        file.write(",".join(f"{random.random():.3f}" for _ in range(40)) + "\n")
END
expect_success "a graph on the CPU" graph cloud.csv --graph knn:4 -o here.mtx
expect_success "a graph on a device" graph cloud.csv --graph knn:4 --device hostdevice -o there.mtx
cmp here.mtx there.mtx || say_failed "graph --device: another graph"
HOSTDEVICE_SEARCH=fails expect_success "a device that cannot" graph cloud.csv --graph knn:4 --device hostdevice -o there.mtx
cmp here.mtx there.mtx || say_failed "graph --device that cannot: another graph"
expect_success "k-means on the CPU" fit cloud.csv -m kmeans -k 1000 -p restarts=1 --iterations 2 -o here
expect_success "k-means on a device" fit cloud.csv -m kmeans -k 1000 -p restarts=1 --iterations 2 --device hostdevice -o there
cmp here/basis.npy there/basis.npy || say_failed "kmeans --device: other centres"
HOSTDEVICE_SEARCH=fails expect_success "k-means, a device that cannot" fit cloud.csv -m kmeans -k 1000 -p restarts=1 --iterations 2 --device hostdevice -o again
cmp here/basis.npy again/basis.npy || say_failed "kmeans --device that cannot: other centres"
expect_error 2 'device-memory is for what runs on a device' graph cloud.csv --graph knn:4 --device-memory 1G -o there.mtx

# Which methods run where.
expect_success methods methods --json
python3 -c '
import json
where = {method["name"]: method["runs_on"] for method in json.load(open(".out"))}
assert where["nmf"] == ["cpu", "device"] and where["kmeans"] == where["cf"] == ["cpu", "device"] and where["pnmf"] == ["cpu"], where' || say_failed "methods --json: runs_on"
finish
