// When things began and ended on this rank, and in which order they were asked for.
#pragma once
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "impl/device/device.hpp"
#include "impl/stages/streams/event_log.hpp"

namespace zerocts::engine {

struct RecordedSpan {
  const char* name;  // a literal: "forward", "backward", "reduce_scatter", "all_gather", "all_reduce", "step", "norm"
  int index;         // unit of the model, or bucket; -1: the whole
  int64_t begin_ns = 0, end_ns = 0;  // steady clock
};

class Timeline {
 public:
  /// Enqueues `work()` between two readings of the clock on `stream`. The timeline outlives the stream.
  template <class Work>
  void Span(DeviceStream& stream, const char* name, int index, const Work& work) {
    const auto span = Begin(stream, name, index);
    events_.Begin(stream, name, index);
    work();
    events_.End(stream, name, index);
    End(stream, span);
  }
  /// The same for a collective, which one stream asks another one for: it begins when all that it waits for of `asking`
  /// has happened, and ends on `doing`.
  template <class Work>
  void Span(DeviceStream& asking, DeviceStream& doing, const char* name, int index, const Work& work) {
    const auto span = Begin(asking, name, index);
    work();
    events_.Collective(doing, name, index);
    End(doing, span);
  }
  EventLog& events() { return events_; }

  /// How many Take gives; more when something ends meanwhile.
  size_t size();
  /// What ended since the last call, ascending by begin; at most the last 4,096.
  std::vector<RecordedSpan> Take();

 private:
  using SpanId = uint64_t;
  SpanId Begin(DeviceStream& stream, const char* name, int index);
  void End(DeviceStream& stream, SpanId id);

  EventLog events_;
  std::mutex mutex_;                // of what follows
  SpanId next_ = 0;                 // of the span that begins next
  std::deque<RecordedSpan> spans_;  // the last ones; the first has the id next_ - size
};

}  // namespace zerocts::engine
