# How many threads OpenBLAS may have does not decide the bits: LAPACK's results are the same.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
digits="$ORTHANT_SOURCE/data/digits/digits-images-idx3-ubyte.gz"

fit() {
    local name=$1 threads=$2
    shift 2
    OPENBLAS_NUM_THREADS=$threads "$ORTHANT_COMMAND" fit "$digits" --quiet --threads 2 -o "$work/$name-$threads" "$@" >/dev/null ||
        { echo "$name with $threads threads failed"; exit 1; }
}
for threads in 1 2 4; do
    fit pca $threads -m pca -k 10
    fit nndsvd $threads -m nmf -k 30 -p init=nndsvd -p iterations=0
    for name in pca nndsvd; do
        for factor in "$work/$name-1"/*.npy; do
            cmp "$factor" "$work/$name-$threads/$(basename "$factor")" ||
                { echo "$name: OpenBLAS with $threads threads gives other bits"; exit 1; }
        done
    done
done
