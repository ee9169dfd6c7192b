# Masks, weights and missing entries: of CSV, .npy and sparse files; what is refused.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks
# Every seventh entry is not known.
awk -F, 'BEGIN { OFS = "," } { for (i = 1; i <= NF; i++) $i = (NR + 3 * i) % 7 ? 1 : 0; print }' blocks.csv >mask.csv
awk -F, 'BEGIN { OFS = "," } { for (i = 1; i <= NF; i++) if ((NR + 3 * i) % 7 == 0) $i = i % 2 ? "" : "NA"; print }' blocks.csv >holes.csv
# The scale of a random start follows from the data as they stand: zeros there, as for empty cells.
awk -F, 'BEGIN { OFS = "," } { for (i = 1; i <= NF; i++) if ((NR + 3 * i) % 7 == 0) $i = 0; print }' blocks.csv >zeros.csv
awk -F, '{ print 1 + NR % 3 }' blocks.csv >samples.csv

expect_success 'a mask' fit zeros.csv -k 4 --mask mask.csv --iterations 20 -o masked
expect_success 'empty cells' fit holes.csv --missing nan -k 4 --iterations 20 -o missing
cmp -s masked/basis.npy missing/basis.npy || say_failed "empty cells give another basis than a mask"
grep -q 'of the known entries' .out || say_failed "nothing is said of what the error is over: $(cat .out)"
expect_success 'clusters of a mask' cluster zeros.csv -k 4 --mask mask.csv --iterations 20 -o rows
holes=$(tr ',' '\n' <mask.csv | grep -c '^0$')
grep -Eq "^missing +$holes of " .out || say_failed "the number of missing entries, $holes, is not told: $(cat .out)"
grep -q "\"missing_entries\": $holes" rows/run.json || say_failed "run.json does not know that $holes entries are missing"
grep -q 'missing_entries.*'"$holes" rows/report.html || say_failed "the report does not know that $holes entries are missing"
grep -q '<th>mask</th><td>mask.csv' rows/report.html || say_failed "the report does not name the mask"
grep -q 'share of the squares of the known entries' rows/report.html || say_failed "the report does not say what the error is over"
awk -F, 'BEGIN { OFS = "," } NR == 3 { for (i = 1; i <= NF; i++) $i = "" } { print }' holes.csv >empty.csv
expect_success 'a sample without entries' fit empty.csv -k 4 --missing nan --iterations 5 -o empty
grep -q '1 of 20 samples have no known entry' .err empty/run.json || say_failed "a sample of which nothing is known is not told: $(cat .err)"
expect_success 'weights of samples' fit blocks.csv -k 4 --sample-weights samples.csv --loss kl --iterations 5 -o weighted
expect_error 1 'finite number' fit holes.csv -k 4 -o none

# What is not known has no part in the scale, whatever stands there.
awk -F, 'BEGIN { OFS = "," } { for (i = 1; i <= NF; i++) if ((NR + 3 * i) % 7 == 0) $i = 50; print }' blocks.csv >large.csv
for scale in unit max; do
    expect_success "a mask of data scaled by $scale" fit zeros.csv -k 4 --mask mask.csv --scale $scale --iterations 20 --force -o masked
    expect_success "empty cells of data scaled by $scale" fit holes.csv --missing nan -k 4 --scale $scale --iterations 20 --force -o missing
    cmp -s masked/basis.npy missing/basis.npy || say_failed "$scale: empty cells of scaled data give another basis than a mask"
    # A start that is given: the scale of a random one follows from all entries.
    expect_success "large entries under a mask, $scale" fit large.csv -k 4 --mask mask.csv --scale $scale --iterations 20 --force \
        --start basis=masked/basis.npy --start encoding=masked/encoding.npy -o large
    expect_success "zeros under a mask, $scale" fit zeros.csv -k 4 --mask mask.csv --scale $scale --iterations 20 --force \
        --start basis=masked/basis.npy --start encoding=masked/encoding.npy -o zeros
    cmp -s large/basis.npy zeros/basis.npy || say_failed "$scale: what a mask leaves out changes the fit"
    expect_success "codes of masked data scaled by $scale" transform masked large.csv --mask mask.csv -o large.npy
    expect_success "codes of zeros scaled by $scale" transform masked zeros.csv --mask mask.csv -o zeros.npy
    cmp -s large.npy zeros.npy || say_failed "$scale: what a mask leaves out changes the codes of new samples"
    expect_success "completed, $scale" complete masked --mask mask.csv -o full.csv
    expect_success "completed, given, $scale" complete masked zeros.csv --mask mask.csv -o again.csv
    cmp -s full.csv again.csv || say_failed "$scale: the samples that a run names are completed otherwise than those that are given"
done
expect_success 'a mask of samples of unit length' fit zeros.csv -k 4 --mask mask.csv --scale unit --term graph=1 --iterations 5 --force -o masked
expect_error 2 'by the entries that its mask counts, and that is not given; `orthant complete` takes it by --mask' complete masked -o none.csv
expect_error 2 'by the entries that its mask counts; --training cannot be' transform masked blocks.csv --training zeros.csv -o none.npy
expect_error 2 'counts the samples that have a word' fit blocks.csv -k 4 --mask mask.csv --scale tfidf -o none
printf '%%%%MatrixMarket matrix coordinate real general\n3 4 5\n1 1 1\n1 3 2\n2 2 3\n3 1 4\n3 4 5\n' >words.mtx
expect_error 2 'missing zeros leaves unknown' fit words.mtx -k 2 --missing zeros --scale tfidf -o none
expect_success 'stored entries, to unit length' fit words.mtx -k 2 --missing zeros --scale unit --iterations 5 -o stored
expect_success 'neighbours with empty cells' fit holes.csv --missing nan -m gnmf -k 4 --iterations 5 --force -o missing
grep -q 'missing entries as 0' .err || say_failed "nothing is said of missing entries among neighbours: $(cat .err)"
expect_error 2 'k auto and --mask cannot be together' cluster blocks.csv -k auto --mask mask.csv
expect_success 'a rank that is found with missing entries' cluster holes.csv -k 2:4 --missing nan
grep -q 'error of held-out entries is least at k = ' .err || say_failed "no reason of masked entries: $(cat .err)"
expect_error 2 "missing nan: method 'kmeans' takes no missing entries; models of a loss and terms do" cluster holes.csv -m kmeans -k 2 --missing nan
expect_error 2 "solver 'hals' takes no mask" fit blocks.csv -k 4 --mask mask.csv --solver hals -o none
expect_error 2 'weights of 20 samples' fit blocks.csv -k 4 --sample-weights mask.csv -o none
expect_error 2 "is for sparse data" fit blocks.csv -k 4 --missing zeros -o none
expect_error 2 'expected one of none' fit blocks.csv -k 4 --missing some -o none
finish
