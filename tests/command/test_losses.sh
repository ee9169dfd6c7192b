# --loss by every name: fitted, written to run.json, used by transform, refused where it cannot be.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks
awk -F, 'BEGIN { OFS = "," } { for (i = 1; i <= NF; i++) $i += 0.1; print }' blocks.csv >positive.csv

for loss in is beta:-0.5 beta:0.5 beta:1.7 huber:0.2 l1 euclidean-entrywise; do
    expect_success "$loss" fit positive.csv -k 4 --loss $loss --iterations 30 --force -o run
    grep -q "\"loss\": \"$loss\"" run/run.json || say_failed "run.json does not say the loss $loss"
    expect_success "codes under $loss" transform run positive.csv -o codes.npy
done
expect_success 'the plan' fit positive.csv -k 4 --loss beta:0.5 --explain
expect_text 'loss beta:0.5, solver mu'
expect_error 1 "the loss 'is' is infinite where the data are zero" fit blocks.csv -k 4 --loss is -o none
expect_error 2 'between -1 and 3' fit positive.csv -k 4 --loss beta:9 -o none
expect_error 2 'expected one of frobenius' fit positive.csv -k 4 --loss beta -o none
expect_error 2 'take solver mu or emu' fit positive.csv -k 4 --loss l1 --solver hals -o none
finish
