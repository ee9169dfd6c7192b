# Ctrl-C in every subcommand that takes time: it is said, the exit status is 130, and nothing is half-written.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
digits=$ORTHANT_SOURCE/data/digits/digits-images-idx3-ubyte.gz
scene=$ORTHANT_SOURCE/data/scene/scene.png

# Whether the process has begun to listen to Ctrl-C: before that it is not a command yet. By the shell alone: what is quick ends while programs start.
listens() {
    local key value
    while read -r key value; do
        case $key in
        Name:) [ "$value" = orthant ] || return 1 ;;
        SigCgt:) ((16#$value & 2)); return ;;
        esac
    done 2>/dev/null <"/proc/$1/status"
    return 1
}

# interrupt_after SECONDS ARGUMENTS...: its exit status; 0 where it had ended before.
interrupt_after() {
    local delay=$1 child status=0
    shift
    # A shell's background job ignores SIGINT unless it is told otherwise.
    (trap - INT; exec "$ORTHANT_COMMAND" "$@" >.out 2>.err </dev/null) &
    child=$!
    until listens "$child" || ! kill -0 "$child" 2>/dev/null; do :; done
    [ "$delay" = 0 ] || sleep "$delay"
    kill -INT "$child" 2>/dev/null
    wait "$child" || status=$?
    return "$status"
}

# walk MADE ARGUMENTS...: interrupted at several moments; MADE is what it writes, which is there whole or not at all.
walk() {
    local made=$1 status stopped=0 delay
    shift
    for delay in 0 0.02 0.1 0.4; do
        rm -rf "$made"
        status=0
        interrupt_after "$delay" "$@" || status=$?
        case $status in
        0) ;;
        130)
            stopped=$((stopped + 1))
            [ "$(grep -c '^orthant: interrupted by Ctrl-C: ' .err)" -eq 1 ] || say_failed "$1 after $delay s does not say it once: $(cat .err)"
            ;;
        *) say_failed "$1 after $delay s: exit $status: $(cat .err)" ;;
        esac
        leftovers=$(find . -name '*.part*' -o -name '*.tmp*')
        [ -z "$leftovers" ] || { say_failed "$1 after $delay s left behind: $leftovers"; find . -name '*.part*' -exec rm -rf {} +; }
    done
    [ "$stopped" -gt 0 ] || say_failed "$1 was never interrupted: give it more to do"
}

python3 - <<'END'
import os, random
def npy(name, rows, columns):
    head = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, columns)
    head += " " * (117 - len(head)) + "\n"
    with open(name, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + os.urandom(rows * columns))
npy("big.npy", 6000, 400)
npy("new.npy", 60000, 400)
random.seed(1)
with open("big.csv", "w") as out:
    for _ in range(4000):
        out.write(",".join(str(random.randrange(1000)) for _ in range(200)) + "\n")
with open("lines.txt", "w") as out:
    for _ in range(40000):
        out.write(" ".join("w%d" % random.randrange(20000) for _ in range(20)) + "\n")
with open("first.txt", "w") as a, open("second.txt", "w") as b:
    for _ in range(400000):
        a.write("%d\n" % random.randrange(50)); b.write("%d\n" % random.randrange(50))
END
# What is quick has much to read: it must be met while it runs, on a busy machine too.
repeated() { for _ in {1..20}; do cat "$1"; done; }
repeated big.csv >long.csv
repeated first.txt >long-first.txt
repeated second.txt >long-second.txt
expect_success 'a run' cluster big.npy -k 8 --iterations 3 -o model
expect_success 'a run' cluster "$digits" -m gnmf -k 10 --iterations 5 -o small

walk - info long.csv
walk big.h5 convert long.csv big.h5
walk fitted fit big.npy -k 20 --iterations 100000 --tolerance 0 -o fitted
walk clustered cluster big.npy -k 20 --iterations 100000 --tolerance 0 -o clustered
walk survey ranks big.npy -k 2:12 -o survey
walk agreed consensus big.npy -k 10 --iterations 1000 --tolerance 0 --repeats 20 -o agreed
walk code.npy transform model new.npy --iterations 100000 --tolerance 0 -o code.npy
walk predicted.csv predict model new.npy --iterations 100000 --tolerance 0 -o predicted.csv
walk inverse.csv inverse model -o inverse.csv
walk - score long-first.txt long-second.txt
walk graph.mtx graph big.npy -o graph.mtx
walk counts.csr words lines.txt -o counts.csr
walk study compare "$digits" --methods nmf,gnmf,tnmf --iterations 100000 --repeats 10 --classes 5,10 -o study
walk small/report.html report small
walk - bench
# The demo's data lie beside the program, or above it where it was built.
[ ! -e "$(dirname "$ORTHANT_COMMAND")/../data/scene" ] || walk first demo -o first
if orthant segment "$scene" -k 2 >/dev/null 2>&1; then
    walk segments segment "$scene" -k 6 --iterations 1000000 -o segments
    walk features.npy features "$scene" "$scene" "$scene" --kind gabor -o features.npy
fi

if orthant segment "$scene" -k 2 >/dev/null 2>&1; then
    interrupt_after 1 segment "$scene" -k 6 --iterations 1000000 -o cut -p tolerance=0
    grep -Eq 'interrupted by Ctrl-C: cut holds what [0-9]+ iterations? gave' .err || say_failed "segment: $(cat .err)"
    grep -q '"stopped": true' cut/run.json || say_failed "run.json of a segmentation does not say that it was stopped"
    grep -q 'It was stopped after' cut/report.html || say_failed "the page of a segmentation does not say that it was stopped"
fi

# What is kept is said: the run of a fit, and that a study goes on.
interrupt_after 0.5 fit big.npy -k 20 --iterations 10000000 --tolerance 0 -o kept
grep -Eq 'interrupted by Ctrl-C: kept holds what [0-9]+ iterations? gave' .err || say_failed "fit: $(cat .err)"
grep -q '"stopped": true' kept/run.json || say_failed "run.json does not say that it was stopped"
interrupt_after 0.5 compare "$digits" --methods nmf --iterations 3000 --tolerance 0 --repeats 2000 --classes 2 -o long
grep -Eq 'interrupted by Ctrl-C: stopped after [0-9]+ of 2000 runs; the same command goes on in long' .err || say_failed "compare: $(cat .err)"

finish
