# scripts/check-messages passes on this tree, and fails on each way to speak of an option.
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check="$ORTHANT_SOURCE/scripts/check-messages"

"$check" || { echo "a message of this tree speaks of an option"; exit 1; }

mkdir -p "$work/src/core" "$work/src/report"

# FILE of a tree with nothing else holds LINE, and the script has to say OPTION, or nothing for "".
planted() {
    local file=$1 line=$2 option=$3
    printf '%s\n' "$line" >"$work/$file"
    "$check" --tree "$work" >"$work/said"
    local status=$?
    if [ -n "$option" ] && { [ $status -eq 0 ] || ! grep -qF "$file:1: a string speaks of the option '$option'" "$work/said"; }; then
        echo "'$line' passes: $(cat "$work/said")"
        exit 1
    elif [ -z "$option" ] && [ $status -ne 0 ]; then
        echo "'$line' is refused: $(cat "$work/said")"
        exit 1
    fi
    rm "$work/$file"
}

planted src/core/a.c 'fail(ctx, status, "no labels; give --labels FILE");' --labels
planted src/core/a.c 'fail(ctx, status, "--%s %s: expected a number", name, value);' --%s
planted src/core/a.c 'fail(ctx, status, "%s: too many; give a smaller -k", path);' -k
planted src/core/a.def '.description = "Use it (--similarity given)",' --similarity
planted src/core/a.c '/* the option "--labels" of the command */ return "labels";' ''
planted src/core/a.c 'fail(ctx, status, "no address space (ulimit -v) is left");' ''
planted src/core/a.c '"width of exp(-d^2), a - b, well-known, text-like --"' ''
planted src/report/style.c '":root{--ink:#000}a{color:var(--ink)}"' ''
planted src/report/study_folder.c 'text_append(line, size, " --rank %d", rank);' ''
