// What a case costs, as the subject counts it: bytes that each step moves, when what happened, memory beyond what is
// held.
#pragma once
#include <span>

#include "conformance/cases/case/observation.hpp"
#include "conformance/host/memory/output_room.hpp"
#include "conformance/host/rank/rank_context.hpp"

namespace zerocts {

/// The case is within what the subject declares.
class CostMeter {
 public:
  explicit CostMeter(RankContext& context) : context_(context), room_(context.page) {}

  /// Runs a part of a step; what it moves counts.
  template <typename Part>
  void Counted(Part part) {
    if (!context_.c.observe_traffic) return part();
    const StepTraffic before = TrafficSinceOpen();
    part();
    AddDifference(before, TrafficSinceOpen());
  }

  /// After a step: what it moved, and what lasted since the last call.
  void EndStep();

 private:
  StepTraffic TrafficSinceOpen();
  void AddDifference(const StepTraffic& before, const StepTraffic& after);
  /// They stand in the room until the next call.
  std::span<const zerocts_span> SpansSinceLastCall();

  RankContext& context_;
  OutputRoom room_;
  StepTraffic of_step_;
};

/// What memory of the table said to a subject that declares "memory_estimate".
MemoryPlan MemoryPlanFrom(const zerocts_memory_args& args);

}  // namespace zerocts
