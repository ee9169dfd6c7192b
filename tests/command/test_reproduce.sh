#!/usr/bin/env bash
# A paper's experiments through the command, on small stand-ins for the data sets.
. "$ORTHANT_SOURCE/tests/command/support.bash"

mkdir -p data/ORL data/Yale
faces data/ORL/ORL_32x32.mat 400 40
faces data/Yale/Yale_32x32.mat 80 16

# pinned PAPER: what came of it beside what it was when someone last looked (ORTHANT_PIN=1 writes that again): its plans
# and runs as they are, page, tables and charts with # for measured numbers and without what follows from these.
pin() { python3 "$ORTHANT_SOURCE/tests/support/pin.py" "$ORTHANT_SOURCE/tests/command/pages/$1.txt" "${@:2}" || say_failed "$1 is not what it was"; }
pinned() {
    command -v python3 >/dev/null || return 0
    (cd "$1" && for plan in */study.json; do echo "$plan" && sed -n '/"plan"/,/\]/p' "$plan"; done >plans.txt && cut -d, -f1-5 */results.csv >runs.txt)
    pin "$1-plans" "$1" --mask '"version [^"]*"' '"version"' --mask '"version": [^\n]*' '"version"' --mask '"command": [^\n]*' '"command"' \
        plans.txt runs.txt 'data/*.csv' reproduce.json
    pin "$1" "$1" --mask 'Orthant [0-9.]+, [a-z0-9]+ kernels, OpenBLAS [^,]*, [0-9]+ threads,' 'Orthant,' --mask 'by Orthant [0-9.]*' 'by Orthant' --mask '>[^>\n]*/orthant ' '>orthant ' --mask ' data-v="[^"]*"' '' --mask 'class="n[^"]*"' 'class="n"' --mask ' style="[^"]*"' '' \
        --mask '-?[0-9]+\.[0-9]+(e[+-]?[0-9]+)?' '#' --mask '\b(agrees|lower|higher|one run|holds|does not hold|not decided)\b' 'VERDICT' \
        --mask 'largest rise [^ ]*' 'largest rise #' --mask 'after [0-9]+' 'after #' --mask '[0-9]+ % of' '# % of' --mask 'the best other \([a-z-]+\)' 'the best other' --mask '\*\*' '' \
        --mask 'picture ([^,]*),[^]]*' 'picture \1' --mask 'of [0-9]+ averages.*? in [0-9]+\.' 'of # averages' \
        --mask '(?s)<div class="chart">.*?</div>' '[chart]' --mask 'set logscale xy?\n' '' \
        report.html tables.md 'charts/*.gp'
}

# ---- tables: ours beside the paper's, data that are missing, figures from other tables' runs -------------

expect_success "two tables" reproduce tnmf --data data -o tnmf --quick --tables I,II,IV
expect_text '^I +ORL +tnmf +accuracy +[0-9]+\.[0-9] \+- '
expect_text '^report: tnmf/report\.html$'
for file in report.html tables.md tables.tex tables.csv reproduce.json table-I/results.csv; do expect_file "tnmf/$file"; done
[ "$(wc -l <tnmf/table-I/results.csv)" -eq 41 ] || say_failed "10 methods, 2 numbers of classes, 2 repeats: $(wc -l <tnmf/table-I/results.csv) lines"
grep -q '^5,.*,88\.25' tnmf/tables.csv || say_failed "the paper's 88.25 is not in Table I"
grep -q '^2,.*,83\.34,,missing$' tnmf/tables.csv || say_failed "Table II does not show the paper's and say that the data are missing"
grep -q 'data/Caltech101 is not there' tnmf/tables.md || say_failed "no word of what was looked for"
grep -q '^# Table IV: processor seconds' tnmf/tables.csv || say_failed "no Table IV"
expect_file tnmf/table-IV/seconds.csv
for file in report.html tables.md tables.tex tables.csv; do
    grep -q 'quick run, to see that all works: 30 iterations, at most 2 repeats, the first 2 numbers' "tnmf/$file" || say_failed "$file does not say that the run was quick"
done
grep -q 'The full protocol, not this quick run: Pixels' tnmf/report.html || say_failed "a remark that passes for the quick run's"
! grep -q 'of 0 averages' tnmf/report.html || say_failed "a summary of no averages"
# The paper's 88.25 and 85.46 of 5 and 6 people: its mean over the numbers of classes that were run.
grep -Eq '^I,ORL,tnmf,accuracy,[^,]+,[^,]+,86\.85[0-9]*,[^,]+,"(agrees|lower|higher), by rows"$' tnmf/tables.csv ||
    say_failed "the paper's rows are not averaged: $(grep '^I,ORL,tnmf' tnmf/tables.csv)"
expect_text '^[a-z] +A quick run, to see that all works: 30 iterations'
pinned tnmf
[ ! -e tnmf/figure-7 ] || say_failed "figures were made although tables were asked for"

# Its page is not replaced by one of the studies inside.
cp tnmf/report.html page.html
expect_error 1 'holds the tables of a paper; its page is made again from what is there by the same command: .*orthant reproduce tnmf ' report tnmf
cmp page.html tnmf/report.html || say_failed "report replaced the page of a paper"
expect_success "what it is" info tnmf
expect_text '^kind +reproduction of a paper; `orthant view` shows it$'

# ---- the list of what the paper holds ---------------------------------------------------------------------

expect_success "a list" reproduce tnmf --list --data data -o tnmf
expect_text '^table +I +done \(quick\) +accuracy and NMI'
expect_text '^table +II +data not here '
expect_text '^figure +7 +not run '
expect_success "tables for programs" reproduce tnmf --data data -o tnmf --quick --tables I,II,IV --json
python3 -c 'import json, sys; made = json.load(open(sys.argv[1])); assert made["paper"] == "tnmf" and made["runs"] > 0 and made["tables"][0]["rows"]' .out ||
    say_failed "the tables are no JSON: $(head -c 300 .out)"
expect_success "a list for programs" reproduce tnmf --list --json
python3 -c 'import json, sys; found = json.load(open(sys.argv[1])); assert {i["state"] for i in found} == {"not run", "nothing to run"}' .out ||
    say_failed "the list as JSON"
expect_error 2 "tnmf has no claim 'theorem-9'" reproduce tnmf --data data -o tnmf --claims theorem-9

# ---- again: nothing is repeated, the same comes out ------------------------------------------------------

without_times() { sed '/^# Table IV/,$d' tnmf/tables.csv; }
without_times >first.csv
cp tnmf/table-I/results.csv first-results.csv
expect_success "again" reproduce tnmf --data data -o tnmf --quick --tables I,II,IV --threads 1
cmp -s tnmf/table-I/results.csv first-results.csv || say_failed "finished runs were repeated"
cmp -s <(without_times) first.csv || say_failed "the tables changed"
expect_success "as Markdown" reproduce tnmf --data data -o tnmf --quick --tables I --format md --quiet
expect_text '^\| N \| kmeans \|'

# ---- runs that fail: the others are shown, exit 1 --------------------------------------------------------

# Signed numbers, one of them negative: nmf refuses it, kmeans does not.
mkdir -p mixed/ORL
{
    four_bytes 30; four_bytes 400; four_bytes 64; four_bytes 0; four_bytes 4
    printf 'fea\0'
    awk 'BEGIN { printf "\\377\\377"; for (p = 1; p < 400 * 64; p++) printf "\\%03o\\000", (p % 400 % 40 * 5 + p % 7) }' >octal
    printf "$(cat octal)"
    variable gnd 400 1 "$(awk 'BEGIN { for (i = 0; i < 400; i++) printf "\\%03o", i % 40 + 1 }')"
} >mixed/ORL/ORL_32x32.mat
status=0
orthant reproduce tnmf --data mixed -o failed --quick --tables I --seed 3 >.out 2>.err </dev/null || status=$?
[ "$status" -eq 1 ] || say_failed "runs failed: exit $status, expected 1: $(cat .err)"
grep -Eq '^orthant: [0-9]+ of 40 runs could not be done, the first: ORL, nmf, .*is -0' .err || say_failed "failed runs are not told: $(cat .err)"
grep -Eq '^I +ORL +kmeans +accuracy' .out || say_failed "the other methods are not shown: $(cat .out)"
expect_file failed/report.html

# ---- interrupted: the runs that ended are kept -----------------------------------------------------------

"$ORTHANT_COMMAND" reproduce tnmf --data data -o stopped --tables III --repeats 2000 --quiet >.out 2>.err &
for _ in $(seq 200); do
    [ "$(wc -l 2>/dev/null <stopped/table-III/results.csv || echo 0)" -gt 3 ] && break
    sleep 0.05
done
kill -INT $!
wait $!
[ $? -eq 130 ] || say_failed "an interrupted reproduction: $(cat .err)"
grep -q 'the same command goes on in stopped' .err || say_failed "no word of how to go on: $(cat .err)"
[ "$(wc -l <stopped/table-III/results.csv)" -gt 3 ] || say_failed "the runs that ended are lost"

# ---- figures ---------------------------------------------------------------------------------------------

expect_success "figures" reproduce nlcf --data data -o nlcf --quick --quiet
for name in figure-2g-i-accuracy figure-4-nlcf figure-5e; do
    expect_file "nlcf/charts/$name.csv"
    expect_file "nlcf/charts/$name.gp"
    ! command -v gnuplot >/dev/null || expect_file "nlcf/charts/$name.svg"
done
# The toy: 180 points with their cluster, and four basis vectors.
[ "$(grep -c '^[0-9.]*,[0-9.]*,[0-3]$' nlcf/charts/figure-4-nlcf.csv)" -eq 180 ] || say_failed "points of the toy"
[ "$(grep -c '^[0-9.e+-]*,[0-9.e+-]*$' nlcf/charts/figure-4-nlcf.csv)" -eq 4 ] || say_failed "basis of the toy"
[ "$(awk -F, 'NR > 1' nlcf/charts/figure-2g-i-accuracy.csv | wc -l)" -eq 7 ] || say_failed "seven weights were swept"
grep -q 'Missing: data/MNIST' nlcf/report.html || say_failed "a figure without data does not say so"
pinned nlcf
grep -q '<h2>Table VIII</h2>' nlcf/report.html || say_failed "Table VIII is missing"

# ---- segmentation: every criterion of Table I, mosaics that are missing --------------------------------------

expect_success "without mosaics" reproduce grpnmf --data data -o grpnmf --quick --quiet
expect_text '^I +colour/paper grpnmf +CS +- +69\.5 +- missing$'
expect_text '^I +colour/paper convex-nmf +GCE +- +9\.9 +- missing$'
awk 'length > 80 { exit 1 }' .out || say_failed "a line of the averages is longer than 80"
expect_text 'Less is better for ME, NE, O, I, RM, GCE; more'
expect_text 'A quick run, to see that all works: 20 iterations, one mosaic'
grep -q 'Missing: mosaics in data/Prague/colour' grpnmf/report.html || say_failed "missing mosaics are not told"
mkdir -p data/BSDS/images
cp "$ORTHANT_SOURCE/data/scene/scene.png" data/BSDS/images/42049.jpg
expect_success "one figure" reproduce grpnmf --data data -o grpnmf-6 --figures 6 --quick --quiet
expect_text '^convergence: '
expect_text '^seconds: '
[ -s grpnmf-6/figures/figure-6-grpnmf-500-after-2.png ] || say_failed "a snapshot is not drawn"
rm -r data/BSDS

# ---- the first classes of a file: labels of the others become -1 ----------------------------------------

mkdir -p data/COIL20
faces data/COIL20/COIL20_32x32.mat 120 12
expect_success "first classes" reproduce rmnd --data data -o rmnd --quick --quiet
for name in figure-1-and-3-to-5-data figure-1-and-3-to-5-rmnd figure-2 figure-6-and-7-accuracy figure-8-and-9-nmi; do
    expect_file "rmnd/charts/$name.csv"
done
[ "$(awk -F, 'NF == 100' rmnd/charts/figure-1-and-3-to-5-rmnd.csv | wc -l)" -eq 100 ] || say_failed "a similarity of 100 faces"
pinned rmnd
grep -q 'Here: ORL' rmnd/report.html || say_failed "the stand-in for JAFFE is not named"
expect_text '^2 +COIL20 +rmnd +nmi '
[ "$(sort -n rmnd/data/COIL20-6.labels.csv | uniq -c | tr -s ' \n' ' ')" = " 60 -1 10 1 10 2 10 3 10 4 10 5 10 6 " ] ||
    say_failed "the first six classes: $(sort -n rmnd/data/COIL20-6.labels.csv | uniq -c)"
[ "$(cut -d, -f1,3 rmnd/table-2/results.csv | sort -u | wc -l)" -eq 3 ] || say_failed "$(cut -d, -f1,3 rmnd/table-2/results.csv | sort -u)"

# ---- a misprinted average: compared with the mean of the paper's rows, difference and verdict too -----------

expect_success "a misprint" reproduce rmnd --data data -o misprint --tables 2 --repeats 2 --quiet
expect_text '^2 +COIL20 +snmf +nmi +[0-9.]+ \+- [0-9.]+ +52\.4a +-?[0-9.]+ (agrees|lower|higher)$'
expect_text '^a +Printed as 0\.5135, a misprint: the rows give 0\.5239;'
awk 'length > 80 { exit 1 }' .out || say_failed "a line of the averages is longer than 80"
awk -F, '/^2,COIL20,snmf,nmi,/ { found = 1; off = $5 - $7 - $8 } END { exit !(found && off < 1e-6 && off > -1e-6) }' misprint/tables.csv ||
    say_failed "the difference is not that from the rows: $(grep '^2,COIL20,snmf,nmi' misprint/tables.csv)"
grep -q '^table,data set,method,measure,ours,ours se,paper,difference,verdict$' misprint/tables.csv || say_failed "a standard error under another name"
grep -q '^N,kmeans,kmeans sd,kmeans paper,' misprint/tables.csv || say_failed "no deviation over the repeats"

# ---- refusals --------------------------------------------------------------------------------------------

expect_error 2 "no paper 'tnfm', did you mean 'tnmf'" reproduce tnfm --data data -o nothing
expect_error 2 'data DIR is missing' reproduce tnmf -o nothing
expect_error 2 'o RUN is missing' reproduce tnmf --data data
expect_error 2 'PAPER is missing' reproduce
expect_error 2 "no table 'V'; its tables are I,II,III,IV" reproduce tnmf --data data -o nothing --tables V
expect_error 2 "no table 'V'; its tables are I" reproduce grpnmf --data data -o nothing --tables V
expect_error 1 'nowhere: no such folder' reproduce tnmf --data nowhere -o nothing
expect_error 2 'holds the reproduction of another paper' reproduce nlcf --data data -o tnmf --quick
mkdir full
echo text >full/note
expect_error 2 'not empty and holds no reproduction' reproduce tnmf --data data -o full
expect_error 2 'repeats' reproduce tnmf --data data -o nothing --repeats 0
expect_nothing nothing
finish
