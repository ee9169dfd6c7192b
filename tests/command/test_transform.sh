# transform: new samples are scaled as the run's were, each is encoded by itself, and Ctrl-C ends it.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks

# A sample alone gets the code that it has within its file.
head -1 blocks.csv >one.csv
for scale in none unit max tfidf; do
    expect_success "fit --scale $scale" fit blocks.csv -k 4 --scale $scale --precision double -o "run-$scale"
    expect_success "all, $scale" transform "run-$scale" blocks.csv -o all.csv
    expect_success "one, $scale" transform "run-$scale" one.csv -o one-code.csv
    head -1 all.csv | cmp -s - one-code.csv || say_failed "$scale: a sample's code is another in its batch"
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
expect_success 'another run in its place' fit blocks.csv -k 4 --force -o run-tfidf
expect_nothing run-tfidf/scale.npy

# Samples that did not get to the tolerance are counted.
awk 'BEGIN { for (i = 0; i < 400000; i++) print i % 7 "," i % 11 "," i % 13 "," i % 5 ",1," i % 3 ",2," i % 9 }' >many.csv
head -500 many.csv >some.csv
expect_success 'a run with kl' fit some.csv -k 6 --loss kl -o run-kl
expect_success 'one iteration' transform run-kl some.csv --iterations 1 --tolerance 1e-13 -o rough.csv
grep -Eq 'note: [0-9]+ of 500 samples .* 1e-13' .err || say_failed "rough codes are not noted: $(cat .err)"
expect_success 'the default' transform run-kl some.csv -o fine.csv
[ ! -s .err ] || say_failed "codes at the tolerance are noted: $(cat .err)"
cmp -s rough.csv fine.csv && say_failed "--iterations 1 gives the codes of the default"
expect_success help transform --help-all
expect_text 'for a sample .default 500.'

# A term of many samples at once is left out, and that is said; others are in.
expect_success 'a run with an order' fit blocks.csv -k 4 --term smooth=1 -o in-order
expect_success 'its encodings' transform in-order blocks.csv -o terms.csv
grep -q 'note:.*smooth.*no part' .err || say_failed "nothing is said of the terms: $(cat .err)"
expect_success 'without terms' transform run-none blocks.csv -o plain.csv
[ ! -s .err ] || say_failed "a run without terms speaks: $(cat .err)"
expect_success 'a sparse run' fit blocks.csv -m nnsc -k 4 -p sparsity_weight=3 -o sparse-run
expect_success 'its encodings' transform sparse-run blocks.csv -o sparse.csv
[ ! -s .err ] || say_failed "a term of one sample is noted: $(cat .err)"

# A graph joins new samples with those of the run: from the file that it names, or from --training.
cp blocks.csv learned.csv
expect_success 'a run with a graph' fit learned.csv -m gnmf -k 4 -o with-graph
expect_success 'its encodings' transform with-graph one.csv -o graph.csv
expect_success 'the same' transform with-graph one.csv --training blocks.csv -o given.csv
cmp -s graph.csv given.csv || say_failed "--training gives other encodings than the run's own file"
expect_error 2 'samples of the fit are 1 x 8; expected' transform with-graph one.csv --training one.csv -o wrong.csv
echo 1,2,3,4,5,6,7,8 >>learned.csv
expect_error 1 "'learned.csv' is not the file.*--training" transform with-graph one.csv -o wrong.csv
rm learned.csv
expect_error 1 'learned.csv' transform with-graph one.csv -o wrong.csv
expect_nothing wrong.csv

# Ctrl-C.
set -m
status=0
(trap - INT; exec "$ORTHANT_COMMAND" transform run-kl many.csv --threads 1 --progress -o stopped.csv >.out 2>.err) &
child=$!
for _ in $(seq 3000); do
    grep -q '^transform .* of 400000' .err 2>/dev/null && break
    sleep 0.01
done
kill -INT "$child"
wait "$child" || status=$?
[ "$status" -eq 130 ] || say_failed "interrupted: exit $status, expected 130: $(cat .err)"
grep -q '^transform .* of 400000' .err || say_failed "--progress is silent: $(cat .err)"
expect_nothing stopped.csv

finish
