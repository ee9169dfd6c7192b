# Bad input and bad places: one clear line, the right exit status, nothing left behind.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks

fit() { expect_error "$1" "$2" fit "$3" -m nmf -k 4 -o run "${@:4}"; expect_nothing run; }

fit 1 'nowhere.mat.*no such' nowhere.mat
fit 1 'nowhere/.*no such' nowhere/

# A .mat file that ends in its first element.
{
    printf '%-116s' 'MATLAB 5.0 MAT-file'
    bytes 00 00 00 00 00 00 00 00 00 01 49 4d
    bytes 0f 00 00 00 00 10 00 00 78 9c e3 63 60 60
} >cut.mat
fit 1 'cut.mat' cut.mat

# A .npy file whose header promises 10^12 entries.
{
    bytes 93; printf 'NUMPY'; bytes 01 00 76 00
    printf "%-117s\n" "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"
    bytes 00 00 00 00 00 00 f0 3f
} >lies.npy
fit 1 'lies.npy' lies.npy

sed '3s/^[0-9]*/-1/' blocks.csv >negative.csv
fit 1 'negative.csv: entry \(3, 1\) is -1.*nonnegative' negative.csv
sed '5s/^[0-9]*/1e400/' blocks.csv >huge.csv
fit 1 'huge.csv.*5' huge.csv
sed '7s/^[0-9]*/nan/' blocks.csv >nan.csv
fit 1 'nan.csv' nan.csv
: >empty.csv
fit 1 'empty.csv' empty.csv

expect_error 2 '0' fit blocks.csv -m nmf -k 0 -o run
expect_nothing run
for method in nmf kmeans; do expect_error 2 '21.*20' fit blocks.csv -m $method -k 21 -o run; done
expect_nothing run
expect_error 2 'labels.*--labels' fit blocks.csv -m cdnmf -k 4 -o run
expect_nothing run
expect_error 2 'truth' fit blocks.csv -m cdnmf -k 4 --truth none --labelled-fraction 0.5 -o run
expect_error 1 'no such' fit blocks.csv -m cdnmf -k 4 --labels nowhere.txt -o run
expect_error 1 'no such' fit blocks.csv -m nmf -k 4 --start basis=nowhere.npy -o run
expect_error 1 'no such' cluster blocks.csv -m gnmf -k 4 --graph nowhere.mtx -o run
expect_error 1 'no such' score nowhere.txt truth.txt
expect_error 1 'no such' report nowhere
expect_error 1 'no such' transform nowhere blocks.csv -o encoding.npy
expect_nothing run
expect_nothing encoding.npy

# Places that cannot be written, as root too.
: >file
expect_error 1 'file/run.*folder' fit blocks.csv -k 4 -o file/run
expect_error 1 'file.*is a file' fit blocks.csv -k 4 -o file
expect_error 1 '/proc/run: ' fit blocks.csv -k 4 -o /proc/run
expect_error 1 'file' graph blocks.csv -o file/graph.mtx
mkdir other && echo mine >other/notes.txt
expect_error 2 'other.*run.json' fit blocks.csv -k 4 -o other
[ "$(ls -A other)" = notes.txt ] || say_failed "other/ was touched: $(ls -A other)"
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed && chmod 555 closed
    expect_error 1 'read-only' fit blocks.csv -k 4 -o closed/run
    chmod 755 closed
fi
# Parents that were made for a run that fails go away again; an earlier run stays as it was.
expect_error 2 'labels' fit blocks.csv -m cdnmf -k 4 -o deep/er/run
expect_nothing deep
expect_success 'first run' fit blocks.csv -k 4 -o kept
before=$(cat kept/* | cksum)
expect_error 1 'huge' fit huge.csv -k 4 --force -o kept
[ "$before" = "$(cat kept/* | cksum)" ] || say_failed "a failing run changed an earlier one"
expect_success 'a new run in new folders' fit blocks.csv -k 4 -o deep/er/run
expect_file deep/er/run/run.json

# What a file promises beyond the limit of memory is refused with both numbers, before it is read: 8 MB of one byte in 8 kB.
{ printf '\x93NUMPY\x01\x00\x76\x00'
  printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (8000, 1000), }"
  head -c 8000000 /dev/zero | tr '\0' a; } | gzip >packed.npy.gz
expect_error 1 'packed.npy.gz: out of memory: .* the memory limit is 4194304 bytes.*--memory SIZE' \
    info packed.npy.gz --memory 4M
expect_success 'within the limit' info packed.npy.gz --memory 40M
for size in 0 -1 1.5G 4X 4GB 99999999T; do
    expect_error 2 '--memory.*expected a size' info packed.npy.gz --memory "$size"
done

# A full disk.
if [ -e /dev/full ]; then
    status=0
    orthant methods >/dev/full 2>.err || status=$?
    [ "$status" -eq 1 ] || say_failed "standard output full: exit $status"
    [ "$(wc -l <.err)" -eq 1 ] || say_failed "standard output full: $(cat .err)"
fi
mkdir small
if mount -t tmpfs -o size=16k tmpfs small 2>/dev/null; then
    expect_error 1 'full' fit blocks.csv -k 4 -o small/run
    [ -z "$(ls -A small)" ] || say_failed "left on a full disk: $(ls -A small)"
    umount small
else
    # Files of at most 4 KiB: the report does not fit, and the signal is ignored so that writing fails.
    status=0
    (trap '' XFSZ; ulimit -f 4; exec "$ORTHANT_COMMAND" fit blocks.csv -k 4 -o run >.out 2>.err) || status=$?
    [ "$status" -eq 1 ] || say_failed "no room for a file: exit $status: $(cat .err)"
    [ "$(wc -l <.err)" -eq 1 ] || say_failed "no room for a file: $(cat .err)"
    expect_nothing run
fi
leftovers=$(find . -name '*.part*')
[ -z "$leftovers" ] || say_failed "left behind: $leftovers"

finish
