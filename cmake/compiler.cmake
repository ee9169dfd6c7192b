# How every file of Orthant is compiled. Sets up the targets orthant_flags, which carries the
# flags, and orthant_internal, which adds the include folders of code inside the project, and select_kernels().

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

# orthant/version.h is made by the build. The public headers include each other as neighbours, which
# it becomes only when installed; until then its own folder is searched too.
set(ORTHANT_GENERATED ${PROJECT_BINARY_DIR}/generated ${PROJECT_BINARY_DIR}/generated/orthant)

add_library(orthant_flags INTERFACE)
add_library(orthant_internal INTERFACE)
target_link_libraries(orthant_internal INTERFACE orthant_flags)
target_include_directories(orthant_internal INTERFACE
    ${PROJECT_SOURCE_DIR}/include
    ${PROJECT_SOURCE_DIR}/src
    ${ORTHANT_GENERATED})
# Strict C11 hides POSIX; _DEFAULT_SOURCE brings it back.
target_compile_definitions(orthant_flags INTERFACE _DEFAULT_SOURCE)
# Fused multiply-add where the target has it. Never -ffast-math: NaN, infinities and the order of
# sums are part of what the library promises. Never -march=native: the CPU is chosen at run time.
target_compile_options(orthant_flags INTERFACE
    -ffp-contract=fast -fno-math-errno -fopenmp-simd
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    $<$<BOOL:${ORTHANT_WERROR}>:-Werror>)

if(ORTHANT_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()
if(ORTHANT_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()

# Kernels are worth -O3, and those written for one CPU get its instructions. On other architectures
# the x86 files leave the list.
function(select_kernels sources)
    set(kept ${${sources}})
    set(avx2 ${PROJECT_SOURCE_DIR}/src/kernel/kernel_avx2.c)
    set(avx512 ${PROJECT_SOURCE_DIR}/src/kernel/kernel_avx512.c)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
        target_compile_definitions(orthant_internal INTERFACE ORTHANT_HAVE_X86=1)
    else()
        list(REMOVE_ITEM kept ${avx2} ${avx512})
    endif()

    set(kernels ${kept})
    list(FILTER kernels INCLUDE REGEX "/src/kernel/[^/]*\\.c$")
    # The fuzzers come by few of them, and with sanitizers they take minutes to compile.
    set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS
        $<$<CONFIG:Release>:-O3> $<$<BOOL:${ORTHANT_FUZZ}>:-fno-sanitize=all>)
    set_property(SOURCE ${avx2} APPEND PROPERTY COMPILE_OPTIONS -mavx2 -mfma)
    set_property(SOURCE ${avx512} APPEND PROPERTY COMPILE_OPTIONS
        -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)
    set(${sources} ${kept} PARENT_SCOPE)
endfunction()
