include(ZeroctsCompileTogether)

# zerocts_add_room(NAME SOURCES.. [DEPENDS ..] [OBJECT] [SEPARATE])
#   One static library per room, target zerocts_<name>, its files compiled together. OBJECT keeps every object file (test registrars);
#   SEPARATE compiles one file at a time. One named .._for_test is compiled quickly.
function(zerocts_add_room name)
  cmake_parse_arguments(room "OBJECT;SEPARATE" "" "SOURCES;DEPENDS" ${ARGN})
  if(room_OBJECT)
    set(kind OBJECT)
  else()
    set(kind STATIC)
  endif()
  add_library(zerocts_${name} ${kind} ${room_SOURCES})
  target_link_libraries(zerocts_${name} PUBLIC zerocts_arithmetic ${room_DEPENDS})
  if(name MATCHES "_for_test$")
    zerocts_compile_quickly(zerocts_${name})
  elseif(NOT room_SEPARATE)
    zerocts_compile_together(zerocts_${name})
  endif()
endfunction()

# zerocts_name_files_from_root(TARGET)
#   For code that keeps names of its source files (clauses, GoogleTest's macros): a package names no folder of the machine that built it.
function(zerocts_name_files_from_root target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
endfunction()

if(BUILD_TESTING)
  zerocts_precompile(zerocts_test_headers PROGRAMS "${CMAKE_CURRENT_LIST_DIR}/test_headers.hpp" DEPENDS GTest::gtest rapidcheck)
endif()

# zerocts_add_test_program(NAME SOURCES.. [DEPENDS ..]): for tests; what it tests is in libraries, which stay at -O3.
function(zerocts_add_test_program name)
  cmake_parse_arguments(program "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${program_SOURCES})
  target_link_libraries(${name} PRIVATE zerocts_arithmetic ${program_DEPENDS})
  zerocts_compile_quickly(${name})
  if("GTest::gtest" IN_LIST program_DEPENDS)
    zerocts_use_precompiled(${name} zerocts_test_headers)
  endif()
endfunction()

# zerocts_add_unit_test(ROOM SOURCES.. [DEPENDS ..])
#   One GoogleTest program per room, registered as ctest unit.<room> with label unit.
function(zerocts_add_unit_test room)
  zerocts_add_labelled_test(unit ${room} ${ARGN})
endfunction()

# zerocts_add_meta_test(NAME SOURCES.. [DEPENDS ..]): likewise of the suite itself, ctest meta.<name> with label meta.
function(zerocts_add_meta_test name)
  zerocts_add_labelled_test(meta ${name} ${ARGN})
endfunction()

function(zerocts_add_labelled_test label name)
  cmake_parse_arguments(test "" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  zerocts_add_test_program(${name}_test SOURCES ${test_SOURCES}
    DEPENDS ${test_DEPENDS} rapidcheck rapidcheck_gtest GTest::gtest GTest::gtest_main)
  add_test(NAME ${label}.${name} COMMAND ${name}_test)
  set(seconds 900)  # of the slowest, alone on two cores: 60
  if(ZEROCTS_SANITIZE)
    set(seconds 1800)
  endif()
  set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT ${seconds})
endfunction()

# zerocts_add_subject(NAME SOURCES.. [DEPENDS ..] [DIRECTORY dir])
#   A plugin with one exported symbol, target subject_NAME, built as lib/zerocts/subjects/NAME.so and installed there; with another DIRECTORY
#   it is for tests and not installed.
function(zerocts_add_subject name)
  cmake_parse_arguments(subject "" "DIRECTORY" "SOURCES;DEPENDS" ${ARGN})
  if(NOT subject_DIRECTORY)
    set(subject_DIRECTORY ${ZEROCTS_SUBJECTS_DIR})
    set_property(GLOBAL APPEND PROPERTY zerocts_subject_targets subject_${name})
  endif()
  add_library(subject_${name} MODULE ${subject_SOURCES})
  target_link_libraries(subject_${name} PRIVATE zerocts_arithmetic ${subject_DEPENDS})
  set_target_properties(subject_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${subject_DIRECTORY}")
endfunction()

# zerocts_add_gpu_test(NAME PROGRAM [GPUS n] [LABELS ..] [TIMEOUT s] [ARGUMENTS ..])
#   A test that needs GPUs, one without GPUS; label gpu, and multi-gpu where it needs several. With ctest --resource-spec-file it has them to
#   itself. Where there are too few, `zerocts gpus` says so with exit code 77, which ctest reports as not run.
function(zerocts_add_gpu_test name program)
  cmake_parse_arguments(gpu "" "GPUS;TIMEOUT" "LABELS;ARGUMENTS" ${ARGN})
  set(labels gpu ${gpu_LABELS})
  if(NOT gpu_GPUS)
    set(gpu_GPUS 1)
  endif()
  if(gpu_GPUS GREATER 1)
    list(APPEND labels multi-gpu)
  endif()
  if(NOT gpu_TIMEOUT)
    set(gpu_TIMEOUT 600)
  endif()
  add_dependencies(gpu_tests ${program})
  set_property(GLOBAL APPEND PROPERTY zerocts_gpu_programs ${program})
  add_test(NAME ${name} COMMAND zerocts gpus --at-least ${gpu_GPUS} -- $<TARGET_FILE:${program}> ${gpu_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77 TIMEOUT ${gpu_TIMEOUT} RESOURCE_GROUPS "${gpu_GPUS},gpus:1")
endfunction()

# zerocts_add_on_host_test(NAME PROGRAM [LABELS ..] [ARGUMENTS ..] [ENVIRONMENT ..])
#   The same objects as PROGRAM, which needs a GPU, on a CUDA runtime whose GPU is the CPU (impl/cuda_on_host).
function(zerocts_add_on_host_test name program)
  cmake_parse_arguments(test "" "" "LABELS;ARGUMENTS;ENVIRONMENT" ${ARGN})
  if(NOT test_LABELS)
    set(test_LABELS unit)
  endif()
  get_target_property(libraries ${program} LINK_LIBRARIES)
  add_executable(${program}_on_host $<TARGET_OBJECTS:${program}>)
  target_link_libraries(${program}_on_host PRIVATE zerocts_cuda_on_host ${libraries})
  add_test(NAME ${name} COMMAND ${program}_on_host ${test_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES LABELS "${test_LABELS}" ENVIRONMENT "${test_ENVIRONMENT}" TIMEOUT 900)
endfunction()

# zerocts_share_programs(NAME [PATTERN .. [EXCLUDE]]..)
#   This folder's programs in Python are found under share/zerocts/NAME: in the build tree by a link to the sources, elsewhere installed
#   with files of the patterns, without tests.
function(zerocts_share_programs name)
  set(place "share/zerocts/${name}")
  if(NOT IS_SYMLINK "${PROJECT_BINARY_DIR}/${place}")
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/zerocts")
    file(REMOVE_RECURSE "${PROJECT_BINARY_DIR}/${place}")
    file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/${place}" SYMBOLIC)
  endif()
  install(DIRECTORY ./ DESTINATION "${place}" FILES_MATCHING PATTERN "*.py" PATTERN "*.json" ${ARGN}
    PATTERN "__pycache__" EXCLUDE PATTERN "*_test.py" EXCLUDE)
endfunction()
