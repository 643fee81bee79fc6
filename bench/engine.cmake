# The engine: steps, training, what it moves and holds. Ranks are threads and processes of this machine.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(memory_bound memory_bound_x86_64.cpp)
else()
  set(memory_bound memory_bound_portable.cpp)
endif()
zerocts_add_room(engine_bench
  SOURCES engine_rank.cpp huge_memory.cpp program.cpp rank_results.cpp spans.cpp step_bound.cpp update_bound.cpp workload.cpp ${memory_bound}
  DEPENDS zerocts_stages zerocts_comm_for_test zerocts_host nlohmann_json::nlohmann_json CLI11::CLI11)

foreach(program IN ITEMS step_bench)
  add_executable(${program} ${program}.cpp)
  target_link_libraries(${program} PRIVATE zerocts_engine_bench)
endforeach()
