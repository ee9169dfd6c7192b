# Runs on different data, or beside different truths, are not ranked as one.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks
sed 's/^1/3/' blocks.csv >other.csv
awk '{ print ($1 + NR) % 2 }' truth.txt >truth2.txt
mkdir runs
cluster() { expect_success "$1" cluster "$2" --truth "$3" -m "$4" -k 4 --iterations 20 --quiet -o "runs/$1"; }
cluster a-nmf blocks.csv truth.txt nmf
cluster a-kmeans blocks.csv truth.txt kmeans
cp blocks.csv copy.csv
cluster a-copy copy.csv truth.txt nmf
expect_success "one set of data" report runs
[ "$(grep -c 'accuracy %' .out)" -eq 1 ] || say_failed "a copy of the file is other data: $(cat .out)"
grep -q 'the best accuracy, ' runs/report.html || say_failed "no best run of three on the same data"
grep -q 'All runs, the best accuracy first' runs/report.html || say_failed "no table of all runs"

cluster b-nmf other.csv truth.txt nmf
cluster c-nmf blocks.csv truth2.txt nmf
expect_success "three sets" report runs
[ "$(grep -c 'accuracy %' .out)" -eq 3 ] || say_failed "three sets of data and truth in one table: $(cat .out)"
[ "$(grep -Ec '^on (copy.csv, truth truth.txt|other.csv, truth truth.txt|blocks.csv, truth truth2.txt)$' .out)" -eq 3 ] ||
    say_failed "the data of a table are not told: $(cat .out)"
grep -q '5 runs on 3 sets of data' runs/report.html || say_failed "the page does not say that there are three"
! grep -q 'All runs, the best accuracy first' runs/report.html || say_failed "all runs are ranked as one"
[ "$(grep -o 'Runs on [a-z]*\.csv, the best' runs/report.html | sort -u | wc -l)" -eq 3 ] ||
    say_failed "not a table for each: $(grep -o 'Runs on [^<]*' runs/report.html)"
for chart in convergence convergence-2 convergence-3; do expect_file "runs/charts/$chart.csv"; done
expect_success "tables" report runs --format csv
[ "$(grep -c 'the best accuracy first' .out)" -eq 3 ] || say_failed "tables for a paper rank them as one: $(cat .out)"

finish
