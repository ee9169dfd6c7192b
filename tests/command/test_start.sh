# The texts "Get started": their commands as they stand there, each in a folder of its own, and what they are said to print.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

# The command goes by its name there.
mkdir bin
printf '#!/bin/sh\nexec %s "$@"\n' "$ORTHANT_COMMAND" >bin/orthant
chmod +x bin/orthant
export PATH=$work/bin:$PATH
for name in table photos texts; do
    mkdir "$name"
    (cd "$name" && python3 "$ORTHANT_SOURCE/tests/command/run_document.py" "$ORTHANT_SOURCE/docs/start-$name.md") >"$name.log" ||
        say_failed "$(cat "$name.log")"
done
for page in table/runs/customers photos/runs/photos photos/runs/beach texts/runs/letters; do expect_file "$page/report.html"; done

finish
