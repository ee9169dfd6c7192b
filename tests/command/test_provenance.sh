# run.json says where the truth, the graph and the starts came from, and it is true.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks
digits=$ORTHANT_SOURCE/data/digits/digits-images-idx3-ubyte.gz

# member RUN EXPRESSION: of run.json, as Python writes it.
member() { python3 -c "import json; run = json.load(open('$1/run.json')); print(repr(($2)) if isinstance(($2), tuple) else ($2))"; }
expect_member() { [ "$(member "$1" "$2")" = "$3" ] || say_failed "$1: $2 is '$(member "$1" "$2")', expected '$3'"; }
# truth_of SOURCE ARGUMENTS...
truth_of() {
    local source=$1
    shift
    rm -rf run
    expect_success "cluster $*" cluster "$@" -k 2 --iterations 3 -o run
    expect_member run "run['truth']" "$source"
}

# ---- the truth
truth_of "${digits/images-idx3/labels-idx1}" "$digits"
truth_of truth.txt blocks.csv --truth truth.txt
truth_of None blocks.csv
awk 'NR == FNR { kind[NR] = $1; next } FNR == 1 { print "a,b,c,d,e,f,g,h,kind" } { print $0 "," kind[FNR] }' truth.txt blocks.csv >table.csv
truth_of table.csv:kind table.csv --truth kind
truth_of table.csv:kind table.csv --truth 9
truth_of table.csv:kind table.csv --label-column kind
tail -n +2 table.csv >plain.csv
truth_of plain.csv:9 plain.csv --truth 9
faces faces.mat 40 4
truth_of faces.mat:gnd faces.mat
truth_of None faces.mat --truth none
expect_success convert convert faces.mat beside.npy
truth_of beside.labels.csv beside.npy
python3 - <<'PY'
import io, struct, zipfile
def npy(kind, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (117 - len(head)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data
with zipfile.ZipFile("data.npz", "w") as archive:
    archive.writestr("X.npy", npy("|u1", "(6, 2)", bytes([1, 9, 2, 8, 9, 1, 8, 2, 7, 1, 1, 7])))
    archive.writestr("y.npy", npy("|u1", "(6,)", bytes([0, 0, 1, 1, 1, 0])))
PY
truth_of data.npz:y data.npz
mkdir -p pictures/dark pictures/light
for i in 1 2 3; do
    echo "P2 2 2 255 $i 2 3 4" >"pictures/dark/$i.pgm"
    echo "P2 2 2 255 20$i 210 220 230" >"pictures/light/$i.pgm"
done
truth_of pictures/ pictures
expect_success 'a study' compare blocks.csv --truth truth.txt --methods nmf --classes 2 --repeats 1 -o study
expect_member study/runs/blocks/nmf/2 "run['truth']" truth.txt

expect_success 'a study of labels that are found' compare faces.mat --methods nmf --classes 2 --repeats 1 -o found
expect_member found/runs/faces/nmf/2 "run['truth']" faces.mat:gnd

# ---- the graph: the checksum is the file's, as another program takes it where there is one
expect_success graph graph blocks.csv --graph knn:3 -o graph.mtx --json
edges=$(python3 -c "import json; print(json.load(open('.out'))['edges'])")
expect_success 'a graph of a file' cluster blocks.csv -m gnmf -k 4 --graph graph.mtx -o of_file
expect_member of_file "run['graph'], run['graph_file']['path'], run['graph_file']['nodes'], run['graph_file']['edges']" \
    "('graph.mtx', 'graph.mtx', 20, $edges)"
cp graph.mtx same.mtx
expect_success 'the same' cluster blocks.csv -m gnmf -k 4 --graph same.mtx -o of_same
[ "$(member of_file "run['graph_file']['xxh64']")" = "$(member of_same "run['graph_file']['xxh64']")" ] || say_failed "a copy has another checksum"
sed '$s/$/ /' graph.mtx >same.mtx
expect_success 'another' cluster blocks.csv -m gnmf -k 4 --graph same.mtx --force -o of_same
[ "$(member of_file "run['graph_file']['xxh64']")" != "$(member of_same "run['graph_file']['xxh64']")" ] || say_failed "another file has the same checksum"
if command -v xxhsum >/dev/null; then
    [ "$(xxhsum -H64 <graph.mtx | cut -c1-16)" = "$(member of_file "run['graph_file']['xxh64']")" ] || say_failed "xxhsum says $(xxhsum -H64 <graph.mtx)"
fi
expect_success 'a graph that is built' cluster blocks.csv -m gnmf -k 4 --graph knn:3 -o built
expect_member built "run['graph'], 'graph_file' in run" "('knn:3', False)"

# ---- the starts: the seed of the one that was kept gives the same fit by itself
expect_success 'several starts' fit blocks.csv -k 3 --iterations 4 --start best-of:6 --seed 5 -o best
expect_member best "len(run['start_seeds']), run['start_seeds'][0], run['start_objectives'][run['start_chosen']] == min(run['start_objectives']) == run['objective']" "(6, 5, True)"
chosen=$(member best "run['start_seeds'][run['start_chosen']]")
expect_success 'that start alone' fit blocks.csv -k 3 --iterations 4 --seed "$chosen" -o alone
cmp -s best/basis.npy alone/basis.npy || say_failed "the start that was kept is not that of seed $chosen"
expect_member alone "'start_seeds' in run, 'start_chosen' in run" "(False, False)"
expect_success 'a given start' fit blocks.csv -k 3 --iterations 2 --start basis=alone/basis.npy -o given
expect_member given "run['starts'][0]['factor'], run['starts'][0]['file'], len(run['starts'][0]['xxh64'])" "('basis', 'alone/basis.npy', 16)"
expect_success 'a consensus' consensus blocks.csv -k 3 --repeats 3 --threshold 2 -o agreed
expect_member agreed "len(run['start_seeds']), 'start_chosen' in run" "(3, False)"
python3 "$ORTHANT_SOURCE/tests/command/check_schema.py" "$ORTHANT_SOURCE/docs/run.schema.json" */run.json >wrong || say_failed "$(cat wrong)"
finish
