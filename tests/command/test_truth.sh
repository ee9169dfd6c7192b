#!/usr/bin/env bash
# Labels that are a column of the table itself: they are no feature, under every subcommand that takes --truth.
. "$(dirname "${BASH_SOURCE[0]}")/support.bash"

# Three classes that overlap: with the class among the features they would be told apart without a mistake.
awk 'BEGIN {
    srand(7); print "length,width,class,height"
    for (i = 0; i < 60; i++) {
        c = i % 3
        printf "%.2f,%.2f,%s,%.2f\n", 1 + rand() + c * 0.3, 2 + rand(), c == 0 ? "setosa" : c == 1 ? "versicolor" : "virginica", \
            3 + rand() - c * 0.2
    }
}' >iris.csv
cut -d, -f1,2,4 iris.csv >features.csv
cut -d, -f3 iris.csv >classes.txt
awk -F, -v OFS=, 'NR > 1 { $3 = $3 == "setosa" ? 10 : $3 == "versicolor" ? 20 : 30 } 1' iris.csv >numbers.csv

for truth in class iris.csv:class iris.csv:3 3 ./iris.csv:class; do
    expect_success "info --truth $truth" info iris.csv --truth "$truth"
    expect_text '^samples +60$'
    expect_text '^features +3$'
    expect_text '^classes +3$'
done
expect_error 1 "iris.csv: truth 'kind' is neither a column in it nor a label file" info iris.csv --truth kind
expect_success 'which column holds text' info iris.csv
expect_text 'class'
expect_error 1 'iris.csv:2:3: found .setosa., expected a finite number' fit iris.csv -m nmf -k 2 -o none

scores() { grep -E '^(accuracy|NMI|ARI|purity)' .out; }
expect_success 'features beside a label file' cluster features.csv --truth classes.txt -m nmf -k 3 --seed 1
scores >expected
grep -q '100.00' expected && say_failed "the classes are too easy to tell apart: $(cat expected)"
for data in iris.csv numbers.csv; do
    for truth in class "$data:class"; do
        expect_success "cluster $data --truth $truth" cluster "$data" --truth "$truth" -m nmf -k 3 --seed 1
        scores | cmp -s - expected || say_failed "cluster $data --truth $truth: $(scores), expected $(cat expected)"
    done
done

expect_success compare compare features.csv --truth classes.txt --methods nmf --repeats 2 --classes 3 -o expected_study
expect_success compare compare numbers.csv --truth class --methods nmf --repeats 2 --classes 3 -o study
cut -d, -f6-9 expected_study/results.csv >expected
cut -d, -f6-9 study/results.csv | cmp -s - expected || say_failed "compare: $(cat study/results.csv)"

expect_success fit fit iris.csv --truth class -m nmf -k 2 -o run
expect_success transform transform run iris.csv --truth class -o codes.csv
[ "$(wc -l <codes.csv)" -eq 60 ] || say_failed "transform: $(wc -l <codes.csv) rows"
expect_success graph graph iris.csv --truth class -o graph.mtx
expect_success graph graph features.csv -o expected.mtx
cmp -s graph.mtx expected.mtx || say_failed 'graph: the class is among the features'
# Known labels that are a column are no feature either, and no truth.
awk -F, 'NR > 1 { print $3 }' numbers.csv >known.txt
expect_success 'fit --labels FILE' fit features.csv --labels known.txt -m cdnmf -k 3 --seed 1 -o known
for labels in numbers.csv:class ./numbers.csv:3; do
    rm -rf column
    expect_success "fit --labels $labels" fit numbers.csv --labels "$labels" -m cdnmf -k 3 --seed 1 -o column
    cmp -s known/basis.npy column/basis.npy || say_failed "fit --labels $labels: the class is among the features"
done
expect_success 'cluster --labels' cluster numbers.csv --labels numbers.csv:class -m cdnmf -k 3
expect_text 'no true labels known'

expect_success score score classes.txt iris.csv:class
expect_text '^accuracy +100.00'
finish
