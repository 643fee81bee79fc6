// What the program ends with, and what each number says.
#pragma once

namespace zerocts {

enum ExitCode : int {
  kExitConformant = 0,
  kExitNotConformant = 1,
  kExitUsage = 2,
  kExitHarnessError = 3,
  kExitCrashOrHang = 4,
  kExitStale = 5,
  kExitTooFew = 6,
  kExitNothingApplicable = 77,  // ctest's number for a test that was not run
  kExitInterrupted = 130,       // a shell's number for a program that SIGINT ended
};

struct ExitCodeMeaning {
  ExitCode code;
  const char* name;  // as the last line of a run says it
  const char* meaning;
};

inline constexpr ExitCodeMeaning kExitCodes[] = {
    {kExitConformant, "conformant", "what was judged holds, and where not all was judged the verdict names what was"},
    {kExitNotConformant, "not conformant", "a clause does not hold"},
    {kExitUsage, "usage", "the command line is wrong; the message says what was expected"},
    {kExitHarnessError, "harness error", "the suite itself failed, or the machine lacks what a run needs"},
    {kExitCrashOrHang, "crash or hang", "ranks crashed or hung, and no value was wrong"},
    {kExitStale, "stale expectations", "an expectation no longer holds"},
    {kExitTooFew, "too few cases", "a coverage minimum was missed: not a verdict"},
    {kExitNothingApplicable, "nothing applicable", "nothing that was asked for can be judged here"},
    {kExitInterrupted, "interrupted", "by Ctrl-C or SIGTERM; the results hold what was judged before"},
};

constexpr const char* NameOf(ExitCode code) {
  for (const ExitCodeMeaning& entry : kExitCodes) {
    if (entry.code == code) return entry.name;
  }
  return "";
}

}  // namespace zerocts
