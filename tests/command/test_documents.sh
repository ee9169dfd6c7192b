# The commands of documents as they stand there, each document in a folder of its own, and what they are said to print.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

# The command goes by its name there.
mkdir bin
printf '#!/bin/sh\nexec %s "$@"\n' "$ORTHANT_COMMAND" >bin/orthant
chmod +x bin/orthant
export PATH=$work/bin:$PATH
for name in start-table start-photos start-texts files choosing; do
    mkdir "$name"
    ln -s "$ORTHANT_SOURCE/data" "$name/data"
    (cd "$name" && python3 "$ORTHANT_SOURCE/tests/command/run_document.py" "$ORTHANT_SOURCE/docs/$name.md") >"$name.log" ||
        say_failed "$(cat "$name.log")"
done
for page in start-table/runs/customers start-photos/runs/photos start-photos/runs/beach start-texts/runs/letters choosing/runs/weights; do expect_file "$page/report.html"; done

finish
