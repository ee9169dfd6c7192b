# Methods on similarities: built, given, written by graph; best-of with all its read-outs.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks

expect_success 'a built similarity' cluster blocks.csv -m snmf -k 4 --truth truth.txt --similarity gaussian
expect_text '^accuracy +100.00 %'
expect_success 'graph writes a similarity' graph blocks.csv --similarity gaussian -o K.npy
expect_text '^samples +20$'
expect_text '^stored +400$'
expect_success 'of some neighbours' graph blocks.csv --similarity gaussian --graph knn:4 -p scale=0.5 -o K.mtx --json
expect_text '"samples": 20, "stored": '
expect_success 'of some neighbours, in a word' graph blocks.csv --similarity knn:4 -p scale=0.5 -o word.mtx
cmp -s K.mtx word.mtx || say_failed "knn:4 writes another similarity"
expect_success 'neighbours alone' fit blocks.csv -m snmf -k 4 --similarity knn:4 -p scale=0.5 --iterations 5 -o few
expect_success 'given' fit K.mtx --similarity given -m snmf -k 4 --iterations 5 -o few-given
cmp -s few/encoding.npy few-given/encoding.npy || say_failed "knn:4 gives other factors than the same similarity given"
for method in cf nsdr spectral; do
    expect_success "auto of $method" cluster blocks.csv -m $method -k 4 --similarity auto
    expect_success "neighbours alone for $method" cluster blocks.csv -m $method -k 4 --similarity knn:4 --search approximate
done
for method in rmnd snmf wnmf spectral cf; do
    for file in K.npy K.mtx; do
        expect_success "$method on $file" cluster $file --similarity given -m $method -k 4 --truth truth.txt
        expect_text '^accuracy +'
    done
done
# The same similarity, built or read, gives the same factors.
expect_success 'built' fit blocks.csv -m rmnd -k 4 --iterations 20 -o built
expect_success 'given' fit K.npy --similarity given -m rmnd -k 4 --iterations 20 -o given
cmp -s built/relation.npy given/relation.npy || say_failed "a given similarity gives another relation"
expect_success 'start from a run' fit blocks.csv -m rmnd -k 4 --init built --iterations 1 -o more

expect_success 'best-of' cluster blocks.csv -m rmnd -k 4 -p labels=best-of --truth truth.txt -o best
for rule in kmeans:relation kmeans:encoding snmf:relation wnmf:relation; do
    expect_text "$rule +accuracy"
    grep -q "\"rule\": \"$rule\"" best/run.json || say_failed "run.json lacks the read-out $rule"
done
expect_text '<- best accuracy'
[ "$(grep -c '"chosen": true' best/run.json)" -eq 1 ] || say_failed "run.json: not one read-out is chosen"
expect_success 'best-of without the truth' cluster blocks.csv -m rmnd -k 4 --labels-rule best-of
expect_text '<- smallest spread'

expect_success 'a neighbour graph' cluster blocks.csv -m spectral -k 4 --graph knn:4 --truth truth.txt --json
expect_text '"similarity": "graph"'
expect_text '"accuracy": 1,'

printf '1,0.5\n0.25,1\n' >asymmetric.csv
printf '1,-0.5\n-0.5,1\n' >negative.csv
expect_error 1 'asymmetric.csv is not symmetric: entry \(2, 1\) is 0.25, entry \(1, 2\) is 0.5' cluster asymmetric.csv --similarity given -m snmf -k 1
expect_error 1 'negative.csv: entry \(1, 2\) is -0.5' cluster negative.csv --similarity given -m rmnd -k 1
expect_error 1 'blocks.csv is 20 x [0-9]+; a similarity is square' cluster blocks.csv --similarity given -m wnmf -k 2
expect_error 2 "method 'nmf' does not work on a similarity" cluster K.npy --similarity given -m nmf -k 2
expect_error 2 'expected one of auto\|gaussian\|knn:P\|given' cluster blocks.csv --similarity cosine -m snmf -k 2
expect_error 2 "similarity knn:x: expected one of auto\|gaussian\|knn:P" cluster blocks.csv --similarity knn:x -m snmf -k 2
expect_error 2 '\-\-similarity knn:0: expected knn: and a number' graph blocks.csv --similarity knn:0 -o K.npy
expect_error 2 'scale=NUMBER' graph blocks.csv --similarity gaussian -p width=2 -o K.npy
expect_error 2 'one way to labels' cluster blocks.csv -m snmf -k 4 --labels-rule best-of
finish
