#include "reference/plan/judge/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reference/plan/judge/judge_parts.hpp"

namespace zerocts::plan {
namespace {

void JudgeFlatRange(const Judged& judged, const Division& division, const FlatRange& flat_range, Findings& findings) {
  if (!JudgeOffsets(judged, flat_range, findings)) return;
  if (!division.exceptions.empty()) return JudgeExceptions(judged, division, flat_range, findings);
  if (const auto* list = std::get_if<Intervals>(&division.rule))
    return JudgeIntervals(judged, flat_range, list->intervals, findings);
  if (const auto* affine = std::get_if<Affine>(&division.rule))
    return JudgeAffine(judged, flat_range, *affine, findings);
  JudgeRule(judged, division, flat_range, findings);
}

void JudgeSharding(const Judged& judged, std::span<const State> states, Findings& findings) {
  findings.Judging(states.front());
  JudgeTensors(judged, states, findings);
  for (const Division& division : judged.sharding.divisions) {
    FlatRanges flat_ranges(judged.plan.model, division);
    while (const FlatRange* flat_range = flat_ranges.Next()) JudgeFlatRange(judged, division, *flat_range, findings);
  }
  if (judged.plan.balance) JudgeBalance(judged, findings);
}

}  // namespace

const char* NameOf(Property property) {
  constexpr const char* kNames[kProperties] = {
      "extents",          "group-relative",   "P1 coverage",    "disjointness", "P2 consistency",
      "P3 invertibility", "P4 composability", "P5 homogeneity", "alignment",    "balance"};
  return kNames[static_cast<int>(property)];
}

std::string ToString(const Violation& v) {
  std::string text = fmt::format("{}: {}", NameOf(v.property), NameOf(v.state));
  if (!v.parameter.empty()) text += fmt::format(" of {}, element {}", v.parameter, v.element);
  if (!v.ranks.empty())
    text += fmt::format(", {} {}", v.ranks.size() == 1 ? "rank" : "ranks", fmt::join(v.ranks, ", "));
  return text + ": " + v.what;
}

Verdict Findings::Done() && {
  Verdict verdict;
  verdict.counts = counts_;
  for (std::optional<Violation>& first : firsts_) {
    if (first) verdict.firsts.push_back(std::move(*first));
  }
  return verdict;
}

Verdict Judge(const Plan& plan) {
  Findings findings(plan);
  for (int index = 0; index < std::ssize(plan.shardings); ++index) {
    std::vector<State> states;
    for (const State state : kStates) {
      if (plan.sharding_of[static_cast<int>(state)] == index) states.push_back(state);
    }
    const Sharding& sharding = plan.shardings[index];
    if (!states.empty()) JudgeSharding({plan, sharding, Group(plan.mesh, sharding.axes)}, states, findings);
  }
  JudgeStates(plan, findings);
  return std::move(findings).Done();
}

}  // namespace zerocts::plan
