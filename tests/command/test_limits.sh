# Limits of the shell: too little address space, files that may not grow, SIGTERM.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
digits=$ORTHANT_SOURCE/data/digits/digits-images-idx3-ubyte.gz

# ---- ulimit -v: the BLAS must not wait for memory that never comes ----------------------------

# limited KILOBYTES ARGUMENTS...: the exit status under that limit; 137 where it had to be killed.
limited() {
    local limit=$1 status=0
    shift
    (ulimit -v "$limit" && exec timeout -s KILL 20 "$ORTHANT_COMMAND" "$@" >.out 2>.err) || status=$?
    echo "$status"
}
# The sanitizers reserve terabytes of addresses: no limit can be set for them.
if ! grep -qa __asan_init "$ORTHANT_COMMAND"; then
    for limit in 150000 200000 400000 1000000; do
        status=$(limited "$limit" methods)
        [ "$status" -eq 0 ] || say_failed "methods under ulimit -v $limit: exit $status: $(cat .err)"
    done
    # nndsvd needs LAPACK, whose buffer does not fit.
    status=$(limited 150000 fit "$digits" -k 3 -m nmf --init nndsvd --iterations 2 -o small)
    [ "$status" -eq 1 ] || say_failed "fit under ulimit -v 150000: exit $status: $(cat .err)"
    grep -q 'out of memory' .err || say_failed "no word of the memory: $(cat .err)"
    expect_nothing small
fi

# ---- ulimit -f: as a full disk ----------------------------------------------------------------

write_blocks
expect_success "without a limit" fit blocks.csv -k 2 -m nmf --iterations 5 -o earlier --quiet
cp -r earlier kept
for run in new earlier; do
    status=0
    (ulimit -f 2 && exec "$ORTHANT_COMMAND" fit "$digits" -k 20 -m nmf --iterations 2 --force -o "$run" --quiet >.out 2>.err) || status=$?
    [ "$status" -eq 1 ] || say_failed "ulimit -f, -o $run: exit $status, expected 1: $(cat .err)"
    grep -q "$run.*larger than the limit on files" .err || say_failed "ulimit -f: $(cat .err)"
done
expect_nothing new
diff -r earlier kept || say_failed "ulimit -f changed the earlier run"
leftovers=$(find . -name '*.part*')
[ -z "$leftovers" ] || say_failed "left behind: $leftovers"

# ---- SIGTERM: as Ctrl-C -----------------------------------------------------------------------

"$ORTHANT_COMMAND" fit "$digits" -m nmf -k 10 --iterations 100000000 --tolerance 0 --progress -o ended >.out 2>.err &
child=$!
for _ in $(seq 100); do
    grep -q ' of ' .err 2>/dev/null && break
    sleep 0.1
done
kill -TERM "$child"
status=0
wait "$child" || status=$?
[ "$status" -eq 143 ] || say_failed "SIGTERM: exit $status, expected 143: $(cat .err)"
for file in run.json history.csv basis.npy encoding.npy report.html; do expect_file "ended/$file"; done
grep -q 'stopped by SIGTERM' .out || say_failed "the summary does not say who stopped it: $(cat .out)"

finish
