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

# Of a sample with empty cells the length is that of what is known.
expect_success 'a mask of scaled data' fit zeros.csv -k 4 --mask mask.csv --scale unit --iterations 20 --force -o masked
grep -q 'goes by all entries' .err || say_failed "nothing is said of masked entries in --scale: $(cat .err)"
expect_success 'empty cells of scaled data' fit holes.csv --missing nan -k 4 --scale unit --iterations 20 --force -o missing
cmp -s masked/basis.npy missing/basis.npy || say_failed "empty cells of scaled data give another basis than a mask"
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
