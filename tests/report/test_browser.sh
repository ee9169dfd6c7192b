# The reports in a real browser: of a run, of runs side by side, of a segmentation and a cloud, of a study, of ranks, of a paper, and of a fit that is being made.
# No error, nothing asked of the network, tables sort, charts tell their values, everything can be clicked, every picture has a text
# in its place, nothing is wider than a phone and no text is cut off.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
for program in chromium chromium-browser google-chrome google-chrome-stable none; do
    command -v "$program" >/dev/null && break
done
[ "$program" != none ] || { echo "skipped: no Chromium (scripts/setup ci installs it)"; exit 77; }

digits=$ORTHANT_SOURCE/data/digits/digits-images-idx3-ubyte.gz
scene=$ORTHANT_SOURCE/data/scene
mkdir -p runs
for method in nmf gnmf; do
    expect_success "$method" cluster "$digits" -m "$method" -k 10 --scale unit --seed 1 --iterations 40 --quiet -o "runs/$method"
done
expect_success runs report runs
expect_success segment segment "$scene/scene.png" -k 4 --truth "$scene/scene-truth.png" --draw overlay,graph --snapshots 2,20 --seed 1 --quiet -o scene

# Words in place of pictures, with names that a page must not take for its own.
printf '1,0,2,0\n0,3,0,1\n1,0,3,0\n0,2,0,1\n2,0,5,0\n0,1,0,4\n' >text.csv
printf '<b>\nwide\n"quoted"\nlong & wide\n' >words.txt
expect_success words cluster text.csv -m nmf -k 2 --seed 1 --quiet --words words.txt -o words
grep -q '&quot;quoted&quot;\|&#39;quoted&#39;' words/report.html || say_failed "the report shows no words"
expect_error 1 'words.txt: found 4 words, expected one per line for each of the 64 features' \
    cluster "$digits" -m nmf -k 2 --words words.txt --quiet
expect_success 'words again' report words --words words.txt --format md
expect_text '^\| part \| words \|$'

# A study: two methods, a swept parameter and a list of starts.
expect_success compare compare "$digits" --methods kmeans,gnmf --classes 2,3 --repeats 2 --iterations 40 --scale unit \
    --sweep gnmf.graph_weight=1,10 --init random,nndsvd --quiet -o study
expect_text 'report.html'
for name in accuracy-digits-images-idx3-ubyte sweep-gnmf-graph_weight ranks convergence-digits-images-idx3-ubyte; do
    expect_file "study/charts/$name.gp"
    expect_file "study/charts/$name.csv"
done
rm study/report.html
expect_success study report study
expect_text '^gnmf +'
expect_file study/report.html
expect_success 'a paper'"'"'s tables' compare --from study/results.csv --format tex
expect_text '\\toprule'
expect_success 'the same tables' report study --format csv
expect_text '^N,kmeans,kmeans sd,gnmf,gnmf sd$'

# Without gnuplot the page says so and goes on.
cp -r runs/nmf bare && rm -r bare/charts
(PATH=/nowhere; "$ORTHANT_COMMAND" report bare >/dev/null) || say_failed "report without gnuplot"
grep -q 'gnuplot was not found' bare/report.html || say_failed "the page does not say that gnuplot is missing"

# A cloud with labels of its own, which are its truth.
{
    printf 'ply\nformat ascii 1.0\nelement vertex 2000\nproperty float x\nproperty float y\nproperty float z\n'
    printf 'property uchar red\nproperty uchar green\nproperty uchar blue\nproperty int label\nend_header\n'
    awk 'BEGIN { srand(1); for (i = 0; i < 2000; i++)
        if (i % 2) printf "%f %f %f 200 60 60 7\n", rand(), rand(), rand()
        else printf "%f %f %f 60 90 200 3\n", 4 * rand() - 2, -1.5, 4 * rand() - 2 }'
} >cloud.ply
expect_success cloud segment cloud.ply -k 2 --quiet -o cloud
expect_text '^covering'
expect_success 'without its labels' segment cloud.ply -k 2 --quiet --truth none
! grep -q '^covering' .out || say_failed "--truth none scores a cloud"
python3 "$ORTHANT_SOURCE/tests/report/browser_segments.py" scene/report.html cloud/report.html || say_failed "segments in the browser"
# labels.png: an eye sees colours, our own reader the labels.
expect_success 'labels by their palette' score scene/labels.png scene/labels.npy --segmentation
expect_text '^covering +1\.0000'

# Features of pictures: the page shows the pictures themselves, and their names.
mkdir -p photos/dark photos/light
for i in 10 11 12 13 14 15 16 17; do
    awk -v i=$i 'BEGIN { print "P3 24 16 255"; for (p = 0; p < 384; p++) print (p * i) % 90, 20, i }' >photos/dark/d$i.ppm
    awk -v i=$i 'BEGIN { print "P3 24 16 255"; for (p = 0; p < 384; p++) print 250 - (p * i) % 60, 240, 200 + i }' >photos/light/l$i.ppm
done
expect_success features features photos --kind lab -o colours.npy
expect_success photos cluster colours.npy -k 2 --scale unit --iterations 30 --quiet -o by-colour
grep -q 'class="soft names">dark/d1' by-colour/report.html || say_failed "the cards do not name their pictures"
grep -q 'Strongest part.*<ul class="bars"><li><span>feature [0-9]' <(tr -d '\n' <by-colour/report.html) || say_failed "the cards have no features without names"

# A table with missing entries, and names in place of pictures.
awk 'BEGIN { srand(3); for (i = 0; i < 40; i++) { printf "P%d", i; for (j = 0; j < 6; j++) printf rand() < 0.2 ? "," : ",%.2f", rand(); print "" } }' >holes.csv
expect_success 'missing entries' cluster holes.csv -k 3 --id-column 1 --missing nan --seed 1 --quiet -o holes

# A survey of ranks, everything in one folder, a paper's tables beside ours, and long names.
expect_success ranks ranks "$digits" -k 4:12:4 --repeats 2 --iterations 20 --scale unit --quiet -o ranks
# The fit behind a consensus hardly falls.
expect_success consensus consensus "$digits" -k 6 --scale unit --seed 1 --iterations 30 --repeats 10 --quiet -o consensus
! grep -q 'Charts are not drawn' consensus/report.html || say_failed "charts of a consensus are not drawn"
mkdir mixed
cp -r runs/nmf runs/gnmf scene cloud words study ranks mixed
expect_success mixed report mixed
mkdir -p data/ORL
faces data/ORL/ORL_32x32.mat 400 40
expect_success paper reproduce tnmf --data data -o paper --quick --tables I,II --quiet
mkdir long
awk 'BEGIN { print "dataset,method,classes,repeat,seed,accuracy,nmi,ari,purity,sparseness,objective,iterations,seconds"; srand(2)
    for (m = 0; m < 5; m++) for (c = 2; c < 5; c++) for (r = 0; r < 3; r++)
        printf "photographs-of-one-hundred-and-twenty-people-under-changing-light,gnmf graph_weight=%d neighbours=12 weights=heat init=nndsvd,%d,%d,%d,%f,%f,0.5,0.6,0.4,1,10,0.1\n",
            m * 1000, c, r, 10 * c + r, 0.5 + 0.1 * m * rand(), 0.4 + 0.1 * m * rand() }' >long/results.csv
expect_success 'long names' report long

python3 "$ORTHANT_SOURCE/tests/report/browser_check.py" runs/nmf/report.html runs/report.html scene/report.html cloud/report.html \
    words/report.html by-colour/report.html holes/report.html study/report.html bare/report.html ranks/report.html mixed/report.html consensus/report.html paper/report.html long/report.html || say_failed "in the browser"
python3 "$ORTHANT_SOURCE/tests/report/browser_samples.py" runs/nmf/report.html 1797 || say_failed "samples in the browser"

# A fit that is being made.
python3 "$ORTHANT_SOURCE/tests/report/browser_live.py" "$ORTHANT_COMMAND" "$digits" || say_failed "a running fit in the browser"

# Ten thousand pictures: the page stays light and answers at once.
mnist=${ORTHANT_DATA:-$ORTHANT_SOURCE/../shared/data}/MNIST/t10k-images-idx3-ubyte.gz
if [ -e "$mnist" ]; then
    expect_success mnist cluster "$mnist" -m nmf -k 10 --scale unit --seed 1 --iterations 30 --quiet -o mnist
    [ "$(stat -c %s mnist/report.html)" -lt 12000000 ] || say_failed "the page has $(stat -c %s mnist/report.html) bytes"
    python3 "$ORTHANT_SOURCE/tests/report/browser_samples.py" mnist/report.html 10000 100 || say_failed "ten thousand samples in the browser"
else
    echo "no MNIST: the page of ten thousand samples is not looked at"
fi
finish
