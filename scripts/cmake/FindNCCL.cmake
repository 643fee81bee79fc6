# Finds NCCL's header, which is all that a build needs; the library is loaded at run time. Looked for in ZEROCTS_NCCL_HOME (variable or
# environment), in the folder where scripts/steps.sh puts a Python wheel, in the active Python environment, in the CUDA toolkit.
#   NCCL_FOUND, NCCL_INCLUDE_DIR, NCCL_VERSION, and the target zerocts_nccl_header, which brings the toolkit's headers along.
set(ZEROCTS_NCCL_HOME "$ENV{ZEROCTS_NCCL_HOME}" CACHE PATH "folder of an NCCL installation, with include/nccl.h")
find_package(CUDAToolkit QUIET)
file(GLOB nccl_wheels
  "${PROJECT_SOURCE_DIR}/build/nccl/lib/python3*/site-packages/nvidia/nccl"
  "$ENV{VIRTUAL_ENV}/lib/python3*/site-packages/nvidia/nccl")
if(NOT ZEROCTS_NCCL_HOME STREQUAL "")
  find_path(NCCL_INCLUDE_DIR nccl.h PATHS "${ZEROCTS_NCCL_HOME}" PATH_SUFFIXES include NO_DEFAULT_PATH)
else()
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${nccl_wheels} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
endif()
if(NCCL_INCLUDE_DIR)
  file(STRINGS "${NCCL_INCLUDE_DIR}/nccl.h" version_lines REGEX "define NCCL_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" version_numbers "${version_lines}")
  list(JOIN version_numbers "." NCCL_VERSION)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_INCLUDE_DIR CUDAToolkit_INCLUDE_DIRS VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET zerocts_nccl_header)
  add_library(zerocts_nccl_header INTERFACE)
  target_include_directories(zerocts_nccl_header SYSTEM INTERFACE "${NCCL_INCLUDE_DIR}" ${CUDAToolkit_INCLUDE_DIRS})
endif()
