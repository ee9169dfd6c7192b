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
grep -q '5 runs in 3 groups' runs/report.html || say_failed "the page does not say that there are three"
grep -q '<a href="b-nmf/report.html">b-nmf</a>' runs/report.html || say_failed "no link to the page of a run"
! grep -q 'All runs, the best accuracy first' runs/report.html || say_failed "all runs are ranked as one"
[ "$(grep -o 'Runs on [a-z]*\.csv, the best' runs/report.html | sort -u | wc -l)" -eq 3 ] ||
    say_failed "not a table for each: $(grep -o 'Runs on [^<]*' runs/report.html)"
for chart in convergence convergence-2 convergence-3; do expect_file "runs/charts/$chart.csv"; done
expect_success "tables" report runs --format csv
[ "$(grep -c 'the best accuracy first' .out)" -eq 3 ] || say_failed "tables for a paper rank them as one: $(cat .out)"

# Studies and surveys of ranks in the folder stand by themselves.
expect_success study compare blocks.csv --truth truth.txt --methods nmf,kmeans --classes 2,3 --repeats 2 --iterations 10 --quiet -o "runs/a study, 50 %"
expect_success survey ranks blocks.csv -k 2:3 --repeats 2 --iterations 10 --criteria blocks --quiet -o runs/survey
mkdir runs/strange && echo 'my,own,table' >runs/strange/results.csv
expect_success "studies inside" report runs
expect_text '^a study, 50 %$'
expect_text '^recommended  k = '
grep -q '<h1>runs: 5 runs, 1 study, 1 survey of ranks</h1>' runs/report.html || say_failed "title: $(grep '<h1>' runs/report.html)"
grep -q '<a href="a%20study%2C%2050%20%25/report.html">' runs/report.html || say_failed "no link to the study's page"
[ "$(grep -c '<h2>\(Study: a study, 50 %\|Survey of ranks: survey\)</h2>' runs/report.html)" -eq 2 ] || say_failed "no section for each"
expect_success "their tables" report runs --format md
expect_text '^Study a study, 50 %. All methods: averages over numbers of classes.'
expect_text '^Survey survey. What speaks for each rank of nmf on blocks.csv'
mkdir others && cp -r runs/survey "runs/a study, 50 %" others
expect_success "without a run" report others
grep -q '<p class="lead">1 study, 1 survey of ranks. ' others/report.html || say_failed "no summary of studies alone"
# One that has not begun takes nothing of the others away.
head -1 "runs/a study, 50 %/results.csv" >"others/a study, 50 %/results.csv"
expect_success "not begun" report others
grep -q 'results.csv: holds no run yet' others/report.html || say_failed "the page does not say that the study has no run"

# What knows labels is not ranked with what knows none without a word, and without a truth nothing is said of accuracies.
mkdir known blind
expect_success "known labels" cluster blocks.csv --truth truth.txt -m cnmf -k 4 --labelled-fraction 0.2 --iterations 10 --quiet -o known/cnmf
expect_success "no labels" cluster blocks.csv --truth truth.txt -m nmf -k 4 --iterations 10 --quiet -o known/nmf
expect_success "known and not" report known --format csv
expect_text '^run,known labels,accuracy %'
expect_text '^cnmf,0\.2,'
expect_text '^nmf,none,'
for method in nmf kmeans; do
    expect_success "no truth" cluster blocks.csv --truth none -m "$method" -k 4 --iterations 10 --quiet -o "blind/$method"
done
expect_success "no truth" report blind
! grep -q 'best accuracy' blind/report.html || say_failed "runs without a truth are ranked by it"

# Entries that are not known are counted, and how they are filled in is said.
printf '1,0,2,\n0,3,,1\n1,0,3,0\n0,2,0,1\n2,,5,0\n0,1,0,4\n' >holes.csv
expect_success holes cluster holes.csv -m nmf -k 2 --missing nan --iterations 10 --quiet -o holes
grep -q '<p class="soft">3 of its entries (12.5&nbsp;%) were not known: .*orthant complete' holes/report.html ||
    say_failed "the page does not tell what is missing"
awk '{ for (i = 1; i <= NF; i++) ones += $i > 0.999 } END { exit !(ones >= NR && NR == 6) }' FS='[ ,]' holes/charts/similarity-data.csv ||
    say_failed "a sample with a missing entry is not like itself: $(cat holes/charts/similarity-data.csv)"
! grep -q 'were not known' runs/a-nmf/report.html || say_failed "missing entries of whole data"

finish
