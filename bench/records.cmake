# The records of all benchmarks, and what they say of this build.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
add_custom_target(bench_built_from
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DOUT=${CMAKE_CURRENT_BINARY_DIR}/built_from.cpp"
    "-DCOMPILER=${CMAKE_CXX_COMPILER_ID}" "-DCOMPILER_VERSION=${CMAKE_CXX_COMPILER_VERSION}"
    "-DFLAGS=${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" -P "${CMAKE_CURRENT_SOURCE_DIR}/built_from.cmake"
  BYPRODUCTS "${CMAKE_CURRENT_BINARY_DIR}/built_from.cpp"
  COMMENT "" VERBATIM)

zerocts_add_room(bench_records
  SOURCES
    "${CMAKE_CURRENT_BINARY_DIR}/built_from.cpp"
    figures.cpp
    google_records.cpp
    provenance.cpp
    record.cpp
    record_file.cpp
    statistics.cpp
  DEPENDS zerocts_host zerocts_experiment nlohmann_json::nlohmann_json)
add_dependencies(zerocts_bench_records bench_built_from)
set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/built_from.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

zerocts_add_unit_test(bench_records
  SOURCES
    figures_test.cpp
    google_records_test.cpp
    record_test.cpp
    statistics_test.cpp
  DEPENDS zerocts_bench_records)

add_executable(google_records google_records_main.cpp)
target_link_libraries(google_records PRIVATE zerocts_bench_records)
zerocts_compile_quickly(google_records)
