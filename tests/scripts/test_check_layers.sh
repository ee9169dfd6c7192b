# scripts/check-layers passes on this tree, and fails on each thing that it is there for.
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check="$ORTHANT_SOURCE/scripts/check-layers"

"$check" || { echo "this tree is against the order"; exit 1; }

mkdir "$work/tree"
cp -r "$ORTHANT_SOURCE/src" "$ORTHANT_SOURCE/apps" "$work/tree/"

# FILE of the scratch copy gets a line at its end, and the script has to say TEXT and fail.
planted() {
    local file=$1 line=$2 text=$3
    mkdir -p "$(dirname "$work/tree/$file")"
    printf '%b\n' "$line" >>"$work/tree/$file"
    if "$check" --tree "$work/tree" >"$work/said"; then
        echo "$file with '$line' passes"
        exit 1
    fi
    if [ "$(wc -l <"$work/said")" -ne 1 ] || ! grep -qF "$text" "$work/said"; then
        echo "$file with '$line': expected one line with '$text', found:"
        cat "$work/said"
        exit 1
    fi
    rm -r "$work/tree/$file"
    if [ -f "$ORTHANT_SOURCE/$file" ]; then
        cp "$ORTHANT_SOURCE/$file" "$work/tree/$file"
    else
        rmdir "$(dirname "$work/tree/$file")"
    fi
}

planted src/core/text.c '#include "data/matrix.h"' 'src/core includes "data/matrix.h", and src/data comes after it'
planted src/cluster/point.h '  #  include "method/method.h"' 'src/method comes after it'
planted src/data/kind.c '#include "../graph/graph.h"' 'src/graph comes after it'
planted src/extra/thing.c 'int thing;' 'src/extra/: not in the list'
planted apps/orthant/main.c '#include "data/csv.h"' 'is not a public header'
planted apps/orthant/json.h '#include "../../src/core/memory.h"' 'is not a public header'
planted src/graph/graph.c 'int64_t precision_bits(void);\n\northant_status matrix_transpose(orthant_context *ctx,\n    int64_t n)\n{' \
    'defines matrix_transpose, which src/data/matrix.h declares'
# Comments are not read, nor what only begins alike.
printf '/* int\nmatrix_transpose(int n)\n{ */\nstatic int matrix_copy(int n)\n{\n    return n;\n}\n' >>"$work/tree/src/graph/graph.c"
"$check" --tree "$work/tree" || { echo "a comment or a static function is taken for a definition"; exit 1; }
