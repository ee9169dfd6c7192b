# Read by ctest before it runs a test: where the research data sets lie. Tests that want them skip
# when ORTHANT_DATA is not set.
get_filename_component(beside "${CMAKE_CURRENT_LIST_DIR}/../../shared/data" ABSOLUTE)
if(NOT DEFINED ENV{ORTHANT_DATA} AND IS_DIRECTORY "${beside}")
    set(ENV{ORTHANT_DATA} "${beside}")
endif()
