# Tests that need a Python with numpy and pyzmq (-DPython3_EXECUTABLE=..; on Debian: python3-numpy, python3-zmq). Without them they are skipped.
find_package(Python3 COMPONENTS Interpreter)
set(adapters "${CMAKE_CURRENT_LIST_DIR}")

# zerocts_add_python_test(NAME FILE): a file of unittest cases.
function(zerocts_add_python_test name file)
  set(needs "import numpy, zmq")
  add_test(NAME ${name} COMMAND sh -c
    "\"$1\" -c '${needs}' || { echo 'skipped: needs numpy and pyzmq'; exit 77; }; exec \"$1\" \"$2\"" sh "${Python3_EXECUTABLE}" "${file}")
  set_tests_properties(${name} PROPERTIES LABELS "unit;python" TIMEOUT 120 SKIP_RETURN_CODE 77)
endfunction()

if(BUILD_TESTING AND Python3_Interpreter_FOUND)
  zerocts_add_python_test(unit.zerocts_rank "${adapters}/zerocts_rank/client_test.py")
  zerocts_add_python_test(unit.readme_adapter "${adapters}/examples/readme_test.py")

  execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import numpy, zmq" RESULT_VARIABLE no_client OUTPUT_QUIET ERROR_QUIET)
  if(no_client)
    message(STATUS "Python adapters: ${Python3_EXECUTABLE} has no numpy or no pyzmq, conformance.home_made_zero1 is left out")
  else()
    zerocts_add_conformance_tests("exec:PYTHONPATH=${adapters} exec ${Python3_EXECUTABLE} ${adapters}/examples/home_made_zero1.py"
      NAME home_made_zero1 RANKS 1 2 3 LABELS python)
  endif()
endif()
