# orthant consensus: the parts that starts agree on, the folder and its report, going on after an interrupt.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

planted planted.csv 0.01

run_consensus() { "$ORTHANT_COMMAND" consensus planted.csv --truth none --quiet -k 4 --repeats 8 "$@"; }

run_consensus -o run >text || say_failed "consensus planted.csv"
grep -q '^starts       8, objectives' text || say_failed "no starts: $(cat text)"
grep -Eq '^parts +[0-9]+ of 32 kept' text || say_failed "no kept parts: $(cat text)"
grep -Eq '^     3 +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+$' text || say_failed "no fourth part: $(cat text)"
awk 'length > 80 { exit 1 }' text || say_failed "a line is longer than 80 columns"
for file in report.html consensus.csv basis.npy encoding.npy labels.csv charts/consensus.svg; do
    [ -s "run/$file" ] || say_failed "run/$file is not there"
done
[ "$(wc -l <run/consensus.csv)" -eq 33 ] || say_failed "consensus.csv has not a line for each part of each start"
grep -q '<h2>Consensus</h2>' run/report.html || say_failed "the page has no consensus"
grep -q 'It is the consensus of 8 starts' run/report.html || say_failed "the page does not say what it is"
rm run/report.html
"$ORTHANT_COMMAND" report run --format md | grep -q '| members |' || say_failed "no table of the consensus"
"$ORTHANT_COMMAND" report run >again.txt || say_failed "no report again"
grep -q '<h2>Consensus</h2>' run/report.html || say_failed "the page made again has no consensus"

# JSON, the same on any number of threads; fit has the word too.
run_consensus --threads 1 --json >one.json || say_failed "consensus --json"
run_consensus --threads 3 --json >three.json
"$ORTHANT_COMMAND" fit planted.csv --truth none --quiet -k 4 --start consensus:8 -o fit --json >fit.json || say_failed "fit --start"
python3 - <<'END' || say_failed "the JSON is not as it should be"
import json
one, three, fit = (json.load(open(name + ".json"))["consensus"] for name in ("one", "three", "fit"))
assert one == three == fit == json.load(open("run/run.json"))["consensus"]
assert one["starts"] == 8 and one["members"] == 32 and one["kept"] + one["left_out"] == 32, one
assert one["neighbours"] == 2 and one["threshold"] == 0.5 and one["silhouette"] > 0.9, one
assert len(one["parts"]) == 4 and sum(part["members"] for part in one["parts"]) == one["kept"]
END

# Fixed parts stay, and the others are found beside them.
"$ORTHANT_COMMAND" fit planted.csv --truth none --quiet -k 1 -o known >out || say_failed "a part to be fixed"
run_consensus --fix basis=known/basis.npy --threshold 2 -o beside >text || say_failed "consensus --fix"
grep -Eq '^parts +24 of 24 kept' text || say_failed "the free parts of all starts: $(cat text)"
grep -Eq '^     0 +fixed$' text || say_failed "the fixed part is not told: $(cat text)"
grep -q 'Fixed parts were given and are none of these: 1, the first one.' beside/report.html || say_failed "the page does not tell of the fixed part"
python3 - <<'END' || say_failed "fixed parts are not as they should be"
import json, struct
def read(path):
    data = open(path, "rb").read()
    length = struct.unpack("<H", data[8:10])[0]
    columns = int(data[10:10 + length].decode().split("(")[1].split(",")[1].split(")")[0])
    return columns, struct.unpack("<%df" % ((len(data) - 10 - length) // 4), data[10 + length:])
(one, known), (four, basis) = read("known/basis.npy"), read("beside/basis.npy")
assert (one, four) == (1, 4) and basis[::4] == known
found = json.load(open("beside/run.json"))
assert found["fixed_parts"] == 1 and found["consensus"]["fixed"] == 1 and found["consensus"]["members"] == 24, found["consensus"]
assert found["consensus"]["parts"][0] == {"members": 0, "starts": 0, "silhouette": None, "cosine": None}
assert min(int(line.split(",")[1]) for line in open("beside/consensus.csv").readlines()[1:]) == 1
END

# Refusals.
refuses() {
    local words=$1
    shift
    "$ORTHANT_COMMAND" consensus planted.csv --truth none "$@" >out 2>err && say_failed "consensus $* is taken"
    grep -q -- "$words" err || say_failed "consensus $*: $(cat err)"
}
refuses 'expected a number from 2' -k 4 --repeats 1
refuses 'threshold' -k 4 --repeats 3 --threshold 3
refuses 'neighbourhood' -k 4 --repeats 3 --neighbourhood 0
refuses "has no consensus" -k 4 -m pca
refuses 'makes them all the same' -k 4 --init nndsvd
refuses '1 fixed ones are given of 1' -k 1 --fix basis=known/basis.npy
refuses 'too few for 4 parts' -k 4 --repeats 3 --threshold 1e-12

# Labels that starts agree on, of methods that have no consensus of parts too.
for method in nmf kmeans snmf; do
    "$ORTHANT_COMMAND" cluster planted.csv --truth none -m $method -k 4 --start best-of:5 --labels-rule consensus --quiet --json \
        -o agreed-$method >out || say_failed "labels of $method by consensus"
    grep -q '"labels_rule": "consensus:encoding"' agreed-$method/run.json || say_failed "the rule of $method is not told"
    [ "$(wc -l <agreed-$method/labels.csv)" -gt 20 ] || say_failed "labels of $method are missing"
done
"$ORTHANT_COMMAND" predict agreed-nmf planted.csv --truth none --quiet -o again.csv >/dev/null || say_failed "clusters of new samples by consensus"
for given in "" "--start consensus:5"; do
    "$ORTHANT_COMMAND" cluster planted.csv --truth none -k 4 --labels-rule consensus $given >out 2>err && say_failed "labels by consensus with '$given'"
    grep -q -- '--start best-of:R' err || say_failed "labels by consensus with '$given': $(cat err)"
done
"$ORTHANT_COMMAND" cluster planted.csv --truth none -k 4 --start best-of:3 --labels-rule consensus-dice >out 2>err && say_failed "a rule that is none"
grep -q 'expected one of' err || say_failed "a rule that is none: $(cat err)"

# A start that is stopped leaves no run, and --resume goes on to the same end.
python3 - <<'END'
import random
random.seed(1)
with open("wide.csv", "w") as out:
    for _ in range(150):
        print(*("%.4f" % random.random() for _ in range(50)), sep=",", file=out)
END
long=(consensus wide.csv --truth none -k 6 --repeats 6 --threshold 2 --iterations 100 --tolerance 0 --solver mu --quiet --checkpoint 0 --threads 1)
"$ORTHANT_COMMAND" "${long[@]}" -o whole >/dev/null || say_failed "a long consensus"
"$ORTHANT_COMMAND" "${long[@]}" -o stopped >/dev/null 2>err &
process=$!
for _ in $(seq 200); do
    [ -e stopped.checkpoint.3 ] && break
    sleep 0.05
done
kill -INT $process
wait $process
[ $? -eq 130 ] || say_failed "Ctrl-C does not end with 130: $(cat err)"
[ ! -e stopped ] || say_failed "a run of a consensus that was stopped"
"$ORTHANT_COMMAND" "${long[@]}" --resume -o stopped >/dev/null || say_failed "it does not go on"
cmp whole/basis.npy stopped/basis.npy || say_failed "another basis after going on"
cmp whole/encoding.npy stopped/encoding.npy || say_failed "another encoding after going on"
cmp whole/consensus.csv stopped/consensus.csv || say_failed "other members after going on"
ls stopped.checkpoint* 2>/dev/null && say_failed "checkpoints are left"
finish
