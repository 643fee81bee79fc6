# Installs into a folder, moves the folder (the package is relocatable), and lets a small project outside the tree configure, build and judge its
# own ZeRO library with find_package(zerocts), and another one train with the engine (zerocts::engine).
#   cmake -DBUILD_DIR=.. -DSOURCE_DIR=.. -DC=.. -DCXX=.. -DMPIEXEC=.. -DSANITIZE=.. -P TestInstalledPackage.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "exit ${result}: ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND mktemp -d OUTPUT_VARIABLE scratch OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${scratch}/installed")
file(RENAME "${scratch}/installed" "${scratch}/moved here")

file(COPY "${SOURCE_DIR}/conformance/meta_tests/consumer" DESTINATION "${scratch}")
file(COPY "${SOURCE_DIR}/conformance/specimen/minimal.c" "${SOURCE_DIR}/conformance/plans/examples/planner.c" DESTINATION "${scratch}/consumer")
run(${CMAKE_COMMAND} -G Ninja -S "${scratch}/consumer" -B "${scratch}/build" "-DCMAKE_PREFIX_PATH=${scratch}/moved here" -DCMAKE_C_COMPILER=${C}
  -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build "${scratch}/build")
run(${CMAKE_CTEST_COMMAND} --test-dir "${scratch}/build" --no-tests=error --output-on-failure --label-exclude benchmark)
message(STATUS "${output}")
run(python3 "${SOURCE_DIR}/bench/history/installed_test.py" "${scratch}/moved here" "${scratch}/build" "${SOURCE_DIR}")
message(STATUS "${output}")

# Another one trains with the engine itself, which needs nothing but what was installed.
if(SANITIZE)
  set(sanitized -fsanitize=${SANITIZE})  # as the engine is
endif()
file(COPY "${SOURCE_DIR}/conformance/meta_tests/consumer_engine" DESTINATION "${scratch}")
run(${CMAKE_COMMAND} -G Ninja -S "${scratch}/consumer_engine" -B "${scratch}/build_engine" "-DCMAKE_PREFIX_PATH=${scratch}/moved here"
  -DCMAKE_CXX_COMPILER=${CXX} -DMPIEXEC=${MPIEXEC} -DCMAKE_CXX_FLAGS=${sanitized})
run(${CMAKE_COMMAND} --build "${scratch}/build_engine")
run(${CMAKE_CTEST_COMMAND} --test-dir "${scratch}/build_engine" --no-tests=error --output-on-failure)
message(STATUS "${output}")

# The installed program finds its own subjects, plugins and frameworks.
run(${CMAKE_COMMAND} -E env "XDG_CACHE_HOME=${scratch}/cache" "${scratch}/moved here/bin/zerocts" subjects)
foreach(subject IN ITEMS native torch-fsdp2)
  if(NOT output MATCHES "${subject}")
    message(FATAL_ERROR "the installed program lists no subject '${subject}':\n${output}")
  endif()
endforeach()
if(NOT EXISTS "${scratch}/moved here/share/zerocts/adapters/zerocts_watch/compiled/operators.cpp")
  message(FATAL_ERROR "what zerocts watch prepare builds is not installed")
endif()
run("${scratch}/moved here/bin/zerocts" bench --help)
run("${scratch}/moved here/bin/zerocts" bench history --help)
foreach(completion IN ITEMS share/bash-completion/completions/zerocts share/zsh/site-functions/_zerocts)
  file(READ "${scratch}/moved here/${completion}" script)
  if(NOT script MATCHES "torch-fsdp2")
    message(FATAL_ERROR "${completion} does not complete the subjects that are installed")
  endif()
endforeach()
file(REMOVE_RECURSE "${scratch}")
