# zerocts_add_plan_tests(NAME
#     [PLANNER command ..]   what answers requests; default: the MODULE library NAME, which exports zerocts_plan_v1
#     [CASES n]              at random; default: 200
#     [ARGUMENTS ..]         further arguments of `zerocts plan fuzz`, such as --stage 1,2 --corpus folder
#     [LABELS ..])
#   Registers ctest test plan.<name>, which fuzzes a shard planner. Counterexamples are left in <build>/zerocts-results/<test>.
function(zerocts_add_plan_tests name)
  cmake_parse_arguments(plan "" "CASES" "PLANNER;ARGUMENTS;LABELS" ${ARGN})
  if(plan_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "zerocts_add_plan_tests(${name}): unknown arguments ${plan_UNPARSED_ARGUMENTS}")
  endif()
  list(LENGTH plan_PLANNER words)
  if(words EQUAL 1)
    set(planner "${plan_PLANNER}")
  elseif(words GREATER 1)
    list(JOIN plan_PLANNER "' '" planner)  # as the shell takes words with blanks
    set(planner "'${planner}'")
  elseif(TARGET ${name})
    set(planner "plugin:$<TARGET_FILE:${name}>")
  else()
    message(FATAL_ERROR "zerocts_add_plan_tests(${name}): expected a library of that name, or PLANNER with a command")
  endif()
  if(NOT plan_CASES)
    set(plan_CASES 200)
  endif()
  add_test(NAME plan.${name} COMMAND $<TARGET_FILE:zerocts::zerocts> plan fuzz --planner "${planner}" --cases ${plan_CASES}
    --out "${CMAKE_BINARY_DIR}/zerocts-results/plan.${name}" ${plan_ARGUMENTS})
  set_tests_properties(plan.${name} PROPERTIES LABELS "plan;${plan_LABELS}" TIMEOUT 600 SKIP_RETURN_CODE 77)
endfunction()
