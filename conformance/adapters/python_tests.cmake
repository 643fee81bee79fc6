# Tests that need a Python with numpy and pyzmq. Without one they are skipped.
include("${CMAKE_CURRENT_LIST_DIR}/python_with_client.cmake")
set(adapters "${CMAKE_CURRENT_LIST_DIR}")

# zerocts_add_python_test(NAME FILE): a file of unittest cases.
function(zerocts_add_python_test name file)
  set(needs "import numpy, zmq")
  add_test(NAME ${name} COMMAND sh -c
    "\"$1\" -c '${needs}' || { echo 'skipped: needs numpy and pyzmq'; exit 77; }; exec \"$1\" \"$2\"" sh "${ZEROCTS_CLIENT_PYTHON}" "${file}")
  set_tests_properties(${name} PROPERTIES LABELS "unit;python" TIMEOUT 120 SKIP_RETURN_CODE 77)
endfunction()

if(BUILD_TESTING)
  zerocts_add_python_test(unit.zerocts_rank "${adapters}/zerocts_rank/client_test.py")
  zerocts_add_python_test(unit.readme_adapter "${adapters}/examples/readme_test.py")
  if(lacks_client EQUAL 0)
    zerocts_add_conformance_tests("exec:PYTHONPATH=${adapters} exec ${ZEROCTS_CLIENT_PYTHON} ${adapters}/examples/home_made_zero1.py"
      NAME home_made_zero1 RANKS 1 2 3 LABELS python)
  else()
    message(STATUS "Python adapters: no Python with numpy and pyzmq, conformance.home_made_zero1 is left out")
  endif()
endif()
