#include "conformance/check/events/reported_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "conformance/check/events/event_order.hpp"
#include "reference/model/model.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {
namespace {

bool IsComputation(const RankEvent& event) { return event.name == "forward" || event.name == "backward"; }

/// Forward of each unit, then backward of each, once per micro-batch.
std::vector<std::pair<bool, int>> ExpectedOfStep(const Case& c, int units) {
  std::vector<std::pair<bool, int>> expected;
  for (int k = 0; k < c.experiment.micro_batches; ++k) {
    for (int unit = 0; unit < units; ++unit) expected.emplace_back(false, unit);
    for (int unit = units - 1; unit >= 0; --unit) expected.emplace_back(true, unit);
  }
  return expected;
}

std::string ProblemOfComputations(const Case& c, const std::vector<RankEvent>& events, int units) {
  const std::vector<std::pair<bool, int>> expected = ExpectedOfStep(c, units);
  std::vector<size_t> reported(static_cast<size_t>(c.experiment.steps));
  for (const Computation& computation : ComputationsOf(events)) {
    if (computation.step < 0 || computation.step >= c.experiment.steps)
      return fmt::format("{} is reported outside of steps", TextOf(computation));
    size_t& index = reported[static_cast<size_t>(computation.step)];
    if (index == expected.size())
      return fmt::format("step {} is reported with more than its {} forwards and backwards", computation.step, index);
    const auto& [backward, unit] = expected[index];
    if (backward != computation.backward || unit != computation.unit) {
      return fmt::format("in step {}, {} is reported where {} comes", computation.step, TextOf(computation),
                         TextOf({.backward = backward, .unit = unit}));
    }
    ++index;
  }
  for (size_t step = 0; step < reported.size(); ++step) {
    if (reported[step] < expected.size())
      return fmt::format("step {} is reported with {} forwards and backwards: expected {}", step, reported[step],
                         expected.size());
  }
  return "";
}

std::string ProblemOfCollectives(const Case& c, const std::vector<RankEvent>& events, const UnitsOfBuckets& buckets) {
  const EventOrder order(events);
  std::set<std::pair<int64_t, int>> reduced;  // step, bucket
  for (int64_t i = 0; i < std::ssize(events); ++i) {
    const RankEvent& event = events[static_cast<size_t>(i)];
    if (event.kind != EventKind::kCollective) continue;
    if (!buckets.Has(event.index))
      return fmt::format("event {} is the {} of bucket {}, in which no parameter travels", i, event.name, event.index);
    if (event.step + 1 < c.experiment.steps && !order.IsAwaited(i))
      return fmt::format("the {} of bucket {} in step {} is never waited for", event.name, event.index, event.step);
    if (IsReduction(event)) reduced.emplace(event.step, event.index);
  }
  for (int64_t step = 0; step < c.experiment.steps; ++step) {
    for (const int bucket : buckets.buckets()) {
      if (!reduced.contains({step, bucket}))
        return fmt::format("the gradients of bucket {} are never reduced in step {}", bucket, step);
    }
  }
  return "";
}

/// Where both are reported, nothing can be asked for that did not last; what lasted for a read may be in the step
/// before or after.
std::string ProblemOfSpans(const RankObservation& rank) {
  std::map<std::string, int64_t> lasted;
  for (const TimelineSpan& span : rank.timeline) ++lasted[span.name];
  std::map<std::string, int64_t> asked;
  for (const RankEvent& event : rank.events) {
    const bool begins =
        event.kind == EventKind::kCollective || (event.kind == EventKind::kBegin && IsComputation(event));
    if (begins) ++asked[event.name];
  }
  for (const auto& [name, count] : asked) {
    if (count > lasted[name])
      return fmt::format("{} times {} is reported as asked for, but only {} times as lasting", count, name,
                         lasted[name]);
  }
  return "";
}

}  // namespace

std::string TextOf(const Computation& computation) {
  return fmt::format("the {} of unit {}", computation.backward ? "backward" : "forward", computation.unit);
}

bool IsReduction(const RankEvent& event) {
  return event.kind == EventKind::kCollective && (event.name == "reduce_scatter" || event.name == "all_reduce");
}

bool IsGather(const RankEvent& event) { return event.kind == EventKind::kCollective && event.name == "all_gather"; }

UnitsOfBuckets::UnitsOfBuckets(const Case& c, const std::vector<int>& bucket_of_parameter) {
  const Model model(*c.experiment.model, c.experiment.precision, HostOps());
  units_ = model.units();
  for (int unit = 0; unit < units_; ++unit) {
    for (const int parameter : model.ParametersOf(unit)) {
      if (parameter >= std::ssize(bucket_of_parameter)) continue;
      const int bucket = bucket_of_parameter[static_cast<size_t>(parameter)];
      if (bucket < 0 || bucket >= std::ssize(bucket_of_parameter)) continue;  // more buckets than parameters: none
      if (bucket >= std::ssize(used_)) used_.resize(static_cast<size_t>(bucket) + 1);
      std::vector<bool>& units = used_[static_cast<size_t>(bucket)];
      units.resize(static_cast<size_t>(units_));
      units[static_cast<size_t>(unit)] = true;
    }
  }
}

bool UnitsOfBuckets::Has(int bucket) const {
  return bucket >= 0 && bucket < std::ssize(used_) && !used_[static_cast<size_t>(bucket)].empty();
}

bool UnitsOfBuckets::Uses(int unit, int bucket) const {
  return used_[static_cast<size_t>(bucket)][static_cast<size_t>(unit)];
}

int UnitsOfBuckets::FirstUnitOf(int bucket) const {
  return static_cast<int>(std::ranges::find(used_[static_cast<size_t>(bucket)], true) -
                          used_[static_cast<size_t>(bucket)].begin());
}

std::vector<int> UnitsOfBuckets::buckets() const {
  std::vector<int> buckets;
  for (int bucket = 0; bucket < std::ssize(used_); ++bucket) {
    if (Has(bucket)) buckets.push_back(bucket);
  }
  return buckets;
}

std::vector<Computation> ComputationsOf(const std::vector<RankEvent>& events) {
  std::vector<Computation> computations;
  for (int64_t i = 0; i < std::ssize(events); ++i) {
    const RankEvent& event = events[static_cast<size_t>(i)];
    if (!IsComputation(event)) continue;
    const bool backward = event.name == "backward";
    if (event.kind == EventKind::kBegin)
      computations.push_back({.step = event.step, .begin = i, .end = i, .backward = backward, .unit = event.index});
    if (event.kind == EventKind::kEnd && !computations.empty()) computations.back().end = i;
  }
  return computations;
}

std::string ProblemOfStory(const Case& c, const RankObservation& rank, const UnitsOfBuckets& buckets) {
  if (std::string problem = Problem(rank.events); !problem.empty()) return problem;
  if (std::string problem = ProblemOfComputations(c, rank.events, buckets.units()); !problem.empty()) return problem;
  if (std::string problem = ProblemOfCollectives(c, rank.events, buckets); !problem.empty()) return problem;
  return ProblemOfSpans(rank);
}

}  // namespace zerocts
