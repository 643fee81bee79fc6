# Tests that need a Python with numpy and pyzmq (-DPython3_EXECUTABLE=..; on Debian: python3-numpy, python3-zmq). What that Python lacks is seen
# when a test runs, which then counts as skipped.
include("${CMAKE_CURRENT_LIST_DIR}/python_with_client.cmake")
set(adapters "${CMAKE_CURRENT_LIST_DIR}")

# zerocts_add_python_test(NAME NEEDS module .. LABELS .. TIMEOUT seconds COMMAND file argument ..)
function(zerocts_add_python_test name)
  cmake_parse_arguments(test "" "TIMEOUT" "NEEDS;LABELS;COMMAND" ${ARGN})
  list(JOIN test_NEEDS ", " needs)
  add_test(NAME ${name} COMMAND sh -c
    "\"$0\" -c 'import ${needs}' 2>/dev/null || { echo 'skipped: needs a Python with ${needs}'; exit 77; }; exec \"$0\" \"$@\""
    "${ZEROCTS_CLIENT_PYTHON}" ${test_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "python;${test_LABELS}" TIMEOUT ${test_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

if(BUILD_TESTING)
  file(GLOB tests CONFIGURE_DEPENDS "${adapters}/reproducer_test.py" "${adapters}/zerocts_*/*_test.py")
  list(FILTER tests EXCLUDE REGEX "/fork_server_test")
  foreach(test IN LISTS tests)
    string(REGEX REPLACE ".*/(.*)_test.py" "unit.adapters.\\1" name "${test}")
    zerocts_add_python_test(${name} NEEDS numpy zmq LABELS unit TIMEOUT 300 COMMAND "${test}")
  endforeach()
  zerocts_add_script_test(unit.adapters.fork_server LABELS python unit COMMAND adapters/zerocts_rank/fork_server_test.py)
  zerocts_add_script_test(unit.adapters.readme LABELS python unit COMMAND adapters/examples/readme_test.py)

  zerocts_add_python_test(meta.memory_cheats NEEDS numpy zmq LABELS meta nightly TIMEOUT 300
    COMMAND "${adapters}/memory_cheats/cheats_test.py" $<TARGET_FILE:zerocts>)

  zerocts_add_python_test(python.some_reproducers NEEDS pathlib LABELS meta TIMEOUT 600
    COMMAND "${adapters}/reproducers_run_test.py" $<TARGET_FILE:zerocts> Reproducers.test_a_wrong_value_in_a_fork_of_fsdp2)
  zerocts_add_python_test(python.reproducers NEEDS pathlib LABELS meta nightly TIMEOUT 7200
    COMMAND "${adapters}/reproducers_run_test.py" $<TARGET_FILE:zerocts>)

  if(missing_client EQUAL 0)
    judge("exec:${ZEROCTS_CLIENT_PYTHON} ${adapters}/examples/home_made_zero1.py" NAME home_made_zero1
      LAUNCHERS local RANKS 1 2 3 PROCESSORS 1 LABELS python CASES "--tier default")
  else()
    message(STATUS "Python adapters: no Python with numpy and pyzmq, conformance.home_made_zero1 is left out")
  endif()
endif()
