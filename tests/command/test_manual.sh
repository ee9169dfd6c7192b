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
faces Yale_32x32.mat 120 40
faces COIL20_32x32.mat 120 40
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
awk 'BEGIN { print "row,name,height,width,depth,note,species"
    for (i = 0; i < 30; i++) print i "," "p" i "," (i % 3 == 0) * 9 + i % 4 "," (i % 3 == 1) * 9 + i % 5 "," (i % 3 == 2) * 9 + 1 ",2," substr("abc", i % 3 + 1, 1) }' >plants.csv
cut -d, -f3-5,7 plants.csv | sed '1s/species/class/' >table.csv
gzip -c ratings.mtx >counts.mtx.gz
faces faces.mat 120 40
for file in first.npy second.npy digits.npy huge.npy recording.npy mixtures.npy; do array "$file" 100; done
for i in $(seq 0 99); do echo $((i % 20)); done | tee second.labels.csv >truth.csv
printf '3,4\n0,0\n' >pairs.csv
python3 - <<'END'
import struct
def write(name, rows, columns, value):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, columns)
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00\x76\x00" + head.ljust(117).encode() + b"\n")
        for i in range(rows):
            file.write(struct.pack("<%df" % columns, *(value(i, j) for j in range(columns))))
with open("holes.csv", "w") as file:
    for i in range(60):
        print(*("" if (i + 3 * j) % 11 == 0 else 1 + i * (j + 3) % 7 for j in range(20)), sep=",", file=file)
write("known.npy", 64, 2, lambda i, j: 1 + (i + j) % 3)
END

# The command goes by its name in them.
mkdir bin
printf '#!/bin/sh\nexec %s "$@"\n' "$ORTHANT_COMMAND" >bin/orthant
chmod +x bin/orthant
export PATH=$work/bin:$PATH
orthant cluster ORL_32x32.mat -k 40 --iterations 5 -o RUN >/dev/null

# What is a remark, an option in brackets or a number to be put in is not run; a survey stays within what small data allow, and repeats are two.
commands_of() {
    sed -n 's/^    \(\(cat [a-z.]* | \)\{0,1\}orthant .*\)/\1/p' "$ORTHANT_SOURCE/docs/$1.md" |
        sed 's/  *#.*$//; s/   *(.*)$//; s/ \[[^]]*\]//g; s/SEED/7/; s/5:60:5/5:20:5/; s/--repeats [0-9]*/--repeats 2/'
}
# Documents go on with files of earlier lines, and some write a folder again.
for name in studies design reports segmentation streaming formats new-samples scores terms online ranks consensus languages; do
    commands_of "$name" >commands
    [ "$(wc -l <commands)" -ge 1 ] || say_failed "$name.md: no command found"
    while read -r line <&3; do
        case "$line" in
        *' fit '*--resume*) ;;
        *' fit '* | *' cluster '* | *' segment '*)
            target=$(sed -n 's/.* -o \([a-z/]*\).*/\1/p' <<<"$line")
            [ -z "$target" ] || rm -rf "$target"
            ;;
        *' view '*) continue ;; # waits for a browser; it has a test of its own
        *--from*) cp runs/orl/results.csv . ;;
        esac
        bash -o pipefail -c "$line" >.out 2>.err </dev/null || say_failed "$name.md: $line: $(cat .err)"
        [ -s .out ] || [[ $line =~ '>'|' convert ' ]] || say_failed "$name.md: $line: printed nothing"
    done 3<commands
done
for file in tables.tex counts.csr table.npy faces.h5 codes.npy fitted.npy full.csv found.csv; do expect_file "$file"; done

finish
