# The library and the command are linked with the libraries of the parts that are switched on, and no
# others: with all switched off (the preset `core`) BLAS, LAPACK and libc remain.
set -euo pipefail

on() { grep -q "^$1:BOOL=ON" "$ORTHANT_BINARY/CMakeCache.txt"; }
if on ORTHANT_SANITIZE || on ORTHANT_COVERAGE; then
    echo "skipped: an instrumented build has libraries of the compiler's"
    exit 77
fi

allowed='liborthant|libopenblas|libblas|liblapack|liblapacke|libc|libm|libpthread|ld-linux[a-z0-9-]*'
! on ORTHANT_HDF5 || allowed+='|libmatio|libhdf5(_serial)?|libz'
! on ORTHANT_COMPRESSION || allowed+='|libz|libdeflate'
! on ORTHANT_VISION || allowed+='|libpng16|libjpeg|libtiff|libz|libvl'
! on ORTHANT_NETTLE || allowed+='|libnettle'

for file in liborthant.so orthant; do
    needed=$(readelf -d "$ORTHANT_BINARY/$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    [ -n "$needed" ] || { echo "FAILED: $file: readelf names no library" >&2; exit 1; }
    stray=$(grep -vE "^($allowed)\.so(\.|\$)" <<<"$needed" || true)
    [ -z "$stray" ] || { echo "FAILED: $file is linked with $stray, which no part that is on needs" >&2; exit 1; }
    echo "ok: $file: $(tr '\n' ' ' <<<"$needed")"
done
