# A kernel object compiled for a newer CPU may export its table and nothing else: a weak function in it could replace
# the portable one of the same name at link time. cmake -DNM=nm -DOBJECTS="a.o;b.o" -P kernel_symbols_test.cmake
foreach(object IN LISTS OBJECTS)
  if(NOT object MATCHES "kernels_x86_64")
    continue()
  endif()
  execute_process(COMMAND ${NM} --defined-only --extern-only --demangle ${object}
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[0-9a-f]+ [DR] zerocts::kX86_64(V3Kernels|V4Kernels|Bf16Pairs)\n" "" others "${symbols}")
  if(others STREQUAL symbols OR NOT others STREQUAL "")
    message(FATAL_ERROR "${object}: expected one external symbol, the kernel table, got:\n${symbols}")
  endif()
endforeach()
