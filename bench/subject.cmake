# `zerocts bench`: any subject, through the rank protocol.
zerocts_add_room(subject_bench
  SOURCES
    bench_case.cpp
    bench_options.cpp
    bench_side.cpp
    compare_command.cpp
    compare_records.cpp
    compare_subjects.cpp
    comparison_table.cpp
    group_measurement.cpp
    measure_subject.cpp
    subject_measurement.cpp
    subject_records.cpp
    subject_table.cpp
    verdict.cpp
  DEPENDS zerocts_engine_bench)
zerocts_compile_quickly(zerocts_subject_bench)

add_executable(subject_bench_program subject_bench.cpp)
set_target_properties(subject_bench_program PROPERTIES OUTPUT_NAME zerocts_subject_bench)
target_link_libraries(subject_bench_program PRIVATE zerocts_subject_bench)
zerocts_compile_quickly(subject_bench_program)

zerocts_add_unit_test(subject_bench
  SOURCES
    compare_records_test.cpp
    comparison_table_test.cpp
    group_measurement_test.cpp
    verdict_test.cpp
  DEPENDS zerocts_subject_bench)

# A plugin that is native and slower by --option slower=PERCENT: `compare` has to find it.
zerocts_add_subject(slower SOURCES slower.c DEPENDS zerocts_abi DIRECTORY lib/zerocts/testdata)
target_compile_definitions(subject_slower PRIVATE "SLOWED_PLUGIN=\"$<TARGET_FILE:subject_native>\"")
target_link_libraries(subject_slower PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(subject_slower subject_native)

include("${PROJECT_SOURCE_DIR}/conformance/adapters/python_with_client.cmake")
set(python_with_client "${ZEROCTS_CLIENT_PYTHON}")
if(lacks_client)
  set(python_with_client)
endif()
add_test(NAME bench.subject
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/subject_bench_test.py" $<TARGET_FILE:zerocts> $<TARGET_FILE:subject_slower>
    ${python_with_client})
set_tests_properties(bench.subject PROPERTIES LABELS "meta;bench" PROCESSORS 2 TIMEOUT 120)
add_test(NAME bench.compare_experiment COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/compare_experiment_test.py")
set_tests_properties(bench.compare_experiment PROPERTIES LABELS "meta;bench" TIMEOUT 120)
