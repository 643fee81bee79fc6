# zerocts_add_fuzz_target(NAME SOURCES.. [DEPENDS ..])
#   Program NAME_fuzz, which reads any bytes as one kind of input (reference/experiment/fuzz_target_for_test.hpp). With ZEROCTS_FUZZ (preset
#   fuzz, clang) it is a libFuzzer target, run by scripts/fuzz. Else ctest fuzz.NAME gives it its own seeds, damaged ones, and the files of
#   testdata/fuzz/NAME beside it: inputs that were findings once.
option(ZEROCTS_FUZZ "Build the fuzz targets for libFuzzer; needs clang" OFF)
if(ZEROCTS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined)
endif()

function(zerocts_add_fuzz_target name)
  cmake_parse_arguments(target "" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  file(STRINGS "${CMAKE_CURRENT_LIST_FILE}" written REGEX "^zerocts_add_fuzz_target\\(${name}( |$)")
  if(NOT written)
    message(FATAL_ERROR "zerocts_add_fuzz_target(${name}): expected its name in ${CMAKE_CURRENT_LIST_FILE}, at the beginning of a line, where "
      "scripts/fuzz looks for it; write out what a loop makes")
  endif()
  set(driver "${PROJECT_SOURCE_DIR}/reference/experiment")
  if(ZEROCTS_FUZZ)
    zerocts_add_test_program(${name}_fuzz SOURCES ${target_SOURCES} ${driver}/fuzz_with_libfuzzer_for_test.cpp DEPENDS ${target_DEPENDS})
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    return()
  endif()
  zerocts_add_test_program(${name}_fuzz SOURCES ${target_SOURCES} ${driver}/fuzz_replay_for_test.cpp
    DEPENDS ${target_DEPENDS} GTest::gtest)  # for what tests include, which is compiled once
  add_test(NAME fuzz.${name} COMMAND ${name}_fuzz "${CMAKE_CURRENT_SOURCE_DIR}/testdata/fuzz/${name}")
  set_tests_properties(fuzz.${name} PROPERTIES LABELS "unit;fuzz" TIMEOUT 300)
endfunction()
