# fit --explain: the plan on one page and as JSON, nothing fitted, nothing written.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks
ls >before.txt

# What depends on the processor's kernels, or on the size of a struct, is masked.
masked() {
    sed -E -e '/^  packed basis/d' -e 's/^(  scratch, |  method, solver and terms |  in all above X and factors ).*/\1.../' .out
}

expect_success page fit blocks.csv -k 4 --threads 1 --solver emu --explain
[ ! -s .err ] || say_failed "page: $(cat .err)"
cat >expected.txt <<'END'
method     nmf, loss frobenius, solver emu, k = 4
data       20 samples, 8 features; single precision, 640 B
runs on    cpu
threads    1
pass       1 chunk of 20 samples
           1 strip of 20 samples, 640 B of X
           tasks of 16 samples or 8 features

memory
  X                                               640 B
  factors                                         448 B
  sums X'S or P'S, m x k                          128 B
  Gram matrices and sums of columns               224 B
  factors before extrapolation                    448 B
  safeguard: factors to go back to                448 B
  scratch, ...
  method, solver and terms ...
  in all above X and factors ...

an iteration
  reads of X                                      640 B, 1 pass
  products with X                            2.56 kflop
  Gram matrices and products with them       1.34 kflop
END
masked | diff expected.txt - >difference.txt || say_failed "the page differs: $(cat difference.txt)"

for method in nmf nmf-kl tnmf cdnmf gnmf cnmf nnsc nmf-sc; do
    expect_success "$method" cluster blocks.csv -m "$method" -k 4 --truth truth.txt --explain --quiet \
        $(case $method in c*) echo --labelled-fraction 0.5 ;; esac)
    expect_text "^method     $method, loss"
    expect_text '^  in all above X and factors .* % of both$'
    long=$(awk 'length > 80' .out)
    [ -z "$long" ] || say_failed "$method: wider than 80 columns: $long"
done

# JSON has the same numbers.
expect_success JSON fit blocks.csv -k 4 --threads 1 --solver emu --explain --json
[ "$(wc -l <.out)" -eq 1 ] || say_failed "JSON: $(wc -l <.out) lines"
python3 - .out <<'END' || say_failed "the JSON is not what it should be"
import json, sys

plan = json.load(open(sys.argv[1]))
memory, strips, iteration = plan["memory"], plan["strips"], plan["iteration"]
assert (plan["method"], plan["loss"], plan["solver"], plan["rank"]) == ("nmf", "frobenius", "emu", 4), plan
assert (plan["precision"], plan["sparse"], plan["stored"]) == ("single", False, 160), plan
assert (strips["threads"], strips["chunks"], strips["strip_samples"]) == (1, 1, 20), strips
assert (memory["data"], memory["factors"], memory["safeguard"]) == (640, 448, 448), memory
assert memory["total"] == sum(bytes for name, bytes in memory.items()
                              if name not in ("data", "factors", "thread_scratch", "total")), memory
assert iteration == {"passes": 1, "data_bytes": 640, "data_operations": 2560, "small_operations": 1344}, iteration
END

# Refused as the fit refuses it; a method without a plan is told by name.
expect_error 2 "solver 'newton' is for the loss kl" fit blocks.csv -k 4 --solver newton --explain
expect_error 2 'rank 40 is larger' fit blocks.csv -k 40 --explain
expect_error 2 "method 'kmeans' .* no plan .*nmf, nmf-kl" cluster blocks.csv -m kmeans -k 4 --explain
expect_error 2 '-k K is missing' fit blocks.csv --explain
expect_error 2 "no option '--explain'" transform run blocks.csv --explain

expect_success 'a weight of its own' fit blocks.csv -m gnmf -k 4 --explain -o none
grep -q '^graph_weight=auto: |X|^2' .out || say_failed "it is not told how the graph's weight is chosen: $(cat .out)"
expect_success 'a weight that is given' fit blocks.csv -m gnmf -k 4 -p graph_weight=1 --explain -o none
grep -q 'graph_weight=auto' .out && say_failed "a weight that is given is called automatic"

rm -f expected.txt difference.txt
ls | diff before.txt - >/dev/null || say_failed "files were written: $(ls)"
finish
