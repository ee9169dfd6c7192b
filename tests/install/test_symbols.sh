# The shared library exports what the public headers declare, and cmake/symbols.txt lists it: what comes
# and what goes is seen where a change is read.
set -euo pipefail
export LC_ALL=C

if grep -q '^ORTHANT_TEST_SHARED:BOOL=ON' "$ORTHANT_BINARY/CMakeCache.txt"; then
    echo "skipped: this build shows all of the library to the tests"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
list=$ORTHANT_SOURCE/cmake/symbols.txt

nm -D --defined-only "$ORTHANT_BINARY/liborthant.so" | awk '{ print $3 }' | sort >"$work/library"
cat "$ORTHANT_SOURCE"/include/orthant/*.h | tr '\n' ' ' | grep -oE 'ORTHANT_API [^;(]*\(' |
    grep -oE 'orthant_[a-z0-9_]+ *\(' | tr -d ' (' | sort >"$work/headers"
grep -v '^#' "$list" >"$work/list"

failed=0
complain() { # WHAT-TO-DO NAMES...
    local words=$1 name
    shift
    for name in "$@"; do
        echo "FAILED: $name $words" >&2
        failed=1
    done
}
only_in() { comm -23 "$work/$1" "$work/$2"; } # names of the first that the second lacks

sort -cu "$work/list" || { echo "FAILED: $list is not in order, or names one twice (LC_ALL=C sort -u)" >&2; failed=1; }
mapfile -t names < <(only_in library headers)
complain "is exported and no public header declares it with ORTHANT_API: make it static, or give it another prefix than orthant_" "${names[@]}"
mapfile -t names < <(only_in headers library)
complain "is declared in a public header and not in the library: define it, or delete the declaration" "${names[@]}"
mapfile -t names < <(only_in headers list)
complain "is new: add its line to cmake/symbols.txt" "${names[@]}"
mapfile -t names < <(only_in list headers)
complain "has gone: delete its line in cmake/symbols.txt; programs that use it break, so the minor version (0.x) has to be a new one" "${names[@]}"
[ "$failed" -eq 0 ] && echo "ok: $(wc -l <"$work/list") functions, in headers, library and cmake/symbols.txt"
exit "$failed"
