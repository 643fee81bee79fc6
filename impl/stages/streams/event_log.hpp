// In which order the rank's thread asked its streams for computation and collectives, and what waited for what. Unlike
// the clock, this order is the same under any load: it tells which collectives may go on beside which computation.
#pragma once
#include <cstdint>
#include <vector>

#include "impl/device/device.hpp"

namespace zerocts::engine {

enum class EventKind { kBegin = 1, kEnd = 2, kCollective = 3, kWait = 4 };  // as in zerocts_subject.h

/// What does one thing after the other: a stream, or the rank's thread for all streams on which things happen at once.
using QueueNumber = int;

struct LoggedEvent {
  EventKind kind;
  const char* name;      // a literal, as of RecordedSpan; "": a wait
  int index;             // unit of the model, or bucket; -1: a wait
  QueueNumber queue;     // that was asked, or waits
  int64_t awaited = -1;  // by a wait: the number of an event, counted from Start
};

/// A moment of a queue: right after this event. The number is kNothing before the first.
struct EventMark {
  QueueNumber queue;
  int64_t number;
};

/// Used by the rank's thread. Keeps nothing before Start.
class EventLog {
 public:
  static constexpr QueueNumber kRankThread = 0;
  static constexpr int64_t kNothing = -1;

  QueueNumber AddQueue(const DeviceStream& stream, bool runs_at_once);
  void Start() { on_ = true; }
  bool on() const { return on_; }

  // What an added stream is asked for. A computation is what it is asked for between Begin and End.
  void Begin(const DeviceStream& stream, const char* name, int index);
  void End(const DeviceStream& stream, const char* name, int index);
  void Collective(const DeviceStream& stream, const char* name, int index);
  /// What `queue` does from here on comes after that moment.
  void Wait(QueueNumber queue, const EventMark& moment);

  EventMark Now(QueueNumber queue) const { return {queue, last_[queue]}; }

  /// Since Start, or since they were taken.
  size_t size() const { return events_.size(); }
  std::vector<LoggedEvent> Take();

 private:
  struct Entry {
    const DeviceStream* stream;
    QueueNumber queue;
  };
  QueueNumber QueueOf(const DeviceStream& stream) const;
  void Append(const LoggedEvent& event);

  bool on_ = false;
  std::vector<Entry> streams_;
  std::vector<int64_t> last_ = {kNothing};  // [queues]
  int64_t next_ = 0;                        // the number of the next event
  std::vector<LoggedEvent> events_;
};

}  // namespace zerocts::engine
