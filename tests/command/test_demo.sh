# orthant demo: as built it finds the data in the sources, and leaves runs and a report; folders that are no runs stay.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
[ -z "${ORTHANT_SANITIZED:-}${ORTHANT_EMULATED:-}" ] || { echo "skipped: what it runs is tested by itself"; exit 77; }
grep -qs '^ORTHANT_VISION:BOOL=OFF' "$ORTHANT_BINARY/CMakeCache.txt" && { echo "skipped: it reads a PNG picture"; exit 77; }

expect_success "demo" demo -o first
for step in kmeans nmf gnmf tnmf cdnmf-kl nlcf scene; do
    [ -s "first/$step/report.html" ] || say_failed "first/$step/report.html is not there"
    grep -q "^demo: $step$" .err || say_failed "nothing is said of $step: $(cat .err)"
done
[ -s first/report.html ] || say_failed "first/report.html is not there"
grep -q 'cdnmf-kl' .out || say_failed "the table has no cdnmf-kl: $(cat .out)"
mkdir -p other/nmf && echo mine >other/nmf/notes.txt
expect_error 2 'other/nmf: holds files but no run.json' demo -o other --quiet
[ "$(cat other/nmf/notes.txt)" = mine ] || say_failed "a folder that is no run was replaced"

finish
