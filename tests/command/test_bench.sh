# orthant bench --quick: the table fits 80 columns, and the JSON has every shape with figures that can be.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

expect_error 2 'quick' bench --quick=3
expect_error 2 'argument|extra|too many' bench faces.mat
expect_error 2 'nowhere: there is no such folder' bench --data nowhere
# Speed under the sanitizers tells nothing, and takes minutes: the same fits run in other tests.
if grep -qa __asan_init "$ORTHANT_COMMAND"; then
    finish
    exit
fi

expect_success json bench --quick --json --quiet
command -v python3 >/dev/null || { echo "skipped: no python3 to read JSON with"; exit 77; }
python3 - .out <<'END' || say_failed "the JSON is not what it should be"
import json, sys

about = json.load(open(sys.argv[1]))
assert about["threads"] >= 1 and about["peak_gflops"] > 0.1, about
rows = {(row["shape"], row["rank"], row["method"], row["solver"]): row for row in about["rows"]}
for key in [("faces", 40, "nmf", "mu"), ("faces", 40, "nmf-kl", "mu"), ("digits", 10, "nmf", "mu"),
            ("digits", 50, "nmf", "mu"), ("text", 30, "nmf", "mu"), ("text", 30, "nmf-kl", "mu"),
            ("graph", 2, "grpnmf", None), ("similarity", 20, "snmf", None)]:
    assert key in rows, (key, list(rows))
text = rows["text", 30, "nmf", "mu"]
assert (text["samples"], text["features"], text["stored"]) == (8293, 18933, 389455), text
for row in about["rows"]:
    assert row["generated"] and row["ms"] > 0 and row["ms_one_thread"] > 0 and row["read_ms"] > 0, row
    assert (row["blas_ms"] is None) == (row["shape"] == "text"), row
    assert abs(row["times_read"] * row["read_ms"] / row["ms"] - 1) < 1e-9, row
    assert row["quality"] > 0 and row["quality_iterations"] == 10, row
    # The first solver of a method ends at what it sets.
    if row["solver"] in (None, "mu"):
        assert row["quality_s"] > 0, row
END
finish
