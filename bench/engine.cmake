# The engine: steps, training, what it moves and holds. Ranks are threads and processes of this machine.
zerocts_add_room(engine_bench
  SOURCES
    comparison.cpp
    engine_rank.cpp
    gpu_figures.cpp
    huge_memory.cpp
    program.cpp
    rank_results.cpp
    spans.cpp
    stacked_bars.cpp
    step_bound.cpp
    training_times.cpp
    workload.cpp
  DEPENDS zerocts_bench_records zerocts_bounds zerocts_stages zerocts_comm_for_test zerocts_host nlohmann_json::nlohmann_json CLI11::CLI11)
zerocts_add_unit_test(engine_bench
  SOURCES
    gpu_figures_test.cpp
    spans_test.cpp
    stacked_bars_test.cpp
  DEPENDS zerocts_engine_bench)

zerocts_compile_quickly(zerocts_engine_bench)  # what it measures is in libraries

foreach(program IN ITEMS account_bench memory_report speed_report step_bench train_bench)
  add_executable(${program} ${program}.cpp)
  target_link_libraries(${program} PRIVATE zerocts_engine_bench)
  zerocts_compile_quickly(${program})
endforeach()

# Figures that must be equal everywhere are judged; the others run once, so that they stay alive.
function(zerocts_add_bench_test name)
  add_test(NAME bench.${name} COMMAND ${ARGN})
  set_tests_properties(bench.${name} PROPERTIES LABELS "meta;bench" PROCESSORS 2 TIMEOUT 120)
endfunction()
zerocts_add_bench_test(account account_bench)
zerocts_add_bench_test(account_of_uneven_shards account_bench --plan contiguous --ranks 4 --precision bf16)
zerocts_add_bench_test(step step_bench --model tiny --steps 2)
zerocts_add_bench_test(train train_bench --model tiny --steps 1 --rounds 1 --precision fp32,bf16)
zerocts_add_bench_test(memory_report memory_report --model tiny --ranks 3 --precision fp32,bf16)
zerocts_add_bench_test(speed_report speed_report --model tiny --ranks 3 --steps 1)

add_test(NAME bench.record_schema
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/record_schema_test.py" $<TARGET_FILE:account_bench> --ranks 2 --stages 1)
set_tests_properties(bench.record_schema PROPERTIES LABELS "meta;bench" PROCESSORS 2 TIMEOUT 120 SKIP_RETURN_CODE 77)

# Speed on a GPU; with ctest it runs once in small sizes, figures are taken by scripts/gpu_check.
if(ZEROCTS_HAVE_CUDA)
  add_executable(cuda_speed
    cuda_clock.cpp
    cuda_fma_peak.cu
    cuda_speed.cpp)
  target_link_libraries(cuda_speed PRIVATE zerocts_engine_bench)
  zerocts_add_on_host_test(bench.cuda_speed_on_host cuda_speed LABELS meta bench ARGUMENTS --only memory --numel 1009)
  zerocts_add_gpu_test(gpu.speed cuda_speed LABELS bench ARGUMENTS --only memory,products,zero --numel 1000003 --size 257 --steps 1 --rounds 1)
endif()
