# run.json, study.json and ranks.json are as docs/run.schema.json says, for every subcommand that writes one.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

write_blocks
printf 'a,b,c,kind\n1,0,,x\n2,1,0,y\n0,3,1,x\n4,0,2,y\n' >holes.csv
expect_success 'fit' fit blocks.csv -k 4 --iterations 5 -o fit
expect_success 'a fit by batches' fit blocks.csv -k 4 --batch 5 --iterations 3 -o batch
expect_success 'missing entries' cluster holes.csv -k 2 --missing nan --label-column kind --iterations 5 -o holes
expect_success 'cluster' cluster blocks.csv --truth truth.txt -m sgnmf -k 4 --labelled-fraction 0.5 --start best-of:2 --scale max -o cluster
expect_success 'terms' cluster blocks.csv -k 4 --term sparsity=0.1 -o terms
expect_success 'another shape' cluster blocks.csv -m spectral -k 4 -o spectral
expect_success 'rmnd' cluster blocks.csv -m rmnd -k 4 --iterations 5 -o rmnd
expect_success 'fixed parts' fit blocks.csv -k 4 --fix basis=fit/basis.npy --iterations 3 -o fixed
expect_success 'consensus' consensus blocks.csv -k 4 --repeats 3 --threshold 2 -o consensus
expect_success 'ranks' ranks blocks.csv -k 2:3 --repeats 2 -o ranks
expect_success 'compare' compare blocks.csv --truth truth.txt --methods kmeans,nmf --classes 2 --repeats 2 -o study
{ echo P2 24 24 255; awk 'BEGIN { for (i = 0; i < 576; i++) print i % 24 < 12 ? 20 + i % 7 : 200 + i % 5 }'; } >two.pgm
{ echo P2 24 24 255; awk 'BEGIN { for (i = 0; i < 576; i++) print i % 24 < 12 ? 0 : 1 }'; } >two-truth.pgm
expect_success 'segment' segment two.pgm -k 2 --truth two-truth.pgm -o segment
expect_success 'segment, counted' segment two.pgm -o counted
files=(*/run.json ranks/ranks.json study/study.json study/runs/*/*/*/run.json)
[ ${#files[@]} -ge 14 ] || say_failed "only ${#files[@]} files: ${files[*]}"
python3 "$ORTHANT_SOURCE/tests/command/check_schema.py" "$ORTHANT_SOURCE/docs/run.schema.json" "${files[@]}" >wrong || say_failed "$(cat wrong)"

# What the schema does not allow is seen.
sed 's/"rank": 4/"rank": "four"/' fit/run.json >bad.json
! python3 "$ORTHANT_SOURCE/tests/command/check_schema.py" "$ORTHANT_SOURCE/docs/run.schema.json" bad.json >wrong || say_failed "a rank of text fits"

finish
