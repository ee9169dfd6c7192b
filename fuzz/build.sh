#!/usr/bin/env bash
# Builds all fuzzers with their dictionaries and seeds into $OUT, as OSS-Fuzz does: it sets CC, CXX, CFLAGS, CXXFLAGS,
# LIB_FUZZING_ENGINE, OUT and WORK. Without them: clang, the address and undefined-behaviour sanitizers, libFuzzer,
# build/fuzz/out. Libraries of fuzz/build-libraries are taken where they stand.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
export CC=${CC:-clang} CXX=${CXX:-clang++}
sanitizers="-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all"
export CFLAGS=${CFLAGS:-"-O1 -g1 -fno-omit-frame-pointer $sanitizers"}
export CXXFLAGS=${CXXFLAGS:-$CFLAGS}
work=${WORK:-$source/build/fuzz}
out=${OUT:-$work/out}

libraries=$source/build/fuzz-libraries/lib
# CMake keeps what it once found.
[ ! "$libraries/pkgconfig" -nt "$work/CMakeCache.txt" ] || rm -f "$work/CMakeCache.txt"
[ ! -d "$libraries/pkgconfig" ] || export PKG_CONFIG_PATH=$libraries/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
# CMake searches the folders in the order in which pkg-config names them, and the system's is named first.
options=()
for library in png16 jpeg tiff hdf5 matio; do
    [ ! -f "$libraries/lib$library.so" ] ||
        options+=("-Dpkgcfg_lib_ORTHANT_NEEDS_$library=$libraries/lib$library.so")
done

! command -v ccache >/dev/null || options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
cmake -S "$source" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=None -DORTHANT_TESTS=OFF -DORTHANT_FUZZ=ON \
    -DORTHANT_FUZZING_ENGINE="${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}" "${options[@]}" >/dev/null
cmake --build "$work" --target fuzzers

rm -rf "$work/seeds"
mkdir -p "$out"
for file in "$source"/fuzz/*_fuzzer.c; do
    name=$(basename "$file" _fuzzer.c)
    cp "$work/fuzz/${name}_fuzzer" "$out/"
    [ ! -f "$source/fuzz/$name.dict" ] || cp "$source/fuzz/$name.dict" "$out/${name}_fuzzer.dict"
    "$source/fuzz/seeds" "$name" "$work/seeds/$name"
    (cd "$work/seeds/$name" && python3 -m zipfile -c "$out/${name}_fuzzer_seed_corpus.zip" ./*)
done
