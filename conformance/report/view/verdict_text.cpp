#include "conformance/report/view/verdict_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "conformance/cases/case/counted.hpp"
#include "conformance/report/words/mark.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {

std::string VerdictSentence(const RunView& view) {
  if (const std::string objection = view.Objection(); !objection.empty())
    return Printable(fmt::format("NO VERDICT: {}", objection));
  std::string verdict = Printable(view.verdict.text);
  for (char& c : verdict) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return verdict;
}

std::string FiguresOf(const RunView& view) {
  std::vector<std::string> counts;
  for (const auto& [result, count] : view.counts()) counts.push_back(fmt::format("{} {}", count, WordsOf(result)));
  if (view.plan && !counts.empty()) counts.push_back(fmt::format("{} planned", view.plan->all_configurations()));
  const int64_t idle = std::ranges::count(view.clauses, Result::kNotApplicable, &ClauseView::result);
  const int64_t left_out = std::ranges::count(view.clauses, Result::kLeftOut, &ClauseView::result);
  const int64_t not_run = std::ranges::count(view.clauses, Result::kNotRun, &ClauseView::result);
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
