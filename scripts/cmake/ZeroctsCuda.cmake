# CUDA as a language of this build, when there is a compiler for it: ZEROCTS_HAVE_CUDA.
#   ZEROCTS_WITH_CUDA = AUTO: when nvcc is found; ON: its absence stops the configuration; OFF: not looked for.
#   ZEROCTS_CUDA_ARCHITECTURES: what kernels are compiled for. One architecture keeps a build short; what is given to
#   others is built with "80-real;90-real;100" (machine code for each, and PTX for what comes after them).
set(ZEROCTS_CUDA_ARCHITECTURES "90" CACHE STRING "GPU architectures, as for CMAKE_CUDA_ARCHITECTURES")

include(CheckLanguage)
if(NOT ZEROCTS_WITH_CUDA STREQUAL "OFF")
  find_program(ZEROCTS_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  if(ZEROCTS_NVCC AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} "${ZEROCTS_NVCC}")
  endif()
  set(CMAKE_CUDA_ARCHITECTURES "${ZEROCTS_CUDA_ARCHITECTURES}")
  check_language(CUDA)  # tries it: a compiler that does not work is none
endif()

zerocts_find_optional(CUDA CUDAToolkit CMAKE_CUDA_COMPILER CUDAToolkit_VERSION "device cuda" "no device cuda")
if(ZEROCTS_HAVE_CUDA)
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")  # nvcc has had it since 12.0; CMake 3.25 does not know
  set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
  set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # who calls CUDA links CUDA::cudart_static
  # -isystem /usr/include, from a package's target, would hide the compiler's own headers.
  list(APPEND CMAKE_CUDA_IMPLICIT_INCLUDE_DIRECTORIES ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
endif()
