# How much is compiled at once. A missing #include is seen where ZEROCTS_UNITY is off (presets debug, asan, tsan, portable).
option(ZEROCTS_UNITY "Compile several files of a target at once, in a third of the time" ON)

# zerocts_compile_together(TARGET)
#   Up to 50 C++ files in one translation unit, where ZEROCTS_UNITY is on: headers and templates are compiled once for all of them. So no two
#   files of the target may define the same name. A file with options of its own stays alone (CMake sees to it), and so does one that
#   a mutant replaces.
function(zerocts_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ZEROCTS_UNITY} UNITY_BUILD_BATCH_SIZE 50)
  zerocts_patched_files(patched)
  foreach(source IN LISTS patched)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# zerocts_compile_quickly(TARGET)
#   Together and with -O1, for code whose templates (expectations, JSON, options) take long to compile and whose speed nobody feels; its
#   loops over elements are still vectorized, which costs no time to compile.
function(zerocts_compile_quickly target)
  zerocts_compile_together(${target})
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1$<SEMICOLON>-ftree-loop-vectorize>)
endfunction()

# zerocts_precompile(OWNER PROGRAMS|MODULES HEADER [DEPENDS ..])
#   What HEADER includes is compiled once, by the target OWNER, for programs or modules that are compiled quickly. Only where ZEROCTS_UNITY is
#   on. For a mutant, HEADER must reach no header that a patch changes: the patched copy would be a second definition.
function(zerocts_precompile owner users header)
  cmake_parse_arguments(precompile "" "" "DEPENDS" ${ARGN})
  if(NOT ZEROCTS_UNITY)
    return()
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${owner}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "int main() {}\n")
  if(users STREQUAL "PROGRAMS")
    add_executable(${owner} EXCLUDE_FROM_ALL "${source}")  # with -fPIE, as its users
  else()
    add_library(${owner} OBJECT EXCLUDE_FROM_ALL "${source}")
  endif()
  target_link_libraries(${owner} PRIVATE zerocts_arithmetic ${precompile_DEPENDS})
  zerocts_compile_quickly(${owner})
  target_precompile_headers(${owner} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
endfunction()

# zerocts_use_precompiled(TARGET OWNER)
#   TARGET takes what OWNER compiled of its HEADER. A target with a file in C, and files with options of their own, do without.
function(zerocts_use_precompiled target owner)
  get_target_property(sources ${target} SOURCES)
  if(NOT TARGET ${owner} OR "${sources};" MATCHES "\\.c;")
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  foreach(source IN LISTS sources)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    if(options)
      set_source_files_properties("${source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()
