# The libraries that Orthant stands on, as the list ORTHANT_DEPENDENCIES to link with, and
# ORTHANT_LEFT_OUT: the sources that this build does not have.
# cmake/OrthantConfig.cmake.in looks for the same libraries on the user's machine.

# The core: BLAS and LAPACK.
set(ORTHANT_MODULES openblas lapacke)
set(ORTHANT_LIBRARIES "") # without a pkg-config file, by name
set(ORTHANT_LEFT_OUT "")

# A part that can be switched off: the sources that need its libraries (MODULES), and the file that is
# built in their place (INSTEAD) and says so where one of them is asked for. No other file knows.
macro(orthant_part switch help)
    cmake_parse_arguments(part "" "" "MODULES;SOURCES;INSTEAD" ${ARGN})
    option(${switch} "${help}" ON)
    if(${switch})
        list(APPEND ORTHANT_MODULES ${part_MODULES})
        list(APPEND ORTHANT_LEFT_OUT ${part_INSTEAD})
    else()
        list(APPEND ORTHANT_LEFT_OUT ${part_SOURCES})
    endif()
endmacro()

find_package(PkgConfig REQUIRED)
# Debian calls the plain build of HDF5, which matio uses, hdf5-serial; `hdf5` may be one for MPI.
pkg_check_modules(ORTHANT_HDF5_SERIAL QUIET hdf5-serial)
if(ORTHANT_HDF5_SERIAL_FOUND)
    set(hdf5 hdf5-serial)
else()
    set(hdf5 hdf5)
endif()

orthant_part(ORTHANT_HDF5 "MATLAB and HDF5 files (matio, HDF5)"
    MODULES matio ${hdf5} zlib
    SOURCES
        src/data/hdf5_child.c src/data/hdf5_errors.c src/data/hdf5_file.c src/data/hdf5_filters.c
        src/data/label_image_mat.c src/data/mat_check.c src/data/mat_check_4.c src/data/mat_child.c
        src/data/mat_file.c src/data/mat_hdf5.c src/data/mat_parts.c
        src/data/read_hdf5.c src/data/read_mat.c src/data/row_file_hdf5.c src/data/row_sink_hdf5.c src/data/write_hdf5.c
    INSTEAD src/data/hdf5_none.c)
orthant_part(ORTHANT_COMPRESSION "gzip files and packed .npz files (zlib, libdeflate)"
    MODULES zlib libdeflate
    SOURCES src/data/inflate_zlib.c
    INSTEAD src/data/inflate_none.c)
orthant_part(ORTHANT_VISION "PNG, JPEG and TIFF pictures (libpng, libjpeg-turbo, libtiff) and SIFT (VLFeat)"
    MODULES libpng libjpeg libtiff-4 zlib
    SOURCES
        src/data/image_png.c src/data/image_jpeg.c src/data/image_tiff.c
        src/vision/sift.c src/vision/sift_memory.c
    INSTEAD src/data/image_none.c src/vision/sift_none.c)
orthant_part(ORTHANT_NETTLE "Checksums by the processor's instructions (nettle)"
    MODULES nettle
    SOURCES src/core/sha256_nettle.c
    INSTEAD src/core/sha256_plain.c)

list(REMOVE_DUPLICATES ORTHANT_MODULES)
list(TRANSFORM ORTHANT_LEFT_OUT PREPEND ${PROJECT_SOURCE_DIR}/)
pkg_check_modules(ORTHANT_NEEDS REQUIRED IMPORTED_TARGET ${ORTHANT_MODULES})
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
if(ORTHANT_VISION)
    # VLFeat has no pkg-config file. It is linked by its name, so that the exported targets name no path.
    find_path(ORTHANT_VLFEAT_INCLUDE vl/slic.h REQUIRED)
    find_library(ORTHANT_VLFEAT_LIBRARY vl REQUIRED)
    list(APPEND ORTHANT_LIBRARIES vl)
endif()

set(ORTHANT_DEPENDENCIES PkgConfig::ORTHANT_NEEDS ${ORTHANT_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS} m)
