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

launcher=()
! command -v ccache >/dev/null || launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
cmake -S "$source" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=None -DORTHANT_TESTS=OFF -DORTHANT_FUZZ=ON \
    -DORTHANT_FUZZING_ENGINE="${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}" "${launcher[@]}" >/dev/null
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
