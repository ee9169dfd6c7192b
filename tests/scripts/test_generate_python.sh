# The estimators of the Python package are those of the table of methods.
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
if grep -qE '^ORTHANT_SANITIZE:BOOL=ON|fsanitize=' "$ORTHANT_BINARY/CMakeCache.txt" || [ "${ORTHANT_COMMAND% *}" != "$ORTHANT_COMMAND" ]; then
    echo "skipped: python3 cannot load this build's library"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

PYTHONDONTWRITEBYTECODE=1 ORTHANT_LIBRARY="$ORTHANT_BINARY/liborthant.so" "$ORTHANT_SOURCE/scripts/generate-python" >"$work/methods.py" || exit 1
if ! cmp -s "$work/methods.py" "$ORTHANT_SOURCE/python/orthant/_methods.py"; then
    diff "$work/methods.py" "$ORTHANT_SOURCE/python/orthant/_methods.py" | head -20
    echo "the table of methods has changed: ORTHANT_LIBRARY=build/liborthant.so scripts/generate-python >python/orthant/_methods.py"
    exit 1
fi
