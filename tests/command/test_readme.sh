# The commands of README.md, as they stand there, on small data of the same names.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

# array FILE SAMPLES: a NumPy array.
array() {
    {
        bytes 93; printf 'NUMPY'; bytes 01 00 76 00
        printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': ($2, 64), }"
        printf "$(values "$2" 64 20 0)"
    } >"$1"
}
faces ORL_32x32.mat 120 40
faces faces.mat 120 40
faces Yale_32x32.mat 60 15
array train.npy 100
array test.npy 10
for i in $(seq 0 99); do echo $((i % 20)); done >truth.csv

cp "$ORTHANT_SOURCE/data/scene/scene.png" mosaic.png
cp "$ORTHANT_SOURCE/data/scene/scene-truth.png" truth.png
mkdir -p data/Yale data/digits
cp "$ORTHANT_SOURCE"/data/digits/*.gz data/digits/
cp Yale_32x32.mat data/Yale/

# Two classes of six pictures.
for i in 1 2 3 4 5 6; do
    mkdir -p 101_ObjectCategories/scene 101_ObjectCategories/truth
    cp "$ORTHANT_SOURCE/data/scene/scene.png" "101_ObjectCategories/scene/$i.png"
    cp "$ORTHANT_SOURCE/data/scene/scene-truth.png" "101_ObjectCategories/truth/$i.png"
done

# Documents: each has one of 24 words of its own beside some that all have.
mkdir articles
for i in $(seq 0 71); do echo "the report of a word$((i % 24)) and another word$((i % 24)), word$((i % 7))" >"articles/$i.txt"; done

# Lines that start with four spaces and the command's name, joined where a backslash ends them.
sed ':a; /\\$/ { N; s/\\\n *//; ta }' "$ORTHANT_SOURCE/README.md" | sed -n 's/^    \(orthant .*\)/\1/p' >commands
[ "$(wc -l <commands)" -ge 8 ] || say_failed "only $(wc -l <commands) commands found in the README"
while read -r -a words <&3; do
    [ "${words[1]}" != view ] || continue # waits for a browser; it has a test of its own
    expect_success "${words[*]}" "${words[@]:1}"
    [ -s .out ] || say_failed "${words[*]}: printed nothing"
    case "${words[*]}" in
    *--format*) expect_text '^.toprule$' ;;
    *ranks*) expect_text '^ +k +blocks +entries' ;;
    *consensus*) expect_text '^silhouette +[0-9]' ;;
    *compare*) expect_text '^Friedman chi2|^No test of ranks' ;;
    *ORL* | *Yale* | *faces.mat*) expect_text '^accuracy +[0-9]' ;;
    *score*) expect_text '"accuracy": [0-9]' ;;
    esac
done 3<commands

# The first example does not lose to k-means, but for a hundredth that another CPU's rounding may cost.
accuracy() { sed -n 's/^ *"accuracy": \([0-9.]*\),*$/\1/p' "$1/run.json"; }
digits=data/digits/digits-images-idx3-ubyte.gz
expect_success kmeans cluster $digits -m kmeans -k 10 --scale unit --seed 0 -o runs/kmeans
awk -v ours="$(accuracy runs/digits)" -v theirs="$(accuracy runs/kmeans)" 'BEGIN { exit !(ours > theirs - 0.01) }' ||
    say_failed "gnmf has $(accuracy runs/digits) of the digits, k-means $(accuracy runs/kmeans)"

[ "$(wc -l <"$ORTHANT_SOURCE/README.md")" -lt 150 ] || say_failed "the README has 150 lines or more"
for file in runs/digits/report.html runs/train/labels.csv test-encoding.npy; do expect_file "$file"; done

finish
