# Installs the build and uses it as a stranger would: by pkg-config (shared and static), by
# find_package(Orthant), and from C++. Every program prints the version of the library.
set -euo pipefail

if grep -q '^ORTHANT_\(SANITIZE\|COVERAGE\):BOOL=ON' "$ORTHANT_BINARY/CMakeCache.txt"; then
    echo "skipped: an instrumented library is not meant to be installed"
    exit 77
fi

# The build knows its compiler; a C++ compiler of the same family stands beside it.
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$ORTHANT_BINARY/CMakeCache.txt")
case $cc in
    *clang*) cxx=clang++ ;;
    *) cxx=g++ ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$ORTHANT_BINARY" --prefix "$prefix" >"$work/install.log"
pc_dir=$(dirname "$(find "$prefix" -name orthant.pc)")
lib_dir=$(dirname "$pc_dir")
export PKG_CONFIG_PATH=$pc_dir
version=$(pkg-config --modversion orthant)

fail() { echo "FAILED: $*" >&2; exit 1; }

# expect_version WHAT PROGRAM: PROGRAM prints the version that pkg-config states.
expect_version() {
    local printed
    printed=$("$2") || fail "$1: exit status $?"
    [ "$printed" = "$version" ] || fail "$1: printed '$printed', expected '$version'"
    echo "ok: $1"
}

cat >"$work/consumer.c" <<'C'
#include <orthant/orthant.h>
#include <orthant/version.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    puts(orthant_version());
    return strcmp(orthant_version(), ORTHANT_VERSION) != 0;
}
C
cp "$work/consumer.c" "$work/consumer.cpp"
strict=(-Wall -Wextra -Wpedantic -Werror)

# ---- pkg-config, shared ------------------------------------------------------------------------

read -ra flags < <(pkg-config --cflags --libs orthant)
"$cc" -std=c11 "${strict[@]}" "$work/consumer.c" "${flags[@]}" -Wl,-rpath,"$lib_dir" -o "$work/shared"
readelf -d "$work/shared" | grep -q "NEEDED.*liborthant\.so\.${version%.*}\]" || fail "shared: not linked with the versioned soname"
expect_version "pkg-config, shared" "$work/shared"

"$cxx" "${strict[@]}" "$work/consumer.cpp" "${flags[@]}" -Wl,-rpath,"$lib_dir" -o "$work/cpp"
expect_version "pkg-config, C++" "$work/cpp"

# ---- the command, with the library beside it, here and moved -----------------------------------

readelf -d "$prefix/bin/orthant" | grep -q 'NEEDED.*liborthant\.so\.' || fail "the command does not use the shared library"
needs=$(readelf -d "$prefix/bin/orthant" | grep NEEDED | grep -vE 'liborthant|libc\.so|libm\.so|ld-linux' || true)
[ -z "$needs" ] || fail "the command links more than the library and libc: $needs"
"$prefix/bin/orthant" --version | grep -qF "$version" || fail "the installed command does not run"
cp -a "$prefix" "$work/moved"
mv "$prefix" "$work/away"
"$work/moved/bin/orthant" --version | grep -qF "$version" || fail "the command does not run where it was moved to"
if ! grep -q '^ORTHANT_VISION:BOOL=OFF' "$ORTHANT_BINARY/CMakeCache.txt"; then # its picture is a PNG file
    "$work/moved/bin/orthant" demo -o "$work/demo" --quiet >"$work/demo.log" || fail "orthant demo: $(cat "$work/demo.log")"
fi
mv "$work/away" "$prefix"
echo "ok: the command"

# ---- an example, and what is there beside the library -------------------------------------------

"$cc" -std=c11 "${strict[@]}" "$ORTHANT_SOURCE/examples/combine.c" "${flags[@]}" -lm -Wl,-rpath,"$lib_dir" -o "$work/example"
(cd "$work" && ./example >example.log) || fail "examples/combine.c: $(cat "$work/example.log")"
for file in share/man/man1/orthant.1 share/bash-completion/completions/orthant share/doc/orthant/LICENSE; do
    [ -s "$prefix/$file" ] || fail "$file was not installed"
done
echo "ok: an example; the man page"

# ---- nothing but the interface leaves the shared library ---------------------------------------

stray=$(nm -D --defined-only "$lib_dir/liborthant.so" | awk '{print $3}' | grep -v '^orthant_' || true)
[ -z "$stray" ] || fail "symbols that should be hidden: $stray"
echo "ok: only orthant_* is exported"

# ---- CMake, shared and static ------------------------------------------------------------------

mkdir "$work/project"
cp "$work/consumer.c" "$work/project/"
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(Consumer LANGUAGES C)
find_package(Orthant 0.2 REQUIRED)
add_executable(with_shared consumer.c)
target_link_libraries(with_shared PRIVATE Orthant::orthant)
add_executable(with_static consumer.c)
target_link_libraries(with_static PRIVATE Orthant::orthant_static)
CMAKE
cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log" >&2; fail "find_package(Orthant)"; }
cmake --build "$work/project/build" >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log" >&2; fail "CMake consumer"; }
expect_version "CMake, shared" "$work/project/build/with_shared"
expect_version "CMake, static" "$work/project/build/with_static"

# ---- pkg-config, static: with the shared library out of the way --------------------------------

rm "$lib_dir"/liborthant.so*
read -ra flags < <(pkg-config --static --cflags --libs orthant)
"$cc" -std=c11 "${strict[@]}" "$work/consumer.c" "${flags[@]}" -o "$work/static"
expect_version "pkg-config, static" "$work/static"
