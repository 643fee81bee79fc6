# Third-party packages, all from Debian; scripts/install_packages names them.
find_package(Threads REQUIRED)
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zeromq REQUIRED IMPORTED_TARGET libzmq)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
find_library(ZEROCTS_MPFR_LIBRARY mpfr)  # test oracle only
find_library(ZEROCTS_GMP_LIBRARY gmp)

# ZEROCTS_WITH_<X> = AUTO (take it when found), ON (fail when missing), OFF.
foreach(feature IN ITEMS MPI CUDA NCCL)
  set(ZEROCTS_WITH_${feature} AUTO CACHE STRING "AUTO, ON or OFF")
  set_property(CACHE ZEROCTS_WITH_${feature} PROPERTY STRINGS AUTO ON OFF)
  set(ZEROCTS_HAVE_${feature} OFF)
endforeach()
if(NOT ZEROCTS_WITH_MPI STREQUAL "OFF")
  find_package(MPI COMPONENTS CXX)
  set(ZEROCTS_HAVE_MPI ${MPI_CXX_FOUND})
endif()
