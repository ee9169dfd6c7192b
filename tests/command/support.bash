# What the command's tests share. Source it first; $work is a folder that goes away.
set -uo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

orthant() { "$ORTHANT_COMMAND" "$@"; }
say_failed() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }
finish() { [ "$failures" -eq 0 ] || { echo "$failures failures" >&2; exit 1; }; echo ok; }

# expect_success WHAT ARGUMENTS...: exit 0; what was printed is in $work/.out and $work/.err.
expect_success() {
    local what=$1 status=0
    shift
    orthant "$@" >.out 2>.err </dev/null || status=$?
    [ "$status" -eq 0 ] || say_failed "$what: exit $status, expected 0: $(cat .err)"
}

# expect_error STATUS PATTERN ARGUMENTS...: that exit status, nothing on standard output, and exactly one line
# on standard error, which begins with "orthant: " and matches PATTERN.
expect_error() {
    local expected=$1 pattern=$2 status=0
    shift 2
    orthant "$@" >.out 2>.err </dev/null || status=$?
    [ "$status" -eq "$expected" ] || say_failed "orthant $*: exit $status, expected $expected: $(cat .err)"
    [ "$(wc -l <.err)" -eq 1 ] || say_failed "orthant $*: $(wc -l <.err) lines on standard error: $(cat .err)"
    grep -q '^orthant: ' .err || say_failed "orthant $*: not an error of orthant: $(cat .err)"
    grep -Eq -e "$pattern" .err || say_failed "orthant $*: '$(cat .err)' does not match '$pattern'"
    [ ! -s .out ] || say_failed "orthant $*: printed a result: $(cat .out)"
}

# expect_text PATTERN: what expect_success printed matches.
expect_text() { grep -Eq -e "$1" .out || say_failed "'$(head -c 400 .out)' does not match '$1'"; }
expect_file() { [ -s "$1" ] || say_failed "$1 is missing or empty"; }
expect_nothing() { [ ! -e "$1" ] || say_failed "$1 was left behind: $(ls -a "$1")"; }

# Four clusters of five samples each in a CSV file, with the truth beside it.
write_blocks() {
    local i j row
    for i in $(seq 0 19); do
        row=
        for j in $(seq 0 7); do
            row+=$((j / 2 == i % 4 ? 10 + (i * 7 + j * 3) % 5 : (i + j) % 2)),
        done
        echo "${row%,}"
    done >blocks.csv
    for i in $(seq 0 19); do echo $((i % 4)); done >truth.txt
}

# bytes HEX...: those bytes.
bytes() { local hex; for hex in "$@"; do printf "\\x$hex"; done; }

# values SAMPLES FEATURES CLASSES COLUMN_MAJOR: bytes in octal escapes, a sample near its class's own pattern.
values() {
    awk -v n="$1" -v m="$2" -v k="$3" -v columns="$4" 'BEGIN {
        for (p = 0; p < n * m; p++) {
            i = columns ? p % n : int(p / m); j = columns ? int(p / n) : p % m
            printf "\\%03o", (j % k == i % k ? 200 : 0) + (i * 31 + j * 17) % 40
        }
    }'
}
four_bytes() { printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8)))\\x00\\x00"; }
# variable NAME ROWS COLUMNS VALUES: a matrix of bytes as MATLAB 4 writes it.
variable() {
    four_bytes 50; four_bytes "$2"; four_bytes "$3"; four_bytes 0; four_bytes $((${#1} + 1))
    printf "$1\\0"
    printf "$4"
}
# faces FILE SAMPLES CLASSES: fea and gnd.
faces() {
    local labels
    labels=$(awk -v n="$2" -v k="$3" 'BEGIN { for (i = 0; i < n; i++) printf "\\%03o", i % k + 1 }')
    { variable fea "$2" 64 "$(values "$2" 64 "$3" 1)"; variable gnd "$2" 1 "$labels"; } >"$1"
}

# planted FILE NOISE: 90 samples of 30 features from four parts.
planted() {
    python3 - "$1" "$2" <<'END'
import random, sys
random.seed(3)
parts = [[random.expovariate(1) if random.random() < 0.5 else 0 for _ in range(30)] for _ in range(4)]
with open(sys.argv[1], "w") as out:
    for _ in range(90):
        code = [random.expovariate(1) if random.random() < 0.5 else 0 for _ in parts]
        row = [sum(c * p[j] for c, p in zip(code, parts)) + float(sys.argv[2]) * random.random() for j in range(30)]
        print(*("%.6f" % x for x in row), sep=",", file=out)
END
}
