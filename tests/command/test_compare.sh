# orthant compare: rows that `orthant cluster` repeats to the last digit, studies that go on after kill -9 and Ctrl-C,
# statistics from a file, refusals.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
digits=$ORTHANT_SOURCE/data/digits/digits-images-idx3-ubyte.gz
export OMP_NUM_THREADS=1

# All columns but the seconds, which differ from run to run.
without_seconds() { sed 's/,[^,]*$//' "$1"; }
# expect_same WHAT FILE FILE
expect_same() {
    diff <(without_seconds "$2") <(without_seconds "$3") >.diff || say_failed "$1: $(head -4 .diff)"
}

# 9 variants, 2 numbers of classes, 3 repeats.
study=(compare "$digits" --methods kmeans,gnmf,cdnmf --classes 2,5 --repeats 3 --iterations 100 --tolerance 0
    --sweep tnmf.pooling_weight=1 --init random,nndsvd --sweep gnmf.graph_weight=5)
all=54

# On one thread; what is killed below runs on two.
expect_success 'one thread' "${study[@]}" --threads 1 -o one
expect_text '^digits-images-idx3-ubyte, accuracy'
expect_text '^Friedman chi2 '
[ -z "$(LC_ALL=C.UTF-8 awk 'length > 80' .out)" ] || say_failed "wider than 80 columns: $(awk 'length > 80' .out)"
[ "$(head -1 one/results.csv)" = \
    dataset,method,classes,repeat,seed,accuracy,nmi,ari,purity,sparseness,objective,iterations,seconds ] ||
    say_failed "header: $(head -1 one/results.csv)"
[ "$(wc -l <one/results.csv)" -eq $((all + 1)) ] || say_failed "$(wc -l <one/results.csv) lines, expected $((all + 1))"
for file in study.json summary.csv report.html runs/digits-images-idx3-ubyte/gnmf_init=nndsvd/5/{run.json,truth.csv,samples.csv}; do
    expect_file "one/$file"
done
expect_nothing one/failures.csv

# A row alone. Options that a method has no use for are not passed to it.
# alone LABEL CLASSES REPEAT OPTIONS...
alone() {
    local label=$1 classes=$2 repeat=$3 row seed
    shift 3
    row=$(grep "^digits-images-idx3-ubyte,$label,$classes,$repeat," one/results.csv)
    seed=$(cut -d, -f5 <<<"$row")
    expect_success "$label alone" cluster "$digits" -k "$classes" --classes "$classes" --seed "$seed" --iterations 100 \
        --tolerance 0 "$@" --json
    for column in 6:accuracy 7:nmi 8:ari 9:purity 10:sparseness 11:objective 12:iterations; do
        local expected found
        expected=$(cut -d, -f"${column%:*}" <<<"$row")
        found=$(grep -o "\"${column#*:}\": [^,}]*" .out | tail -1 | cut -d' ' -f2)
        awk -v a="$expected" -v b="$found" 'BEGIN { exit !(a != "" && a == b) }' ||
            say_failed "$label, $classes classes, repeat $repeat: ${column#*:} is $found alone, $expected in the study"
    done
}
alone gnmf 5 2 -m gnmf
alone 'gnmf graph_weight=5' 2 1 -m gnmf -p graph_weight=5
alone 'cdnmf init=nndsvd' 5 1 -m cdnmf --init nndsvd --labelled-fraction 0.1
alone cdnmf 5 0 -m cdnmf --labelled-fraction 0.1
alone kmeans 2 0 -m kmeans
alone 'tnmf pooling_weight=1' 5 1 -m tnmf -p pooling_weight=1

# The command in a kept run's run.json is that run.
command=$(sed -n 's/^ *"command": "orthant \(.*\)",$/\1/p' one/runs/digits-images-idx3-ubyte/cdnmf_init=nndsvd/5/run.json)
read -r -a words <<<"$command"
expect_success "orthant $command" "${words[@]}" -o again
cmp -s again/encoding.npy one/runs/digits-images-idx3-ubyte/cdnmf_init=nndsvd/5/encoding.npy ||
    say_failed "the command of a kept run gives another encoding: $command"

# Killed with -9 while runs are kept and after that, and with a line cut off: no finished run is repeated, and the table is the same.
long=("${study[@]}" --threads 2 -o killed)
# At the lowest priority, so that on a busy machine this script sees the rows before the study has ended.
for rows in 3 10; do
    nice -n 19 "$ORTHANT_COMMAND" "${long[@]}" >/dev/null 2>&1 &
    child=$!
    for _ in $(seq 600); do
        [ -f killed/results.csv ] && [ "$(wc -l <killed/results.csv)" -gt "$rows" ] && break
        kill -0 "$child" 2>/dev/null || break
        sleep 0.01
    done
    kill -9 "$child" 2>/dev/null || say_failed "the study was done before it was killed"
    wait "$child" 2>/dev/null
    cp killed/results.csv "after-$rows.csv"
done
[ "$(wc -l <after-10.csv)" -le "$all" ] || say_failed "the study was done before it was killed"
printf 'digits-images-idx3-ubyte,gnmf,5,2,1234' >>killed/results.csv
expect_success 'goes on' "${long[@]}"
grep -Eq 'note: killed: [0-9]+ of '"$all"' runs are there' .err || say_failed "does not say that it goes on: $(cat .err)"
expect_same 'after kill -9' one/results.csv killed/results.csv
leftovers=$(find killed -name '*.part*')
[ -z "$leftovers" ] || say_failed "left behind: $leftovers"
# A row that was there keeps its seconds: it was not run again.
grep -vxF -f killed/results.csv <(sed '$ { /[^,]*,.*,.*,.*,.*,.*,.*,.*,.*,.*,.*,.*,./!d }' after-10.csv) >repeated
[ ! -s repeated ] || say_failed "runs were repeated: $(cat repeated)"
[ "$(cut -d, -f1-25 one/summary.csv)" = "$(cut -d, -f1-25 killed/summary.csv)" ] || say_failed "summaries differ"

# Ctrl-C: exit 130, and how to go on.
(trap - INT; exec "$ORTHANT_COMMAND" compare "$digits" --methods nmf,gnmf --classes 10 --repeats 500 --threads 2 \
    -o stopped >.out 2>.err) &
child=$!
for _ in $(seq 600); do
    [ -f stopped/results.csv ] && [ "$(wc -l <stopped/results.csv)" -gt 2 ] && break
    sleep 0.02
done
kill -INT "$child"
status=0
wait "$child" || status=$?
[ "$status" -eq 130 ] || say_failed "Ctrl-C: exit $status, expected 130: $(cat .err)"
grep -Eq 'stopped after [0-9]+ of 1000 runs; the same command goes on in stopped' .err || say_failed "Ctrl-C: $(cat .err)"

# Another study in that folder, a folder of something else, a damaged table.
expect_error 2 "one/study.json is the plan of another study: it has 'seed 1', this one has 'seed 7'" \
    "${study[@]}" --seed 7 -o one
expect_error 2 'one/study.json: the study has 3 repeats, this one 2: repeats can be added, not taken away' \
    "${study[@]}" --repeats 2 -o one
mkdir other && echo hello >other/notes.txt
expect_error 2 'other: holds files but no study.json' "${study[@]}" -o other
cp -r one damaged
sed -i '3s/,kmeans,/,kmaens,/' damaged/results.csv
expect_error 1 'damaged/results.csv: the run of .* is not in the plan' "${study[@]}" -o damaged
sed -i '5s/.*/garbage/' damaged/results.csv
expect_error 1 'damaged/results.csv:5: found 1 fields, expected 13' "${study[@]}" -o damaged
expect_error 1 'damaged/results.csv:5: found 1 fields, expected 13' compare --from damaged/results.csv

# Told at once.
expect_error 2 "no method 'nfm'. Did you mean 'nmf'" compare "$digits" --methods nmf,nfm
expect_error 2 "no method 'nfm'" compare nowhere.mat --methods nfm
expect_error 2 "no parameter 'pool'" compare "$digits" --sweep tnmf.pool=1
expect_error 2 'true labels are not known' compare "$digits" --methods nmf --truth none
expect_error 2 '11 classes cannot be drawn from .*, which has 10' compare "$digits" --methods nmf --classes 11
expect_error 2 'DATA is missing' compare --methods nmf
expect_error 2 'no methods to compare' compare "$digits"
expect_error 2 '--scale' compare "$digits" --methods nmf --scale none,nonsense
expect_error 2 'takes no DATA' compare "$digits" --from one/results.csv

# A run that fails is recorded, and the others go on.
write_blocks
sed 's/^[0-9]*,/-1,/' blocks.csv >mixed.csv
status=0
orthant compare mixed.csv --truth truth.txt --methods nmf,kmeans --classes 2,4 --repeats 2 --quiet -o mixed >.out 2>.err ||
    status=$?
[ "$status" -eq 1 ] || say_failed "failed runs: exit $status, expected 1"
grep -q '4 of 8 runs could not be done, the first: mixed, nmf, 2 classes, repeat 0: mixed.csv: entry (3, 1) is -1' .err ||
    say_failed "failed runs: $(cat .err)"
[ "$(wc -l <mixed/failures.csv)" -eq 5 ] || say_failed "failures.csv: $(cat mixed/failures.csv)"
[ "$(wc -l <mixed/results.csv)" -eq 5 ] || say_failed "results of a study with failures: $(cat mixed/results.csv)"

# Missing entries; a table's own columns.
{ echo 'a,b,c,d,class'; for i in $(seq 1 24); do echo "$((i % 3)).5,$((i % 2 * 4 + 1)),$([ $((i % 5)) -eq 0 ] || echo 2),$((i % 4 + 1)),$((i % 2))"; done; } >holes.csv
expect_error 1 "holes.csv:6:3: found '', expected a finite number; --missing nan takes" compare holes.csv --label-column class --methods nmf
expect_success 'missing entries' compare holes.csv --label-column class --methods nmf,nmf-kl --missing nan --repeats 2
expect_error 2 "missing nan: method 'kmeans' takes no missing entries" compare holes.csv --label-column class --methods nmf,kmeans --missing nan

# A method without the parameter takes no part in its list, whatever stands before it.
expect_success 'a list behind a method that takes it' compare blocks.csv --truth truth.txt --methods nmf,kmeans \
    --classes 2 --repeats 1 --init random,nndsvd --solver hals,mu -o lists
[ "$(cut -d, -f2 lists/results.csv | tail -n +2 | sort | tr '\n' ';')" = \
    'kmeans;nmf;nmf init=nndsvd;nmf init=nndsvd solver=mu;nmf solver=mu;' ] ||
    say_failed "variants: $(cut -d, -f2 lists/results.csv | sort)"

# Several files; two of one name.
mkdir sub && cp blocks.csv sub/blocks.csv
expect_success 'several files' compare blocks.csv sub/blocks.csv --truth truth.txt --methods nmf,kmeans --classes 2:4 \
    --repeats 2 -o several
[ "$(cut -d, -f1 several/results.csv | sort -u | tr '\n' ' ')" = 'blocks blocks-2 dataset ' ] ||
    say_failed "names of data: $(cut -d, -f1 several/results.csv | sort -u)"
expect_success 'from the file' compare --from several/results.csv
expect_text 'Ranks by accuracy: 2 methods, 6 rows'

# Friedman and Nemenyi from a file: the golden table, each row a number of classes.
{
    head -1 one/results.csv
    awk -F, '{ for (j = 1; j <= NF; j++) printf "d,m%d,%d,0,1,%s,,,,,,,\n", j, NR + 1, $j }' \
        "$ORTHANT_SOURCE/tests/golden/friedman/scores.csv"
} >golden.csv
expect_success 'the golden table' compare --from golden.csv
expect_text '^Ranks by accuracy: 9 methods, 8 rows$'
expect_text '^Friedman chi2 49\.3333 \(p 5\.49e-08\), F 23\.5455 \(p 2\.58e-15\)$'
difference=$(sed -n 's/^Nemenyi: .* where they are \([0-9.]*\) apart$/\1/p' .out)
awk -v d="$difference" 'BEGIN { exit !(d >= 4.24 && d <= 4.26) }' ||
    say_failed "critical difference of 9 methods over 8 rows: $difference, expected 4.25"
expect_text '^  m9 +1\.500$'
expect_text '^m9 +- +-$'
{
    head -1 one/results.csv
    for n in 2 3 4; do for m in 1 2 3; do echo "d,m$m,$n,0,1,$n$m,,,,,,,"; done; done
} >alike.csv
expect_success 'rows that agree' compare --from alike.csv
expect_text '^Friedman chi2 6\.0000 \(p 0\.0498\); all rows rank alike, so F has no value$'
expect_error 2 'takes no --methods: it prints the whole file' compare --from golden.csv --methods m1

finish
