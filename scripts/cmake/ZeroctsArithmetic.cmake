# The flags that bits depend on. They ride on one interface target, so that a test, a subject and a
# benchmark cannot differ by accident (g++ contracts a*b+c by default, which changed 46 % of AdamW elements).
add_library(zerocts_arithmetic INTERFACE)
target_compile_options(zerocts_arithmetic INTERFACE
  $<$<COMPILE_LANG_AND_ID:C,GNU,Clang>:-ffp-contract=off;-fno-math-errno;-fno-trapping-math>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-ffp-contract=off;-fno-math-errno;-fno-trapping-math>)
target_include_directories(zerocts_arithmetic INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
target_compile_options(zerocts_arithmetic INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-Wall;-Wextra;-Wno-missing-field-initializers>)

# nvcc contracts by default too; what is true by default is said all the same, because every verdict hangs on it.
target_compile_options(zerocts_arithmetic INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-ftz=false;-prec-div=true;-prec-sqrt=true>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off,-fno-math-errno,-fno-trapping-math>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-missing-field-initializers>")

# -march=native and friends would compile the portable code for one machine only; kernels are chosen at run time.
foreach(flags IN ITEMS CMAKE_CXX_FLAGS CMAKE_C_FLAGS CMAKE_CXX_FLAGS_RELEASE CMAKE_C_FLAGS_RELEASE CMAKE_CUDA_FLAGS
  CMAKE_CUDA_FLAGS_RELEASE)
  if("${${flags}}" MATCHES "(-ffast-math|-Ofast|-funsafe-math|-fassociative-math|-freciprocal-math|use_fast_math)")
    message(FATAL_ERROR "${flags} holds ${CMAKE_MATCH_1}: expected flags that keep IEEE arithmetic, "
      "because every verdict of ZeRO-CTS is about bits. Remove it and configure again.")
  endif()
endforeach()
