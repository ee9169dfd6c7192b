#!/usr/bin/env bash
# Pictures to segments through the command: the run folder, the report, and clear refusals.
. "$ORTHANT_SOURCE/tests/command/support.bash"

scene=$ORTHANT_SOURCE/data/scene/scene.png
truth=$ORTHANT_SOURCE/data/scene/scene-truth.png

# ---- a run holds what it should ------------------------------------------------------------------

expect_success "superpixels" segment "$scene" -k 6 --truth "$truth" --draw overlay,boundaries,graph \
    --snapshots 2,40 --quiet -o run
for file in labels.png labels.npy overlay.png boundaries.png graph.png snapshot-2.png snapshot-40.png run.json report.html; do
    expect_file "run/$file"
done
expect_text '^segments +[6-9]'
expect_text '^CS +100\.00 %'
expect_text '^covering +0\.9[5-9]'
grep -q '"kind": "segmentation"' run/run.json || say_failed "run.json does not say what it is"
grep -q '"sha256": "[0-9a-f]\{64\}"' run/run.json || say_failed "run.json has no checksum"
[ "$(grep -o 'data:image/png' run/report.html | wc -l)" -eq 8 ] || say_failed "the report has not its eight pictures"
expect_success "its labels are a label image" score run/labels.png "$truth" --segmentation
expect_text '^CS +100\.00 %'
cp .out png.txt
expect_success "labels.npy holds the same" score run/labels.npy "$truth" --segmentation
cmp -s .out png.txt || say_failed "labels.png and labels.npy differ"

# ---- another run replaces all of it --------------------------------------------------------------

expect_success "watershed" segment "$scene" -k 6 --nodes watershed --finish textures --json --quiet --force -o run
expect_text '"segments":[ ]*[1-6],'
[ ! -e run/graph.png ] && [ ! -e run/snapshot-2.png ] || say_failed "files of the earlier run stayed"
expect_success "report again" report run
expect_text '^run +[1-6] '

# ---- the number of segments, threads, pixels ------------------------------------------------------

expect_success "auto" segment "$scene" --threads 1 --json --quiet
expect_text '"estimated":[ ]*true'
sed -E 's/"(seconds|feature_seconds|fit_seconds|threads|command)":[^,]*,//g' .out >one.json
expect_success "two threads" segment "$scene" --threads 2 --json --quiet
sed -E 's/"(seconds|feature_seconds|fit_seconds|threads|command)":[^,]*,//g' .out | cmp -s - one.json ||
    say_failed "threads change the result"
expect_success "pixels" segment "$scene" -k 3 --nodes pixels --window 15 --quiet -o pixels
expect_file pixels/overlay.png

awk 'BEGIN {
    print "ply\nformat ascii 1.0\nelement vertex 300\nproperty float x\nproperty float y\nproperty float z"
    print "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header"
    for (i = 0; i < 300; i++)
        print i % 17, int(i / 17), 0, i < 150 ? "250 10 10" : "10 10 250"
}' >cloud.ply
expect_success "a cloud, counted" segment cloud.ply --features color --snapshots 1,4 --json --quiet -o cloud
expect_text '"segments":[ ]*2'
expect_text 'energy left after'
for file in view.png snapshot-1.png snapshot-4.png segments.ply labels.npy; do
    expect_file cloud/$file
done
grep -q 'After 4 iterations' cloud/report.html || say_failed "the report has no snapshot"
expect_error 2 "Did you mean 'tolerance'" segment cloud.ply -k 2 -p tolernce=1

# ---- refusals ------------------------------------------------------------------------------------

printf 'P5 20000 20000 255\n' >huge.pgm
printf 'P2 4 4 255\n%s\n' '7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7' >flat.pgm
printf 'P2 1 1 255\n7\n' >point.pgm
expect_success "one colour" segment flat.pgm -k 3 --nodes pixels --quiet
expect_text '^segments +1 of the 3 that were asked for: all histograms are the same$'
expect_error 1 'point\.pgm|1 region, fewer than the 4' segment point.pgm -k 4
expect_error 1 '20000 x 20000' segment huge.pgm -k 4
expect_error 1 'not a picture' segment "$ORTHANT_SOURCE/README.md" -k 4
expect_error 1 'no such file' segment nowhere.png -k 4
expect_error 2 'whole number or auto' segment "$scene" -k many
expect_error 2 'IMAGE or CLOUD is missing' segment
expect_error 2 "features 'smell'" segment "$scene" -k 3 --features smell
expect_error 2 "method 'pca'" segment "$scene" -k 3 -m pca
expect_error 2 'pixels have no graph' segment "$scene" -k 3 --nodes pixels --draw graph -o nothing
expect_error 2 'needs -o RUN' segment "$scene" -k 3 --draw graph
expect_error 2 'needs -o RUN' segment "$scene" -k 3 --snapshots 2
expect_error 2 'graph_weight=-1' segment "$scene" -k 3 -p graph_weight=-1
expect_error 1 'same size|has the size' segment "$scene" -k 3 --truth point.pgm
expect_error 2 '--window is for --nodes pixels' segment "$scene" -k 3 --window 5
expect_error 2 '--superpixels is for --nodes slic' segment "$scene" -k 3 --nodes watershed --superpixels 50
expect_error 2 '--neighbours is for clouds' segment "$scene" -k 3 --neighbours 5
expect_error 2 "Did you mean 'tolerance'" segment "$scene" -k 3 --nodes pixels -p tolernce=1
expect_nothing nothing
# An estimate and what was found are two numbers: where they differ it is said on the screen, in run.json and on the page.
expect_success 'an estimate' segment "$ORTHANT_SOURCE/data/scene/scene.png" -o estimate
read -r found estimate <<<"$(python3 -c "import json; run = json.load(open('estimate/run.json')); print(run['segments'], run['estimated_segments'])")"
[ "$found" -gt "$estimate" ] || say_failed "the scene has $found segments of $estimate: this test wants pieces"
expect_text "^segments +$found, the connected pieces of $estimate .*estimated: "
grep -q "They are the connected pieces of the $estimate that were estimated\." estimate/report.html || say_failed "the page does not say that $estimate were estimated"
expect_success 'an estimate that holds' segment "$ORTHANT_SOURCE/data/scene/scene.png" --nodes pixels -o holds
python3 -c "import json; run = json.load(open('holds/run.json')); assert run['segments'] == run['estimated_segments'], run" || say_failed "pixels: other numbers"
expect_text '^segments +[0-9]+, estimated: '

finish
