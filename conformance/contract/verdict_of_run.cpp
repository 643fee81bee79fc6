#include "conformance/contract/verdict_of_run.hpp"

namespace zerocts {
namespace {

const Verdict kNotConformant{"not conformant", 1}, kHarnessError{"harness error", 3}, kCrashOrHang{"crash or hang", 4},
    kTooFew{"too few cases", 6}, kNothingApplicable{"nothing applicable", 77}, kConformant{"conformant", 0};

const Verdict& Meaning(Result result) {
  switch (result) {
    case Result::kFail:
    case Result::kRefused:
    case Result::kDisagreement:
    case Result::kGarbage:
      return kNotConformant;
    case Result::kHarnessError:
      return kHarnessError;
    case Result::kEarlyExit:
    case Result::kHang:
    case Result::kCrash:
      return kCrashOrHang;
    case Result::kTooFew:
      return kTooFew;
    case Result::kPass:
      return kConformant;
    case Result::kUnsupported:
      return kNothingApplicable;
  }
  return kHarnessError;
}

}  // namespace

Verdict VerdictOf(const std::map<Result, int64_t>& strata, Result worst_clause) {
  std::map<int, Verdict> seen = {{Meaning(worst_clause).exit_code, Meaning(worst_clause)}};
  for (const auto& [result, count] : strata) {
    if (count > 0) seen.insert({Meaning(result).exit_code, Meaning(result)});
  }
  for (const Verdict& verdict : {kNotConformant, kHarnessError, kCrashOrHang, kTooFew, kConformant}) {
    if (seen.contains(verdict.exit_code)) return verdict;
  }
  return kNothingApplicable;
}

int ExitCodeOf(Result result) { return Meaning(result).exit_code; }

}  // namespace zerocts
