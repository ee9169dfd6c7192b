# The commands of the documents on data and results, as they stand there, each document in a folder of its own, on small data of the
# same names. A command is a line of four spaces that begins with orthant, or pipes into it.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

mkdir bin data
printf '#!/bin/sh\nexec %s "$@"\n' "$ORTHANT_COMMAND" >bin/orthant
chmod +x bin/orthant
export PATH=$work/bin:$PATH

# Data that the documents name and that are not shipped: generated, and of a few samples.
planted data/planted.csv 0.05
for name in first second digits huge spectra recording mixtures; do orthant convert data/planted.csv "data/$name.npy" --quiet; done
for i in $(seq 0 89); do echo $((i % 3)); done >data/second.labels.csv
awk -F, '{ for (j = 1; j <= 2; j++) printf "%s%s", $j, j < 2 ? "," : "\n" }' data/planted.csv | head -n 30 >data/known.csv
orthant convert data/known.csv data/known.npy --quiet
awk -F, -v OFS=, '{ for (j = 1; j <= NF; j++) if ((NR + 5 * j) % 9 == 0) $j = ""; print }' data/planted.csv >data/holes.csv
printf '3,2\n0,7\n' >data/pairs.csv
{
    echo 'row,name,height,width,depth,note,species'
    for i in $(seq 1 30); do echo "$i,plant $i,$((i % 3 * 4 + 1)).5,$(((i + 1) % 3 * 4 + 1)),$(((i + 2) % 3 * 4 + 1)),as found,kind $((i % 3))"; done
} >data/plants.csv
cut -d, -f3-5,7 data/plants.csv | sed '1s/species/class/' >data/table.csv
{ echo '%%MatrixMarket matrix coordinate real general'; echo '3 4 4'; printf '1 1 2\n1 3 1\n2 2 4\n3 4 1\n'; } | gzip >data/counts.mtx.gz
faces data/faces.mat 40 4
faces data/ORL_32x32.mat 80 8
mkdir data/data && ln -s "$ORTHANT_SOURCE/data/digits" data/data/digits

# Twelve ranks of ten repeats, and twenty starts of the digits, take a minute: here fewer.
shorten() { sed -e 's/-k 5:60:5 --repeats 10/-k 5:10:5 --repeats 2/' -e 's/-k 2:6 --repeats 4/-k 2:3 --repeats 2/' -e 's/--repeats 20/--repeats 4/'; }

for name in formats ranks consensus new-samples online terms scores; do
    cp -r data "$name"
    grep -E '^    ([^ ].* \| )?orthant ' "$ORTHANT_SOURCE/docs/$name.md" | sed 's/^    //' | shorten >"$name.commands"
    [ -s "$name.commands" ] || say_failed "$name.md: no commands"
    while IFS= read -r line <&3; do
        (cd "$name" && bash -e -o pipefail -c "$line" </dev/null >../.out 2>../.err) || say_failed "$name.md: $line: $(cat .err)"
        grep -q 'warning' .err && say_failed "$name.md: $line: $(cat .err)"
    done 3<"$name.commands"
done
expect_file formats/run/samples.csv
expect_file new-samples/full.csv
expect_file scores/run/labels.csv

finish
