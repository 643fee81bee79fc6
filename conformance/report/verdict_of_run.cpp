#include "conformance/report/verdict_of_run.hpp"

#include <fmt/format.h>

namespace zerocts {
namespace {

const Verdict kNotConformant{"not conformant", 1}, kHarnessError{"harness error", 3}, kCrashOrHang{"crash or hang", 4},
    kStale{"stale expectations", 5}, kTooFew{"too few cases", 6}, kNothingApplicable{"nothing applicable", 77},
    kConformant{"conformant", 0};

const Verdict& Meaning(Result result) {
  switch (result) {
    case Result::kFail:
    case Result::kRefused:
    case Result::kDisagreement:
    case Result::kGarbage: return kNotConformant;
    case Result::kHarnessError: return kHarnessError;
    case Result::kEarlyExit:
    case Result::kHang:
    case Result::kCrash: return kCrashOrHang;
    case Result::kStale: return kStale;
    case Result::kTooFew: return kTooFew;
    case Result::kExpected:
    case Result::kPass: return kConformant;
    case Result::kUnsupported: return kNothingApplicable;
  }
  return kHarnessError;
}

const Verdict& Gravest(const std::set<int>& exit_codes) {
  for (const Verdict* verdict : {&kNotConformant, &kHarnessError, &kCrashOrHang, &kStale, &kTooFew, &kConformant}) {
    if (exit_codes.contains(verdict->exit_code)) return *verdict;
  }
  return kNothingApplicable;
}

/// "conformant with 2 exceptions, partial: world size 3 only"
Verdict Conformant(const RunSummary& run) {
  Verdict verdict = kConformant;
  if (run.exceptions > 0)
    verdict.text += fmt::format(" with {} exception{}", run.exceptions, run.exceptions == 1 ? "" : "s");
  if (!run.partial.empty()) verdict.text += ", partial: " + run.partial;
  return verdict;
}

}  // namespace

Verdict VerdictOf(const RunSummary& run) {
  std::set<int> seen = {Meaning(run.worst_clause).exit_code, Meaning(run.worst_group).exit_code};
  for (const auto& [result, count] : run.strata) {
    if (count > 0) seen.insert(Meaning(result).exit_code);
  }
  if (run.stale > 0) seen.insert(kStale.exit_code);
  const Verdict& gravest = Gravest(seen);
  return gravest == kConformant ? Conformant(run) : gravest;
}

int ExitCodeOf(Result result) { return Meaning(result).exit_code; }

int GravestExitCode(const std::set<int>& exit_codes) { return Gravest(exit_codes).exit_code; }

}  // namespace zerocts
