# transform: new samples are scaled as the run's were, it stops as a fit does, and Ctrl-C ends it.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks

# near FILE FILE: two tables of the same numbers, to four digits of the largest.
near() {
    paste -d, "$1" "$2" | awk -F, '{
        for (i = 1; i <= NF / 2; i++) {
            d = $i - $(i + NF / 2); if (d < 0) d = -d; if (d > far) far = d
            if ($i > most) most = $i
        } rows++ } END { exit !(rows > 0 && most > 0 && far <= 1e-4 * most) }' ||
        say_failed "$1 and $2 differ: $(head -2 "$1" "$2")"
}

# A sample alone gets the code that it has within its file.
head -1 blocks.csv >one.csv
for scale in none unit max tfidf; do
    expect_success "fit --scale $scale" fit blocks.csv -k 4 --scale $scale --precision double -o "run-$scale"
    expect_success "all, $scale" transform "run-$scale" blocks.csv --tolerance 0 -o all.csv
    expect_success "one, $scale" transform "run-$scale" one.csv --tolerance 0 -o one-code.csv
    head -1 all.csv >first.csv
    near first.csv one-code.csv
done
expect_file run-max/scale.npy
expect_file run-tfidf/scale.npy
expect_nothing run-unit/scale.npy
# Another scaling than the run's is taken from the new data, the run's own by name is the run's.
expect_success 'the same scaling by name' transform run-max one.csv --scale max --tolerance 0 -o named.csv
expect_success 'as the run' transform run-max one.csv --tolerance 0 -o unnamed.csv
cmp -s named.csv unnamed.csv || say_failed "--scale max differs from the run's own max"
rm run-max/scale.npy
expect_error 1 'run-max/scale.npy.*no such' transform run-max one.csv -o missing.csv
cut -d, -f1-7 one.csv >narrow.csv
expect_error 1 'run-tfidf/scale.npy.*1 x 8.*1 x 7' transform run-tfidf narrow.csv -o narrow-code.csv
# An earlier run's scale does not stay behind.
expect_success 'another run in its place' fit blocks.csv -k 4 -o run-tfidf
expect_nothing run-tfidf/scale.npy

# Tolerance 0 takes every iteration, the default stops before; both tell their progress.
expect_success 'no tolerance' transform run-none blocks.csv --tolerance 0 --iterations 20000 --progress -o long.csv
expect_success 'the default' transform run-none blocks.csv --iterations 20000 -o short.csv
cmp -s long.csv short.csv && say_failed "--tolerance 0 stops where the default does"
expect_success 'ten iterations' transform run-none blocks.csv --tolerance 1 --iterations 20000 -o ten.csv
expect_success 'by number' transform run-none blocks.csv --tolerance 0 --iterations 10 -o by-number.csv
cmp -s ten.csv by-number.csv || say_failed "the earliest stop is not after ten iterations"
expect_success help transform --help
expect_text 'transform: 500'
expect_text 'terms of the run'

# The terms of a run are left out, and that is said.
expect_success 'a run with terms' fit blocks.csv -m gnmf -k 4 -o with-terms
expect_success 'its encodings' transform with-terms blocks.csv -o terms.csv
grep -q 'note:.*graph.*no part' .err || say_failed "nothing is said of the terms: $(cat .err)"
expect_success 'without terms' transform run-none blocks.csv -o plain.csv
[ ! -s .err ] || say_failed "a run without terms speaks: $(cat .err)"

# Ctrl-C.
set -m
status=0
(trap - INT; exec "$ORTHANT_COMMAND" transform run-none blocks.csv --iterations 1000000000 --tolerance 0 --progress \
    -o stopped.csv >.out 2>.err) &
child=$!
for _ in $(seq 100); do
    grep -q '^transform .* of ' .err 2>/dev/null && break
    sleep 0.1
done
kill -INT "$child"
wait "$child" || status=$?
[ "$status" -eq 130 ] || say_failed "interrupted: exit $status, expected 130: $(cat .err)"
grep -q '^transform .* of ' .err || say_failed "--progress is silent: $(cat .err)"
expect_nothing stopped.csv

finish
