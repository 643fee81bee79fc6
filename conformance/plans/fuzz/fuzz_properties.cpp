#include "conformance/plans/fuzz/fuzz_properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "conformance/plans/fuzz/drawn_request.hpp"
#include "reference/plan/runs/problem.hpp"
#include "reference/plan/runs/totals.hpp"

namespace zerocts {
namespace {

using plan::Plan;

Finding IsRead(AskedCase& asked) { return asked.answer().problem; }

Finding IsWhatWasAsked(AskedCase& asked) {
  if (!asked.answer().plan) return std::nullopt;
  return AnswersSomethingElse(*asked.answer().plan, asked.request());
}

/// Alignment and balance are judged where they are promised, or asked for.
bool Promises(const Plan& plan, plan::Property property) {
  if (property == plan::Property::kAlignment) return plan.alignment > 1;
  return property != plan::Property::kBalance || plan.balance;
}

Finding Judged(AskedCase& asked, plan::Property property) {
  if (!asked.answer().plan || !Promises(*asked.answer().plan, property)) return std::nullopt;
  for (const plan::Violation& first : asked.verdict().firsts) {
    if (first.property == property) return ToString(first);
  }
  return "";
}

bool SameState(const Plan& a, const Plan& b, plan::State state) {
  const plan::Sharding *of_a = a.sharding(state), *of_b = b.sharding(state);
  return of_a && of_b ? *of_a == *of_b : of_a == of_b;
}

/// "" where both are refused, cannot be read, or are the same plan field by field; who made it does not matter.
std::string Difference(const Answer& a, const Answer& b) {
  if (!a.plan || !b.plan) return !a.plan == !b.plan ? "" : "one answer is a plan, the other is none";
  if (a.plan->mesh != b.plan->mesh) return "the plans are for different meshes";
  if (a.plan->model != b.plan->model) return "the plans are of different models";
  for (const plan::State state : plan::kStates) {
    if (!SameState(*a.plan, *b.plan, state)) return fmt::format("{} are divided in two ways", NameOf(state));
  }
  return a.plan->alignment == b.plan->alignment && a.plan->balance == b.plan->balance ? "" : "the promises differ";
}

/// The difference between the case's answer and another one to the same question.
std::string DifferenceTo(const std::string& line, AskedCase& asked) {
  return line == asked.line() ? "" : Difference(asked.answer(), ReadAnswer(line, asked.request()));
}

Finding IsTheSameAgain(AskedCase& asked) { return DifferenceTo(asked.LineFor(asked.request()), asked); }

Finding IsTheSameInAnotherProcess(AskedCase& asked) { return DifferenceTo(asked.LineFromAnotherProcess(), asked); }

Finding IsTheSameForEveryRank(AskedCase& asked) {
  const int world = asked.request().replicas * asked.request().shards;
  if (world == 1) return std::nullopt;
  for (const int rank : std::set<int>{std::min(1, world - 1), world / 2, world - 1}) {
    PlanningRequest by_rank = asked.request();
    by_rank.rank = rank;
    const std::string difference = rank == asked.request().rank ? "" : DifferenceTo(asked.LineFor(by_rank), asked);
    if (!difference.empty()) return fmt::format("ranks {} and {}: {}", asked.request().rank, rank, difference);
  }
  return "";
}

/// The last part of each name is another one, and sorts the other way round; blocks keep their numbers.
plan::Model Renamed(const plan::Model& model) {
  plan::Model renamed = model;
  for (size_t t = 0; t < model.size(); ++t) {
    std::string& name = renamed[t].name;
    name = name.substr(0, name.rfind('.') + 1) + "renamed_" + Letters(model.size() - t);
  }
  return renamed;
}

Finding DoesNotDependOnNames(AskedCase& asked) {
  if (asked.request().model.empty()) return std::nullopt;
  PlanningRequest renamed = asked.request();
  renamed.model = Renamed(renamed.model);
  if (!Problem(Plan{.model = renamed.model}).empty()) return std::nullopt;  // a name is there already
  Answer answer = ReadAnswer(asked.LineForAnotherModel(renamed), renamed);
  if (answer.plan && answer.plan->model == renamed.model) answer.plan->model = asked.request().model;
  const std::string difference = Difference(asked.answer(), answer);
  return difference.empty() ? "" : difference + " when tensors have other names, in another order";
}

/// Elements that the fullest shard needs room for, padding included.
int64_t RoomFor(const Plan& plan, plan::State state) {
  std::vector<int64_t> weight;
  int64_t total = 0;
  for (const plan::Tensor& tensor : plan.model) {
    weight.push_back(Needs(tensor, state));
    total += weight.back() * tensor.numel();
  }
  const plan::Sharding* sharding = plan.sharding(state);
  if (!sharding) return total;
  const std::vector<int64_t> slots = SlotsOfShards(plan, *sharding, weight);
  return *std::max_element(slots.begin(), slots.end());
}

Finding NeedsNoMoreOnMoreRanks(AskedCase& asked, int64_t growth) {
  if (!asked.sound()) return std::nullopt;
  bool compared = false;
  for (AskedCase& more : asked.on_more_ranks()) {
    if (!more.sound()) continue;  // which is a finding of its own
    compared = true;
    for (const plan::State state : plan::kStates) {
      const int64_t before = RoomFor(*asked.answer().plan, state), after = RoomFor(*more.answer().plan, state);
      if (after > before + growth)
        return fmt::format(
            "{}: on {} shards a rank needs room for {} elements, on {} for {}; where plans may do so, as those of "
            "whole tensors, --growth {} allows it, and --growth any asks nothing of growth",
            NameOf(state), asked.request().shards, before, more.request().shards, after, after - before);
    }
  }
  return compared ? Finding("") : std::nullopt;
}

}  // namespace

std::vector<FuzzProperty> FuzzProperties(std::optional<int64_t> growth) {
  using Of = FuzzProperty::Of;
  std::vector<FuzzProperty> properties = {{"answer", Of::kAnswer, IsRead},
                                          {"what was asked", Of::kAnswer, IsWhatWasAsked}};
  for (int p = 0; p < plan::kProperties; ++p) {
    const auto property = static_cast<plan::Property>(p);
    properties.push_back(
        {NameOf(property), Of::kPlan, [property](AskedCase& asked) { return Judged(asked, property); }});
  }
  properties.insert(properties.end(), {{"same again", Of::kPlanner, IsTheSameAgain},
                                       {"same in another process", Of::kPlanner, IsTheSameInAnotherProcess},
                                       {"same on every rank", Of::kPlanner, IsTheSameForEveryRank},
                                       {"names do not matter", Of::kPlanner, DoesNotDependOnNames}});
  if (growth)
    properties.push_back({"no more on more ranks", Of::kPlanner,
                          [g = *growth](AskedCase& asked) { return NeedsNoMoreOnMoreRanks(asked, g); }});
  return properties;
}

}  // namespace zerocts
