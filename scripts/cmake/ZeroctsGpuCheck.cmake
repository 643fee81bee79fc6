# The component gpu_check, which `scripts/gpu_check --pack` installs: all that a machine with a GPU needs that builds nothing. Shared libraries
# stand beside the programs but for those of every C++ machine. They are found through DT_RPATH, which unlike DT_RUNPATH (the linker's
# default) serves the needs of those libraries and of plugins too.
get_property(programs GLOBAL PROPERTY zerocts_gpu_programs)
if(NOT programs)
  return()
endif()
set_target_properties(zerocts ${programs} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
foreach(program IN ITEMS zerocts ${programs})
  target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
endforeach()
install(TARGETS zerocts ${programs} RUNTIME_DEPENDENCY_SET gpu_check RUNTIME DESTINATION bin COMPONENT gpu_check EXCLUDE_FROM_ALL)
install(TARGETS subject_native RUNTIME_DEPENDENCY_SET gpu_check LIBRARY DESTINATION "${ZEROCTS_SUBJECTS_DIR}" COMPONENT gpu_check EXCLUDE_FROM_ALL)
install(RUNTIME_DEPENDENCY_SET gpu_check PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|stdc\\+\\+|gcc_s))\\.so"
  LIBRARY DESTINATION lib COMPONENT gpu_check EXCLUDE_FROM_ALL)
install(FILES LICENSE DESTINATION share/zerocts COMPONENT gpu_check EXCLUDE_FROM_ALL)  # the text, where a machine has none of its own
install(DIRECTORY "${PROJECT_BINARY_DIR}/share/zerocts/corpus" DESTINATION share/zerocts COMPONENT gpu_check EXCLUDE_FROM_ALL)
install(DIRECTORY conformance/adapters/ DESTINATION share/zerocts/adapters COMPONENT gpu_check EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.py" PATTERN "*.json" PATTERN "__pycache__" EXCLUDE PATTERN "*_test.py" EXCLUDE PATTERN "tests" EXCLUDE PATTERN "planted_faults" EXCLUDE)
install(PROGRAMS scripts/gpu/packed_gpu_check DESTINATION . RENAME gpu_check COMPONENT gpu_check EXCLUDE_FROM_ALL)
install(FILES
    bench/frameworks/gpu_training_against_torch.py
    bench/frameworks/records.py
    bench/frameworks/training_against_torch.py
  DESTINATION bench/frameworks COMPONENT gpu_check EXCLUDE_FROM_ALL)
install(DIRECTORY scripts/gpu DESTINATION scripts USE_SOURCE_PERMISSIONS COMPONENT gpu_check EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
