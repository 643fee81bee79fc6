#include "impl/stages/streams/event_log.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace zerocts::engine {

QueueNumber EventLog::AddQueue(const DeviceStream& stream, bool runs_at_once) {
  const QueueNumber queue = runs_at_once ? kRankThread : static_cast<QueueNumber>(last_.size());
  if (!runs_at_once) last_.push_back(kNothing);
  streams_.push_back({&stream, queue});
  return queue;
}

void EventLog::Begin(const DeviceStream& stream, const char* name, int index) {
  if (on_) Append({EventKind::kBegin, name, index, QueueOf(stream)});
}

void EventLog::End(const DeviceStream& stream, const char* name, int index) {
  if (on_) Append({EventKind::kEnd, name, index, QueueOf(stream)});
}

void EventLog::Collective(const DeviceStream& stream, const char* name, int index) {
  if (on_) Append({EventKind::kCollective, name, index, QueueOf(stream)});
}

void EventLog::Wait(QueueNumber queue, const EventMark& moment) {
  if (!on_ || moment.queue == queue || moment.number == kNothing) return;
  Append({EventKind::kWait, "", -1, queue, moment.number});
}

std::vector<LoggedEvent> EventLog::Take() { return std::exchange(events_, {}); }

QueueNumber EventLog::QueueOf(const DeviceStream& stream) const {
  const auto entry = std::ranges::find(streams_, &stream, &Entry::stream);
  if (entry == streams_.end()) throw std::logic_error("the log of events does not know this stream");
  return entry->queue;
}

void EventLog::Append(const LoggedEvent& event) {
  last_[event.queue] = next_++;
  events_.push_back(event);
}

}  // namespace zerocts::engine
