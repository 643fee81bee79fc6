# Writes OUT, what provenance.hpp says of this build: cmake -DSOURCE=dir -DOUT=file -DCOMPILER=.. -DCOMPILER_VERSION=.. -DFLAGS=.. -P built_from.cmake
# A file that would not change is left alone, so nothing is built again.
set(commit_or_none std::nullopt)
find_program(git git)
if(git)
  execute_process(COMMAND "${git}" log -1 --format=%H\ %cI WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE head RESULT_VARIABLE failed
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    string(REPLACE " " ";" head "${head}")
    list(GET head 0 commit)
    list(GET head 1 commit_date)
    execute_process(COMMAND "${git}" status --porcelain --untracked-files=no WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE changes)
    set(dirty false)
    if(changes)
      set(dirty true)
    endif()
    set(commit_or_none "RecordedCommit{\"${commit}\", ${dirty}, \"${commit_date}\"}")
  endif()
endif()
string(STRIP "${FLAGS}" FLAGS)
string(REPLACE "\\" "\\\\" FLAGS "${FLAGS}")
string(REPLACE "\"" "\\\"" FLAGS "${FLAGS}")
set(text "#include \"bench/record/provenance.hpp\"

namespace zerocts {

RecordedCompiler CompilerOfRecords() { return {\"${COMPILER}\", \"${COMPILER_VERSION}\", \"${FLAGS}\"}; }
std::optional<RecordedCommit> CommitOfRecords() { return ${commit_or_none}; }

}  // namespace zerocts
")
set(before "")
if(EXISTS "${OUT}")
  file(READ "${OUT}" before)
endif()
if(NOT text STREQUAL before)
  file(WRITE "${OUT}" "${text}")
endif()
