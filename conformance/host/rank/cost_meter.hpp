// What a case costs, as the subject counts it: bytes that each step moves, when what happened, memory beyond what is
// held.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
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
  void EndStep() {
    const int64_t step = context_.caller.step();
    if (context_.c.observe_traffic) {
      of_step_.step = step;
      context_.observation.traffic.push_back(of_step_);
      of_step_ = {};
    }
    if (!context_.c.observe_timeline) return;
    for (const zerocts_span& span : SpansSinceLastCall()) {
      const std::string name(span.name, strnlen(span.name, sizeof(span.name)));
      context_.observation.timeline.push_back({step, name, span.index, span.begin_ns, span.end_ns});
    }
  }

 private:
  static constexpr uint32_t kUsualSpans = 256;
  static constexpr uint32_t kMostSpans = 1 << 24;  // more is no timeline but a wrong count

  static StepTraffic::Count CountFrom(const zerocts_traffic_count& count) {
    return {count.calls, count.sent_bytes, count.received_bytes};
  }

  static void AddDifference(StepTraffic::Count& sum, const StepTraffic::Count& before,
                            const StepTraffic::Count& after) {
    sum.calls += after.calls - before.calls;
    sum.sent_bytes += after.sent_bytes - before.sent_bytes;
    sum.received_bytes += after.received_bytes - before.received_bytes;
  }

  StepTraffic TrafficSinceOpen() {
    GuardedArgs<zerocts_traffic_args> args(context_.engine);
    context_.caller.Call("traffic", context_.caller.table().traffic, args);
    return {context_.caller.step(), CountFrom(args->reduce_scatter), CountFrom(args->all_gather),
            CountFrom(args->all_reduce), CountFrom(args->broadcast)};
  }
  void AddDifference(const StepTraffic& before, const StepTraffic& after) {
    for (const auto& [name, count] : kCollectives) {
      AddDifference(of_step_.*count, before.*count, after.*count);
    }
  }
  /// They stand in the room until the next call.
  std::span<const zerocts_span> SpansSinceLastCall() {
    SubjectCaller& caller = context_.caller;
    std::span<zerocts_span> spans;
    GuardedArgs<zerocts_timeline_args> args(context_.engine);
    do {
      if (args->count > kMostSpans) {
        throw Refusal{"timeline", caller.step(), ZEROCTS_INTERNAL,
                      fmt::format("expected at most {} spans, got {}", kMostSpans, args->count)};
      }
      spans = room_.Take(std::max(kUsualSpans, args->count), zerocts_span{}, "spans", -1);
      args->capacity = static_cast<uint32_t>(spans.size());
      args->spans = spans.data();
      caller.Call("timeline", caller.table().timeline, args);
      if (const std::string overstep = room_.Overstep(); !overstep.empty()) caller.Broke(overstep);
    } while (args->count > args->capacity);
    return spans.first(args->count);
  }

  RankContext& context_;
  OutputRoom room_;
  StepTraffic of_step_;
};

/// What memory of the table said to a subject that declares "memory_estimate".
inline MemoryPlan MemoryPlanFrom(const zerocts_memory_args& a) {
  return {
      {a.estimated_parameter_bytes, a.estimated_gradient_bytes, a.estimated_optimizer_bytes, a.estimated_buffer_bytes},
      a.estimated_peak_bytes,
      a.peak_bytes,
      a.offloaded_bytes};
}

}  // namespace zerocts
