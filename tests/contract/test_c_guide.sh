#!/usr/bin/env bash
# Every piece of C in docs/c.md stands in an example, which is compiled and run, but for its indentation.
set -euo pipefail
source=${ORTHANT_SOURCE:?}
example=$(sed 's/^ *//' "$source"/examples/*.c)
blocks=0
block=
inside=
while IFS= read -r line; do
    if [ "$line" = '```c' ]; then
        inside=yes
        block=
    elif [ "$line" = '```' ] && [ -n "$inside" ]; then
        inside=
        blocks=$((blocks + 1))
        if [[ "$example" != *"${block%$'\n'}"* ]]; then
            printf 'docs/c.md: this is in no example:\n%s' "$block"
            exit 1
        fi
    elif [ -n "$inside" ]; then
        block+="${line#"${line%%[! ]*}"}"$'\n'
    fi
done <"$source/docs/c.md"
[ "$blocks" -ge 6 ] || { echo "docs/c.md: found $blocks pieces of C, expected 6 or more"; exit 1; }
