# Folders that commands write to: what killed ones left there, others' files, links, two at once.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
write_blocks
fit() { expect_success "fit $*" fit blocks.csv -m nmf -k 3 --iterations 5 --quiet --force "$@"; }
study=(compare blocks.csv --truth truth.txt --methods kmeans,nmf --classes 2 --repeats 2 --iterations 3 --quiet)
no_parts() {
    local left
    left=$(find "$1" -name '*.part*')
    [ -z "$left" ] || say_failed "left behind: $left"
}

# ---- what a killed study left does not lock its folder -------------------------------------------

mkdir killed
touch killed/study.json.part-999999-0
expect_success "after a kill while the plan was written" "${study[@]}" -o killed
no_parts killed
# A page draws pictures into the runs that were kept.
mkdir -p killed/runs/blocks/nmf/2
touch killed/runs/blocks/nmf/2/basis.png.part-999999-0
expect_success "after a kill while a kept run's picture was written" "${study[@]}" -o killed
no_parts killed
mkdir -p data/ORL paper
faces data/ORL/ORL_32x32.mat 80 40
touch paper/reproduce.json.part-999999-0
expect_success "reproduce after a kill" reproduce tnmf --data data -o paper --quick --tables I --quiet
no_parts paper
mkdir others
touch others/notes.txt others/study.json.part-999999-0
expect_error 2 'holds files but no study.json' "${study[@]}" -o others

# Two that begin together: one does the study, the other says that it is being done, or goes on in it.
for round in 1 2 3; do
    rm -rf both
    "$ORTHANT_COMMAND" "${study[@]}" -o both >/dev/null 2>first.err &
    first=$!
    second_status=0 first_status=0
    "$ORTHANT_COMMAND" "${study[@]}" -o both >/dev/null 2>second.err || second_status=$?
    wait "$first" || first_status=$?
    for one in first second; do
        status=${one}_status
        [ "${!status}" -eq 0 ] || grep -q 'another process is at work on this study' $one.err ||
            say_failed "two studies at once: $one ended with ${!status}: $(cat $one.err)"
    done
    [ "$first_status" -eq 0 ] || [ "$second_status" -eq 0 ] || say_failed "neither of two studies ended"
done

# ---- what a killed run left is swept; what is being written, or is the user's, is not ------------

fit -o run
mkdir run.part-999999-0 run/.part-999999-1 other.part-999999-0
touch run.part-999999-0/basis.npy run/.part-999999-1/basis.npy run/charts/x.csv.part-999999-0 other.part-999999-0/basis.npy
# An earlier run that was replaced, and whose files of the user's were not over yet.
cp -r run run.part-999998-0
rm -r run.part-999998-0/.part-*
mkdir run.part-999998-0/folder
echo mine | tee run.part-999998-0/notes.txt run.part-999998-0/folder/notes.txt run.part-999998-0/charts/notes.txt >/dev/null
mkdir run.part-999997-0
exec 8<run.part-999997-0
flock 8
expect_error 1 'run: another process is at work on this run' fit blocks.csv -m nmf -k 3 --force -o run
[ -d run.part-999997-0 ] || say_failed "what another process writes was removed"
exec 8<&-
fit -o run
expect_nothing run.part-999999-0
expect_nothing run.part-999998-0
for file in notes.txt folder/notes.txt charts/notes.txt; do
    [ "$(cat "run/$file")" = mine ] || say_failed "the user's $file is lost"
done
no_parts run
[ -d other.part-999999-0 ] || say_failed "what is another run's was removed"
fit -o run
expect_nothing run.part-999997-0
for file in notes.txt folder/notes.txt charts/notes.txt; do
    [ "$(cat "run/$file")" = mine ] || say_failed "the user's $file did not outlive a replacement"
done
expect_success "runs side by side" report .
[ -d other.part-999999-0 ] || say_failed "a report swept what is another run's"
! grep -q 'part-999' .out || say_failed "a part is shown as a run: $(cat .out)"
rm -r other.part-999999-0

# A run with labels is replaced by one without: none of the earlier ones' files stays.
expect_success "cluster" cluster blocks.csv -m nmf -k 3 --iterations 5 --quiet -o labelled
expect_file labelled/labels.csv
fit -o labelled
expect_nothing labelled/labels.csv

# Files: the same.
touch codes.npy.part-999999-0 codes2.npy.part-999999-0
expect_success "transform" transform run blocks.csv -o codes.npy
expect_nothing codes.npy.part-999999-0
[ -e codes2.npy.part-999999-0 ] || say_failed "what is another file's was removed"

# ---- two writers of one run ----------------------------------------------------------------------

"$ORTHANT_COMMAND" fit blocks.csv -m nmf -k 3 --iterations 100000000 --tolerance 0 --quiet -o twice/run >/dev/null 2>&1 &
first=$!
for _ in $(seq 100); do compgen -G 'twice/run.part-*' >/dev/null && break; sleep 0.05; done
expect_error 1 'twice/run: another process is at work on this run' fit blocks.csv -m nmf -k 3 -o twice/run
expect_error 1 'twice/run: another process is at work on this run' segment "$ORTHANT_SOURCE/tests/report/data/flag.png" -k 2 -o twice/run
kill -TERM "$first"
wait "$first"
[ "$(ls twice)" = "$(printf 'run\nrun.checkpoint')" ] || say_failed "two writers: left $(ls twice)"

# ---- a mix of two runs is no run -----------------------------------------------------------------

fit -o mixed
expect_success "another rank" fit blocks.csv -m nmf -k 4 --iterations 5 --quiet -o four
expect_success "another seed" fit blocks.csv -m nmf -k 3 --iterations 5 --seed 7 --quiet -o seven
for from in four seven; do
    for file in basis.npy history.csv encoding.npy; do
        rm -rf mix
        cp -r mixed mix
        cp "$from/$file" mix
        expect_error 1 "mix: $file is not the file that run.json was written with" report mix
    done
done
cp seven/basis.npy mixed
expect_error 1 'mixed: basis.npy is not the file that run.json was written with' transform mixed blocks.csv -o codes.npy
fit -o mixed
expect_success "made again" report mixed

# ---- links are followed --------------------------------------------------------------------------

mkdir -p far/away
ln -s far/away near
fit -o near
[ -L near ] || say_failed "the link was replaced"
expect_file far/away/run.json
fit -o near/
[ -L near ] || say_failed "the link was replaced with the second run"
expect_file far/away/report.html
[ "$(ls far)" = away ] || say_failed "left beside the link's folder: $(ls far)"
ln -s nowhere dangling
expect_error 1 'dangling: is a link to what is not there' fit blocks.csv -m nmf -k 3 -o dangling
echo old >far/codes.npy
ln -s far/codes.npy codes-link.npy
expect_success "through a link" transform run blocks.csv -o codes-link.npy
[ -L codes-link.npy ] || say_failed "the file's link was replaced"
cmp -s far/codes.npy codes.npy || say_failed "the link's file was not written"
ln -s nowhere.npy gone.npy
expect_error 1 'gone.npy: cannot be written: it is a link to what is not there' transform run blocks.csv -o gone.npy

# ---- where no folder can lie beside: the folder that one stands in -------------------------------

mkdir here
cd here || exit 1
cp ../blocks.csv .
mkdir run && cd run || exit 1
for again in 1 2; do
    "$ORTHANT_COMMAND" cluster ../blocks.csv -m nmf -k 3 --iterations 5 --quiet --force -o . >/dev/null 2>../err || say_failed "-o .: $(cat ../err)"
    [ -s ./run.json ] || say_failed "-o .: no run.json where we stand"
    touch notes.txt
done
"$ORTHANT_COMMAND" fit ../blocks.csv -m nmf -k 3 --iterations 5 --quiet --force -o . >/dev/null 2>../err || say_failed "-o .: $(cat ../err)"
[ ! -e labels.csv ] || say_failed "-o .: labels of the run before"
[ -e notes.txt ] || say_failed "-o .: the user's file is lost"
cd "$work" || exit 1
no_parts here
expect_success "its report" report here/run

# ---- what cannot be made is told by its reason ---------------------------------------------------

if [ -d /sys/kernel ] && ! mkdir /sys/orthant-study 2>/dev/null; then
    expect_error 1 '/sys/orthant-study: cannot be written: the folder is read-only' "${study[@]}" -o /sys/orthant-study
fi

finish
