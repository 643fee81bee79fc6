#include "conformance/check/events/event_order.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zerocts {
namespace {

constexpr int kMostQueues = 64;
constexpr int64_t kNothing = -1;

void TakeUp(std::vector<int64_t>& moment, const std::vector<int64_t>& other) {
  std::ranges::transform(moment, other, moment.begin(), [](int64_t a, int64_t b) { return std::max(a, b); });
}

}  // namespace

std::string Problem(const std::vector<RankEvent>& events) {
  for (int64_t i = 0; i < std::ssize(events); ++i) {
    const RankEvent& event = events[static_cast<size_t>(i)];
    if (event.kind < EventKind::kBegin || event.kind > EventKind::kWait)
      return fmt::format("event {} is of kind {}: expected 1 to 4", i, static_cast<int>(event.kind));
    if (event.queue < 0 || event.queue >= kMostQueues)
      return fmt::format("event {} is of queue {}: expected 0 to {}", i, event.queue, kMostQueues - 1);
    if (event.kind == EventKind::kWait && (event.awaited < 0 || event.awaited >= i))
      return fmt::format("event {} waits for event {}: expected one of those before it", i, event.awaited);
  }
  return "";
}

EventOrder::EventOrder(const std::vector<RankEvent>& events) {
  int queues = 1;
  for (const RankEvent& event : events) queues = std::max(queues, event.queue + 1);
  at_end_.assign(static_cast<size_t>(queues), Moment(static_cast<size_t>(queues), kNothing));
  for (const RankEvent& event : events) {
    const auto queue = static_cast<size_t>(event.queue);
    Moment& now = at_end_[queue];
    TakeUp(now, at_end_[kRankThread]);
    if (event.kind == EventKind::kWait) {
      const auto awaited = static_cast<size_t>(event.awaited);
      TakeUp(now, before_[awaited]);
      int64_t& of_queue = now[static_cast<size_t>(queue_of_[awaited])];
      of_queue = std::max(of_queue, event.awaited);
    }
    before_.push_back(now);
    now[queue] = std::ssize(queue_of_);
    queue_of_.push_back(event.queue);
  }
}

bool EventOrder::IsBefore(int64_t earlier, int64_t later) const {
  const auto queue = static_cast<size_t>(queue_of_[static_cast<size_t>(earlier)]);
  return before_[static_cast<size_t>(later)][queue] >= earlier;
}

bool EventOrder::IsAwaited(int64_t event) const {
  const auto queue = static_cast<size_t>(queue_of_[static_cast<size_t>(event)]);
  if (queue == kRankThread) return true;
  for (size_t other = 0; other < at_end_.size(); ++other) {
    if (other != queue && at_end_[other][queue] >= event) return true;
  }
  return false;
}

}  // namespace zerocts
