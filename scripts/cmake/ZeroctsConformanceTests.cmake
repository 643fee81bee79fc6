# zerocts_add_conformance_tests(TARGET
#     [LAUNCHERS threads local mpirun]   how ranks run; one ctest test per launcher; default: local
#     [RANKS 1 2 3 4]                    world sizes
#     [CLAUSES C-ZERO-001 ownership ..]  clauses and families; default: all
#     [ARGUMENTS ..]                     further arguments of `zerocts check`
#     [PROCESSORS n]                     cores that ctest keeps for it; default: as many as the most ranks
#     [GPUS n]                           so many GPUs; label gpu (and multi-gpu) instead of cpu; default: none
#     [LABELS ..] [NAME name])
#   Registers ctest tests that judge TARGET, a MODULE library that exports zerocts_subject_v1 (or the name of a subject that `zerocts subjects`
#   lists). A test is named conformance.<name>.<launcher>; results.ndjson and junit.xml are left in <build>/zerocts-results/<test>. One with GPUS
#   has them to itself (ctest --resource-spec-file, written by `zerocts gpus --ctest-spec`), and where there are fewer it is not run, with the reason.
function(zerocts_add_conformance_tests target)
  cmake_parse_arguments(suite "" "NAME;GPUS;PROCESSORS" "LAUNCHERS;RANKS;CLAUSES;ARGUMENTS;LABELS" ${ARGN})
  if(suite_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "zerocts_add_conformance_tests(${target}): unknown arguments ${suite_UNPARSED_ARGUMENTS}")
  endif()
  if(TARGET ${target})
    set(subject "plugin:$<TARGET_FILE:${target}>")
  else()
    set(subject "${target}")
  endif()
  if(NOT suite_NAME)
    set(suite_NAME ${target})
  endif()
  if(NOT suite_LAUNCHERS)
    set(suite_LAUNCHERS local)
  endif()
  if(NOT suite_RANKS)
    set(suite_RANKS 1 2 3 4)
  endif()
  if(NOT suite_PROCESSORS)
    set(most_first ${suite_RANKS})
    list(SORT most_first COMPARE NATURAL ORDER DESCENDING)
    list(GET most_first 0 suite_PROCESSORS)
  endif()
  list(JOIN suite_RANKS "," ranks)
  if(suite_GPUS)
    set(on_gpus $<TARGET_FILE:zerocts::zerocts> gpus --at-least ${suite_GPUS} --)
    set(resources RESOURCE_GROUPS "${suite_GPUS},gpus:1")
  endif()
  foreach(launcher IN LISTS suite_LAUNCHERS)
    set(test conformance.${suite_NAME}.${launcher})
    if(suite_GPUS GREATER 1)
      set(kind gpu multi-gpu)
    elseif(suite_GPUS)
      set(kind gpu)
    elseif(launcher STREQUAL "mpirun")
      set(kind mpi)
    else()
      set(kind cpu)
    endif()
    add_test(NAME ${test} COMMAND ${on_gpus} $<TARGET_FILE:zerocts::zerocts> check ${suite_CLAUSES} --subject ${subject} --launcher ${launcher} --ranks ${ranks}
      --out "${CMAKE_BINARY_DIR}/zerocts-results/${test}" ${suite_ARGUMENTS})
    set_tests_properties(${test} PROPERTIES LABELS "conformance;${kind};${suite_LABELS}" PROCESSORS ${suite_PROCESSORS} TIMEOUT 1200 SKIP_RETURN_CODE 77
      ${resources})
  endforeach()
endfunction()
