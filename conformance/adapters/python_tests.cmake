# Tests that need a Python with numpy and pyzmq (-DPython3_EXECUTABLE=..; on Debian: python3-numpy, python3-zmq), some of them torch too. What that
# Python lacks is seen when a test runs, which then counts as skipped.
find_package(Python3 COMPONENTS Interpreter)
set(adapters "${CMAKE_CURRENT_LIST_DIR}")

# zerocts_add_python_test(NAME NEEDS module .. LABELS .. TIMEOUT seconds COMMAND file argument ..)
function(zerocts_add_python_test name)
  cmake_parse_arguments(test "" "TIMEOUT" "NEEDS;LABELS;COMMAND" ${ARGN})
  list(JOIN test_NEEDS ", " needs)
  add_test(NAME ${name} COMMAND sh -c
    "\"$0\" -c 'import ${needs}' 2>/dev/null || { echo 'skipped: needs a Python with ${needs}'; exit 77; }; exec \"$0\" \"$@\""
    "${Python3_EXECUTABLE}" ${test_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "python;${test_LABELS}" TIMEOUT ${test_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

if(BUILD_TESTING AND Python3_Interpreter_FOUND)
  zerocts_add_python_test(unit.zerocts_rank NEEDS numpy zmq LABELS unit TIMEOUT 120 COMMAND "${adapters}/zerocts_rank/client_test.py")
  zerocts_add_python_test(unit.readme_adapter NEEDS pathlib LABELS unit TIMEOUT 60 COMMAND "${adapters}/examples/readme_test.py")
  zerocts_add_python_test(meta.some_planted_faults NEEDS numpy zmq torch LABELS meta TIMEOUT 600
    COMMAND "${adapters}/check_faults.py" $<TARGET_FILE:zerocts> --smoke)
  zerocts_add_python_test(meta.planted_faults NEEDS numpy zmq torch LABELS meta nightly TIMEOUT 3600
    COMMAND "${adapters}/check_faults.py" $<TARGET_FILE:zerocts>)

  execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import numpy, zmq" RESULT_VARIABLE no_client OUTPUT_QUIET ERROR_QUIET)
  if(no_client)
    message(STATUS "Python adapters: ${Python3_EXECUTABLE} has no numpy or no pyzmq, conformance.home_made_zero1 is left out")
  else()
    zerocts_add_conformance_tests("exec:PYTHONPATH=${adapters} exec ${Python3_EXECUTABLE} ${adapters}/examples/home_made_zero1.py"
      NAME home_made_zero1 RANKS 1 2 3 LABELS python)
  endif()
endif()
