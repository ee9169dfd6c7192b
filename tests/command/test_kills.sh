# Commands that are killed (SIGKILL) at any moment: what is there is an earlier run or the new one, whole, and the
# same command again leaves what it leaves undisturbed. KILLS=500 kills so often; KILLS_SEED=N begins elsewhere.
# What is compared: see compare_folders.py.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
kills=${KILLS:-10}
RANDOM=${KILLS_SEED:-1}
write_blocks
cp "$ORTHANT_SOURCE/tests/report/data/flag.png" .
printf 'the user'"'"'s\n' >notes.txt

# Each prepares the folder that it stands in.
begin_fit() { :; }
begin_replace() {
    cp -r ../earlier run
    cp ../notes.txt run/notes.txt
    mkdir run/mine && cp ../notes.txt run/mine && cp ../notes.txt run/charts/notes.txt
}
begin_segment() { :; }
begin_resegment() { cp -r ../earlier run; }
begin_compare() { :; }
run_fit() { exec "$ORTHANT_COMMAND" fit ../blocks.csv -m nmf -k 3 --iterations 20 --threads 1 --force -o run; }
run_replace() { exec "$ORTHANT_COMMAND" cluster ../blocks.csv --truth ../truth.txt -m nmf -k 4 --iterations 20 --threads 1 --force -o run; }
run_segment() { exec "$ORTHANT_COMMAND" segment ../flag.png -k 3 --superpixels 30 --iterations 20 --threads 1 --force -o run; }
run_resegment() { run_segment; }
run_compare() {
    exec "$ORTHANT_COMMAND" compare ../blocks.csv --truth ../truth.txt --methods kmeans,nmf --classes 2:3 --repeats 2 \
        --iterations 10 --threads 1 -o run
}

cases=(fit replace segment resegment compare)
expect_success "an earlier run" fit blocks.csv -m nmf -k 2 --iterations 5 --seed 3 -o earlier --quiet
declare -A length
for case in "${cases[@]}"; do
    mkdir "$case" && cd "$case" || exit 1
    "begin_$case"
    before=$(date +%s%N)
    ("run_$case") >out 2>err || say_failed "$case, undisturbed: $(cat err)"
    length[$case]=$((($(date +%s%N) - before) / 1000000 + 1))
    rm out err
    cd "$work" || exit 1
done

# A kill that comes when the command has ended does not count.
struck=0 tries=0
while [ "$struck" -lt "$kills" ] && [ "$tries" -lt $((10 * kills)) ]; do
    tries=$((tries + 1))
    case=${cases[struck % ${#cases[@]}]}
    mkdir killed && cd killed || exit 1
    "begin_$case"
    moment=$(((RANDOM * 32768 + RANDOM) % (length[$case] * 1000)))
    ("run_$case") >out 2>err &
    child=$!
    sleep "$(printf '%d.%06d' $((moment / 1000000)) $((moment % 1000000)))"
    kill -KILL "$child" 2>/dev/null
    status=0
    wait "$child" 2>/dev/null || status=$?
    if [ "$status" -ne 137 ]; then
        cd "$work" && rm -rf killed
        continue
    fi
    struck=$((struck + 1))
    what="$case killed after $((moment / 1000)) of ${length[$case]} ms (the $struck-th)"
    if [ -e run/run.json ]; then
        orthant report run >out 2>err || say_failed "$what: what is there is no run: $(cat err)"
    fi
    ("run_$case") >out 2>err || say_failed "$what: again: $(cat err)"
    rm -f out err
    cd "$work" || exit 1
    python3 "$ORTHANT_SOURCE/tests/command/compare_folders.py" "$case" killed >differences || say_failed "$what: $(cat differences)"
    rm -rf killed
done
[ "$struck" -eq "$kills" ] || say_failed "only $struck of $tries kills came before the end"
echo "$struck kills before the end, of $tries"

finish
