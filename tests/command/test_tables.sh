# Tables as people have them: columns of classes, of names and of no use; names through to the run's files; a table from
# standard input.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

{
    echo 'id,plant,height,width,"depth, in cm",species'
    for i in $(seq 0 29); do
        case $((i % 3)) in
        0) echo "$i,\"no. $i, red\",6.$i,1.$((i % 7)),1.$((i % 5)),oak" ;;
        1) echo "$i,\"no. $i, red\",1.$((i % 7)),6.$i,1.$((i % 5)),fir" ;;
        2) echo "$i,\"no. $i, red\",1.$((i % 5)),1.$((i % 7)),6.$i,elm" ;;
        esac
    done
} >plants.csv

expect_error 1 "plants.csv:2:2: found 'no. 0, red', expected a finite number .--truth NAME names a column of classes, --id-column NAME one of names, --drop NAME others" \
    cluster plants.csv -k 3
expect_success 'named columns' cluster plants.csv -k 3 --label-column species --id-column plant --drop id -o run
expect_text '30 samples, 3 features'
expect_text '^accuracy +100.00 %'
[ "$(head -n 2 run/samples.csv | sed 's/,[0-9]*$//')" = $'sample,name,class,cluster\n0,"no. 0, red",oak' ] || say_failed "samples.csv: $(head -n 2 run/samples.csv)"
[ "$(wc -l <run/samples.csv)" -eq 31 ] || say_failed "samples.csv: $(wc -l <run/samples.csv) lines"
[ "$(cut -d, -f1 run/basis.csv | tr '\n' ' ')" = 'feature height width "depth ' ] || say_failed "basis.csv: $(cat run/basis.csv)"
[ "$(head -n 1 run/basis.csv)" = 'feature,part 0,part 1,part 2' ] || say_failed "basis.csv: $(head -n 1 run/basis.csv)"
grep -q '"depth, in cm"' run/words.csv || say_failed "words.csv: $(cat run/words.csv)"
grep -q 'Parts in words' run/report.html && grep -q 'height' run/report.html || say_failed 'report.html has no names'

expect_success 'by number' cluster plants.csv -k 3 --label-column 6 --id-column 2 --drop 1
expect_text '30 samples, 3 features'
expect_success 'drawn classes' cluster plants.csv -k 2 --classes 2 --label-column species --id-column plant --drop id -o drawn
[ "$(wc -l <drawn/samples.csv)" -eq 21 ] || say_failed "samples.csv of a draw: $(wc -l <drawn/samples.csv) lines"
while IFS= read -r line; do
    row=${line%%,*}
    [ "$row" = sample ] || grep -q "^$row,\"no. $row, red\"," drawn/samples.csv || say_failed "the name of row $row: $line"
done <drawn/samples.csv

# What is seldom meant.
expect_success 'a column that counts' cluster plants.csv -k 3 --label-column species --drop plant
grep -q 'column id counts the rows and is taken for a feature; --id-column id takes it for names, --drop id leaves it out' .err ||
    say_failed "no warning of a column that counts: $(cat .err)"
# An index in any order, by its name; numbers that go down, by what they are.
printf '%s\n' 'Unnamed: 0,a,n' '12,4,9' '5,9,8' '31,3,7' '2,1,6' '7,5,5' >index.csv
expect_success 'an index' cluster index.csv -k 2
grep -q "column Unnamed: 0 numbers the rows and is taken for a feature; --id-column 'Unnamed: 0'" .err || say_failed "no warning of an index: $(cat .err)"
grep -q 'column n counts the rows' .err || say_failed "no warning of a column that counts down: $(cat .err)"
printf '%s\n' 'a,b,Class' '1,4,0' '2,9,1' '5,3,0' '7,1,1' >classes.csv
expect_success 'a column of classes' cluster classes.csv -k 2
grep -q 'column Class is taken for a feature; --truth Class takes it for classes' .err || say_failed "no warning of classes: $(cat .err)"

expect_error 2 "no column 'nothing'" cluster plants.csv -k 3 --label-column species --drop plant,nothing
expect_error 2 'no column is left as a feature' cluster classes.csv -k 2 --truth Class --drop a,b
expect_error 2 'both name the true labels' cluster classes.csv -k 2 --truth Class --label-column Class

# Standard input: a table, or what the first bytes say.
"$ORTHANT_COMMAND" cluster - -k 3 --label-column species --drop id,plant -o piped <plants.csv >.out 2>.err || say_failed "standard input: $(cat .err)"
expect_text '^data +standard input: 30 samples, 3 features'
cmp -s run/basis.npy piped/basis.npy || say_failed 'standard input gives another basis'
grep -q '"path": "-"' piped/run.json || say_failed 'run.json does not say that it was standard input'
expect_success 'to .npy' convert plants.csv plants.npy --label-column species --drop id,plant
"$ORTHANT_COMMAND" cluster - -k 3 -o array <plants.npy >.out 2>.err || say_failed "an array from standard input: $(cat .err)"
cmp -s run/basis.npy array/basis.npy || say_failed 'an array from standard input gives another basis'
printf 'a,b\n1,x\n' | "$ORTHANT_COMMAND" cluster - -k 1 >.out 2>.err
grep -q "standard input:2:2: found 'x'" .err || say_failed "a mistake in standard input: $(cat .err)"

# Tables that are written keep the names, and are read back with them.
sed '4s/,6\.2,/,,/; 7s/,1\.[0-9]*,/,,/' plants.csv >holes.csv
columns=(--label-column species --id-column plant --drop id)
expect_success 'missing cells' fit holes.csv -k 3 --missing nan "${columns[@]}" -o holes
expect_success 'completed' complete holes holes.csv "${columns[@]}" -o full.csv
# The run knows which columns are no features: its own file needs no word of them.
tr -d ' \n' <holes/run.json | grep -q '"read":{"truth":"species","id_column":"plant","drop":"id"}' || say_failed "run.json: $(grep -A9 '"data"' holes/run.json)"
grep -q 'read with.*truth = species, id_column = plant, drop = id' holes/report.html || say_failed 'report.html does not tell how the table was read'
expect_success 'completed by the run alone' complete holes -o alone.csv
cmp -s full.csv alone.csv || say_failed 'complete without DATA gives something else'
cp holes.csv number.csv
expect_success 'a column as known labels' fit number.csv -m cdnmf -k 3 --labels number.csv:species --id-column 2 --drop 1 --missing nan -o labelled
expect_success 'completed without the labels' complete labelled -o labelled.csv
head -n 1 labelled.csv | grep -q '^sample,height,width,"depth, in cm"$' || say_failed "labelled.csv: $(head -n 1 labelled.csv)"
# A graph joins new samples with the run's own, which are read again.
expect_success 'a graph' cluster plants.csv -m gnmf -k 3 "${columns[@]}" -o graph
expect_success 'new samples of a graph' transform graph plants.csv "${columns[@]}" -o joined.csv
expect_success 'with the training data' transform graph plants.csv --training plants.csv "${columns[@]}" -o told.csv
cmp -s joined.csv told.csv || say_failed 'the samples of the run are read otherwise than those that are given'
# Labels of a file of their own need not be there any more.
seq 0 29 >kinds.csv
expect_success 'a label file' fit holes.csv -k 3 --missing nan --truth kinds.csv --id-column plant --drop id,species -o filed
rm kinds.csv
expect_success 'completed without the label file' complete filed -o filed.csv
cmp -s full.csv filed.csv || say_failed 'a run with a label file is completed otherwise'
# Samples as columns.
printf '%s\n' 1,2,3,4,5,6 2,4,6,,10,12 3,6,9,12,15,18 >wide.csv
expect_success 'samples as columns' fit wide.csv -k 1 --missing nan --transpose -o wide
expect_success 'completed as rows' complete wide -o tall.csv
[ "$(grep -cE '^[0-9.]+,[0-9.]+,[0-9.]+$' tall.csv)" -eq 6 ] || say_failed "tall.csv: $(cat tall.csv)"
expect_success 'fitted' inverse holes -o fitted.csv
expect_success 'encoded' transform holes holes.csv "${columns[@]}" -o codes.csv
expect_success 'fitted by codes' inverse holes codes.csv -o again.tsv
[ "$(head -n 1 full.csv)" = 'sample,height,width,"depth, in cm"' ] || say_failed "full.csv: $(head -n 1 full.csv)"
[ "$(head -n 1 fitted.csv)" = 'sample,height,width,"depth, in cm"' ] || say_failed "fitted.csv: $(head -n 1 fitted.csv)"
[ "$(head -n 1 codes.csv)" = 'sample,part 0,part 1,part 2' ] || say_failed "codes.csv: $(head -n 1 codes.csv)"
for file in full.csv fitted.csv codes.csv; do
    [ "$(sed -n 2p $file | cut -d'"' -f2)" = 'no. 0, red' ] || say_failed "$file: $(sed -n 2p $file)"
done
[ "$(head -n 2 again.tsv | cut -f1 | tr -d '"' | paste -sd' ')" = 'sample no. 0, red' ] || say_failed "again.tsv: $(head -n 2 again.tsv)"
expect_success 'a table of Orthant again' fit full.csv -k 3 -o full
[ "$(sed -n 2p full/samples.csv | cut -d'"' -f2)" = 'no. 0, red' ] || say_failed "names that are read back: $(sed -n 2p full/samples.csv)"
[ "$(cut -d, -f1 full/basis.csv | tr '\n' ' ')" = 'feature height width "depth ' ] || say_failed "features that are read back: $(cat full/basis.csv)"

# A graph by what is known in both of two samples; a fit takes it.
expect_error 1 'found an empty field|--missing nan' graph holes.csv "${columns[@]}" -o graph.mtx
expect_success 'a graph of known entries' graph holes.csv "${columns[@]}" --missing nan --graph knn:3 -o graph.mtx
expect_text '^nodes +30$'
expect_success 'and a fit with it' fit holes.csv "${columns[@]}" --missing nan -m gnmf -k 3 --graph graph.mtx -o joined
expect_error 2 '--similarity is of samples without missing entries' graph holes.csv "${columns[@]}" --missing nan --similarity gaussian -o K.npy
expect_error 2 'is for sparse data' graph plants.csv "${columns[@]}" --missing zeros --quiet -o graph.mtx
expect_error 2 'all pairs of samples' graph holes.csv "${columns[@]}" --missing nan --search approximate --quiet -o graph.mtx

# What a table holds.
expect_success 'info' info holes.csv "${columns[@]}"
expect_text '^features +3$'
expect_text '^missing +2 entries are NaN or empty'
expect_text '^classes +3$'
expect_success 'info as JSON' info holes.csv "${columns[@]}" --json
expect_text '"nonzeros": 88, .*"missing": 2,'

# Columns of words are told, not refused; a column by number where there is no header.
printf 'customer,coffee,"rent, yearly",habit\nC1,1,2,dinner\nC2,3,NA,breakfast\n' >words.csv
expect_success 'info of words' info words.csv
expect_text '^text +customer,habit$'
expect_text '^features +2$'
expect_success 'info of words, by name' info words.csv --id-column customer --label-column habit
expect_text '^classes +2$'
expect_success 'info of words as JSON' info words.csv --json
expect_text '"text_columns": "customer,habit"'
printf ',coffee,"habit, today"\nC1,1,dinner\nC2,3,breakfast\n' >nameless.csv
expect_success 'info of words under no name, and one with a comma' info nameless.csv
expect_text '^text +1,3$'
printf 'a\x1b[31m,b\nx,1\ny,2\n' >colour.csv
expect_success 'info of a name that would steer the terminal' info colour.csv
expect_text '^text +a\?\[31m$'
printf 'a;b\nx;1,5\ny;2,5\n' >commas.csv
expect_error 1 "commas.csv:2:2: found '1,5', expected a finite number" info commas.csv --id-column a
printf 'x,1,2\ny,3,4\n' >headless.csv
expect_success 'info without a header' info headless.csv
expect_text '^text +1$'
expect_success 'info of numbers' info holes.csv "${columns[@]}"
! grep -q '^text' .out || say_failed 'a table of numbers has columns of text'

# A single picture.
printf 'P3 3 2 255\n%s\n' '1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9' >small.ppm
expect_success 'info of a picture' info small.ppm
expect_text '^size +3 x 2 pixels, in colour$'
expect_success 'info of a picture as JSON' info small.ppm --json
expect_text '"kind": "picture", "height": 2, "width": 3, "channels": 3'

# Pixels column by column.
printf '%s\n' 1,2,3,4,5,6 2,3,4,5,6,7 6,5,4,3,2,1 >pixels.csv
expect_success 'order of pixels' fit pixels.csv -k 2 --size 2x3 --order column -o order
grep -q '"column_major": true' order/run.json || say_failed 'run.json: the order of pixels'
expect_error 2 "does not tell the pictures' size" fit pixels.csv -k 2 --order column -o order2

# What is converted keeps the names of rows and columns beside it, where readers find them.
expect_success 'names of a table that is converted' convert plants.csv plants.npy --label-column species --id-column plant --drop id
expect_success 'and they are found' cluster plants.npy -k 3 -o converted
expect_success 'as in the table' cluster plants.csv -k 3 --label-column species --id-column plant --drop id -o unconverted
cmp converted/samples.csv unconverted/samples.csv || say_failed 'names of samples'
cmp converted/basis.csv unconverted/basis.csv || say_failed 'names of features'
cmp converted/words.csv unconverted/words.csv || say_failed 'words'
expect_success 'names beside a file that is converted' convert plants.npy further.csr
cmp plants.samples.txt further.samples.txt || say_failed 'names of samples beside a file'
cmp plants.words.txt further.words.txt || say_failed 'names of features beside a file'

# A folder of pictures keeps the names of its files and classes.
mkdir -p pictures/cats pictures/dogs
for i in 1 2 3; do
    printf 'P2 2 2 255\n%d 0 0 9\n' "$i" >pictures/cats/c$i.pgm
    printf 'P2 2 2 255\n0 9%d 80 0\n' "$i" >pictures/dogs/d$i.pgm
done
expect_success 'a folder of pictures' cluster pictures -k 2 -o folder
[ "$(cut -d, -f1-3 folder/samples.csv | tail -n 2 | tr '\n' ' ')" = '4,dogs/d2.pgm,dogs 5,dogs/d3.pgm,dogs ' ] || say_failed "samples.csv: $(cat folder/samples.csv)"
expect_success 'a folder of pictures that is converted' convert pictures pictures.npy
expect_success 'keeps names and classes' cluster pictures.npy -k 2 -o again
cmp folder/samples.csv again/samples.csv || say_failed "names of pictures: $(cat again/samples.csv)"
# A number of a class that is not there is not known.
printf 'a,b,class\n1,2,0\n3,1,1\n2,2,\n4,1,1\n' >gaps.csv
expect_success "an empty class" cluster gaps.csv -k 2 --label-column class -o gaps
[ "$(cat gaps/truth.csv)" = "$(printf '0\n1\n-1\n1')" ] || say_failed "an empty class is $(cat gaps/truth.csv)"

finish
