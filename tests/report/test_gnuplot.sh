# A gnuplot that hangs, fails or draws nonsense: the run is there, the page says what it is without.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks
mkdir hangs fails nonsense fails-once
mkfifo never # to which no one writes
printf '#!/bin/sh\necho $$ >"%s"\nread -r line <"%s"\n' "$work/hanging" "$work/never" >hangs/gnuplot
printf '#!/bin/sh\nexit 1\n' >fails/gnuplot
cat >nonsense/gnuplot <<'END'
#!/bin/sh
# Every picture that it is told to draw becomes a page that is none.
while read -r line; do
    case $line in
    output*) name=${line#*\'}; echo '</div><b>nonsense' >"charts/${name%\'}" ;;
    esac
done
END
chmod +x */gnuplot

# draw FOLDER RUN SUBCOMMAND...: with that gnuplot; the time in seconds is in $took.
draw() {
    local before=$SECONDS
    PATH=$work/$1:$PATH ORTHANT_GNUPLOT_SECONDS=1 expect_success "$1" "${@:3}" -o "$2"
    took=$((SECONDS - before))
    for file in run.json basis.npy encoding.npy history.csv report.html charts/convergence.gp; do expect_file "$2/$file"; done
    expect_nothing "$2/charts/convergence.svg"
    ! find "$2" -name '*.part*' | grep . || say_failed "$1: left behind"
}

draw hangs first fit blocks.csv -m nmf -k 3 --iterations 5
[ "$took" -lt 30 ] || say_failed "a gnuplot that hangs was waited for: $took s"
grep -q 'gnuplot was stopped after 1 s' .err || say_failed "no word of the gnuplot that hung: $(cat .err)"
grep -q 'Charts are not drawn: gnuplot did not end in time' first/report.html || say_failed "the page does not say why"
! kill -0 "$(cat hanging)" 2>/dev/null || say_failed "the gnuplot that hung is still there"
draw fails second fit blocks.csv -m nmf -k 3 --iterations 5
grep -q 'Charts are not drawn: gnuplot was not found or failed' second/report.html || say_failed "the page does not say why"
draw nonsense third fit blocks.csv -m nmf -k 3 --iterations 5
! grep -q nonsense third/report.html || say_failed "nonsense is on the page"
grep -q 'Charts are not drawn' third/report.html || say_failed "the page does not say that there are no charts"

# The run is published before it is drawn: killed while gnuplot hangs, it is there, and whole.
cp -r first before
rm hanging
PATH=$work/hangs:$PATH "$ORTHANT_COMMAND" fit blocks.csv -m nmf -k 4 --iterations 5 --quiet --force -o first >/dev/null 2>&1 &
child=$!
for _ in $(seq 300); do
    [ -s hanging ] && break
    sleep 0.1
done
kill -KILL "$child"
wait "$child" 2>/dev/null
kill -KILL "$(cat hanging)" || say_failed "gnuplot did not hang" # no one else ends it now
grep -q '"rank": 4' first/run.json || say_failed "the run waited for its charts"
expect_success "the report of a run that was killed while it was drawn" report first
expect_file first/report.html

finish
