# The commands of the longer documents, as they stand there in indented lines, on small data of the same names.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

# array FILE SAMPLES: a NumPy array of bytes from 1 on.
array() {
    {
        bytes 93; printf 'NUMPY'; bytes 01 00 76 00
        printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': ($2, 64), }"
        printf "$(values "$2" 64 20 0 | sed 's/\\000/\\001/g')"
    } >"$1"
}
faces ORL_32x32.mat 120 40
faces reuters.mat 120 40
for file in spectra.npy X.npy large.npy DATA.npy; do array "$file" 100; done
seq 64 | sed 's/^/word/' >words.txt
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 30, 20, 150
    for (i = 0; i < 150; i++) print i % 30 + 1, int(i / 30) + (i * 7) % 4 * 5 + 1, 1 + i % 5 }' >ratings.mtx
mkdir articles runs
for i in $(seq 0 71); do echo "the report of a word$((i % 24)) and another word$((i % 24)), word$((i % 7))" >"articles/$i.txt"; done
cp "$ORTHANT_SOURCE/data/scene/scene.png" mosaic.png
cp "$ORTHANT_SOURCE/data/scene/scene.png" photo.jpg # its first bytes say what it is
variable groundTruth 160 240 "$(awk 'BEGIN { for (p = 0; p < 38400; p++) printf "\\%03o", p < 19200 }')" >groundTruth.mat
cp "$ORTHANT_SOURCE/data/scene/scene-truth.png" TRUTH
cp "$ORTHANT_SOURCE/data/scene/scene-truth.png" FOUND
points() { awk 'BEGIN { for (i = 0; i < 600; i++) { a = i * 0.7; b = i % 2 * 5; print cos(a) + b, sin(a), i % 37 / 20 } }'; }
{ printf 'VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 600\nHEIGHT 1\nPOINTS 600\nDATA ascii\n'; points; } >scene.pcd
{ printf 'ply\nformat ascii 1.0\nelement vertex 600\nproperty float x\nproperty float y\nproperty float z\nend_header\n'; points; } >scan.ply
ln -s "$ORTHANT_SOURCE/data" data
orthant cluster ORL_32x32.mat -k 40 --iterations 5 -o RUN >/dev/null

for name in design reports segmentation streaming studies; do
    # A remark at the end is not the command's, options in brackets are left out, and a folder may be written again.
    sed -n 's/^    \(orthant .*\)/\1/p' "$ORTHANT_SOURCE/docs/$name.md" |
        sed 's/  *#.*$//; s/   *(.*)$//; s/ \[[^]]*\]//g; s/SEED/7/' >commands
    [ "$(wc -l <commands)" -ge 2 ] || say_failed "$name.md: only $(wc -l <commands) commands found"
    while read -r -a words <&3; do
        case "${words[*]}" in
        *'>tables.tex') unset 'words[-1]' ;;
        *--from*) cp runs/orl/results.csv . ;;
        esac
        rm -rf run parts
        expect_success "$name.md: ${words[*]}" "${words[@]:1}"
        [ -s .out ] || say_failed "$name.md: ${words[*]}: printed nothing"
        # The report of a study of this name is asked for in another document.
        [ -d runs/orl ] || orthant compare ORL_32x32.mat --methods kmeans,nmf --classes 5 --repeats 2 -o runs/orl >/dev/null 2>&1
    done 3<commands
    rm -rf runs/orl
done

finish
