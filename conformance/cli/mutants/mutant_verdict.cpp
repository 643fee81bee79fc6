#include "conformance/cli/mutants/mutant_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/host/system/exit_codes.hpp"

namespace zerocts {
namespace {

/// The subject broke the clause, as opposed to: it kept it, or nobody knows.
bool IsComplaint(Result result) {
  switch (result) {
    case Result::kFail:
    case Result::kRefused:
    case Result::kDisagreement:
    case Result::kGarbage:
    case Result::kEarlyExit:
    case Result::kHang:
    case Result::kCrash: return true;
    case Result::kNotApplicable:
    case Result::kLeftOut:
    case Result::kPass:
    case Result::kSelfReported:
    case Result::kExpected:
    case Result::kNotRun:
    case Result::kStale:
    case Result::kTooFew:
    case Result::kHarnessError: return false;
  }
  return false;
}

bool Names(const InstalledMutant& mutant, const std::string& clause) {
  return std::find(mutant.clauses.begin(), mutant.clauses.end(), clause) != mutant.clauses.end();
}

/// "40 of 41 mutants killed, 6 of 6 without a fault passed"
std::string Summary(const std::vector<MutantVerdict>& verdicts) {
  const auto count = [&](bool benign, bool right_only) {
    return std::count_if(verdicts.begin(), verdicts.end(), [&](const MutantVerdict& v) {
      return v.mutant.benign == benign && (!right_only || v.AsItMustBe());
    });
  };
  return fmt::format("{} of {} mutants killed, {} of {} without a fault passed\n", count(false, true),
                     count(false, false), count(true, true), count(true, false));
}

/// "C-ZERO-005 (2), C-ZERO-011 (5)"
std::string AlarmsOf(const MutantVerdict& verdict) {
  std::string alarms;
  for (const auto& [clause, count] : verdict.complaints)
    alarms += fmt::format("{}{} ({})", alarms.empty() ? "" : ", ", clause, count);
  return alarms;
}

std::string Row(const MutantVerdict& verdict, const std::string& clause, const std::string& outcome) {
  return fmt::format("{:<6} {:<8} {:<11} {:<13} {}\n", verdict.mutant.id, verdict.mutant.subject, clause, outcome,
                     verdict.mutant.title);
}

/// "killed 5/5"; a seed that proves nothing neither kills nor lets survive.
std::string MutantOutcome(const MutantVerdict& verdict, const std::string& clause) {
  const int killed = verdict.ComplaintsOf(clause);
  const char* word = !verdict.problems.empty() ? "UNPROVEN" : killed == verdict.seeds ? "killed" : "SURVIVED";
  return fmt::format("{} {}/{}", word, killed, verdict.seeds);
}

std::string BenignOutcome(const MutantVerdict& verdict) {
  if (!verdict.complaints.empty()) return "FALSE ALARM";
  return fmt::format("{} {}", verdict.problems.empty() ? "passed" : "UNPROVEN", verdict.seeds);
}

}  // namespace

RunEvidence EvidenceOf(const RunView& run) {
  RunEvidence evidence;
  evidence.problem = run.Objection();
  if (evidence.problem.empty() && run.cases() == 0) evidence.problem = "no case was run";
  for (const ClauseView& clause : run.clauses) {
    if (IsComplaint(clause.result)) evidence.complaints.push_back(clause.id);
    if (clause.result == Result::kHarnessError && evidence.problem.empty())
      evidence.problem = "an error of the harness in " + clause.id;
  }
  for (const GroupEndView& end : run.group_ends) evidence.complaints.push_back(end.phase);
  return evidence;
}

int MutantVerdict::ComplaintsOf(const std::string& clause) const {
  const auto found = complaints.find(clause);
  return found == complaints.end() ? 0 : found->second;
}

bool MutantVerdict::AsItMustBe() const {
  if (!problems.empty()) return false;
  if (mutant.benign) return complaints.empty();
  return std::all_of(mutant.clauses.begin(), mutant.clauses.end(),
                     [&](const std::string& clause) { return ComplaintsOf(clause) == seeds; });
}

MutantVerdict VerdictOf(const InstalledMutant& mutant, const std::vector<RunEvidence>& seeds) {
  MutantVerdict verdict{.mutant = mutant, .seeds = static_cast<int>(seeds.size()), .complaints = {}, .problems = {}};
  for (const RunEvidence& evidence : seeds) {
    if (!evidence.problem.empty()) {
      verdict.problems.push_back(evidence.problem);
      continue;
    }
    for (const std::string& clause : evidence.complaints) ++verdict.complaints[clause];
  }
  return verdict;
}

int ExitCodeOf(const std::vector<MutantVerdict>& verdicts) {
  const bool proven =
      std::all_of(verdicts.begin(), verdicts.end(), [](const MutantVerdict& v) { return v.problems.empty(); });
  if (!proven) return kExitHarnessError;
  return std::all_of(verdicts.begin(), verdicts.end(), [](const MutantVerdict& v) { return v.AsItMustBe(); })
             ? kExitConformant
             : kExitNotConformant;
}

std::string TableOf(const std::vector<MutantVerdict>& verdicts) {
  std::string table = fmt::format("{:<6} {:<8} {:<11} {:<13} {}\n", "id", "subject", "clause", "seeds", "title");
  for (const MutantVerdict& verdict : verdicts) {
    const InstalledMutant& mutant = verdict.mutant;
    for (const std::string& clause : mutant.clauses) table += Row(verdict, clause, MutantOutcome(verdict, clause));
    if (mutant.benign) table += Row(verdict, "-", BenignOutcome(verdict));
    if (mutant.benign && !verdict.complaints.empty())
      table += fmt::format("       under seeds: {}\n", AlarmsOf(verdict));
    for (const std::string& problem : verdict.problems) table += fmt::format("       HARNESS ERROR: {}\n", problem);
  }
  return table + Summary(verdicts);
}

std::string MatrixOf(const std::vector<MutantVerdict>& verdicts, const std::vector<std::string>& clauses) {
  std::string matrix = fmt::format("{:<6}", "");
  for (const std::string& clause : clauses) matrix += fmt::format(" {:>4}", clause.substr(clause.rfind('-') + 1));
  matrix += "\n";
  for (const MutantVerdict& verdict : verdicts) {
    matrix += fmt::format("{:<6}", verdict.mutant.id);
    for (const std::string& clause : clauses) {
      const int count = verdict.ComplaintsOf(clause);
      const std::string seen = count == 0 ? "." : std::to_string(count);
      matrix += fmt::format(" {:>4}", Names(verdict.mutant, clause) ? "[" + seen + "]" : seen);
    }
    matrix += "\n";
  }
  return matrix;
}

}  // namespace zerocts
