# What would be ignored, or fail after a long fit, is refused before it, by the option's name; what was used is recorded.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks

# same KEY VALUE RUN: run.json has that line.
same() { grep -q "\"$1\": $2" "$3/run.json" || say_failed "$3: $1 is not $2: $(grep "\"$1\"" "$3/run.json")"; }
# npy FILE ROWS COLUMNS HEX...: double precision, little-endian.
npy() {
    bytes 93; printf 'NUMPY'; bytes 01 00 76 00
    printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': ($1, $2), }"
    shift 2
    bytes "$@"
}

# Words win over folders and files of their name; a path reaches those.
expect_success 'a run named as a word' fit blocks.csv -k 4 -o kmeans
expect_success 'the word' fit blocks.csv -k 4 --init kmeans --iterations 1 -o by-word
same init '"kmeans"' by-word
same starts '\[\]' by-word
expect_success 'the folder' fit blocks.csv -k 4 --init ./kmeans --iterations 1 -o by-folder
same init '"./kmeans"' by-folder
grep -q '"factor": "basis"' by-folder/run.json || say_failed "by-folder: starts are not told"
grep -q '"file": "./kmeans/encoding.npy"' by-folder/run.json || say_failed "by-folder: files are not told"
echo '1,2' >all
expect_success 'pooling by a word' fit blocks.csv -m tnmf -k 4 --pooling all -o pooled
same pooling '"all"' pooled
expect_error 2 'random.*or the folder of an earlier run; for one factor use --start NAME=FILE' \
    fit blocks.csv -k 4 --init W.npy -o run

# Starts.
cp by-word/basis.npy W.npy
head -7 blocks.csv | cut -d, -f1-4 >short.csv
sed 's/,[0-9]*$/,-3/' <(cut -d, -f1-4 blocks.csv) >negative.csv
expect_success 'one start' fit blocks.csv -k 4 --start basis=W.npy -o one-start
same init '"random"' one-start
expect_success 'all starts' fit blocks.csv -k 4 --start basis=W.npy --start encoding=by-word/encoding.npy -o all-starts
same init '"given"' all-starts
expect_error 2 "start of 'encoding' \(short.csv\) is 7 x 4; expected 20 x 4" fit blocks.csv -k 4 --start encoding=short.csv -o run
expect_error 2 "start of 'encoding' \(negative.csv\): entry \(1, 4\) is -3" fit blocks.csv -k 4 --start encoding=negative.csv -o run
expect_error 2 '--start basis=B.npy: .*already, --start basis=W.npy' fit blocks.csv -k 4 --start basis=W.npy --start basis=B.npy -o run

# Labels come from factors with a row for each sample.
expect_error 2 "argmax:basis: 'nmf' has no factor 'basis' with a row for each sample; it has encoding" \
    cluster blocks.csv -k 4 --labels-rule argmax:basis
expect_error 2 "no factor 'weights'" cluster blocks.csv -k 4 --labels-rule kmeans:weights
expect_error 2 'labels-rule argmin: expected one of argmax' cluster blocks.csv -k 4 --labels-rule argmin
expect_error 2 'one way to labels' cluster blocks.csv -k 4 --labels-rule best-of
expect_error 2 'clusters' cluster blocks.csv -k 4 --clusters 0

# Labels and graphs for a model that uses none.
expect_error 2 "--labels truth.txt: 'nmf' uses no labels; add --term class=WEIGHT, or take cdnmf" \
    cluster blocks.csv -k 4 --labels truth.txt
expect_error 2 "--labelled-fraction 0.5: 'kmeans' uses no labels; take cdnmf" \
    cluster blocks.csv -m kmeans -k 4 --truth truth.txt --labelled-fraction 0.5
expect_error 2 "--graph knn:5: 'nmf' uses no graph; add --term graph=WEIGHT, or take .*gnmf" cluster blocks.csv -k 4 --graph knn:5
expect_success graph graph blocks.csv -o graph.mtx
expect_error 2 "--graph graph.mtx: 'nmf' uses no graph" cluster blocks.csv -k 4 --graph graph.mtx
expect_success 'a term takes the graph' cluster blocks.csv -k 4 --term graph=1 --graph graph.mtx -o graphed
same graph '"graph.mtx"' graphed
expect_success 'a graph that is built' cluster blocks.csv -m gnmf -k 4 --graph knn:3 --truth truth.txt -o built
same graph '"knn:3"' built
same truth '"truth.txt"' built
same labelled null built
same graph '"none"' by-word
same truth null by-word
expect_success 'a part of the truth' cluster blocks.csv -m cdnmf -k 4 --truth truth.txt --labelled-fraction 0.5 -o half
same labelled 0.5 half
expect_success 'more labels than samples' cluster blocks.csv -m cdnmf -k 4 --truth truth.txt --labelled-per-class 2000
grep -q 'note: --labelled-per-class 2000: 4 of the 4 classes of blocks.csv have no more samples than that' .err ||
    say_failed "no note of classes that are labelled as a whole: $(cat .err)"
expect_success 'fewer labels than samples' cluster blocks.csv -m cdnmf -k 4 --truth truth.txt --labelled-per-class 1
grep -q 'labelled-per-class' .err && say_failed "a note without a reason: $(cat .err)"
expect_success 'a label file' cluster blocks.csv -m cdnmf -k 4 --labels truth.txt -o labelled
same labelled '"truth.txt"' labelled
expect_error 2 '--labelled-fraction 0: no sample' cluster blocks.csv -m cdnmf -k 4 --truth truth.txt --labelled-fraction 0
expect_error 2 'rank 2 is too small for 4 classes with 1 column each: take rank 4$' \
    cluster blocks.csv -m cdnmf -k 2 --labels truth.txt

# What the library says of settings, the command says of its options, and it knows the way out.
expect_error 2 "no method 'xyzzy'. 'orthant methods' lists them" fit blocks.csv -m xyzzy -k 2 -o run
expect_error 2 "no methods to compare: give --methods A,B,...; .orthant methods. lists all" compare blocks.csv --truth truth.txt
expect_error 2 "^orthant: --start basis=b.npy: the factor has a start already, --start basis=a.npy$" \
    fit blocks.csv -m nmf -k 2 --start basis=a.npy --start basis=b.npy -o run
expect_error 2 "^orthant: method 'nmf': --solver simplex: expected" fit blocks.csv -m nmf -k 2 -p solver=simplex -o run
mkdir no-run
expect_error 1 'holds no run.json.*as orthant fit or cluster makes it with -o$' report no-run

# Labels of another length: the same words and exit status, whatever they are for.
head -19 truth.txt >less.txt
expect_error 2 '^orthant: less.txt: found 19 labels, expected one for each of the 20 samples of blocks.csv$' \
    cluster blocks.csv -k 4 --truth less.txt
expect_error 2 '^orthant: less.txt: found 19 labels, expected one for each of the 20 samples of blocks.csv$' \
    cluster blocks.csv -m cdnmf -k 4 --labels less.txt

# Numbers that single precision cannot hold.
npy 1 2 9c 75 00 88 3c e4 37 7e 00 00 00 00 00 00 f0 3f >huge.npy
expect_error 1 'huge.npy: entry \(1, 1\) is 1e\+300, more than single precision.*--precision double' info huge.npy
expect_success 'in double precision' info huge.npy --precision double
npy 1 1 59 f3 f8 c2 1f 6e a5 01 >tiny.npy
expect_error 1 'tiny.npy: the largest entry is 1e-300, too small for single precision.*--precision double' fit tiny.npy -k 1 -o run
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 4 2' '1 1 5' '3 2 1e300' >huge.mtx
expect_error 1 'huge.mtx: entry \(3, 2\) is 1e\+300, more than single' fit huge.mtx -k 1 -o run
npy 1 1 00 00 00 00 00 00 f0 7f >infinite.npy
expect_error 1 'infinite.npy: entry \(1, 1\) is inf.*finite' fit infinite.npy -k 1 -o run

# Few samples.
head -4 blocks.csv >four.csv
expect_success 'fewer neighbours' cluster four.csv -m gnmf -k 2 -o few
grep -q 'note: 4 samples have no 5 neighbours each: the graph takes 3' .err || say_failed "few samples: $(cat .err)"
same graph '"knn:3"' few
expect_error 2 '5.*4|4.*5' cluster four.csv -m gnmf -k 2 --graph knn:5
expect_success 'fewer neighbours of a graph' graph four.csv -o four.mtx
head -1 blocks.csv >one.csv
expect_error 2 'a graph needs at least two samples' cluster one.csv -m gnmf -k 1
expect_error 2 'a graph needs at least two samples' graph one.csv -o one.mtx

# Pictures.
expect_error 2 '--size 5x5: pictures of 25 pixels, but a sample of blocks.csv has 8 features' info blocks.csv --size 5x5
expect_success 'a size that fits' info blocks.csv --size 2x4
expect_error 2 '--color: blocks.csv is no folder of images' info blocks.csv --color
mkdir -p empty/{a,b,c,d}
touch empty/{a,b,c,d}/{notes,more}.txt
expect_error 1 'empty: no pictures' info empty

# A time limit and Ctrl-C are told apart, and either before convergence.
expect_success 'a time limit' fit blocks.csv -k 4 --iterations 1000000000 --tolerance 0 --time-limit 0.05 -o limited
expect_text 'stopped at the time limit'

# Messages name the run's folder, not the one that it is made in.
status=0
(trap '' XFSZ; ulimit -f 4; exec "$ORTHANT_COMMAND" fit blocks.csv -k 4 -o full >.out 2>.err) || status=$?
[ "$status" -eq 1 ] || say_failed "no room for a file: exit $status: $(cat .err)"
grep -q '^orthant: full/[a-z.]*: ' .err || say_failed "no room for a file: $(cat .err)"

# The tables.
expect_success choices methods gnmf --json
grep -A3 '"choices": \[' .out | grep -q '"binary"' || say_failed "choices are no list: $(grep choices .out)"
expect_success 'a large seed' methods nmf
expect_text '9007199254740992'
expect_error 2 '9007199254740992' fit blocks.csv -k 4 --seed 1e30 -o run

# A damaged HDF5 file: one line, at exit too.
expect_success 'an HDF5 file' transform by-word blocks.csv -o encoding.h5
{ head -c 105 encoding.h5; bytes ff; tail -c +107 encoding.h5; } >damaged.h5
cmp -s encoding.h5 damaged.h5 && say_failed "the file is not damaged"
# HDF5 itself loses the memory of a file that it could not open.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 expect_error 1 'damaged.h5' info damaged.h5
expect_nothing run

finish
