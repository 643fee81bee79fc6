// In which order a rank asked for things, as it tells by the extension zerocts.events/1.
#pragma once
#include <span>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/memory/output_room.hpp"
#include "conformance/host/rank/plugin.hpp"
#include "conformance/host/rank/subject_caller.hpp"

namespace zerocts {

/// Does nothing where the case observes no events; else the subject declares them.
class EventRecorder {
 public:
  /// All of them outlive it.
  EventRecorder(const Plugin& plugin, const Case& c, SubjectCaller& caller, RankPage& page, RankObservation& shown)
      : plugin_(plugin), case_(c), caller_(caller), events_room_(page), buckets_room_(page), shown_(shown) {}

  /// Right after open. Throws Refusal, as Take does.
  void Begin(zerocts_engine* engine);
  /// What was asked for since the last call belongs to `step`, or is RankEvent::kOutsideOfSteps.
  void Take(zerocts_engine* engine, int64_t step);

 private:
  /// They stand in the rooms until the next call.
  std::span<const zerocts_event> EventsSinceLastCall(zerocts_engine* engine);
  const zerocts_events_extension& Extension();

  const Plugin& plugin_;
  const Case& case_;
  SubjectCaller& caller_;
  OutputRoom events_room_, buckets_room_;
  RankObservation& shown_;
  int64_t first_of_engine_ = 0;  // where its event 0 stands
};

}  // namespace zerocts
