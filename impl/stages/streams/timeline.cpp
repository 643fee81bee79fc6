#include "impl/stages/streams/timeline.hpp"

#include <algorithm>
#include <chrono>

namespace zerocts::engine {
namespace {

constexpr size_t kMostSpans = 4096;

int64_t Now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

}  // namespace

Timeline::SpanId Timeline::Begin(DeviceStream& stream, const char* name, int index) {
  SpanId id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = next_++;
    spans_.push_back({name, index, 0, 0});
    if (spans_.size() > kMostSpans) spans_.pop_front();
  }
  stream.Run([this, id] {
    const std::lock_guard lock(mutex_);
    const SpanId first = next_ - spans_.size();
    if (id >= first) spans_[id - first].begin_ns = Now();
  });
  return id;
}

void Timeline::End(DeviceStream& stream, SpanId id) {
  stream.Run([this, id] {
    const std::lock_guard lock(mutex_);
    const SpanId first = next_ - spans_.size();
    if (id >= first) spans_[id - first].end_ns = Now();
  });
}

size_t Timeline::size() {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(
      std::count_if(spans_.begin(), spans_.end(), [](const RecordedSpan& s) { return s.end_ns != 0; }));
}

std::vector<RecordedSpan> Timeline::Take() {
  const std::lock_guard lock(mutex_);
  std::vector<RecordedSpan> taken;
  for (RecordedSpan& span : spans_) {
    if (span.end_ns == 0) continue;  // still under way, or taken
    taken.push_back(span);
    span = {nullptr, 0, 0, 0};
  }
  while (!spans_.empty() && !spans_.front().name) spans_.pop_front();
  std::stable_sort(taken.begin(), taken.end(),
                   [](const RecordedSpan& a, const RecordedSpan& b) { return a.begin_ns < b.begin_ns; });
  return taken;
}

}  // namespace zerocts::engine
