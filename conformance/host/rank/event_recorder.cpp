#include "conformance/host/rank/event_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace zerocts {
namespace {

constexpr uint32_t kUsualEvents = 256;
constexpr uint32_t kMostEvents = 1 << 24;  // more is no record but a wrong count

}  // namespace

void EventRecorder::Begin() {
  if (!context_.c.observe_events) return;
  first_of_engine_ = std::ssize(context_.observation.events);
  EventsSinceLastCall();
}

void EventRecorder::Take(int64_t step) {
  if (!context_.c.observe_events) return;
  for (const zerocts_event& event : EventsSinceLastCall()) {
    const bool waits = event.kind == ZEROCTS_EVENT_WAIT;
    context_.observation.events.push_back({step, static_cast<EventKind>(event.kind),
                                           std::string(event.name, strnlen(event.name, sizeof(event.name))),
                                           event.index, static_cast<int>(event.queue),
                                           waits ? first_of_engine_ + static_cast<int64_t>(event.awaited) : -1});
  }
}

std::span<const zerocts_event> EventRecorder::EventsSinceLastCall() {
  SubjectCaller& caller = context_.caller;
  const zerocts_events_extension& extension = Extension();
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

const zerocts_events_extension& EventRecorder::Extension() {
  const zerocts_events_extension* extension = nullptr;
  context_.caller.Call("get_extension", [&] {
    extension =
        static_cast<const zerocts_events_extension*>(context_.setting.plugin.Extension(ZEROCTS_EVENTS_EXTENSION));
    return static_cast<zerocts_status*>(nullptr);
  });
  if (extension && extension->struct_size >= sizeof(*extension) && extension->events) return *extension;
  throw Refusal{"get_extension", context_.caller.step(), ZEROCTS_UNIMPLEMENTED,
                "\"events\" is declared, but the extension " ZEROCTS_EVENTS_EXTENSION " is missing"};
}

}  // namespace zerocts
