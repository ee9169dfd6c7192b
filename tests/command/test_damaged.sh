# Every file that once broke a reader: a clear line and exit status 1, or a result where it is good; never a signal,
# never long. HDF5 ends its process on some of them: that process is not the command's own.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

damaged=$ORTHANT_SOURCE/tests/damaged
count=0
for file in "$damaged"/*.*; do
    [ -f "$file" ] || continue
    case $file in
    *.png | *.jpg | *.tif | *.pgm | *.ppm) read=(segment "$file" -k 2 -o run) ;;
    *.pcd | *.ply) read=(segment "$file" -k 2 -o run) ;;
    *) read=(info "$file") ;;
    esac
    status=0
    timeout 60 "$ORTHANT_COMMAND" "${read[@]}" >.out 2>.err </dev/null || status=$?
    [ "$status" -le 1 ] || say_failed "$file: exit $status: $(cat .err)"
    [ "$status" -eq 0 ] || [ "$(grep -c '^orthant: ' .err)" -eq 1 ] || say_failed "$file: said '$(cat .err)'"
    rm -rf run
    count=$((count + 1))
done
[ "$count" -ge 3 ] || say_failed "only $count files in $damaged"

expect_error 1 'mat73-h5dread-null.mat: damaged: the HDF5 library failed on it' info "$damaged/mat73-h5dread-null.mat"
expect_error 1 'mat73-group-info.h5: damaged: the HDF5 library failed on it' info "$damaged/mat73-group-info.h5"
expect_error 1 'mat73-attr-overflow.mat: ' info "$damaged/mat73-attr-overflow.mat"
# As data, labels, label image and graph of every subcommand that reads them.
bad=$damaged/mat73-group-info.h5
seq 2 3 60 | sed 's/$/,1/' >good.csv
expect_error 1 'damaged' cluster "$bad" -m kmeans -k 2
expect_error 1 'damaged' score "$bad" good.csv
expect_error 1 'damaged' score --segmentation "$bad" "$bad"
expect_error 1 'damaged' cluster good.csv -m gnmf -k 2 --truth none --graph "$bad"
finish
