// In which order a rank asked for things, as it tells by the extension zerocts.events/1.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
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
  void Begin() {
    if (!context_.c.observe_events) return;
    first_of_engine_ = std::ssize(context_.observation.events);
    EventsSinceLastCall();
  }
  /// What was asked for since the last call belongs to `step`, or is RankEvent::kOutsideOfSteps.
  void Take(int64_t step) {
    if (!context_.c.observe_events) return;
    for (const zerocts_event& event : EventsSinceLastCall()) {
      const bool waits = event.kind == ZEROCTS_EVENT_WAIT;
      context_.observation.events.push_back({step, static_cast<EventKind>(event.kind),
                                             std::string(event.name, strnlen(event.name, sizeof(event.name))),
                                             event.index, static_cast<int>(event.queue),
                                             waits ? first_of_engine_ + static_cast<int64_t>(event.awaited) : -1});
    }
  }

 private:
  static constexpr uint32_t kUsualEvents = 256;
  static constexpr uint32_t kMostEvents = 1 << 24;  // more is no record but a wrong count

  /// They stand in the rooms until the next call.
  std::span<const zerocts_event> EventsSinceLastCall() {
    SubjectCaller& caller = context_.caller;
    const auto& extension =
        context_.Extension(caller.step(), "events", ZEROCTS_EVENTS_EXTENSION, &zerocts_events_extension::events);
    const std::span<int32_t> buckets =
        buckets_room_.Take(context_.experiment.parameters.size(), int32_t{-1}, "buckets of parameters", -1);
    std::span<zerocts_event> events;
    GuardedArgs<zerocts_events_args> args(context_.engine);
    args->n_parameters = static_cast<uint32_t>(buckets.size());
    args->bucket_of_parameter = buckets.data();
    do {
      if (args->count > kMostEvents) {
        throw Refusal{"events", caller.step(), ZEROCTS_INTERNAL,
                      fmt::format("expected at most {} events, got {}", kMostEvents, args->count)};
      }
      events = events_room_.Take(std::max(kUsualEvents, args->count), zerocts_event{}, "events", -1);
      args->capacity = static_cast<uint32_t>(events.size());
      args->events = events.data();
      caller.Call("events", extension.events, args);
      for (const OutputRoom* room : {&events_room_, &buckets_room_}) {
        if (const std::string overstep = room->Overstep(); !overstep.empty()) caller.Broke(overstep);
      }
    } while (args->count > args->capacity);
    context_.observation.bucket_of_parameter.assign(buckets.begin(), buckets.end());
    return events.first(args->count);
  }

  RankContext& context_;
  OutputRoom events_room_, buckets_room_;
  int64_t first_of_engine_ = 0;  // where its event 0 stands
};

}  // namespace zerocts
