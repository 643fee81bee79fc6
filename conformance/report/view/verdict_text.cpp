#include "conformance/report/view/verdict_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "conformance/cases/case/counted.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/report/view/limits.hpp"
#include "conformance/report/words/mark.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

/// "conformant with 2 exceptions, partial: .." up to what follows its name.
std::string NameIn(const std::string& verdict) {
  return verdict.substr(0, std::min(verdict.find(", partial: "), verdict.find(';')));
}

/// "13 of 66 clauses", "2 of these self-reported", "3 left out by options".
std::vector<std::string> Scope(const RunView& view) {
  std::vector<std::string> scope;
  if (view.suite_clauses > 0) scope.push_back(fmt::format("{} of {} clauses", view.judged(), view.suite_clauses));
  if (view.self_reported() > 0) scope.push_back(fmt::format("{} of these self-reported", view.self_reported()));
  const int64_t left_out = view.Count(Result::kLeftOut);
  if (left_out > 0) scope.push_back(fmt::format("{} left out by options", left_out));
  if (const std::string limits = LimitsOf(view); !limits.empty()) scope.push_back(limits);
  return scope;
}

/// " (C-ZERO-033)": the clauses of what was excused.
std::string Excused(const RunView& view) {
  std::set<std::string> clauses;
  for (const ExpectationView& expectation : view.expectations) {
    if (expectation.state == "held") clauses.insert(expectation.clause);
  }
  return clauses.empty() ? "" : fmt::format(" ({})", fmt::join(clauses, ", "));
}

std::string ConformantSentence(const RunView& view) {
  const std::vector<std::string> scope = Scope(view);
  return NameIn(view.verdict.text) + Excused(view) +
         (scope.empty() ? "" : fmt::format(": {}", fmt::join(scope, ", "))) +
         (view.partial.empty() ? "" : fmt::format("; partial: {}", view.partial));
}

/// In a case, and by the subject.
bool HasFailed(const ClauseView& clause) {
  return std::ranges::any_of(clause.configurations, [](const ConfigurationView& configuration) {
    const int exit_code = ExitCodeOf(configuration.result);
    const bool is_subjects = exit_code == kExitNotConformant || exit_code == kExitCrashOrHang;
    return is_subjects && !configuration.failures.empty();
  });
}

/// "not conformant: 3 of 13 clauses failed; required, and not reached: zero-2 in part (5 of 11)".
std::string BadSentence(const RunView& view) {
  const auto failed = std::ranges::count_if(view.clauses, HasFailed);
  const std::string name = NameIn(view.verdict.text), rest = view.verdict.text.substr(name.size());
  const auto asked = std::ranges::count_if(
      view.clauses, [](const ClauseView& c) { return IsAsked(c.result) && c.result != Result::kNotRun; });
  return name + (failed > 0 ? fmt::format(": {} of {} failed", failed, Counted(asked, "clause")) : "") + rest;
}

}  // namespace

std::string VerdictSentence(const RunView& view) {
  if (const std::string objection = view.Objection(); !objection.empty())
    return Printable(fmt::format("no verdict: {}", objection));
  return Printable(view.conformant() ? ConformantSentence(view) : BadSentence(view));
}

std::string FiguresOf(const RunView& view) {
  std::vector<std::string> counts;
  for (const auto& [result, count] : view.counts()) counts.push_back(fmt::format("{} {}", count, WordsOf(result)));
  if (view.plan && !counts.empty()) counts.push_back(fmt::format("{} planned", view.plan->all_configurations()));
  const int64_t idle = view.Count(Result::kNotApplicable);
  const int64_t left_out = view.Count(Result::kLeftOut);
  const int64_t not_run = view.Count(Result::kNotRun);
  const int64_t not_reached = std::ssize(view.clauses) - view.judged() - idle - left_out - not_run;
  return fmt::format("{} judged{}{}{}{}{}, {}; configurations: {}", Counted(view.judged(), "clause"),
                     not_run > 0 ? fmt::format(", {} not run", not_run) : "",
                     not_reached > 0 ? fmt::format(", {} without a case", not_reached) : "",
                     left_out > 0 ? fmt::format(", {} left out by options", left_out) : "",
                     idle > 0 ? fmt::format(", {} not applicable", idle) : "",
                     view.self_reported() > 0 ? fmt::format(", {} self-reported", view.self_reported()) : "",
                     Counted(view.cases(), "case"),
                     counts.empty() ? "none" : fmt::format("{}", fmt::join(counts, ", ")));
}

std::vector<std::pair<Reach, std::string>> ProfilesByReach(const RunView& view) {
  std::map<Reach, std::vector<std::string>> names;
  for (const ProfileReached& profile : view.profiles()) names[profile.reach()].push_back(profile.NameAndCount());
  std::vector<std::pair<Reach, std::string>> reached;
  for (const auto& [reach, of_reach] : names)
    reached.emplace_back(reach, fmt::format("{}: {}", ToString(reach), fmt::join(of_reach, ", ")));
  return reached;
}

std::string ProfilesOf(const RunView& view) {
  std::vector<std::string> parts;
  for (const auto& [reach, text] : ProfilesByReach(view)) parts.push_back(text);
  return parts.empty() ? "" : fmt::format("profiles {}", fmt::join(parts, "; "));
}

namespace {

/// "; of the values of all dimensions, clause by clause: 812 of 940"
std::string ValuePairsOf(const nlohmann::json& run_end) {
  if (!run_end.contains("value_pairs")) return "";
  const nlohmann::json& pairs = run_end.at("value_pairs");
  return fmt::format("; of the values of all dimensions, clause by clause: {} of {}", pairs.at("met").get<int64_t>(),
                     pairs.at("possible").get<int64_t>());
}

}  // namespace

std::string PairsOf(const RunView& view) {
  if (!view.end || !view.end->contains("pairs")) return "";
  constexpr size_t kNamed = 3;
  const nlohmann::json& pairs = view.end->at("pairs");
  const auto possible = pairs.at("possible").get<size_t>();
  auto missing = pairs.at("missing").get<std::vector<std::string>>();
  const std::string text =
      fmt::format("pairs of stage, plan, precision and mesh: {} of {} drawn", possible - missing.size(), possible);
  const std::string of_values = ValuePairsOf(*view.end);
  if (missing.empty()) return text + of_values;
  const std::string more = missing.size() > kNamed ? fmt::format(" and {} more", missing.size() - kNamed) : "";
  missing.resize(std::min(missing.size(), kNamed));
  return fmt::format("{}; not {}{}{}", text, fmt::join(missing, ", "), more, of_values);
}

}  // namespace zerocts
