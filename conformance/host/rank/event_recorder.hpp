// In which order a rank asked for things, as it tells by the extension zerocts.events/1.
#pragma once
#include <span>

#include "conformance/host/memory/output_room.hpp"
#include "conformance/host/rank/rank_context.hpp"

namespace zerocts {

/// Does nothing where the case observes no events; else the subject declares them.
class EventRecorder {
 public:
  explicit EventRecorder(RankContext& context)
      : context_(context), events_room_(context.page), buckets_room_(context.page) {}

  /// Right after open. Throws Refusal, as Take does.
  void Begin();
  /// What was asked for since the last call belongs to `step`, or is RankEvent::kOutsideOfSteps.
  void Take(int64_t step);

 private:
  /// They stand in the rooms until the next call.
  std::span<const zerocts_event> EventsSinceLastCall();
  const zerocts_events_extension& Extension();

  RankContext& context_;
  OutputRoom events_room_, buckets_room_;
  int64_t first_of_engine_ = 0;  // where its event 0 stands
};

}  // namespace zerocts
