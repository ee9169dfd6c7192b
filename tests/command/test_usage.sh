# Wrong usage: exit 2, one line, a suggestion where a name is near.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks

expect_error 2 "no subcommand 'clutser', did you mean 'cluster'" clutser
expect_error 2 "no subcommand 'xyzzy'.*--help" xyzzy
expect_error 2 "no subcommand 'fti', did you mean 'fit'" help fti
expect_error 2 "no option '--iteratoins', did you mean '--iterations'" cluster blocks.csv -k 4 --iteratoins 3
expect_error 2 "no option '--iteratoins'" cluster blocks.csv -k 4 --iteratoins=3
expect_error 2 "no option '-x'" cluster blocks.csv -k 4 -x
expect_error 2 '--start best-of:N keeps the best of N starts' fit blocks.csv -k 4 --restarts 5 -o run
expect_error 2 "no option '--labels-rule'" fit blocks.csv -k 4 --labels-rule kmeans -o run
expect_error 2 'DATA is missing' cluster -k 4
expect_error 2 '-k K is missing' cluster blocks.csv
expect_error 2 '-o RUN is missing' fit blocks.csv -k 4
expect_error 2 'needs a value' cluster blocks.csv -k
expect_error 2 'takes no value' cluster blocks.csv -k 4 --json=yes
expect_error 2 'too many.*other.csv' cluster blocks.csv other.csv -k 4
expect_error 2 'whole number' cluster blocks.csv -k four
expect_error 2 "expected one of none\|unit\|max\|tfidf" cluster blocks.csv -k 4 --scale units
expect_error 2 'expected one of frobenius' cluster blocks.csv -k 4 --loss l0
expect_error 2 '--solver simplex: expected one of auto.mu' cluster blocks.csv -k 4 --solver simplex
expect_error 2 'equals sign' cluster blocks.csv -k 4 -p iterations
expect_error 2 'not a number' cluster blocks.csv -k 4 --term graph=much
expect_error 2 'knn' cluster blocks.csv -m gnmf -k 4 --graph knn:none
expect_error 2 'HEIGHTxWIDTH' info blocks.csv --size 32
expect_error 2 'exclude' cluster blocks.csv -k 4 -m cdnmf --truth truth.txt --labels truth.txt --labelled-fraction 0.5
expect_error 2 "no method 'gnfm'.*'gnmf'" cluster blocks.csv -k 4 -m gnfm
expect_error 2 "'graph_wieght'.*'graph_weight'" cluster blocks.csv -k 4 -m gnmf -p graph_wieght=3
expect_error 2 "'topografic'.*'topographic'" cluster blocks.csv -k 4 --term topografic=1
expect_error 2 'iterations' cluster blocks.csv -k 4 --iterations -3
expect_error 2 'threads' cluster blocks.csv -k 4 --threads -1
expect_error 2 "'gnmf'" methods gnfm
expect_error 2 'FOUND or TRUTH' score truth.txt
expect_error 2 'RUN is missing' report

# Without anything: the help, on standard error.
orthant >.out 2>.err && say_failed "orthant alone: exit 0"
grep -q '^Usage' .err || say_failed "orthant alone: no usage on standard error"

# What stands behind -- is no option.
cp blocks.csv ./-odd.csv
expect_success "a name with a dash" cluster -k 4 --quiet -- -odd.csv
# A path with a newline still gives one line.
expect_error 1 'no such' info $'line\nbreak.npy'

finish
