# orthant score --segmentation: values, files of every kind, refusals.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

# value KEY: a number of the JSON object on one line that was printed last; the mean, not an annotator's.
value() { sed 's/"each".*//' .out | grep -o "\"$1\": *[-0-9.e+]*" | head -1 | sed 's/.*: *//'; }
# expect_value KEY VALUE: up to 0.0005.
expect_value() {
    awk -v found="$(value "$1")" -v expected="$2" \
        'BEGIN { d = found - expected; exit !(found != "" && d < 0.0005 && d > -0.0005) }' ||
        say_failed "$1 is '$(value "$1")', expected $2"
}

# A true half split in two.
printf '%s\n' 0,0,1,1 0,0,1,1 0,0,1,1 0,0,1,1 >truth.csv
printf '%s\n' 5,5,9,9 5,5,9,9 7,7,9,9 7,7,9,9 >found.csv
expect_success 'JSON' score found.csv truth.csv --segmentation --json
[ "$(wc -l <.out)" -eq 1 ] || say_failed "JSON is not on one line"
for pair in CS=50 OS=50 US=0 ME=0 NE=0 O=25 C=0 O_w=25 C_w=0 CA=75 CO=75 CC=100 I=25 II=0 EA=83.3333 MS=75 \
    RM=20.4124 CI=85.3553 GCE=0 LCE=0 dM=12.5 dD=12.5 dVI=12.5 F=85.7143 F_bar=86.3046 CS_bar=50 OS_bar=50 \
    covering=0.75 pri=0.866667 vi=0.5 vi_nats=0.346574 \
    regions_found=3 regions_true=2 pixels=16 annotators=1 threshold=0.75; do
    expect_value "${pair%=*}" "${pair#*=}"
done
curve=$(grep -o '"F_curve": *\[[^]]*\]' .out | tr ',' '\n' | wc -l)
[ "$curve" -eq 101 ] || say_failed "the F-measure's curve has $curve values, expected 101"

# The table: 80 columns, every criterion that the JSON has.
keys=$(sed 's/"regions_found".*//' .out | grep -o '"[A-Za-z_]*":' | tr -d '":')
expect_success 'table' score found.csv truth.csv --segmentation
long=$(awk 'length > 80' .out)
[ -z "$long" ] || say_failed "wider than 80 columns: $long"
for key in $keys; do expect_text "^$key +[0-9.]+"; done
expect_text '16 pixels, 3 regions found, 2 true'

# The same labels under other names and in other files.
expect_success 'reference' score found.csv truth.csv --segmentation --json
cp .out reference.json
printf 'P2\n4 4\n65535\n9 9 65535 65535 9 9 65535 65535 9 9 65535 65535 9 9 65535 65535\n' >truth.pgm
printf -- '-1 -1 3 3\n-1 -1 3 3\n-8000000000 -8000000000 3 3\n-8000000000 -8000000000 3 3\n' >found.txt
expect_success 'other names' score found.txt truth.pgm --segmentation --json
cmp -s .out reference.json || say_failed "names of labels change the scores"

# Options.
expect_success 'threshold' score found.csv truth.csv --segmentation --threshold 0.5001 --json
expect_value threshold 0.5001
printf '%s\n' 1,0,1 1,0,1 >apart.csv
expect_success 'labels' score apart.csv apart.csv --segmentation --json
expect_value regions_true 2
expect_success 'pieces' score apart.csv apart.csv --segmentation --components --json
expect_value regions_true 3
printf '1\n' >pixel.csv
expect_success 'one pixel' score pixel.csv pixel.csv --segmentation --json
expect_value CS 100
expect_value dVI 0
expect_value pri 1

# Refusals.
printf '%s\n' 0,1 0,1 >small.csv
expect_error 1 'found.csv is 4 x 4, but small.csv is 2 x 2' score found.csv small.csv --segmentation
echo 0.5 >half.csv
expect_error 1 'no such' score nowhere.png truth.csv --segmentation
expect_error 1 'whole numbers' score half.csv truth.csv --segmentation
expect_error 2 'more than 0.5' score found.csv truth.csv --segmentation --threshold 0.5
expect_error 2 'from 0.5 to 1' score found.csv truth.csv --segmentation --threshold 1.5
expect_error 2 'expected a number' score found.csv truth.csv --segmentation --threshold high
expect_error 2 'threshold is for --segmentation' score found.csv truth.csv --threshold 0.8
expect_error 2 'components is for --segmentation' score found.csv truth.csv --components
expect_error 2 'truth.pgm is a picture.*--segmentation' score truth.pgm truth.pgm

# Several annotators.
truth=${ORTHANT_DATA:-}/BSDS/groundTruth/101085.mat
if [ -e "$truth" ]; then
    awk 'BEGIN { for (y = 0; y < 481; y++) { row = "0"; for (x = 1; x < 321; x++) row = row ",0"; print row } }' >one.csv
    expect_success 'annotators' score one.csv "$truth" --segmentation --json
    expect_value annotators 5
    expect_value US 100
    expect_value regions_true 38.2
    expect_value covering 0.126135
    expect_value vi 3.598680
    [ "$(grep -o '"regions_true"' .out | wc -l)" -eq 6 ] || say_failed "not every annotator is told"
    expect_success 'annotators in the table' score one.csv "$truth" --segmentation
    expect_text '38.2 true \(means over 5 annotators\)'
    expect_error 2 'holds 5 label images' score "$truth" one.csv --segmentation
else
    echo "no research data: the segmentations of several people were left out"
fi

finish
