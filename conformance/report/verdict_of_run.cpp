#include "conformance/report/verdict_of_run.hpp"

#include <fmt/format.h>

#include "conformance/host/system/exit_codes.hpp"

namespace zerocts {
namespace {

ExitCode Meaning(Result result) {
  switch (result) {
    case Result::kFail:
    case Result::kRefused:
    case Result::kDisagreement:
    case Result::kGarbage: return kExitNotConformant;
    case Result::kHarnessError: return kExitHarnessError;
    case Result::kEarlyExit:
    case Result::kHang:
    case Result::kCrash: return kExitCrashOrHang;
    case Result::kStale: return kExitStale;
    case Result::kTooFew: return kExitTooFew;
    case Result::kExpected:
    case Result::kPass: return kExitConformant;
    case Result::kUnsupported: return kExitNothingApplicable;
  }
  return kExitHarnessError;
}

ExitCode Gravest(const std::set<int>& exit_codes) {
  for (const ExitCode code :
       {kExitNotConformant, kExitHarnessError, kExitCrashOrHang, kExitStale, kExitTooFew, kExitConformant}) {
    if (exit_codes.contains(code)) return code;
  }
  return kExitNothingApplicable;
}

/// "conformant with 2 exceptions, partial: world size 3 only"
Verdict Conformant(const RunSummary& run) {
  Verdict verdict{NameOf(kExitConformant), kExitConformant};
  if (run.exceptions > 0)
    verdict.text += fmt::format(" with {} exception{}", run.exceptions, run.exceptions == 1 ? "" : "s");
  if (!run.partial.empty()) verdict.text += ", partial: " + run.partial;
  return verdict;
}

}  // namespace

Verdict VerdictOf(const RunSummary& run) {
  std::set<int> seen = {Meaning(run.worst_clause), Meaning(run.worst_group)};
  for (const auto& [result, count] : run.strata) {
    if (count > 0) seen.insert(Meaning(result));
  }
  if (run.stale > 0) seen.insert(kExitStale);
  const ExitCode gravest = Gravest(seen);
  return gravest == kExitConformant ? Conformant(run) : Verdict{NameOf(gravest), gravest};
}

int ExitCodeOf(Result result) { return Meaning(result); }

int GravestExitCode(const std::set<int>& exit_codes) { return Gravest(exit_codes); }

}  // namespace zerocts
