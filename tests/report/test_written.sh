# What fit, cluster, segment and compare leave behind, as whole texts (written/): run.json and study.json with # for
# what is measured, labels, and the pixels of drawings. ORTHANT_PIN=1 writes them again.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
here=$ORTHANT_SOURCE/tests/report
cp "$here"/data/* . && chmod u+w ./* || exit 1

# pinned NAME FOLDER PATTERN...
pinned() {
    local history
    for history in $(cd "$2" && find . -name history.csv); do cut -d, -f1 "$2/$history" >"$2/${history%.csv}-iterations.txt"; done
    python3 "$ORTHANT_SOURCE/tests/support/pin.py" "$here/written/$1.txt" "$2" \
        --mask '"(seconds|feature_seconds|fit_seconds|objective|projected_gradient|cpu_kernels|blas|version|threads|sparseness|relative_error|explained_variance|silhouette|cohesion|fingerprint)": [^,\n]*' '"\1": #' \
        --mask 'set yrange \[[^]]*\]' 'set yrange [#]' \
        --mask '\{\s*"bytes": [0-9]+,\s*"sha256": "[0-9a-f]{64}"\s*\}' '#' \
        --mask '("graph_weight": [0-9]+\.[0-9]{3})[0-9]+' '\1' --mask '"[^"\n]*/orthant ' '"orthant ' --mask '"version [^"\n]*"' '"version"' "${@:3}" || say_failed "$1 is not what it was"
}

expect_success fit fit faces.csv --size 4x3 -m gnmf -k 3 --graph knn:3 --weights heat --scale max --seed 2 --iterations 4 --tolerance 0 --threads 1 -o fit
pinned fit fit run.json '*iterations.txt'
expect_success cluster cluster faces.csv --size 4x3 -m cdnmf -k 3 --truth truth.txt --labelled-per-class 2 --iterations 30 --restarts 3 --start best-of:2 --threads 1 -o cluster
pinned cluster cluster run.json labels.csv truth.csv charts/confusion.csv 'charts/*.gp'
expect_success words cluster text.csv -m nmf -k 2 --term sparsity=0.01 --words words.txt --labels-rule argmax --iterations 20 --tolerance 0 --threads 1 -o words
cut -d, -f1-4 words/words.csv >words/words.txt
pinned words words run.json labels.csv words.txt
expect_success superpixels segment flag.png -k 3 --superpixels 30 --truth flag-truth.png --draw overlay,boundaries,graph --snapshots 1,5 --iterations 20 --threads 1 -o flag
pinned flag flag run.json '*.png'
expect_success watershed segment flag.png -k 2 --nodes watershed --smoothing 1 --draw overlay,graph --iterations 5 --threads 1 -o watershed
pinned watershed watershed run.json
expect_success cloud segment two.ply -k 2 --iterations 20 --threads 1 -o cloud
pinned cloud cloud run.json '*.png' segments.ply
expect_success study compare faces.csv --size 4x3 --truth truth.txt --methods kmeans,nmf --classes 2:3 --repeats 2 --iterations 6 --sweep nmf.init=random,nndsvd --threads 1 -o study
cut -d, -f1-5 study/results.csv >study/runs.txt
pinned study study study.json runs.txt 'runs/*/*/*/samples.csv' 'runs/*/*/*/truth.csv' 'runs/*/*/*/*iterations.txt' 'runs/*/*/*/run.json'
(cd study && find . -type f | grep -v '\.svg$' | sort) >listed.txt
mkdir files && mv listed.txt files
pinned study-files files listed.txt
# The same folder with another plan: what it has, what it should have.
expect_error 2 "study/study.json is the plan of another study: it has 'seed 1', this one has 'seed 2'; give another folder, or the settings of that study to go on with it" \
    compare faces.csv --size 4x3 --truth truth.txt --methods kmeans,nmf --classes 2:3 --seed 2 --repeats 2 --iterations 6 --sweep nmf.init=random,nndsvd --threads 1 -o study
expect_error 2 "the study has 'variant nmf init=nndsvd [^']*', and this one has not: methods can be added, not taken away" \
    compare faces.csv --size 4x3 --truth truth.txt --methods kmeans,nmf --classes 2:3 --repeats 2 --iterations 6 --sweep nmf.init=random --threads 1 -o study

# Sparse samples: the cosines of the data are of the sparse rows.
printf '%%%%MatrixMarket matrix coordinate real general\n5 4 8\n1 1 3\n1 2 4\n2 2 2\n3 3 1\n3 4 1\n4 1 6\n4 2 8\n5 4 5\n' >sparse.mtx
expect_success sparse fit sparse.mtx -m kmeans -k 2 --threads 1 -o sparse
pinned sparse sparse charts/similarity-data.csv
finish
