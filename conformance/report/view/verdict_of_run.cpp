#include "conformance/report/view/verdict_of_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    case Result::kNotRun:
    case Result::kTooFew: return kExitTooFew;
    case Result::kExpected:
    case Result::kSelfReported:
    case Result::kPass: return kExitConformant;
    case Result::kLeftOut:
    case Result::kNotApplicable: return kExitNothingApplicable;
  }
  return kExitHarnessError;
}

ExitCode Gravest(const std::set<int>& exit_codes) {
  for (const ExitCode code : {kExitNotConformant, kExitHarnessError, kExitInterrupted, kExitCrashOrHang, kExitStale,
                              kExitTooFew, kExitConformant}) {
    if (exit_codes.contains(code)) return code;
  }
  return kExitNothingApplicable;
}

std::vector<std::string> NamesOf(const std::vector<ProfileReached>& profiles, Reach reach) {
  std::vector<std::string> names;
  for (const ProfileReached& profile : profiles) {
    if (profile.reach() == reach) names.push_back(profile.NameAndCount());
  }
  return names;
}

/// "; 41 of 56 clauses judged, 2 of these self-reported; profiles reached: zero-1; self-reported: cost (C-ZERO-100)"
std::string Reached(const RunSummary& run) {
  std::string text;
  if (run.clauses > 0) text += fmt::format("; {} of {} clauses judged", run.judged, run.clauses);
  if (run.clauses > 0 && run.self_reported > 0) text += fmt::format(", {} of these self-reported", run.self_reported);
  if (run.profiles.empty()) return text;
  const std::vector<std::string> in_full = NamesOf(run.profiles, Reach::kInFull);
  const std::vector<std::string> self_reported = NamesOf(run.profiles, Reach::kSelfReported);
  text += fmt::format("; profiles reached: {}", in_full.empty() ? "none" : fmt::format("{}", fmt::join(in_full, ", ")));
  return self_reported.empty() ? text : text + fmt::format("; self-reported: {}", fmt::join(self_reported, ", "));
}

/// "conformant with 2 exceptions, partial: world size 3 only; 41 of 56 clauses judged; profiles reached: zero-1"
Verdict Conformant(const RunSummary& run) {
  Verdict verdict{NameOf(kExitConformant), kExitConformant};
  if (run.exceptions > 0)
    verdict.text += fmt::format(" with {} exception{}", run.exceptions, run.exceptions == 1 ? "" : "s") +
                    (run.expected_as.empty() ? "" : " known of " + run.expected_as);
  if (!run.partial.empty()) verdict.text += ", partial: " + run.partial;
  verdict.text += Reached(run);
  return verdict;
}

/// "not conformant; required, and not reached: zero-2 in part (5 of 11)"
Verdict Bad(ExitCode code, const std::vector<std::string>& missed) {
  Verdict verdict{NameOf(code), code};
  if (!missed.empty()) verdict.text += fmt::format("; required, and not reached: {}", fmt::join(missed, ", "));
  return verdict;
}

/// "interrupted by SIGINT; so far not conformant"
Verdict InterruptedRun(const std::string& signal, ExitCode gravest) {
  const bool is_bad = gravest != kExitTooFew && gravest != kExitConformant && gravest != kExitNothingApplicable;
  return {
      fmt::format("{} by {}; so far {}", NameOf(kExitInterrupted), signal, is_bad ? NameOf(gravest) : "nothing failed"),
      kExitInterrupted};
}

}  // namespace

Verdict VerdictOf(const RunSummary& run) {
  std::set<int> seen = {Meaning(run.worst_clause), Meaning(run.worst_group)};
  for (const auto& [result, count] : run.configurations) {
    if (count > 0) seen.insert(Meaning(result));
  }
  if (run.stale > 0) seen.insert(kExitStale);
  const std::vector<std::string> missed = MissedOf(run.profiles, run.required);
  if (!missed.empty() && run.interrupted.empty() && !seen.contains(kExitHarnessError)) seen.insert(kExitNotConformant);
  const ExitCode gravest = Gravest(seen);
  if (!run.interrupted.empty()) return InterruptedRun(run.interrupted, gravest);
  return gravest == kExitConformant ? Conformant(run) : Bad(gravest, missed);
}

int ExitCodeOf(Result result) { return Meaning(result); }

int GravestExitCode(const std::set<int>& exit_codes) { return Gravest(exit_codes); }

}  // namespace zerocts
