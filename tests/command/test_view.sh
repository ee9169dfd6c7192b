# orthant view: what it serves, what it refuses, hostile requests, and the curve of a fit that is being made.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
write_blocks

expect_error 2 'RUN is missing' view
expect_error 1 'nowhere: there is no such folder' view nowhere
expect_error 1 "blocks.csv: is a file, expected a run's folder" view blocks.csv
mkdir nothing
expect_error 1 'nothing: there is no report.html' view nothing
expect_success "a run" fit blocks.csv -m nmf -k 3 --iterations 5 --quiet -o runs/run
ln -s run runs/link
expect_success "a run again" fit blocks.csv -m nmf -k 3 --iterations 5 --quiet --force -o runs/run
echo secret >runs/secret.txt
ln -s ../secret.txt runs/run/out.txt
ln -s .. runs/run/above
mkfifo runs/run/pipe
echo hidden >runs/run/.hidden
timeout 300 python3 "$ORTHANT_SOURCE/tests/command/view_check.py" "$ORTHANT_COMMAND" || say_failed "view_check.py: exit $?"

finish
