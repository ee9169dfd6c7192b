# What the subcommands do: fit, cluster, transform, score, graph, report, info, methods.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks

expect_success fit fit blocks.csv -m gnmf -k 4 -p graph_weight=2 --graph knn:3 --precision double --seed 7 -o run
[ "$(wc -l <.out)" -eq 1 ] || say_failed "fit prints more than one line"
for file in run.json history.csv basis.npy encoding.npy report.html; do expect_file "run/$file"; done
expect_nothing run/labels.csv
for key in method loss terms parameters rank seed precision threads iterations seconds objective converged data scores \
    labels_rule version command scale notes stopped dead_columns; do
    grep -q "^  \"$key\": " run/run.json || say_failed "run.json lacks $key"
done
for key in path samples features nonzeros xxh64; do
    grep -q "^    \"$key\": " run/run.json || say_failed "run.json lacks data.$key"
done
grep -q '"graph_weight": 2' run/run.json || say_failed "run.json: graph_weight"
grep -q '"neighbours": 3' run/run.json || say_failed "run.json: neighbours"
grep -q '"seed": 7' run/run.json || say_failed "run.json: seed"
grep -q "\"xxh64\": \"$(python3 "$ORTHANT_SOURCE/tests/support/xxh64.py" blocks.csv)\"" run/run.json || say_failed "run.json: xxh64"
head -1 run/history.csv | grep -q '^iteration,seconds,objective,loss,graph' || say_failed "history: $(head -1 run/history.csv)"

expect_success cluster cluster blocks.csv -m nmf -k 4 --truth truth.txt -o clusters
expect_text '^accuracy +100.00 %'
expect_file clusters/labels.csv
[ "$(wc -l <clusters/labels.csv)" -eq 20 ] || say_failed "labels.csv: $(wc -l <clusters/labels.csv) lines"

expect_success 'cluster --json' cluster blocks.csv -m nmf -k 4 --truth truth.txt --json
[ "$(wc -l <.out)" -eq 1 ] || say_failed "cluster --json: not one object on one line"
expect_text '"accuracy": 1,'
expect_success 'terms without a method' cluster blocks.csv -k 4 --loss kl --term graph=0.1 --term sparsity=0.01 --json
expect_text '"method": "nmf", "loss": "kl", "terms": \[\{"name": "graph", "weight": 0.1\}, \{"name": "sparsity"'

# The same seed gives the same bits on any number of threads, and --name=value is --name value.
for threads in 1 2 3; do
    expect_success "threads $threads" fit blocks.csv -m gnmf -k4 --seed=3 --threads=$threads -o "threads$threads"
    cmp -s threads1/encoding.npy "threads$threads/encoding.npy" || say_failed "$threads threads give other encodings"
done

# Factors of an earlier run as the start: no iteration makes it worse.
expect_success 'start from a run' fit blocks.csv -m gnmf -k 4 --init run --precision double --iterations 1 -p graph_weight=2 --graph knn:3 -o again
expect_text '^gnmf: 1 iteration in '
expect_success 'start from files' fit blocks.csv -m gnmf -k 4 --start basis=run/basis.npy --start encoding=run/encoding.npy \
    --precision double --iterations 1 -p graph_weight=2 --graph knn:3 -o files
cmp -s again/basis.npy files/basis.npy || say_failed "--init RUN and --start differ"

# What info tells of a run and of a cloud.
expect_success 'info of a run' info run
expect_text '^kind +run; '
expect_text '^rank +4$'
expect_success 'info of a run as JSON' info run --json
expect_text '"kind": ?"run"'
{
    printf 'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty int label\nend_header\n'
    printf '0 0 0 1\n1 0 0 1\nnan 0 0 2\n'
} >cloud.ply
expect_success 'info of a cloud' info cloud.ply
expect_text '^points +3$'
expect_text '^missing +1 points without a position$'
expect_text '^labels +for each point$'
expect_success 'info of a cloud as JSON' info cloud.ply --json
expect_text '"points": ?3,'

# Parts of an earlier run are held; run.json tells.
expect_success 'fixed parts' fit blocks.csv -k 4 --fix basis=run/basis.npy --precision double --iterations 20 -o held
cmp -s run/basis.npy held/basis.npy || say_failed "--fix: the basis has changed"
grep -q '"fixed_basis": "run/basis.npy"' held/run.json && grep -q '"fixed_parts": 4' held/run.json || say_failed "held: fixed parts are not told"
expect_error 2 "method 'pnmf' cannot hold parts fixed" fit blocks.csv -m pnmf -k 4 --fix basis=run/basis.npy -o held2
expect_error 2 "expected 8 x at most 3" fit blocks.csv -k 3 --fix basis=run/basis.npy -o held2
expect_error 2 '--fix held: expected a name, an equals sign and a value' fit blocks.csv -k 4 --fix held -o held2
expect_error 2 '--fix basis=b: .*already, --fix basis=a' fit blocks.csv -k 4 --fix basis=a --fix basis=b -o held2

# A run of another kind in the same folder takes the labels and factors of the earlier one away.
expect_error 2 "clusters: holds a run already; give another name, or --force to replace it" fit blocks.csv -m nmf -k 3 -o clusters
expect_success 'replace a run' fit blocks.csv -m nmf -k 3 --force -o clusters
expect_nothing clusters/labels.csv

expect_success transform transform run blocks.csv -o encoding.npy
expect_text '20 samples encoded in 4 parts'
expect_file encoding.npy
expect_success 'transform to CSV' transform run blocks.csv -o encoding.csv
[ "$(wc -l <encoding.csv)" -eq 20 ] || say_failed "encoding.csv: $(wc -l <encoding.csv) lines"

expect_success score score truth.txt truth.txt --json
[ "$(cat .out)" = '{"accuracy": 1, "nmi": 1, "nmi_normalisation": "max", "v_measure": 1, "homogeneity": 1, "completeness": 1, "ari": 1, "ami": 1, "purity": 1, "samples": 20, "clusters": 4, "classes": 4}' ] ||
    say_failed "score --json: $(cat .out)"
expect_success 'score in words' score truth.txt truth.txt
expect_text '^accuracy +100.00 %'
expect_text '^NMI +100.00 %  \(max\)'
expect_text '^AMI +100.00 %'
printf '%s\n' 0 0 0 1 2 2 >found.txt
printf '%s\n' 8 8 9 9 9 9 >known.txt
expect_success 'another mean of entropies' score found.txt known.txt --nmi arithmetic
expect_text '^NMI +38.63 %  \(arithmetic\)'
expect_text '^V-measure +38.63 %'
expect_success 'the larger entropy' score found.txt known.txt
expect_text '^NMI +31.47 %  \(max\)'
expect_error 2 'expected one of max' score found.txt known.txt --nmi mean
expect_success 'clusters by themselves' cluster blocks.csv -k 4 --truth none
expect_text '^explained +[0-9.]+ %  of .X.\^2, relative error [0-9.e-]+'
expect_text '^silhouette +[0-9.]+ +\(of all pairs\)'
expect_text '^sizes +5 to 5 samples: 5 5 5 5'

expect_success graph graph blocks.csv --graph knn:4 --weights heat -o graph.mtx
expect_text '^nodes +20'
expect_text '^components +4'
expect_file graph.mtx
expect_success 'a graph from a file' cluster blocks.csv -m gnmf -k 4 --graph graph.mtx

expect_success 'info FILE' info blocks.csv --truth truth.txt
expect_text '^samples +20'
expect_text '^features +8'
expect_text '^classes +4'
expect_success info info --quiet
expect_text '^threads +[1-9]'
expect_success 'methods NAME' methods gnmf
expect_text 'graph_weight'
expect_success methods methods
expect_text '^  cdnmf-kl '

# Notes and warnings can be turned off; progress can be turned on.
expect_success quiet cluster blocks.csv -k 4 --quiet
[ ! -s .err ] || say_failed "--quiet speaks: $(cat .err)"
expect_success progress cluster blocks.csv -k 4 --progress --tolerance 0
grep -q ' of ' .err || say_failed "--progress is silent"

# Reports: one run, all runs, and hostile names.
mkdir 'runs' && cp -r run "runs/a<b>'\"&" && cp -r threads1 runs/second
expect_success report report run
expect_text 'run/report.html$'
expect_success 'report of several' report runs
expect_text '^second '
expect_file runs/report.html
grep -q '<b>' runs/report.html && say_failed "a folder's name is not escaped"
grep -Eq 'https?://' <(sed 's|http://www.w3.org/[A-Za-z0-9/.-]*||g' runs/report.html) && say_failed "the report uses the network"
if command -v gnuplot >/dev/null; then
    expect_file runs/charts/convergence.svg
    expect_file run/charts/convergence.gp
    grep -q '<svg' runs/report.html || say_failed "the report has no chart"
fi
(PATH=/nowhere; "$ORTHANT_COMMAND" report run >.out 2>.err) || say_failed "report without gnuplot: $(cat .err)"
grep -q 'gnuplot was not found' run/report.html || say_failed "the report does not say that gnuplot is missing"
echo '{"method": ["' >runs/second/run.json
expect_error 1 'runs/second/run.json:' report runs

finish
