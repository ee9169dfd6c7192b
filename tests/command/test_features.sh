#!/usr/bin/env bash
# Pictures to features through the command: kinds, labels beside, threads, refusals.
. "$ORTHANT_SOURCE/tests/command/support.bash"

# Three classes of four pictures with a texture of their own: discs, crosses, stripes that touch nothing.
make_picture() { # NAME CLASS NUMBER
    awk -v class="$2" -v number="$3" 'BEGIN {
        print "P2 96 80 255"
        for (y = 0; y < 80; y++) {
            line = ""
            for (x = 0; x < 96; x++) {
                u = (x + 3 * number) % 24 - 12; v = (y + 5 * number) % 20 - 10
                if (class == 0) on = u * u + v * v < 30 + number
                else if (class == 1) on = (u * u < 4 && v * v < 50) || (v * v < 4 && u * u < 70)
                else on = (u + 2 * v + 40) % 11 < 4 && u * u < 90
                line = line " " (on ? 200 - 7 * number : 40 + (x * 13 + y * 7 + number) % 9)
            }
            print line
        }
    }' >"$1"
}
for class in 0 1 2; do
    mkdir -p "pictures/c$class"
    for number in 0 1 2 3; do make_picture "pictures/c$class/p$number.pgm" $class $number; done
done

expect_success "words" features pictures --words 12 -o words.npy
expect_text '^12 pictures, 12 features of kind sift-words, 3 classes$'
printf '%s\n' class c0 c0 c0 c0 c1 c1 c1 c1 c2 c2 c2 c2 | cmp -s - words.labels.csv || say_failed "labels: $(paste -sd' ' words.labels.csv)"
[ "$(sed -n '1p;12p' words.samples.txt | paste -sd' ')" = 'c0/p0.pgm c2/p3.pgm' ] || say_failed "names: $(cat words.samples.txt)"
expect_success "one thread" features pictures --words 12 --threads 1 -o one.npy
cmp -s words.npy one.npy || say_failed "the number of threads changes the words"
expect_success "another seed" features pictures --words 12 --seed 2 -o two.npy
cmp -s words.npy two.npy && say_failed "the seed changes nothing"

expect_error 2 'f.mat: cannot tell the kind of file to write' features no-such-folder -o f.mat

expect_success "the truth is found beside" cluster words.npy -m nmf -k 3 --scale unit --json
accuracy=$(sed -n 's/.*"accuracy": *\([0-9.e-]*\).*/\1/p' .out | head -1)
awk -v a="$accuracy" 'BEGIN { exit !(a >= 0.9) }' || say_failed "clusters of words: accuracy '$accuracy'"
expect_success "unless told otherwise" cluster words.npy -m nmf -k 3 --truth none --json
grep -q '"accuracy"' .out && say_failed "--truth none found a truth"


# A run shows the pictures that the features are of, and says which is in which cluster.
if [ -e words.samples.png ]; then
    expect_success "pictures of features" cluster words.npy -m nmf -k 3 --scale unit --quiet -o shown
    grep -q '^0,c0/p0.pgm,c0,' shown/samples.csv || say_failed "samples.csv: $(cat shown/samples.csv)"
    grep -q '"picture_side": 64' shown/clusters.json || say_failed "no pictures on the cards"
    [ -e shown/map.png ] || say_failed "no pictures on the map"
    grep -q 'class="soft names">c' shown/report.html || say_failed "the cards do not name their pictures"
    # A sheet of other samples, and names of others, are left out and told.
    cp words.npy other.npy
    printf 'P2 8 8 255\n%s\n' "$(yes 9 | head -n 64 | paste -sd' ')" >other.samples.png
    cp words.samples.txt other.samples.txt
    expect_success "another sheet" cluster other.npy -m nmf -k 3 -o other
    grep -q 'other.samples.png: does not show the 12 samples: it is left out' .err || say_failed "another sheet: $(cat .err)"
    grep -q picture_side other/clusters.json && say_failed "pictures of another sheet"
    head -n 5 words.samples.txt >other.samples.txt
    expect_success "other names" cluster other.npy -m nmf -k 3
    grep -q 'other.samples.txt: has 5 names, but there are 12 samples: it is left out' .err || say_failed "other names: $(cat .err)"
fi
# Names that labels could not be read by again: numbers in their place.
mkdir -p numbered/1 numbered/two
cp pictures/c0/p0.pgm numbered/1
cp pictures/c1/p1.pgm numbered/two
expect_success "a class that is a number" features numbered --kind lab -o numbered.npy
[ "$(paste -sd' ' numbered.labels.csv)" = '0 1' ] || say_failed "labels: $(paste -sd' ' numbered.labels.csv)"

# Counts: whole numbers, and as many as there are descriptors.
expect_success "as text" features pictures --words 12 -o words.csv
cut -d, -f2- words.csv | grep -q '[.-]' && say_failed "counts are no whole numbers: $(head -1 words.csv)"

expect_success "colours" features pictures --kind lab -o colours.csv
expect_text ' 48 features '
awk -F, 'NR > 1 { s = 0; for (j = 2; j <= NF; j++) { if ($j < 0) exit 1; s += $j } if (s < 2.999 || s > 3.001) exit 1 }' colours.csv ||
    say_failed "shares of colours do not add up to one per channel"
expect_success "filters" features pictures --kind gabor -o filters.npy --json
expect_text '"features": *80'
expect_success "bands" features pictures/c0/p0.pgm pictures/c1/p1.pgm --kind spectral-histogram --bank a -o bands.csv
expect_text '^2 pictures'
[ ! -e bands.labels.csv ] || say_failed "pictures without classes got labels"

# A picture too small to have a point is a row of zeros; a vocabulary larger than what there is gets
# smaller, with a note, and is refused where there is nothing.
mkdir tiny
printf 'P2 4 4 255\n1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7\n' >tiny/a.pgm
expect_success "tiny" features tiny/a.pgm pictures/c0/p0.pgm --words 2 -o tiny.csv
[ "$(sed -n 2p tiny.csv)" = a.pgm,0,0 ] || say_failed "a picture without points: $(cat tiny.csv)"
expect_success "fewer words" features pictures/c0/p0.pgm --words 20000 -o fewer.csv
grep -Eq '^orthant: note: 20000 words of [0-9]+ SIFT descriptors in 1 pictures: [0-9]+ words are taken$' .err || say_failed "no note of fewer words: $(cat .err)"
[ "$(head -1 fewer.csv | cut -d, -f2- | tr ',' '\n' | wc -l)" = "$(sed -n 's/.*: \([0-9]*\) words are taken$/\1/p' .err)" ] || say_failed "fewer words: another number"
expect_error 1 '500 words of 0 SIFT descriptors in 1 pictures' features tiny -o nothing.npy
expect_nothing nothing.npy
expect_error 2 'o FILE is missing' features pictures
expect_error 2 'FOLDER or IMAGE is missing' features
expect_error 2 'no such file' features nowhere.png -o nothing.npy
expect_error 2 'is a folder: give one folder' features pictures tiny -o nothing.npy
expect_error 2 'words is for' features pictures --kind lab --words 3 -o nothing.npy
expect_error 2 'bank is for' features pictures --bank a -o nothing.npy
expect_error 2 'expected .*sift-words' features pictures --kind smell -o nothing.npy
expect_error 1 'not a picture|PNG' features words.npy -o nothing.npy
expect_error 2 'kind of file' features pictures --kind lab -o nothing.xyz
finish
