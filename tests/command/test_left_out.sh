#!/usr/bin/env bash
# A build without some libraries: what needs them is refused with the switch that brings it, what is done
# in another way there has the same results.
. "$ORTHANT_SOURCE/tests/command/support.bash"

off() { grep -q "^ORTHANT_$1:BOOL=OFF" "$ORTHANT_BINARY/CMakeCache.txt"; }
if ! off HDF5 && ! off COMPRESSION && ! off VISION && ! off NETTLE; then
    echo "skipped: this build has all of its parts"
    exit 77
fi
fixtures=$ORTHANT_SOURCE/tests/data/fixtures
write_blocks
{ echo 'P2 32 32 255'; seq 0 1023 | awk '{ print ($1 * 37) % 256 }'; } >picture.pgm

if off HDF5; then
    expect_error 1 'plain.mat: .*MATLAB.*-DORTHANT_HDF5=ON' info "$fixtures/plain.mat"
    expect_error 1 'csr.h5: .*HDF5.*-DORTHANT_HDF5=ON' fit "$fixtures/csr.h5" -k 2 -o run
    expect_error 1 'plain.mat: .*MATLAB.*-DORTHANT_HDF5=ON' cluster blocks.csv -k 4 --truth "$fixtures/plain.mat"
    expect_nothing run
fi
if off COMPRESSION; then
    expect_error 1 'ubyte.gz: .*gzip.*-DORTHANT_COMPRESSION=ON' info "$ORTHANT_SOURCE/data/digits/digits-images-idx3-ubyte.gz"
    expect_error 1 'csr.npz:.*deflate.*-DORTHANT_COMPRESSION=ON' fit "$fixtures/csr.npz" -k 2 -o run
    # Members that are not packed are read, and their checksum is compared.
    python3 - <<'P'
import struct, zipfile
head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }"
head += b" " * (117 - len(head)) + b"\n"
array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<6d", 1, 2, 3, 4, 5, 6)
with zipfile.ZipFile("stored.npz", "w", zipfile.ZIP_STORED) as archive:
    archive.writestr("X.npy", array)
whole = open("stored.npz", "rb").read()
open("damaged.npz", "wb").write(whole.replace(struct.pack("<d", 3), struct.pack("<d", 7)))
P
    expect_success "an archive that is not packed" info stored.npz
    expect_text '^samples +3$'
    expect_error 1 'damaged.npz.*checksum' info damaged.npz
fi
if off VISION; then
    for picture in grey.png grey.jpg grey.tif; do
        expect_error 1 "$picture: .*-DORTHANT_VISION=ON" segment "$fixtures/$picture" -k 2 -o run
    done
    expect_error 1 'SIFT.*-DORTHANT_VISION=ON' features picture.pgm --words 2 -o words.npy
    expect_nothing run
fi

# A run folder has everything: the checksum of the data, and pictures that others can read.
expect_success "a fit" fit blocks.csv -m nmf -k 4 -o run
sum=$(python3 "$ORTHANT_SOURCE/tests/support/xxh64.py" blocks.csv)
grep -q "\"$sum\"" run/run.json || say_failed "run.json does not have the checksum $sum of the data"
expect_success "segments" segment picture.pgm --nodes slic --superpixels 20 -k 2 -o segments
python3 - run segments <<'P' || say_failed "pictures"
import base64, pathlib, re, struct, sys, zlib
pictures = {}
for folder in map(pathlib.Path, sys.argv[1:]):
    pictures.update((path, path.read_bytes()) for path in folder.rglob("*.png"))
    page = (folder / "report.html").read_bytes()
    for i, text in enumerate(re.findall(rb"data:image/png;base64,([A-Za-z0-9+/=]+)", page)):
        pictures[folder, i] = base64.b64decode(text)
seen = set()
for name, data in pictures.items():
    at, packed, size, palette = 8, b"", None, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", name
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body), name
        if kind == b"IHDR":
            size = struct.unpack(">IIBB", body[:10])
        palette += body if kind == b"PLTE" else b""
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height, bits, colours = size
    line = width * {0: 1, 2: 3, 3: 1}[colours] + 1
    assert bits == 8 and len(zlib.decompress(packed)) == height * line, name
    assert (len(palette) == 768) == (colours == 3), name
    seen.add(colours)
assert seen == {0, 2, 3}, f"grey, colours and a palette: {seen} of {len(pictures)} pictures"
P
finish
