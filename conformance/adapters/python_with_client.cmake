# ZEROCTS_CLIENT_PYTHON: a Python that has what a rank in Python needs, numpy and pyzmq: the one that was found first, or the system's (Debian:
# python3-numpy, python3-zmq). Without one it is the first, and the tests that need more are skipped with that reason.
set(ZEROCTS_CLIENT_PYTHON "${Python3_EXECUTABLE}")
foreach(candidate IN ITEMS "${Python3_EXECUTABLE}" /usr/bin/python3)
  execute_process(COMMAND "${candidate}" -c "import numpy, zmq" RESULT_VARIABLE missing_client OUTPUT_QUIET ERROR_QUIET)
  if(missing_client EQUAL 0)
    set(ZEROCTS_CLIENT_PYTHON "${candidate}")
    break()
  endif()
endforeach()
