#include "conformance/host/rank/event_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace zerocts {
namespace {

constexpr uint32_t kUsualEvents = 256;
constexpr uint32_t kMostEvents = 1 << 24;  // more is no record but a wrong count

}  // namespace

void EventRecorder::Begin(zerocts_engine* engine) {
  if (!case_.observe_events) return;
  first_of_engine_ = std::ssize(shown_.events);
  EventsSinceLastCall(engine);
}

void EventRecorder::Take(zerocts_engine* engine, int64_t step) {
  if (!case_.observe_events) return;
  for (const zerocts_event& event : EventsSinceLastCall(engine)) {
    const bool waits = event.kind == ZEROCTS_EVENT_WAIT;
    shown_.events.push_back({step, static_cast<EventKind>(event.kind),
                             std::string(event.name, strnlen(event.name, sizeof(event.name))), event.index,
                             static_cast<int>(event.queue),
                             waits ? first_of_engine_ + static_cast<int64_t>(event.awaited) : -1});
  }
}

std::span<const zerocts_event> EventRecorder::EventsSinceLastCall(zerocts_engine* engine) {
  const zerocts_events_extension& extension = Extension();
  const std::span<int32_t> buckets =
      buckets_room_.Take(case_.experiment.parameters.size(), int32_t{-1}, "buckets of parameters", -1);
  std::span<zerocts_event> events;
  GuardedArgs<zerocts_events_args> args(engine);
  args->n_parameters = static_cast<uint32_t>(buckets.size());
  args->bucket_of_parameter = buckets.data();
  do {
    if (args->count > kMostEvents) {
      throw Refusal{"events", caller_.step(), ZEROCTS_INTERNAL,
                    fmt::format("expected at most {} events, got {}", kMostEvents, args->count)};
    }
    events = events_room_.Take(std::max(kUsualEvents, args->count), zerocts_event{}, "events", -1);
    args->capacity = static_cast<uint32_t>(events.size());
    args->events = events.data();
    caller_.Call("events", extension.events, args);
    for (const OutputRoom* room : {&events_room_, &buckets_room_}) {
      if (const std::string overstep = room->Overstep(); !overstep.empty()) caller_.Broke(overstep);
    }
  } while (args->count > args->capacity);
  shown_.bucket_of_parameter.assign(buckets.begin(), buckets.end());
  return events.first(args->count);
}

const zerocts_events_extension& EventRecorder::Extension() {
  const zerocts_events_extension* extension = nullptr;
  caller_.Call("get_extension", [&] {
    extension = static_cast<const zerocts_events_extension*>(plugin_.Extension(ZEROCTS_EVENTS_EXTENSION));
    return static_cast<zerocts_status*>(nullptr);
  });
  if (extension && extension->struct_size >= sizeof(*extension) && extension->events) return *extension;
  throw Refusal{"get_extension", caller_.step(), ZEROCTS_UNIMPLEMENTED,
                "\"events\" is declared, but the extension " ZEROCTS_EVENTS_EXTENSION " is missing"};
}

}  // namespace zerocts
