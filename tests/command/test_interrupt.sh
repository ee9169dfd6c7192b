# Ctrl-C: the fit ends after the iteration, the run folder is complete, exit 130.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
digits=$ORTHANT_SOURCE/data/digits/digits-images-idx3-ubyte.gz

# interrupt RUN SUBCOMMAND: starts a fit that would take hours and interrupts it when it is at work.
interrupt() {
    local run=$1 child status=0
    rm -f .err # of the one before: its progress says nothing of this one
    # A shell's background job ignores SIGINT unless it is told otherwise.
    (trap - INT; exec "$ORTHANT_COMMAND" "$2" "$digits" -m nmf -k 10 --iterations 100000000 --tolerance 0 \
        --progress -o "$run" >.out 2>.err) &
    child=$!
    for _ in $(seq 100); do
        grep -q ' of ' .err 2>/dev/null && break
        sleep 0.1
    done
    kill -INT "$child"
    wait "$child" || status=$?
    [ "$status" -eq 130 ] || say_failed "$2: exit $status, expected 130: $(cat .err)"
    for file in run.json history.csv basis.npy encoding.npy report.html; do expect_file "$run/$file"; done
    grep -q 'stopped by Ctrl-C' .out || say_failed "$2: the summary does not say who stopped it: $(cat .out)"
    grep -q '"stopped": true' "$run/run.json" || say_failed "$2: run.json does not say that it was stopped"
}

set -m
interrupt fitted fit
interrupt clustered cluster
expect_file clustered/labels.csv
leftovers=$(find . -name '*.part*')
[ -z "$leftovers" ] || say_failed "left behind: $leftovers"

finish
