# Known faults as plugins, to prove that the suite sees them.
include(CMakeDependentOption)
cmake_dependent_option(ZEROCTS_BUILD_MUTANTS "Build the mutants and the benign variants that judge the suite itself" ON
  BUILD_TESTING OFF)

# Sets OUT to the patches, one per mutant and benign variant.
function(_zerocts_find_patches out)
  file(GLOB patches CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/conformance/contract/*/mutants/*.patch"
    "${PROJECT_SOURCE_DIR}/conformance/specimen/benign/*.patch")
  set(${out} "${patches}" PARENT_SCOPE)
endfunction()

# Sets OUT to the files that a patch changes, as paths from the root.
function(_zerocts_files_of_patch patch out)
  file(STRINGS "${patch}" lines REGEX "^\\+\\+\\+ b/")
  list(TRANSFORM lines REPLACE "^\\+\\+\\+ b/([^ \t]+).*$" "\\1")
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# zerocts_patched_files(OUT)
#   Sets OUT to the files that some mutant of this build replaces, as paths from the root: each needs an object file of its own.
function(zerocts_patched_files out)
  get_property(known GLOBAL PROPERTY zerocts_patched_files SET)
  if(NOT known)
    set(files)
    if(ZEROCTS_BUILD_MUTANTS)
      _zerocts_find_patches(patches)
      foreach(patch IN LISTS patches)
        _zerocts_files_of_patch("${patch}" of_patch)
        list(APPEND files ${of_patch})
      endforeach()
      list(REMOVE_DUPLICATES files)
    endif()
    set_property(GLOBAL PROPERTY zerocts_patched_files "${files}")
  endif()
  get_property(files GLOBAL PROPERTY zerocts_patched_files)
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# zerocts_add_mutants()
#   Every conformance/contract/<family>/mutants/ID.patch and conformance/specimen/benign/ID.patch becomes
#   lib/zerocts/mutants/ID.so: the subject that the patch names, with the patched source files in place of its own and
#   everything else linked as the subject links it. mutants.json beside them lists them for `zerocts mutants`.
#   A patch (applied with -p1 from the root, at build time, without fuzz) begins with lines
#     # id: M20              # title: one line          # subject: full, or another subject's name
#     # kills: C-ZERO-010    (not in a benign one)      # bugs: links, by commas
#     # options: device=sim  (for the subject; may be left out)
#     # plan: a plan file through which it is judged, from the root (may be left out)
function(zerocts_add_mutants)
  if(NOT ZEROCTS_BUILD_MUTANTS)
    return()
  endif()
  find_program(ZEROCTS_PATCH_EXECUTABLE patch)
  if(NOT ZEROCTS_PATCH_EXECUTABLE)
    message(FATAL_ERROR "The program patch is missing: install the Debian package patch, or configure with "
      "-DZEROCTS_BUILD_MUTANTS=OFF.")
  endif()
  _zerocts_find_patches(patches)
  set(json "[]")
  set(index 0)
  foreach(patch IN LISTS patches)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${patch}")
    _zerocts_read_patch("${patch}")
    _zerocts_add_mutant(${patch_id} ${patch_subject} "${patch}" "${patch_files}")
    string(JSON json SET "${json}" ${index} "${patch_json}")
    math(EXPR index "${index} + 1")
  endforeach()
  file(WRITE "${PROJECT_BINARY_DIR}/${ZEROCTS_MUTANTS_DIR}/mutants.json" "${json}\n")
endfunction()

# Sets in the caller: patch_id, patch_subject, patch_files (paths from the root), patch_json (the entry of mutants.json).
function(_zerocts_read_patch patch)
  foreach(field IN ITEMS id title subject kills bugs options plan)
    file(STRINGS "${patch}" line REGEX "^# ${field}: " LIMIT_COUNT 1)
    string(REGEX REPLACE "^# ${field}: *" "" ${field} "${line}")
    string(REPLACE "\\;" ";" ${field} "${${field}}")
  endforeach()
  if(plan)
    if(NOT EXISTS "${PROJECT_SOURCE_DIR}/${plan}")
      message(FATAL_ERROR "${patch}: expected with \"# plan: \" a plan file from the root, got \"${plan}\".")
    endif()
    set(plan "${PROJECT_SOURCE_DIR}/${plan}")
  endif()
  get_filename_component(stem "${patch}" NAME_WE)
  if(NOT id STREQUAL stem OR NOT title OR NOT TARGET "subject_${subject}")
    message(FATAL_ERROR "${patch}: expected the lines \"# id: ${stem}\", \"# title: ..\" and \"# subject: ..\" naming "
      "a subject of this build; got id \"${id}\", title \"${title}\", subject \"${subject}\".")
  endif()
  file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}/conformance" "${patch}")
  if(path MATCHES "^contract/([^/]+)/mutants/")
    set(family "${CMAKE_MATCH_1}")
    set(benign false)
  else()
    set(family "benign")
    set(benign true)
  endif()
  if(benign AND kills OR NOT benign AND NOT kills)
    message(FATAL_ERROR "${patch}: a mutant names with \"# kills: \" the clauses that must see it, a benign variant has "
      "none; got \"${kills}\".")
  endif()

  _zerocts_files_of_patch("${patch}" files)
  if(NOT files)
    message(FATAL_ERROR "${patch}: expected a unified diff whose paths a/.., b/.. begin at the root; got no line "
      "\"+++ b/..\".")
  endif()

  set(entry "{}")
  foreach(field IN ITEMS id title subject family plan)
    string(REPLACE "\"" "\\\"" text "${${field}}")
    string(JSON entry SET "${entry}" ${field} "\"${text}\"")
  endforeach()
  _zerocts_json_list(clauses "${kills}")
  _zerocts_json_list(bugs "${bugs}")
  _zerocts_json_list(options "${options}")
  string(JSON entry SET "${entry}" clauses "${clauses}")
  string(JSON entry SET "${entry}" bugs "${bugs}")
  string(JSON entry SET "${entry}" options "${options}")
  string(JSON entry SET "${entry}" benign "${benign}")
  set(patch_id "${id}" PARENT_SCOPE)
  set(patch_subject "${subject}" PARENT_SCOPE)
  set(patch_files "${files}" PARENT_SCOPE)
  set(patch_json "${entry}" PARENT_SCOPE)
endfunction()

# "A, B" as a JSON list of strings.
function(_zerocts_json_list out text)
  string(REGEX MATCHALL "[^ ,]+" items "${text}")
  list(TRANSFORM items REPLACE "(.+)" "\"\\1\"")
  list(JOIN items "," joined)
  set(${out} "[${joined}]" PARENT_SCOPE)
endfunction()

function(_zerocts_add_mutant id subject patch files)
  # A patched header is seen by all sources of the subject: they are all built again.
  get_target_property(subject_dir subject_${subject} SOURCE_DIR)
  file(RELATIVE_PATH subject_dir "${PROJECT_SOURCE_DIR}" "${subject_dir}")
  set(copied ${files})
  set(all_built_again false)
  foreach(file IN LISTS files)
    get_filename_component(folder "${file}" DIRECTORY)
    if(file MATCHES "\\.(h|hpp)$")
      if(NOT "${folder}/" MATCHES "^${subject_dir}/")
        message(FATAL_ERROR "${patch}: a patched header must stand in ${subject_dir}, with the sources that see it; "
          "got ${file}.")
      endif()
      get_target_property(sources subject_${subject} SOURCES)
      list(TRANSFORM sources PREPEND "${subject_dir}/")
      list(APPEND copied ${sources})
      set(all_built_again true)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES copied)

  # A diff that fails halfway never reaches the sources that are compiled.
  set(work "${CMAKE_CURRENT_BINARY_DIR}/mutants/${id}.work")
  set(root "${CMAKE_CURRENT_BINARY_DIR}/mutants/${id}")
  set(objects)
  foreach(file IN LISTS copied)
    get_filename_component(name "${file}" NAME)
    string(REPLACE "." "\\." name "${name}")
    list(APPEND objects "${name}")
  endforeach()
  list(TRANSFORM copied PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE originals)
  list(TRANSFORM copied PREPEND "${root}/" OUTPUT_VARIABLE patched)
  set(plant "${PROJECT_SOURCE_DIR}/scripts/cmake/plant.sh")
  add_custom_command(OUTPUT ${patched} DEPENDS ${originals} "${patch}" "${plant}" COMMENT "Planting ${id}" VERBATIM
    COMMAND sh "${plant}" "${ZEROCTS_PATCH_EXECUTABLE}" "${patch}" "${work}" "${root}" "${PROJECT_SOURCE_DIR}" ${copied})

  # An object that is linked by name wins over the archive member with the same symbols, so the rooms' libraries serve
  # as they are: what a patch changes is an object of its own there (zerocts_patched_files).
  list(JOIN objects "|" objects)
  set(kept "$<FILTER:$<TARGET_OBJECTS:subject_${subject}>,EXCLUDE,/(${objects})\\.o$>")
  if(all_built_again)
    set(kept)
  endif()
  add_library(mutant_${id} MODULE ${patched} ${kept})
  zerocts_compile_quickly(mutant_${id})
  zerocts_use_precompiled(mutant_${id} subject_${subject}_headers)
  add_dependencies(mutant_${id} subject_${subject})  # the control: a clause that fails without the fault kills nothing
  target_include_directories(mutant_${id} BEFORE PRIVATE "${root}")
  target_link_libraries(mutant_${id} PRIVATE "$<TARGET_PROPERTY:subject_${subject},LINK_LIBRARIES>")
  target_compile_definitions(mutant_${id} PRIVATE "$<TARGET_PROPERTY:subject_${subject},COMPILE_DEFINITIONS>")
  target_link_options(mutant_${id} PRIVATE "$<TARGET_PROPERTY:subject_${subject},LINK_OPTIONS>")
  set_target_properties(mutant_${id} PROPERTIES PREFIX "" OUTPUT_NAME ${id}
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${ZEROCTS_MUTANTS_DIR}")
endfunction()
