# A study that is extended by repeats and methods: what is missing is run, and the result is that of one study of all.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks
extend() { orthant compare blocks.csv --truth truth.txt --iterations 8 --classes 2,4 --quiet "$@"; }
# All but the seconds of the runs.
rows() { cut -d, -f1-12 "$1/results.csv"; }
plan() { python3 -c 'import json, sys; made = json.load(open(sys.argv[1])); [made.pop(key) for key in ("command", "settings")]; print(json.dumps(made, indent=1))' "$1/study.json"; }
# kept BEFORE AFTER LINES: every line is there still, even its seconds, and there are that many now.
kept() { python3 -c 'import sys; a, b = (set(open(name)) for name in sys.argv[1:3]); assert a <= b and len(b) == int(sys.argv[3]), (len(a), len(b))' "$@" ||
    say_failed "rows were run again"; }

extend --methods kmeans,nmf,gnmf --sweep nmf.init=random,nndsvd --repeats 4 -o whole >/dev/null || say_failed "all at once"
extend --methods kmeans,nmf --repeats 2 -o grown >/dev/null || say_failed "a part"
cp grown/results.csv first.csv
extend --methods kmeans,nmf --repeats 4 -o grown >/dev/null || say_failed "more repeats"
kept first.csv grown/results.csv 17
cp grown/results.csv second.csv
all=(compare blocks.csv --truth truth.txt --iterations 8 --classes 2,4 --sweep nmf.init=random,nndsvd -o grown)
expect_success "more methods" "${all[@]}" --methods kmeans,nmf,gnmf --repeats 4
grep -q 'grown: the study is extended by repeats or methods' .err || say_failed "nothing says that it is extended: $(cat .err)"
kept second.csv grown/results.csv 41
[ "$(rows grown)" = "$(rows whole)" ] || say_failed "other rows than of one study"
[ "$(plan grown)" = "$(plan whole)" ] || say_failed "another plan than of one study: $(diff <(plan grown) <(plan whole))"
[ "$(cut -d, -f1-6 grown/summary.csv)" = "$(cut -d, -f1-6 whole/summary.csv)" ] || say_failed "another summary"
[ "$(cd grown && find runs -name labels.csv | sort)" = "$(cd whole && find runs -name labels.csv | sort)" ] || say_failed "other runs are kept"
find whole/runs -name labels.csv | grep -q . || say_failed "no runs are kept"
for labels in $(cd whole && find runs -name labels.csv); do
    cmp -s "whole/$labels" "grown/$labels" || say_failed "$labels differs"
done

# What cannot change is refused with the reason, and nothing is changed.
before=$(cat grown/results.csv grown/study.json | cksum)
expect_error 2 'the study has 4 repeats, this one 3: repeats can be added, not taken away' "${all[@]}" --methods kmeans,nmf,gnmf --repeats 3
expect_error 2 "the study has 'variant gnmf .*', and this one has not: methods can be added, not taken away or changed" "${all[@]}" --methods kmeans,nmf --repeats 5
expect_error 2 "the study has 'variant .*iterations 8.*', and this one has not" "${all[@]}" --methods kmeans,nmf,gnmf --repeats 4 --iterations 9
expect_error 2 "is the plan of another study: it has 'seed 1', this one has 'seed 3'" "${all[@]}" --methods kmeans,nmf,gnmf,tnmf --repeats 4 --seed 3
expect_error 2 "is the plan of another study: it has 'classes blocks 2', this one has 'classes blocks 3'" "${all[@]}" --methods kmeans,nmf,gnmf --repeats 4 --classes 3,4
sed '1s/^[0-9]*/99/' blocks.csv >other.csv && mv other.csv blocks.csv
expect_error 2 "is the plan of another study: it has 'data blocks" "${all[@]}" --methods kmeans,nmf,gnmf --repeats 5
[ "$(cat grown/results.csv grown/study.json | cksum)" = "$before" ] || say_failed "a refused study changed the folder"
finish
