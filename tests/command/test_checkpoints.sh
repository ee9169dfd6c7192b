# Checkpoints: a fit that was killed (SIGKILL) or interrupted goes on with --resume and leaves what one that was
# never stopped leaves, to the bit, and nothing else. KILLS=100 kills so often; KILLS_SEED=N begins elsewhere.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # a kill does not ask what the disk has, and nobody waits for it
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
kills=${KILLS:-10}
share=1 # of the iterations that runs to be killed have
[ -z "${ORTHANT_SANITIZED:-}" ] || share=8 kills=${KILLS:-5}
RANDOM=${KILLS_SEED:-1}
digits=$ORTHANT_SOURCE/data/digits/digits-images-idx3-ubyte.gz
truth=$ORTHANT_SOURCE/data/digits/digits-labels-idx1-ubyte.gz
write_blocks

same_folders() { python3 "$ORTHANT_SOURCE/tests/command/compare_folders.py" "$1" "$2" >.differences; }

# ---- what is said, and what is refused

fit() { "$ORTHANT_COMMAND" fit blocks.csv -m nmf-kl -k 3 --tolerance 0 "$@"; }
expect_error 2 'cluster: --resume needs -o RUN' cluster blocks.csv -k 3 --resume
expect_error 2 'cluster: --checkpoint needs -o RUN' cluster blocks.csv -k 3 --checkpoint 10
expect_error 2 'checkpoint off wants none' fit blocks.csv -k 3 -o run --resume --checkpoint off
expect_error 2 'expected a number' fit blocks.csv -k 3 -o run --checkpoint often

# A fit that ends at its time limit leaves one; one that ends by itself does not.
fit --iterations 100000000 --time-limit 0.2 --checkpoint 0.01 -o run >.out 2>.err || say_failed "time limit: $(cat .err)"
expect_file run.checkpoint
expect_file run.checkpoint.previous
grep -q 'with --resume goes on from run.checkpoint' .err || say_failed "nothing is said of the checkpoint: $(cat .err)"
reached=$(awk -F, 'END { print $1 }' run/history.csv)
expect_error 2 "is a checkpoint of another fit: rank was 3, is 4\. .*; without --resume" \
    fit blocks.csv -m nmf-kl -k 4 --tolerance 0 --iterations 100000000 -o run --resume
expect_error 2 "data was 20 x 8 single dense, checksum [0-9a-f]{16}, is 20 x 8 double" \
    fit blocks.csv -m nmf-kl -k 3 --tolerance 0 --iterations 100000000 -o run --resume --precision double
expect_error 2 "holds iteration $reached, beyond the 1 " fit blocks.csv -m nmf-kl -k 3 --tolerance 0 --iterations 1 -o run --resume
cp run.checkpoint whole
printf x | dd of=run.checkpoint bs=1 seek=700 conv=notrunc 2>.dd
fit --iterations $((reached + 5)) -o run --resume >.out 2>.err || say_failed "damaged: $(cat .err)"
grep -q 'warning: run.checkpoint: is no whole checkpoint: .*the one before it is taken, run.checkpoint.previous' .err ||
    say_failed "damaged: $(cat .err)"
expect_nothing run.checkpoint
expect_nothing run.checkpoint.previous
fit --iterations $((reached + 5)) -o plain >.out 2>.err || say_failed "plain: $(cat .err)"
for file in basis.npy encoding.npy; do cmp -s "run/$file" "plain/$file" || say_failed "damaged, gone on with: $file"; done
head -c 700 whole >run.checkpoint
expect_error 1 'run.checkpoint: is no whole checkpoint: it has another size than it says' \
    fit blocks.csv -m nmf-kl -k 3 --tolerance 0 -o run --resume
fit --iterations 5 --force -o run >.out 2>.err || say_failed "left over: $(cat .err)"
grep -q 'run.checkpoint is left of a fit that did not end: --resume would go on' .err || say_failed "left over: $(cat .err)"
expect_nothing run.checkpoint
fit --iterations 5 -o run --resume >.out 2>.err || say_failed "none: $(cat .err)"
grep -q 'there is no checkpoint run.checkpoint: the fit begins' .err || say_failed "none: $(cat .err)"

# Where it cannot be written the fit goes on, and says so once.
mkdir run.checkpoint
fit --iterations 5 --force -o run --checkpoint 0 >.out 2>.err || say_failed "unwritten: $(cat .err)"
[ "$(grep -c 'warning: run.checkpoint: cannot be written: .*; the fit goes on' .err)" -eq 1 ] || say_failed "unwritten: $(cat .err)"
rmdir run.checkpoint

# In the folder itself where that is the working directory; folders above are made when they are needed.
mkdir here && cd here || exit 1
"$ORTHANT_COMMAND" fit ../blocks.csv -m nmf-kl -k 3 --tolerance 0 --iterations 100000000 --time-limit 0.1 -o . >../.out 2>../.err ||
    say_failed "in the folder: $(cat ../.err)"
expect_file checkpoint
rm run.json && find . -mindepth 1 ! -name 'checkpoint*' -delete
"$ORTHANT_COMMAND" fit ../blocks.csv -m nmf-kl -k 3 --tolerance 0 --iterations 100000000 --time-limit 0.1 -o . --resume >../.out 2>../.err ||
    say_failed "in the folder again: $(cat ../.err)"
grep -q 'goes on after iteration' ../.err || say_failed "in the folder again: $(cat ../.err)"
cd "$work" || exit 1
fit --iterations 100000000 --time-limit 0.1 -o above/it/run >.out 2>.err || say_failed "above: $(cat .err)"
expect_file above/it/run.checkpoint

# ---- Ctrl-C

set -m
(trap - INT; exec "$ORTHANT_COMMAND" cluster "$digits" -m gnmf -k 10 --iterations 100000000 --tolerance 0 --progress -o stopped \
    >.out 2>.err) &
child=$!
for _ in $(seq 100); do
    grep -q '^fit ' .err 2>/dev/null && break
    sleep 0.1
done
kill -INT "$child"
status=0
wait "$child" || status=$?
[ "$status" -eq 130 ] || say_failed "Ctrl-C: exit $status, expected 130: $(cat .err)"
grep -q 'with --resume goes on from stopped.checkpoint' .err || say_failed "Ctrl-C: $(cat .err)"
reached=$(awk -F, 'END { print $1 }' stopped/history.csv)
expect_success "after Ctrl-C" cluster "$digits" -m gnmf -k 10 --iterations $((reached + 3)) --tolerance 0 -o stopped --resume
grep -q "goes on after iteration $reached, from stopped.checkpoint" .err || say_failed "after Ctrl-C: $(cat .err)"
expect_success "not stopped" cluster "$digits" -m gnmf -k 10 --iterations $((reached + 3)) --tolerance 0 -o unstopped
for file in basis.npy encoding.npy labels.csv; do
    cmp -s "stopped/$file" "unstopped/$file" || say_failed "after Ctrl-C: $file differs"
done
grep -q "\"resumed_after\": $reached," stopped/run.json || say_failed "run.json does not say that it was resumed"
grep -q '<tr><th>resumed</th><td>from a checkpoint, after ' stopped/report.html || say_failed "the page does not say that it was resumed"
! grep -q resumed unstopped/run.json unstopped/report.html || say_failed "a run that was not resumed says so"
set +m

# ---- kills

run_fit() { exec "$ORTHANT_COMMAND" fit "$digits" -m nmf-kl -k 8 --iterations $((2500 / share)) --tolerance 0 --threads 1 --checkpoint 0.02 --resume -o run; }
run_cluster() {
    exec "$ORTHANT_COMMAND" cluster "$digits" --truth "$truth" -m gnmf -k 10 --solver emu --iterations $((300 / share)) --tolerance 0 --threads 2 \
        --checkpoint 0.02 --resume -o run
}
run_starts() {
    exec "$ORTHANT_COMMAND" fit "$digits" -m nmf -k 10 --start best-of:3 --iterations $((150 / share)) --tolerance 0 --threads 1 \
        --checkpoint 0.02 --resume -o run
}
run_compare() {
    exec "$ORTHANT_COMMAND" compare ../blocks.csv --truth ../truth.txt --methods kmeans,nmf --classes 2:3 --repeats 2 \
        --iterations $((200 / share)) --tolerance 0 --threads 1 --resume -o run
}

run_stream() {
    exec "$ORTHANT_COMMAND" fit ../digits.npy --stream -m nmf-kl --solver mu -k 8 --iterations $((150 / share)) --tolerance 0 --threads 1 \
        --checkpoint 0.02 --resume -o run
}

cases=(fit cluster starts stream compare)
expect_success "digits as .npy" convert "$digits" digits.npy
declare -A length
for case in "${cases[@]}"; do
    mkdir "$case" && cd "$case" || exit 1
    before=$(date +%s%N)
    ("run_$case") >../.out 2>../.err || say_failed "$case, undisturbed: $(cat ../.err)"
    length[$case]=$((($(date +%s%N) - before) / 1000000 + 1))
    cd "$work" || exit 1
done

# kill_one CASE: false where it ended before. What a kill loses: no more than the interval, see checkpoint_gap.py.
kill_one() {
    local moment child status=0
    moment=$(((RANDOM * 32768 + RANDOM) % (length[$1] * 1000)))
    ("run_$1") >../.out 2>../.err &
    child=$!
    sleep "$(printf '%d.%06d' $((moment / 1000000)) $((moment % 1000000)))"
    kill -KILL "$child" 2>/dev/null
    wait "$child" 2>/dev/null || status=$?
    [ "$status" -eq 137 ] || return 1
    apart=$(python3 "$ORTHANT_SOURCE/tests/command/checkpoint_gap.py" 0.02 run.checkpoint 2>&1) || say_failed "$1: $apart"
    [ -z "$apart" ] || pairs=$((pairs + 1))
}

# Up to three in a row, then it may end. A kill that comes when the command has ended does not count.
struck=0 tries=0 went_on=0 pairs=0
while [ "$struck" -lt "$kills" ] && [ "$tries" -lt $((10 * kills)) ]; do
    tries=$((tries + 1))
    case=${cases[tries % ${#cases[@]}]}
    mkdir killed && cd killed || exit 1
    row=0
    while [ "$row" -le $((tries % 3)) ] && [ "$struck" -lt "$kills" ] && kill_one "$case"; do
        row=$((row + 1))
        struck=$((struck + 1))
    done
    [ ! -e run/run.json ] || orthant report run >../.out 2>../.err || say_failed "$case: what is there is no run: $(cat ../.err)"
    ("run_$case") >../.out 2>../.err || say_failed "$case, killed $row times: again: $(cat ../.err)"
    ! grep -q 'goes on after iteration' ../.err || went_on=$((went_on + 1))
    ! grep -q warning ../.err || say_failed "$case, killed $row times: $(cat ../.err)"
    cd "$work" || exit 1
    same_folders "$case" killed || say_failed "$case, killed $row times: $(cat .differences)"
    rm -rf killed
done
[ "$struck" -ge "$kills" ] || say_failed "only $struck of $tries kills came before the end"
[ "$went_on" -gt 0 ] || say_failed "nothing went on from a checkpoint"
echo "$struck kills before the end, $went_on runs of $tries went on from a checkpoint; $pairs kills left two"

finish
