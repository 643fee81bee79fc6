# zerocts_add_benchmarks(TARGET
#     [STAGES 1 2 ..]                default: all that it declares
#     [RANKS 2 ..]                   world sizes; default: 2
#     [MODEL tiny|small|gpt2-124m]   whose parameters are updated; default: small
#     [OPTIONS key=value ..]         of the subject, and of a BASELINE that is a target
#     [ARGUMENTS ..]                 further arguments of `zerocts bench`
#     [BASELINE ..]                  another target, a subject as `zerocts bench` takes it, or a file of records: TARGET must not be slower
#     [GATE_ARGUMENTS ..]            further arguments of `zerocts bench compare`
#     [GPUS n]                       so many GPUs; label gpu (and multi-gpu) instead of cpu; default: none
#     [LABELS ..] [NAME name])
#   Registers ctest tests with the label benchmark that measure TARGET, a MODULE library that exports zerocts_subject_v1 (or a subject that
#   `zerocts subjects` lists). benchmark.<name> prints its figures as <DartMeasurement>, which ctest gives to CDash, and adds them to
#   <build>/zerocts-results/benchmark.<name>/records.ndjson. With BASELINE, benchmark.<name>.gate passes only if nothing became slower, and no
#   bytes or counts differ; where the machine is too noisy to say, it is skipped. On GPUs as zerocts_add_conformance_tests; others run alone.
function(zerocts_add_benchmarks target)
  cmake_parse_arguments(suite "" "NAME;MODEL;BASELINE;GPUS" "STAGES;RANKS;OPTIONS;ARGUMENTS;GATE_ARGUMENTS;LABELS" ${ARGN})
  if(suite_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "zerocts_add_benchmarks(${target}): unknown arguments ${suite_UNPARSED_ARGUMENTS}")
  endif()
  if(suite_GATE_ARGUMENTS AND NOT suite_BASELINE)
    message(FATAL_ERROR "zerocts_add_benchmarks(${target}): expected a BASELINE with GATE_ARGUMENTS, got none")
  endif()
  if(NOT suite_NAME)
    set(suite_NAME ${target})
  endif()
  set(test benchmark.${suite_NAME})
  set(results "${CMAKE_BINARY_DIR}/zerocts-results/${test}")
  set(run $<TARGET_FILE:zerocts::zerocts> bench ctest)
  set(kind cpu)
  set(beside_others RUN_SERIAL ON)
  if(suite_GPUS)
    list(APPEND run --gpus ${suite_GPUS})
    set(kind gpu)
    set(beside_others RESOURCE_GROUPS "${suite_GPUS},gpus:1")
  endif()
  if(suite_GPUS GREATER 1)
    list(APPEND kind multi-gpu)
  endif()

  zerocts_benchmarked_subject(subject ${target} "${suite_OPTIONS}")
  set(size ${suite_ARGUMENTS})
  if(suite_STAGES)
    list(JOIN suite_STAGES "," stages)
    list(APPEND size --stage ${stages})
  endif()
  if(suite_RANKS)
    list(JOIN suite_RANKS "," ranks)
    list(APPEND size --ranks ${ranks})
  endif()
  if(suite_MODEL)
    list(APPEND size --model ${suite_MODEL})
  endif()
  set(tests ${test})
  add_test(NAME ${test} COMMAND ${run} --into "${results}" -- --subject "${subject}" ${size})
  if(suite_BASELINE MATCHES "\\.ndjson$")
    get_filename_component(baseline "${suite_BASELINE}" ABSOLUTE)
    set(sides "${baseline}" "${results}/newest.ndjson")
    set_tests_properties(${test} PROPERTIES FIXTURES_SETUP ${test})
    set(needs FIXTURES_REQUIRED ${test})
  elseif(suite_BASELINE)
    zerocts_benchmarked_subject(baseline "${suite_BASELINE}" "${suite_OPTIONS}")
    set(sides "${baseline}" "${subject}" ${size})
    set(needs)
  endif()
  if(suite_BASELINE)
    add_test(NAME ${test}.gate COMMAND ${run} -- compare ${sides} ${suite_GATE_ARGUMENTS})
    set_tests_properties(${test}.gate PROPERTIES SKIP_RETURN_CODE 6 ${needs})
    list(APPEND tests ${test}.gate)
  endif()
  set_tests_properties(${tests} PROPERTIES LABELS "benchmark;${kind};${suite_LABELS}" TIMEOUT 1200 SKIP_RETURN_CODE 6 ${beside_others})
endfunction()

# A target's plugin with these options, or the text of a subject as it is.
function(zerocts_benchmarked_subject variable subject options)
  if(TARGET ${subject})
    list(PREPEND options "plugin:$<TARGET_FILE:${subject}>")
    list(JOIN options "," subject)
  endif()
  set(${variable} "${subject}" PARENT_SCOPE)
endfunction()
