# predict, inverse and complete: labels of new samples, the fitted matrix, missing entries; and what is refused.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks
head -1 blocks.csv >one.csv
count=$(wc -l <blocks.csv)

# ---- labels
for method in nmf nmf-kl nlcf nnsc tnmf kmeans; do
    expect_success "cluster by $method" cluster blocks.csv -m $method -k 4 --iterations 3000 --tolerance 1e-9 --precision double -o $method
    expect_success "predict by $method" predict $method blocks.csv -o found.csv
    cmp -s found.csv $method/labels.csv || say_failed "$method: samples of the run get other clusters than they had"
done
expect_success 'to the screen' predict nmf one.csv
[ "$(cat .out)" = "$(head -1 nmf/labels.csv)" ] || say_failed "one label is '$(cat .out)'"
expect_success 'argmax' cluster blocks.csv -m nmf -k 4 --labels-rule argmax:encoding -o argmax
expect_success 'predict by argmax' predict argmax blocks.csv -o found.csv
cmp -s found.csv argmax/labels.csv || say_failed "argmax: samples of the run get other clusters than they had"
expect_success 'another scaling' cluster blocks.csv -m nmf -k 4 --scale unit -o unit
expect_success 'predict, unit' predict unit blocks.csv -o found.csv
cmp -s found.csv unit/labels.csv || say_failed "unit: samples of the run get other clusters than they had"
expect_success 'graph' cluster blocks.csv -m gnmf -k 4 -o gnmf
expect_success 'predict, graph' predict gnmf blocks.csv -o found.csv
cmp -s found.csv gnmf/labels.csv || say_failed "gnmf: samples of the run get other clusters than they had"
for method in spectral snmf cf; do
    expect_success "cluster by $method" cluster blocks.csv -m $method -k 4 -o $method
    expect_error 2 "method '$method' has no rule" predict $method one.csv
done
expect_success 'without clusters' fit blocks.csv -k 4 -o fitted
expect_error 2 'no clusters.*orthant cluster' predict fitted one.csv
cut -d, -f1-7 one.csv >narrow.csv
expect_error 2 'basis is for 8 features, the samples have 7' predict nmf narrow.csv
sed 's/^[^,]*/nan/' one.csv >hole.csv
expect_error 1 'nan|not a finite|not finite' predict nmf hole.csv
sed 's/^[^,]*/-1/' one.csv >negative.csv
expect_error 1 'nonnegative' predict nmf negative.csv
expect_error 2 'RUN or DATA' predict nmf
expect_error 1 'no-run: there is no such folder' predict no-run one.csv

# ---- names of features
{ echo 'a,b,"c,d",=e,f,g,h,i'; cat blocks.csv; } >named.csv
sed '1s/a,b/b,a/' named.csv >swapped.csv
sed '1s/f/other/' named.csv >others.csv
for method in nmf kmeans; do
    expect_success "named, $method" cluster named.csv -m $method -k 4 -o named-$method
    expect_error 1 "swapped.csv: feature 1 is 'b', and 'a' in named-$method: .*another order" predict named-$method swapped.csv
    expect_error 1 "others.csv: feature 5 is 'other', and 'f' in named-$method: .*in its order" predict named-$method others.csv
    expect_success "the same names, $method" predict named-$method named.csv -o found.csv
    expect_success "no names, $method" predict named-$method blocks.csv -o nameless.csv
    cmp -s found.csv nameless.csv || say_failed "$method: data without names get other clusters"
done
expect_error 1 'another order' transform named-nmf swapped.csv -o codes.npy
expect_success 'a run without names' predict nmf swapped.csv

# ---- no run
expect_error 1 'one.csv: is a file, expected a run' predict one.csv one.csv
mkdir empty
expect_error 1 'empty: holds no run.json; expected the folder of a run' inverse empty -o fitted.csv

# ---- a damaged folder
cp -r nmf damaged
printf x >>damaged/encoding.npy
expect_error 1 'encoding.npy is not the file' predict damaged one.csv
cp nmf/encoding.npy damaged/
rm damaged/labels.csv
expect_error 1 'no clusters|labels.csv' predict damaged one.csv
cp nmf/labels.csv damaged/
sed 's/"rank": 4/"rank": -4/' nmf/run.json >damaged/run.json
expect_error 1 'the rank is -4' predict damaged one.csv
sed 's/"loss": "frobenius"/"loss": "no such"/' nmf/run.json >damaged/run.json
expect_error 2 "loss 'no such'" predict damaged one.csv
sed 's/"labels_scale": "basis"/"labels_scale": "bases"/' nmf/run.json >damaged/run.json
expect_error 1 'labels_scale' predict damaged one.csv
sed 's/"terms": \[/"terms": [{"name": "riddle", "weight": 1}/' nmf/run.json >damaged/run.json
expect_error 1 "'riddle'" predict damaged one.csv
head -c 300 nmf/run.json >damaged/run.json
expect_error 1 'damaged/run.json' predict damaged one.csv

# ---- the fitted matrix
expect_success 'the fit' inverse nmf -o fitted.csv
[ "$(wc -l <fitted.csv)" -eq "$count" ] || say_failed "the fit has $(wc -l <fitted.csv) rows"
[ "$(head -1 fitted.csv | tr ',' '\n' | wc -l)" -eq 8 ] || say_failed "the fit has other columns than 8"
expect_success 'encodings' transform nmf one.csv -o code.csv
expect_success 'of them' inverse nmf code.csv -o back.csv
[ "$(wc -l <back.csv)" -eq 1 ] || say_failed "one code gives $(wc -l <back.csv) rows"
expect_success 'by rows' inverse nmf -o fitted.npy
expect_success 'the same' info fitted.npy
expect_text "$count"
expect_error 2 'the basis has 4 parts, the encodings 8' inverse nmf one.csv -o wrong.npy
expect_error 2 "method 'spectral' has no fitted matrix" inverse spectral -o wrong.npy
expect_error 2 'fitted matrix' inverse nmf
expect_error 2 'cannot tell the kind' inverse nmf -o wrong.xyz
expect_nothing wrong.npy

# ---- missing entries
awk -F, -v OFS=, 'NR % 3 == 0 { $(NR % 8 + 1) = "" } { print }' blocks.csv >holes.csv
expect_success 'a fit with holes' fit holes.csv --missing nan -k 4 --iterations 500 -o holes
expect_success 'completed' complete holes -o full.csv
paste -d'|' holes.csv full.csv | awk -F'|' '{ n = split($1, a, ","); split($2, b, ","); for (i = 1; i <= n; i++) {
    if (a[i] != "" && a[i] + 0 != b[i] + 0) wrong++; if (b[i] == "" || b[i] == "nan") empty++ } } END { exit wrong + empty > 0 }' ||
    say_failed "known entries are other ones, or missing ones are not filled in"
expect_success 'with the data' complete holes holes.csv -o full2.csv
cmp -s full.csv full2.csv || say_failed "the data's own name and DATA give different matrices"
expect_success 'encodings of new samples with holes' transform holes holes.csv -o codes.csv
printf '2,3\n0,0\n' >at.csv
expect_success 'chosen' complete holes --at at.csv
expect_text 'row,column,value'
expect_success 'chosen, to a file' complete holes --at at.csv -o values.csv
[ "$(head -n 2 values.csv | cut -d, -f1-2 | paste -sd' ')" = 'row,column 2,3' ] || say_failed "values.csv: $(cat values.csv)"
filled=$(sed -n 3p full.csv | cut -d, -f4) told=$(sed -n 2p values.csv | cut -d, -f3)
awk -v a="$filled" -v b="$told" 'BEGIN { d = a - b; exit !(d < 1e-5 && d > -1e-5) }' ||
    say_failed "entry (2, 3) is $filled in the matrix and $told by --at"
for bad in -1,1 1.5,1 nan,1; do
    echo "$bad" >bad.csv
    expect_error 1 'expected a whole number|nan' complete holes --at bad.csv
done
for bad in 0,8 "$count,0"; do
    echo "$bad" >bad.csv
    expect_error 2 'no entry' complete holes --at bad.csv
done
echo 1,2,3 >bad.csv
expect_error 2 'expected two' complete holes --at bad.csv
expect_error 2 'no missing entries.*orthant inverse' complete nmf -o wrong.npy
expect_error 2 'samples are 1 x 8' complete holes one.csv -o wrong.npy
awk -F, -v OFS=, '{ for (i = 1; i <= NF; i++) $i = (NR + i) % 5 ? 1 : 0; print }' blocks.csv >mask.csv
expect_success 'a fit with a mask' fit blocks.csv --mask mask.csv -k 4 --iterations 200 -o masked
expect_error 2 'mask, which is not given.*--mask' complete masked -o wrong.npy
expect_success 'completed by its mask' complete masked --mask mask.csv -o full.npy
expect_nothing wrong.npy

finish
