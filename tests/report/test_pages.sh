# Whole pages, charts and tables of runs that the repository keeps (runs/), beside what they were when someone last
# looked at them (pages/). Written again by ORTHANT_PIN=1, after which the difference is to be read. Without gnuplot,
# whose drawings are its own.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
here=$ORTHANT_SOURCE/tests/report
cp -r "$here/runs" . && chmod -R u+w runs || exit 1

# pinned NAME FOLDER: the page and charts of `orthant report FOLDER`, and its tables as each kind of text.
pinned() {
    local format
    PATH=/nowhere "$ORTHANT_COMMAND" report "$2" >"$2/printed.txt" 2>&1 || say_failed "report $2: $(cat "$2/printed.txt")"
    for format in md tex csv; do
        PATH=/nowhere "$ORTHANT_COMMAND" report "$2" --format "$format" >"$2/tables.$format" 2>&1 ||
            say_failed "report $2 --format $format: $(cat "$2/tables.$format")"
    done
    python3 "$ORTHANT_SOURCE/tests/support/pin.py" "$here/pages/$1.txt" "$2" --mask 'Orthant [0-9]+\.[0-9]+\.[0-9]+' 'Orthant VERSION' \
        report.html printed.txt 'tables.*' 'charts/*' ||
        say_failed "$1 is not what it was"
}

for name in faces faces/gnmf faces/plain words kmeans many flag cloud watershed study rows one; do
    pinned "${name/\//-}" "runs/$name"
done
mkdir -p mixed
cp -r runs/flag runs/cloud runs/faces/gnmf mixed
pinned mixed mixed
finish
