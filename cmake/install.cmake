# What `cmake --install` puts where. The pkg-config file finds its own place, so that the folder can
# be moved and `cmake --install --prefix` works.

include(CMakePackageConfigHelpers)

install(TARGETS orthant orthant_static EXPORT OrthantTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(ORTHANT_COMMAND)
    install(TARGETS orthant_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES apps/orthant/orthant.bash-completion RENAME orthant
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES docs/run.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/orthant)
    install(FILES docs/orthant.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(DIRECTORY data/digits data/scene DESTINATION ${CMAKE_INSTALL_DATADIR}/orthant # orthant demo
        PATTERN "*.py" EXCLUDE)
endif()
install(DIRECTORY include/orthant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/orthant/version.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orthant)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/orthant)

# ---- pkg-config ------------------------------------------------------------------------------

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix /${pc_dir} /)
string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
cmake_path(APPEND pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
cmake_path(APPEND pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
list(TRANSFORM ORTHANT_LIBRARIES PREPEND -l OUTPUT_VARIABLE pc_libraries)
string(REPLACE ";" " " pc_libs_private "${ORTHANT_NEEDS_LDFLAGS};${pc_libraries};-pthread;-lm")
configure_file(cmake/orthant.pc.in orthant.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/orthant.pc DESTINATION ${pc_dir})

# ---- find_package(Orthant) -------------------------------------------------------------------

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Orthant)
string(REPLACE ";" " " ORTHANT_MODULES_SPACED "${ORTHANT_MODULES}")
configure_package_config_file(cmake/OrthantConfig.cmake.in OrthantConfig.cmake
    INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(OrthantConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT OrthantTargets NAMESPACE Orthant:: DESTINATION ${config_dir})
install(FILES
    ${PROJECT_BINARY_DIR}/OrthantConfig.cmake
    ${PROJECT_BINARY_DIR}/OrthantConfigVersion.cmake
    DESTINATION ${config_dir})

# ---- the Python package, which pyproject.toml builds: the library beside its modules ----------

install(FILES $<TARGET_FILE:orthant> DESTINATION orthant RENAME liborthant.so
    COMPONENT python EXCLUDE_FROM_ALL)
