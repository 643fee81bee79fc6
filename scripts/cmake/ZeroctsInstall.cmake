# `cmake --install` gives a relocatable package: the program, its subjects, and what a plugin author needs (find_package(zerocts)).
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/zerocts")

add_executable(zerocts::zerocts ALIAS zerocts)
add_library(zerocts::abi ALIAS zerocts_abi)
set_target_properties(zerocts_abi PROPERTIES EXPORT_NAME abi)

install(TARGETS zerocts EXPORT zeroctsTargets RUNTIME DESTINATION bin)
install(TARGETS zerocts_abi EXPORT zeroctsTargets INCLUDES DESTINATION include/zerocts)
install(FILES conformance/abi/zerocts_refuse.h conformance/abi/zerocts_subject.h conformance/plans/zerocts_planner.h DESTINATION include/zerocts)
install(FILES reference/plan/forms/plan.schema.json DESTINATION share/zerocts)
install(EXPORT zeroctsTargets NAMESPACE zerocts:: DESTINATION "${package_dir}")

get_property(subjects GLOBAL PROPERTY zerocts_subject_targets)
install(TARGETS ${subjects} LIBRARY DESTINATION "${ZEROCTS_SUBJECTS_DIR}")
add_custom_target(zerocts_subjects DEPENDS ${subjects})

get_property(others GLOBAL PROPERTY zerocts_installed_targets)
add_custom_target(zerocts_package DEPENDS zerocts ${subjects} ${others})  # all that is built to be installed

configure_package_config_file(scripts/cmake/zeroctsConfig.cmake.in "${PROJECT_BINARY_DIR}/zeroctsConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/zeroctsConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/zeroctsConfig.cmake" "${PROJECT_BINARY_DIR}/zeroctsConfigVersion.cmake"
  scripts/cmake/ZeroctsBenchmarks.cmake scripts/cmake/ZeroctsConformanceTests.cmake scripts/cmake/ZeroctsPlanTests.cmake DESTINATION "${package_dir}")
install(FILES LICENSE README.md DESTINATION share/doc/zerocts)
file(GLOB_RECURSE pages CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
  reference/*.md impl/*.md conformance/*.md bench/*.md scripts/*.md)  # with the links between them
foreach(page IN LISTS pages)
  cmake_path(GET page PARENT_PATH folder)
  install(FILES "${page}" DESTINATION "share/doc/zerocts/${folder}")
endforeach()
install(FILES LICENSE DESTINATION share/zerocts)  # the default text of experiments, where a machine has none of its own
install(FILES conformance/specimen/minimal.c conformance/plans/examples/planner.c conformance/plans/examples/planner.py
  DESTINATION share/zerocts/examples)

# The installed program writes its completions itself, for it knows the subjects that were installed beside it.
install(CODE [[
  foreach(shell IN ITEMS bash zsh)
    set(path_bash "share/bash-completion/completions/zerocts")
    set(path_zsh "share/zsh/site-functions/_zerocts")
    set(file "${CMAKE_INSTALL_PREFIX}/${path_${shell}}")
    get_filename_component(folder "$ENV{DESTDIR}${file}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    execute_process(COMMAND "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/zerocts" completion ${shell}
      OUTPUT_FILE "$ENV{DESTDIR}${file}" RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "zerocts completion ${shell} failed: ${failed}")
    endif()
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${file}")
    message(STATUS "Installing: $ENV{DESTDIR}${file}")
  endforeach()
]])
