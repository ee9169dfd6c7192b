# orthant ranks: the number of parts with its reasons, the folder that goes on, and -k auto of cluster.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

planted planted.csv 0.05

# Under the sanitizers, which count bytes and not parts, half of the ranks.
ranks=2:7 lists=(auto 2:6 3,4,6)
[ -z "${ORTHANT_SANITIZED:-}" ] || ranks=3:5 lists=(3,4,6)

run_ranks() { "$ORTHANT_COMMAND" ranks planted.csv --truth none --quiet --repeats 4 "$@"; }

run_ranks -k $ranks -o run >text || say_failed "ranks planted.csv"
grep -q '^recommended  k = 4$' text || say_failed "4 parts are not recommended: $(cat text)"
grep -q '^\*    4 ' text || say_failed "the line of the recommended rank has no star"
awk 'length > 80 { exit 1 }' text || say_failed "a line is longer than 80 columns"
for file in report.html ranks.csv fits.csv ranks.json charts/ranks-error.svg; do
    [ -s "run/$file" ] || say_failed "run/$file is not there"
done
grep -q 'Recommended: <strong>k = 4</strong>' run/report.html || say_failed "the page has no recommendation"

# Missing entries: the same number of parts; what cannot be had is told by its place in the data.
awk -F, -v OFS=, '{ for (j = 1; j <= NF; j++) if ((NR * 31 + j * 17) % 13 == 0) $j = ""; print }' planted.csv >holes.csv
"$ORTHANT_COMMAND" ranks holes.csv --truth none --quiet --repeats 4 -k 3:5 --missing nan >text || say_failed "ranks holes.csv"
grep -q '^recommended  k = 4$' text || say_failed "4 parts are not recommended where entries are missing: $(cat text)"
expect_error 2 "missing zeros: a survey of ranks holds entries out of dense data" ranks holes.csv --missing zeros
expect_error 1 "holes.csv:[0-9]+:[0-9]+: found '', expected a finite number; --missing nan takes" ranks holes.csv -k 3
awk -F, -v OFS=, 'NR == 71 { $5 = -2 } { print }' planted.csv >negative.csv
expect_error 1 'negative.csv: entry .71, 5. is -2' ranks negative.csv --truth none -k 3
awk -F, -v OFS=, 'NR == 71 { $5 = -2 } { print }' holes.csv >negative.csv
expect_error 1 'negative.csv: entry .71, 5. is -2' ranks negative.csv --truth none -k 3 --missing nan

# JSON, and the same results on one thread.
run_ranks -k $ranks --threads 1 --json >one.json || say_failed "ranks --json"
run_ranks -k $ranks --threads 3 --json >three.json
python3 - <<'END' || say_failed "the JSON is not as it should be"
import json
one, three = json.load(open("one.json")), json.load(open("three.json"))
assert one["recommended"]["k"] == 4 and len(one["recommended"]["reasons"]) == 6, one["recommended"]
assert ",".join(str(row["k"]) for row in one["rows"]) in ("2,3,4,5,6,7", "3,4,5"), one["rows"]
assert one["rows"] == three["rows"]
assert one["rows"] == json.load(open("run/ranks.json"))["rows"]
END

# What a kill left: fits that are there are not repeated, and the end is the same.
cp -r run cut
head -c 3000 run/fits.csv >cut/fits.csv
rm cut/ranks.csv cut/report.html
run_ranks -k $ranks -o cut >again || say_failed "a survey that was cut off does not go on"
cmp run/fits.csv cut/fits.csv || say_failed "another end after going on"
cmp run/ranks.csv cut/ranks.csv || say_failed "another table after going on"
run_ranks -k 2:8 -o run 2>err && say_failed "another plan goes on"
grep -q 'is the plan of another survey of ranks' err || say_failed "another plan: $(cat err)"
printf 'blocks,2,1,error,x\n' >>cut/fits.csv
run_ranks -k $ranks -o cut 2>err && say_failed "a damaged fits.csv is taken"
grep -q "fits.csv:[0-9]*: found 'blocks,2,1,error,x', expected a measure" err || say_failed "damaged: $(cat err)"

# The report again, and tables.
rm run/report.html
"$ORTHANT_COMMAND" report run >report.txt || say_failed "orthant report run"
grep -q 'recommended  k = 4' report.txt && [ -s run/report.html ] || say_failed "no report again"
"$ORTHANT_COMMAND" report run --format md | grep -q '^| *k' || say_failed "no table in Markdown"

# cluster.
for k in "${lists[@]}"; do
    "$ORTHANT_COMMAND" cluster planted.csv --truth none -k $k >cluster.txt 2>notes || say_failed "cluster -k $k"
    grep -q 'clusters     4 by' cluster.txt || say_failed "cluster -k $k: $(cat cluster.txt)"
    grep -q 'k = 4' notes || say_failed "cluster -k $k tells no reasons"
    grep -q "^rank         4, chosen from $k:" cluster.txt || say_failed "cluster -k $k does not print why: $(cat cluster.txt)"
done
"$ORTHANT_COMMAND" cluster planted.csv --truth none -k 3:5 -o found >/dev/null 2>&1 || say_failed "cluster -k 3:5 -o found"
python3 - <<'END' || say_failed "run.json does not say why the rank is 4"
import json
run = json.load(open("found/run.json"))
page = open("found/report.html").read()
assert run["rank"] == 4 and len(run["rank_reasons"]) == 6, run.get("rank_reasons")
assert "4" in run["rank_reasons"][0] and all(reason.strip() for reason in run["rank_reasons"])
assert "why this rank" in page
END
"$ORTHANT_COMMAND" cluster planted.csv -k auto --classes 2 2>err && say_failed "-k auto with --classes"
grep -q 'cannot be together' err || say_failed "-k auto --classes: $(cat err)"
"$ORTHANT_COMMAND" cluster planted.csv -k 2:x 2>err && say_failed "-k 2:x"
grep -q -- "--rank 2:x: expected numbers" err || say_failed "-k 2:x: $(cat err)"
"$ORTHANT_COMMAND" ranks planted.csv -m kmeans 2>err && say_failed "ranks of kmeans"
grep -q "methods with a nonnegative basis" err || say_failed "kmeans: $(cat err)"

finish
