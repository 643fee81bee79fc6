// What a case costs, as the subject counts it: bytes that each step moves, when what happened, memory beyond what is
// held.
#pragma once
#include <span>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/memory/output_room.hpp"
#include "conformance/host/rank/subject_caller.hpp"

namespace zerocts {

/// The case is within what the subject declares.
class CostMeter {
 public:
  CostMeter(const Case& c, SubjectCaller& caller, RankPage& page) : case_(c), caller_(caller), room_(page) {}

  /// Runs a part of a step; what it moves counts.
  template <typename Part>
  void Counted(zerocts_engine* engine, Part part) {
    if (!case_.observe_traffic) return part();
    const StepTraffic before = TrafficSinceOpen(engine);
    part();
    AddDifference(before, TrafficSinceOpen(engine));
  }

  /// After a step: what it moved, and what lasted since the last call.
  void EndStep(zerocts_engine* engine, RankObservation& observation);

 private:
  StepTraffic TrafficSinceOpen(zerocts_engine* engine);
  void AddDifference(const StepTraffic& before, const StepTraffic& after);
  /// They stand in the room until the next call.
  std::span<const zerocts_span> SpansSinceLastCall(zerocts_engine* engine);

  const Case& case_;
  SubjectCaller& caller_;
  OutputRoom room_;
  StepTraffic of_step_;
};

/// What memory of the table said to a subject that declares "memory_estimate".
MemoryPlan MemoryPlanFrom(const zerocts_memory_args& args);

}  // namespace zerocts
