# --json of every subcommand: one JSON object on standard output, nothing else, with what was made.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks
photo=$ORTHANT_SOURCE/data/scene/scene.png
mkdir -p letters/a letters/b
echo "rain and snow in the cold wind" >letters/a/1.txt
echo "bread with butter and jam" >letters/b/1.txt

# expect_object KEYS ARGUMENTS...: succeeds, and the object has these keys.
expect_object() {
    local keys=$1
    shift
    expect_success "$*" "$@" --json
    python3 - "$keys" <<'PY' || say_failed "orthant $* --json: $(head -c 300 .out)"
import json, sys
def refuse(word):
    raise ValueError(word)
def once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), pairs
    return dict(pairs)
text = open(".out").read()
made = json.loads(text, parse_constant=refuse, object_pairs_hook=once)
assert isinstance(made, dict), type(made)
assert text.count("\n") >= 1 and text.endswith("\n")
missing = [key for key in sys.argv[1].split() if key not in made]
assert not missing, (missing, list(made))
PY
}
# value EXPRESSION: of the last object, as Python writes it.
value() { python3 -c "import json; made = json.load(open('.out')); print(repr(($1)))"; }
expect_value() { [ "$(value "$1")" = "$2" ] || say_failed "$1 is $(value "$1"), expected $2"; }
expect_object "name parameters" methods nmf
expect_object "version threads" info
expect_object "samples features" info blocks.csv
expect_object "output bytes samples features classes" convert blocks.csv blocks.npy
expect_value "made['samples'], made['features'], made['classes']" "(20, 8, 0)"
expect_value "made['bytes']" "$(stat -c %s blocks.npy)"
expect_object "output samples features classes" convert blocks.csv blocks.csr --truth truth.txt
expect_value "made['samples'], made['features'], made['classes']" "(20, 8, 4)"
expect_object "output samples features" convert blocks.csv blocks.h5
expect_value "made['samples'], made['features'], made['output']" "(20, 8, 'blocks.h5')"
expect_object "method rank objective data" fit blocks.csv -k 4 -o fitted
expect_object "method scores labels_rule" cluster blocks.csv -k 4 --truth truth.txt -o run
expect_object "recommended rows criteria" ranks blocks.csv -k 2:4 --repeats 3 --criteria starts
expect_object "consensus objective" consensus blocks.csv -k 4 --repeats 4
expect_object "output samples parts" transform run blocks.csv -o encoding.npy
expect_value "made['samples'], made['parts']" "(20, 4)"
expect_object "output samples clusters rule labels" predict run blocks.csv
expect_value "made['labels'] == [int(line) for line in open('run/labels.csv') if line.strip().isdigit()]" True
expect_object "output samples clusters" predict run blocks.csv -o predicted.csv
expect_value "'labels' in made" False
expect_object "output samples features" inverse run -o fitted.npy
expect_value "made['samples'], made['features']" "(20, 8)"
sed '3s/^[0-9]*/nan/' blocks.csv >holes.csv
expect_object "missing_entries" cluster holes.csv -k 4 --missing nan -o holes
expect_object "output samples features" complete holes -o whole.npy
echo "2,0" >places.csv
expect_object "output entries values" complete holes --at places.csv
expect_value "made['entries'], made['values'][0]['row'], made['values'][0]['column'], made['output']" "(1, 2, 0, None)"
expect_object "output entries" complete holes --at places.csv -o values.csv
expect_value "'values' in made" False
expect_object "accuracy nmi" score run/labels.csv truth.txt
expect_object "nodes edges output" graph blocks.csv -o graph.mtx
expect_object "samples stored output" graph blocks.csv --similarity gaussian -o K.npy
if orthant features "$photo" --kind lab -o features.npy >/dev/null 2>&1; then
    expect_object "kind pictures features output" features "$photo" --kind lab -o features.npy
    expect_object "segments estimated" segment "$photo" -k 3 -o scene
fi
expect_object "documents words counts vocabulary" words letters -o counts.csr
expect_object "output runs failures rows tables" \
    compare blocks.csv --truth truth.txt --methods kmeans,nmf --repeats 2 -o study
expect_value "made['runs'], len(made['rows']), made['rows'][0]['method'], made['rows'][0]['repeat']" "(4, 4, 'kmeans', 0)"
expect_value "[row['method'] for table in made['tables'] if table['name'] == 'methods' for row in table['rows']]" "['kmeans', 'nmf']"
expect_object "rows tables" compare --from study/results.csv
expect_value "made['output'], len(made['rows'])" "(None, 4)"
expect_object "paper tables" reproduce tnmf --digits
expect_object "folder report bytes tables" report run
expect_value "made['bytes']" "$(stat -c %s run/report.html)"
expect_object "folder report bytes tables" report .
expect_object "folder tables" report study
# The demo's data lie beside the program, or above it where it was built.
if [ -e features.npy ] && [ -e "$(dirname "$ORTHANT_COMMAND")/../data/scene" ]; then
    expect_object "folder report tables" demo -o first
    expect_file first/report.html
fi
expect_error 2 'json and --format exclude' report run --json --format md
expect_error 2 'json and --format exclude' compare --from study/results.csv --json --format md
expect_error 2 'json and --format exclude' reproduce tnmf --digits --json --format md

# Every subcommand knows it; view serves until Ctrl-C and has a test of its own, bench takes a minute, and of reproduce the
# tables of a whole paper stand in its own test.
for command in $(orthant --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    orthant "$command" --help-all >.out
    grep -q -e --json .out || say_failed "$command does not know --json"
    orthant --complete "$command" >.out
    grep -qx -e --json .out || say_failed "completion of $command does not know --json"
done
finish
