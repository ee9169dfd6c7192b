# The libraries that Orthant stands on, as the list ORTHANT_DEPENDENCIES to link with.
# cmake/OrthantConfig.cmake.in looks for the same ones on the user's machine.

find_package(PkgConfig REQUIRED)
# Debian calls the plain build of HDF5, which matio uses, hdf5-serial; `hdf5` may be one for MPI.
pkg_check_modules(ORTHANT_HDF5_SERIAL QUIET hdf5-serial)
if(ORTHANT_HDF5_SERIAL_FOUND)
    set(hdf5 hdf5-serial)
else()
    set(hdf5 hdf5)
endif()
set(ORTHANT_MODULES openblas lapacke arpack matio ${hdf5} libpng libjpeg libtiff-4 zlib libdeflate nettle)

pkg_check_modules(ORTHANT_NEEDS REQUIRED IMPORTED_TARGET ${ORTHANT_MODULES})
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# VLFeat has no pkg-config file. It is linked by its name, so that the exported targets name no path.
find_path(ORTHANT_VLFEAT_INCLUDE vl/slic.h REQUIRED)
find_library(ORTHANT_VLFEAT_LIBRARY vl REQUIRED)

set(ORTHANT_DEPENDENCIES PkgConfig::ORTHANT_NEEDS vl Threads::Threads m)
