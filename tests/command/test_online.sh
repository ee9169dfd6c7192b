# Fits by batches: the same bits in memory, from a file and on any number of threads; what the run tells; codes of all samples
# afterwards; what is refused.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

PYTHONPATH=$ORTHANT_SOURCE/tests/support python3 - <<'P'
import random
from npy import write
source = random.Random(1)
write("small.npy", 300, 40, [max(0, source.random() - 0.3) for _ in range(12000)])
P

same() {
    for file in basis.npy encoding.npy; do
        cmp -s "$1/$file" "$2/$file" || say_failed "$1/$file and $2/$file differ"
    done
}

for loss in frobenius kl beta:0.5; do
    for order in given random; do
        settings="-k 3 --loss $loss --batch 64 -p batch_order=$order -p forget=0.5 --iterations 6 --tolerance 0 --seed 2"
        expect_success "memory $loss" fit small.npy $settings --threads 1 -o here
        expect_success "memory $loss, 3 threads" fit small.npy $settings --threads 3 -o threads
        expect_success "file $loss" fit small.npy $settings --stream --threads 2 -o there
        same here threads
        same here there
        rm -r here threads there
    done
done

expect_success 'by batches' fit small.npy -k 3 --batch 64 --iterations 6 --tolerance 0 -o run
grep -q '"by 5 batches of 64 samples, 6 passes, forgetting factor 0.7"' run/run.json || say_failed "run.json does not tell of the batches"
expect_success 'one batch' fit small.npy -k 3 --batch 4096 --iterations 1 -o one
grep -q '"by 1 batch of ' one/run.json || say_failed "one batch: $(grep batch one/run.json)"
expect_error 2 "batch 64: a fit by batches takes no terms; leave batch out to fit all samples at once" fit small.npy -k 3 --batch 64 --term ridge=1 -o none
expect_error 2 "a fit by batches takes final_encodings=auto or last" fit small.npy -k 3 --batch 64 -p final_encodings=minimal -o none
grep -q 'by 5 batches of 64 samples, 6 passes, forgetting factor 0.7' run/report.html || say_failed "the page does not tell of the batches"
[ "$(wc -l <run/history.csv)" = 8 ] || say_failed "the history has not a row for each pass"
expect_success 'codes of all samples' transform run small.npy -o codes.npy
expect_success 'the plan' fit small.npy -k 3 --batch 64 --explain
expect_error 2 "--batch 64: method 'gnmf' cannot be fitted by batches; nmf and nmf-kl can" fit small.npy -m gnmf -k 3 --batch 64 -o none
expect_error 2 'the solver mu alone' fit small.npy -k 3 --batch 64 --solver hals -o none
expect_error 2 'no terms' fit small.npy -k 3 --batch 64 --term sparsity=1 -o none
expect_error 2 'batch' fit small.npy -k 3 --batch some -o none
finish
